//! What is checked in `Operator` and `Install` resources, and the review of an Install for a user.

use crate::bundles::{fail, outcome_of, rake, succeed};
use crate::common::Sandbox;
use serde_json::{Value, json};
use std::fs;

fn operator(name: &str, fields: &str) -> String {
    format!(
        "apiVersion: operators.coreos.com/v2alpha1\nkind: Operator\nmetadata: {{name: {name}}}\nspec:\n  updates:\n    \
         type: CatalogSource\n    catalogSource: {{package: rake, {fields}, ref: {{name: c, namespace: ns}}}}\n---\n"
    )
}

fn install(spec: &str, raw: &str) -> String {
    format!(
        "apiVersion: operators.coreos.com/v2alpha1\nkind: Install\nmetadata: {{name: plan}}\nspec:\n  {spec}\n  content:\n  \
         - type: Raw\n    raw: {raw}\n"
    )
}

const MAP: &str = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}";

fn json(sandbox: &Sandbox, line: &str) -> Value {
    let outcome = sandbox.run(line.split_whitespace());
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|_| panic!("{line}: {outcome}"))
}

/// An index with two versions of rake; the first one depends on twine.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    rake(&sandbox, "rake1", "1.0.0", None);
    rake(&sandbox, "rake2", "1.1.0", Some("rake.v1.0.0"));
    rake(&sandbox, "twine", "1.0.0", None);
    for file in [
        "manifests/operator.clusterserviceversion.yaml",
        "metadata/annotations.yaml",
    ] {
        let path = sandbox.path(format!("twine/{file}"));
        let text = fs::read_to_string(&path).unwrap();
        fs::write(path, text.replace("rake", "twine")).unwrap();
    }
    fs::write(
        sandbox.path("rake1/metadata/dependencies.yaml"),
        "dependencies:\n- {type: olm.package, value: {packageName: twine, version: '>=1.0.0'}}\n",
    )
    .unwrap();
    succeed(&sandbox, "registry add -q -b rake1,rake2,twine -d index.db");
    sandbox
}

#[test]
fn the_review_of_an_operator_includes_the_subscriptions_of_its_dependencies() {
    let sandbox = sandbox();
    fs::write(
        sandbox.path("operator.yaml"),
        operator("my-rake", "entrypoint: rake.v1.0.0"),
    )
    .unwrap();
    let line = "permissions -q operator.yaml --catalog c=index.db -o json";
    let review = json(&sandbox, line);
    let pending = review["status"]["pending"]["permissions"].as_array().unwrap();
    let create = json!({"apiGroups": ["operators.coreos.com"], "resources": ["subscriptions"], "verbs": ["create"],
        "namespaces": ["operators"]});
    assert!(pending.contains(&create), "{review:#}");
    let roles = sandbox.run("permissions -q operator.yaml --catalog c=index.db --as role".split(' '));
    assert!(roles.stdout.contains("- subscriptions"), "{roles}");
    // Exactly the pending permissions are enough for the plan.
    let mut state = json!({"version": 1, "namespace": "operators", "serviceAccount": "installer",
        "grants": [{"serviceAccount": "installer", "rules": pending}]});
    let plan = |state: &Value| {
        fs::write(sandbox.path("state.yaml"), state.to_string()).unwrap();
        let line = "plan -q operator.yaml --catalog c=index.db --state state.yaml";
        let review = "permissions -q operator.yaml --catalog c=index.db --state state.yaml --exit-code";
        let status = |line: &str| sandbox.run(line.split(' ')).status;
        (status(line), status(review))
    };
    assert_eq!(plan(&state), (Some(0), Some(0)));
    let fewer: Vec<&Value> = pending.iter().filter(|permission| **permission != create).collect();
    state["grants"][0]["rules"] = json!(fewer);
    assert_eq!(plan(&state), (Some(3), Some(3)));
}

#[test]
fn misspelled_fields_and_duplicate_resources_are_rejected_with_their_place() {
    let sandbox = sandbox();
    let refused = |text: &str| {
        fs::write(sandbox.path("file.yaml"), text).unwrap();
        fail(&sandbox, "plan file.yaml").stderr
    };
    insta::assert_snapshot!(refused(&operator("one", "entryPoint: rake.v1.0.0")), @"error: file.yaml:7:36: Operator one: spec.updates.catalogSource.entryPoint is not a known key of the Operator; did you mean entrypoint?");
    insta::assert_snapshot!(refused(&install("aproval: Approved", MAP)), @"error: file.yaml:5:3: Install plan: spec.aproval is not a known key of the Install; did you mean approval?");
    let twice = operator("one", "channel: stable").repeat(2);
    insta::assert_snapshot!(refused(&twice), @"error: file.yaml contains two resources Operator/one");
}

#[test]
fn one_manual_operator_of_a_package_makes_the_plan_manual() {
    let sandbox = sandbox();
    let both = operator("one", "channel: stable, approval: Manual") + &operator("two", "channel: stable");
    fs::write(sandbox.path("two.yaml"), both).unwrap();
    let plan = sandbox.run("plan two.yaml --catalog c=index.db -o json".split(' '));
    let written: Value = serde_json::from_str(&plan.stdout).unwrap_or_else(|_| panic!("{plan}"));
    assert_eq!(written["spec"]["approval"], "Manual");
    assert!(!plan.stderr.contains("replaces the Subscription"), "{plan}");
}

#[test]
fn only_namespaces_that_can_exist_are_accepted() {
    let sandbox = sandbox();
    fs::write(
        sandbox.path("install.yaml"),
        install("namespaces: [{from: default, to: X}]", MAP),
    )
    .unwrap();
    let outcome = fail(&sandbox, "plan install.yaml");
    assert!(
        outcome
            .stderr
            .contains("install.yaml:5:32: Install plan: spec.namespaces[0].to \"X\" must consist of"),
        "{outcome}"
    );
    for line in [
        "plan rake1 -n X",
        "plan rake1 --catalog-namespace X",
        "resolve rake --catalog index.db -n X",
        "permissions rake1 -n X",
        "permissions diff rake1 rake2 -n X",
        "permissions rake1 --user ann --catalog X/c",
    ] {
        assert_eq!(sandbox.run(line.split(' ')).status, Some(2), "{line}");
    }
}

#[test]
fn an_install_that_maps_no_namespace_uses_the_one_of_the_what_if_file() {
    let sandbox = sandbox();
    fs::write(sandbox.path("install.yaml"), install("approval: Approved", MAP)).unwrap();
    fs::write(sandbox.path("state.yaml"), "version: 1\nnamespace: garden\n").unwrap();
    let namespaces = |options: &str| {
        let plan = json(&sandbox, &format!("plan -q install.yaml -o json {options}"));
        let review = outcome_of(&sandbox, &format!("permissions -q install.yaml {options}")).stdout;
        let namespace = plan["metadata"]["namespace"].as_str().unwrap().to_owned();
        assert!(review.contains(&format!("namespace  {namespace}\n")), "{review}");
        namespace
    };
    assert_eq!(namespaces(""), "default");
    assert_eq!(namespaces("--state state.yaml"), "garden");
    assert_eq!(namespaces("-n shed"), "shed");
}

#[test]
fn a_user_may_approve_an_install_with_the_pending_permissions() {
    let sandbox = sandbox();
    fs::write(sandbox.path("install.yaml"), install("approval: Unapproved", MAP)).unwrap();
    let role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: maps}\nrules:\n\
                - {apiGroups: [''], resources: [configmaps], verbs: [create]}\n---\n\
                apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: maps}\n\
                roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: maps}\n\
                subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: ann}]\n";
    fs::write(sandbox.path("dump.yaml"), role).unwrap();
    let of = |user: &str| sandbox.run(format!("permissions install.yaml --cluster dump.yaml --user {user}").split(' '));
    insta::assert_snapshot!(of("ann"), @"ann may approve Install plan");
    insta::assert_snapshot!(of("joe"), @r"
    joe may not approve Install plan without these permissions:
    NAMESPACE  GROUP   RESOURCE    NAMES  VERBS
    default    (core)  configmaps         create
    ------- stderr -------
    error: the answer is no: joe lacks permissions to approve plan
    use --as role to print the roles that allow it
    ------- exit 3 -------
    ");
    let answer = json(
        &sandbox,
        "permissions install.yaml --cluster dump.yaml --user ann -o json",
    );
    assert_eq!(
        (&answer["install"], &answer["mayApprove"]),
        (&json!("plan"), &json!(true))
    );
    fs::write(sandbox.path("operator.yaml"), operator("my-rake", "channel: stable")).unwrap();
    let line = "permissions -q operator.yaml --catalog c=index.db --cluster dump.yaml --user ann -o json";
    let answer = json(&sandbox, line);
    assert_eq!(answer["install"], "my-rake");
    assert_eq!(
        answer["catalogs"],
        json!([{"namespace": "ns", "name": "c", "mayUse": false, "refusedByPolicy": false}])
    );
}
