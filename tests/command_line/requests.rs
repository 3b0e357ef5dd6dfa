//! `Operator` and `Install` resources as input of `resolve`, `plan`, `permissions` and `operator`.

use crate::bundles::{fail, miss, outcome_of, rake, succeed};
use crate::common::Sandbox;
use serde_json::{Value, json};
use std::fs;

fn operator(updates: &str) -> String {
    format!(
        "apiVersion: operators.coreos.com/v2alpha1\nkind: Operator\nmetadata: {{name: my-rake}}\nspec:\n  updates: {updates}\n"
    )
}

fn of_catalog(fields: &str) -> String {
    operator(&format!(
        "{{type: CatalogSource, catalogSource: {{{fields}, ref: {{name: community, namespace: my-ns}}}}}}"
    ))
}

/// An index with two versions of rake, the bundles as images, and an Operator of the package.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    rake(&sandbox, "rake1", "1.0.0", None);
    rake(&sandbox, "rake2", "1.1.0", Some("rake.v1.0.0"));
    succeed(&sandbox, "registry add -q -b rake1,rake2 -d index.db");
    fs::write(
        sandbox.path("operator.yaml"),
        of_catalog("package: rake, channel: stable"),
    )
    .unwrap();
    sandbox
}

fn json(sandbox: &Sandbox, line: &str) -> Value {
    let outcome = sandbox.run(line.split_whitespace());
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|_| panic!("{line}: {outcome}"))
}

/// S2, S8, S49: an Operator alone is enough to install something, starting with the entrypoint.
#[test]
fn s2_an_operator_is_resolved_planned_and_reviewed() {
    let sandbox = sandbox();
    insta::assert_snapshot!(outcome_of(&sandbox, "resolve operator.yaml --catalog community=index.db"), @"
    BUNDLE       PACKAGE  CHANNEL  CATALOG          REPLACES
    rake.v1.1.0  rake     stable   my-ns/community  rake.v1.0.0
    ");
    let plan = json(&sandbox, "plan -q operator.yaml --catalog community=index.db -o json");
    assert_eq!(plan["spec"]["clusterServiceVersionNames"], json!(["rake.v1.1.0"]));
    assert_eq!(plan["spec"]["approval"], "Automatic");
    assert_eq!(
        plan["status"]["plan"].as_array().unwrap().len(),
        1,
        "and no Subscription"
    );
    let first = of_catalog("package: rake, channel: stable, entrypoint: rake.v1.0.0, approval: Manual");
    fs::write(sandbox.path("operator.yaml"), first).unwrap();
    let plan = json(&sandbox, "plan -q operator.yaml --catalog community=index.db -o json");
    assert_eq!(plan["spec"]["clusterServiceVersionNames"], json!(["rake.v1.0.0"]));
    assert_eq!(plan["spec"]["approval"], "Manual");
    let install = json(
        &sandbox,
        "permissions -q operator.yaml --catalog community=index.db -o json",
    );
    assert_eq!(
        (&install["kind"], &install["metadata"]["name"]),
        (&json!("Install"), &json!("my-rake"))
    );
    assert_eq!(
        install["status"]["serviceAccountRef"],
        json!({"name": "my-rake", "namespace": "olm"})
    );
}

#[test]
fn a_cluster_is_read_once_from_standard_input() {
    let sandbox = sandbox();
    let group = "apiVersion: operators.coreos.com/v1\nkind: OperatorGroup\nmetadata: {name: g, namespace: shed}\n";
    fs::write(sandbox.path("dump.yaml"), group).unwrap();
    let line = "permissions -q operator.yaml --catalog community=index.db -o json --cluster";
    let of_file = sandbox.run(format!("{line} dump.yaml").split(' '));
    assert!(of_file.stdout.contains("rake.v1.1.0"), "{of_file}");
    let mut command = sandbox.command(format!("{line} -").split(' '));
    let of_input = sandbox.finish(command.stdin(fs::File::open(sandbox.path("dump.yaml")).unwrap()));
    assert_eq!(of_input, of_file);
}

/// S45, S96: everything created for an Operator has its label; if there is an Operator for a Subscription, what that
/// Subscription created has it too.
#[test]
fn s45_labels_are_added_to_everything_that_a_plan_creates() {
    let sandbox = sandbox();
    let label = |plan: &Value, key: &str| {
        let manifest = plan["status"]["plan"][0]["resource"]["manifest"].as_str().unwrap();
        let manifest: Value = serde_json::from_str(manifest).unwrap();
        (
            plan["metadata"]["labels"].get(key).is_some(),
            manifest["metadata"]["labels"].get(key).is_some(),
        )
    };
    let plan = json(&sandbox, "plan -q operator.yaml --catalog community=index.db -o json");
    assert_eq!(label(&plan, "operators.coreos.com/my-rake"), (true, true));
    let shown = outcome_of(&sandbox, "plan -q operator.yaml --catalog community=index.db");
    assert!(
        shown
            .stdout
            .contains("label      operators.coreos.com/my-rake, on all these objects"),
        "{shown}"
    );
    let subscription = "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {name: rake, namespace: garden, \
                        labels: {operators.coreos.com/own: '', operators.coreos.com/unknown: ''}}\n\
                        spec: {name: rake, channel: stable, source: community, sourceNamespace: garden}\n";
    let own = operator("{type: ManifestImage, manifestImage: x}")
        .replace("my-rake", "own")
        .replace("spec:", "status:");
    fs::write(sandbox.path("dump.yaml"), format!("{subscription}---\n{own}")).unwrap();
    let plan = json(
        &sandbox,
        "plan -q --cluster dump.yaml --catalog community=index.db -o json",
    );
    assert_eq!(label(&plan, "operators.coreos.com/own"), (true, true));
    assert_eq!(label(&plan, "operators.coreos.com/unknown"), (false, false));
    fs::write(sandbox.path("dump.yaml"), subscription).unwrap();
    let plan = json(
        &sandbox,
        "plan -q --cluster dump.yaml --catalog community=index.db -o json",
    );
    assert_eq!(
        label(&plan, "operators.coreos.com/own"),
        (false, false),
        "there is no Operator of it"
    );
}

/// S50: an entrypoint without a package is looked up, with and without a cluster.
#[test]
fn s50_an_entrypoint_without_a_package_is_looked_up() {
    let sandbox = sandbox();
    fs::write(sandbox.path("entry.yaml"), of_catalog("entrypoint: rake.v1.0.0")).unwrap();
    let found = outcome_of(&sandbox, "resolve entry.yaml --catalog community=index.db -o json");
    let found_json: Value = serde_json::from_str(&found.stdout).unwrap();
    assert_eq!(found_json["install"], json!(["rake.v1.0.0"]));
    assert!(
        found
            .stderr
            .contains("rake.v1.0.0 belongs to the channel stable of the package rake"),
        "{found}"
    );
    fs::write(sandbox.path("entry.yaml"), of_catalog("entrypoint: rake.v1.0.1")).unwrap();
    insta::assert_snapshot!(miss(&sandbox, "resolve entry.yaml --catalog community=index.db"), @r#"
    ------- stderr -------
    error: Operator my-rake: the catalog my-ns/community has no channel with the bundle "rake.v1.0.1"; did you mean "rake.v1.0.0"?
    ------- exit 4 -------
    "#);
}

/// S53: an Operator that replaces a Subscription upgrades what the Subscription installed.
#[test]
fn s53_an_operator_in_a_dump_replaces_its_subscription() {
    let sandbox = sandbox();
    let dump = "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {name: rake, namespace: garden}\n\
                spec: {name: rake, channel: stable, source: community, sourceNamespace: my-ns}\n\
                status: {installedCSV: rake.v1.0.0, currentCSV: rake.v1.0.0}\n---\n\
                apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: rake.v1.0.0, namespace: garden}\n\
                spec: {version: 1.0.0}\nstatus: {phase: Succeeded}\n---\n";
    fs::write(
        sandbox.path("dump.yaml"),
        format!("{dump}{}", of_catalog("package: rake, channel: stable")),
    )
    .unwrap();
    let resolved = outcome_of(
        &sandbox,
        "resolve --cluster dump.yaml --catalog community=index.db -o json",
    );
    let answer: Value = serde_json::from_str(&resolved.stdout).unwrap();
    assert_eq!(answer["selected"][0]["replaces"], "rake.v1.0.0");
    assert_eq!(answer["updatedSubscriptions"].as_array().unwrap().len(), 1);
    assert!(
        resolved.stderr.contains("replaces the Subscription garden/rake"),
        "{resolved}"
    );
}

/// S7, S66: an Operator installs a bundle image by its digest, and replaces the installed version.
#[test]
fn s7_the_image_of_an_operator_is_pinned_to_its_digest() {
    let sandbox = sandbox();
    let built = outcome_of(&sandbox, "bundle build rake2 -q -t oci:out:v2").stdout;
    fs::write(
        sandbox.path("image.yaml"),
        operator("{type: ManifestImage, manifestImage: 'oci:out:v2'}"),
    )
    .unwrap();
    let resolved = outcome_of(&sandbox, "resolve image.yaml -o json");
    let answer: Value = serde_json::from_str(&resolved.stdout).unwrap();
    assert_eq!(answer["install"], json!(["rake.v1.1.0"]));
    assert!(resolved.stderr.contains(built.trim_end()), "{resolved}");
    let install = json(&sandbox, "permissions -q image.yaml -o json");
    assert_eq!(install["spec"]["content"][0]["manifestImage"], "oci:out:v2");
    assert_eq!(install["status"]["resolved"][0]["manifestImage"], built.trim_end());
    let state = "version: 1\nnamespace: garden\ninstalled:\n- {name: rake.v0.1.0, version: 0.1.0, package: rake}\n";
    fs::write(sandbox.path("state.yaml"), state).unwrap();
    let upgrade = json(&sandbox, "resolve -q image.yaml --state state.yaml -o json");
    assert_eq!(upgrade["selected"][0]["replaces"], "rake.v0.1.0");
    fs::write(sandbox.path("state.yaml"), state.replace("0.1.0", "1.1.0")).unwrap();
    let same = outcome_of(&sandbox, "resolve image.yaml --state state.yaml");
    assert!(same.stderr.contains("rake.v1.1.0 is installed"), "{same}");
    let plan = json(&sandbox, "plan -q image.yaml -o json");
    assert_eq!(plan["status"]["plan"][0]["resource"]["name"], "rake.v1.1.0");
}

/// The example of the proposal, with two bundles and its raw Pod.
fn install(approval: &str) -> String {
    format!(
        "apiVersion: operators.coreos.com/v2alpha1\nkind: Install\nmetadata: {{name: plumbus-plan}}\nspec:\n  namespaces:\n  \
         - {{from: default, to: operators}}\n  - {{from: my-namespace, to: mapped}}\n  approval: {approval}\n  content:\n  \
         - {{type: ManifestImage, manifestImage: 'oci:out:v1'}}\n  - type: Raw\n    raw: |-\n      apiVersion: v1\n      kind: Pod\n      \
         metadata:\n        name: nginx\n        namespace: my-namespace\n      spec:\n        containers:\n        - name: nginx\n          \
         image: nginx\n"
    )
}

/// S71, S72, S73, S75: an Install is reviewed with all of its content, in its mapped namespaces.
#[test]
fn s75_an_install_is_accepted_as_input() {
    let sandbox = sandbox();
    succeed(&sandbox, "bundle build rake1 -q -t oci:out:v1");
    fs::write(sandbox.path("install.yaml"), install("Unapproved")).unwrap();
    let shown = outcome_of(&sandbox, "permissions install.yaml").stdout;
    insta::assert_snapshot!(without_digests(&shown), @"
    install    plumbus-plan
    namespace  operators
    maps       default to operators
    maps       my-namespace to mapped
    content    oci:out:v1 (rake.v1.0.0), oci:out@sha256:...
    content    raw (Pod/nginx)
    applied by olm/plumbus-plan
    approval   Unapproved

    olm/plumbus-plan is missing for the installation itself:
    NAMESPACE  GROUP                 RESOURCE                NAMES  VERBS
    mapped     (core)                pods                           create
    operators  apps                  deployments                    get, list, watch, create, update, patch, delete
    operators  operators.coreos.com  clusterserviceversions         create

    permissions of the accounts of rake.v1.0.0 after installation:
    ACCOUNT  NAMESPACE  GROUP                 RESOURCE            NAMES        VERBS               WHY
    default  operators  operators.coreos.com  operatorconditions  rake.v1.0.0  get, update, patch  1

      1  Role rake.v1.0.0, with which OLM lets the operator write its OperatorCondition
      (no OperatorGroup was specified, so one without target namespaces is assumed, because the operator supports AllNamespaces)
    ");
    let review = json(&sandbox, "permissions install.yaml -o json");
    assert_eq!(review["spec"]["approval"], "Unapproved");
    assert_eq!(review["status"]["resolved"].as_array().unwrap().len(), 2);
    // What was printed is an Install with the same answer.
    fs::write(sandbox.path("again.json"), review.to_string()).unwrap();
    assert_eq!(
        json(&sandbox, "permissions again.json -o json")["status"]["pending"],
        review["status"]["pending"]
    );
    // As part of a cluster it is found, too.
    assert_eq!(outcome_of(&sandbox, "permissions --cluster install.yaml").stdout, shown);
    let resolved = without_digests(&outcome_of(&sandbox, "resolve install.yaml").stdout);
    assert_eq!(
        without_digests(&outcome_of(&sandbox, "resolve --cluster install.yaml").stdout),
        resolved
    );
    let planned = |line: &str| sandbox.run(line.split(' ')).stdout;
    assert!(planned("plan --cluster install.yaml").contains("installs   rake.v1.0.0"));
    insta::assert_snapshot!(resolved, @"
    INSTALL       CONTENT     CONTAINS     RESOLVED
    plumbus-plan  oci:out:v1  rake.v1.0.0  oci:out@sha256:...
    plumbus-plan  raw         Pod/nginx
    ");
    assert_eq!(
        json(&sandbox, "resolve install.yaml -o json")["spec"]["content"],
        review["spec"]["content"]
    );
}

fn without_digests(text: &str) -> String {
    let mut parts = text.split("@sha256:");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |whole, part| whole + "@sha256:..." + &part[64..])
}

/// S74, S81: an Install that waits for approval is not applied; an approved one is.
#[test]
fn s74_an_install_is_applied_only_once_approved() {
    let sandbox = sandbox();
    succeed(&sandbox, "bundle build rake1 -q -t oci:out:v1");
    fs::write(
        sandbox.path("dump.yaml"),
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: operators}\n",
    )
    .unwrap();
    fs::write(sandbox.path("install.yaml"), install("Unapproved")).unwrap();
    let waits = sandbox.run("plan install.yaml --cluster dump.yaml".split(' '));
    assert_eq!(waits.status, Some(3), "{waits}");
    assert!(waits.stdout.contains("phase      RequiresApproval"), "{waits}");
    assert!(
        waits
            .stderr
            .contains("olm/plumbus-plan does not hold all the permissions that it needs"),
        "{waits}"
    );
    fs::write(sandbox.path("install.yaml"), install("Approved")).unwrap();
    insta::assert_snapshot!(outcome_of(&sandbox, "plan -q install.yaml --cluster dump.yaml"), @"
    installs   rake.v1.0.0
    namespace  operators
    phase      Complete

    KIND                   NAME         STATUS   NEEDS
    ClusterServiceVersion  rake.v1.0.0  Created  clusterserviceversions.operators.coreos.com in operators
    Pod                    nginx        Created  pods/v1 in mapped

    permissions of the accounts of rake.v1.0.0 after installation:
    ACCOUNT  NAMESPACE  GROUP                 RESOURCE            NAMES        VERBS               WHY
    default  operators  operators.coreos.com  operatorconditions  rake.v1.0.0  get, update, patch  1

      1  Role rake.v1.0.0, with which OLM lets the operator write its OperatorCondition
      (no OperatorGroup was specified, so one without target namespaces is assumed, because the operator supports AllNamespaces)

    Nothing would be missing after one pass.
    ");
}

/// S57, S58: no OperatorGroup, one and two.
#[test]
fn s58_the_account_of_an_install_depends_on_the_operator_groups() {
    let sandbox = sandbox();
    fs::write(sandbox.path("install.yaml"), install("Unapproved")).unwrap();
    succeed(&sandbox, "bundle build rake1 -q -t oci:out:v1");
    let group = |name: &str| {
        format!(
            "apiVersion: operators.coreos.com/v1\nkind: OperatorGroup\nmetadata: {{name: {name}, namespace: operators}}\n\
             spec: {{serviceAccountName: scoped}}\n---\n"
        )
    };
    let account = |groups: &str, line: &str| {
        fs::write(sandbox.path("groups.yaml"), groups).unwrap();
        let review = json(&sandbox, line);
        let reference = &review["status"]["serviceAccountRef"];
        format!(
            "{}/{}",
            reference["namespace"].as_str().unwrap(),
            reference["name"].as_str().unwrap()
        )
    };
    let namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: operators}\n";
    let of_install = "permissions -q install.yaml --cluster groups.yaml -o json";
    assert_eq!(account(namespace, of_install), "olm/plumbus-plan");
    assert_eq!(account(&group("a"), of_install), "operators/scoped");
    let two = group("a") + &group("b");
    assert_eq!(account(&two, of_install), "olm/plumbus-plan");
    let of_bundle = "permissions -q rake1 --cluster groups.yaml -o json";
    assert_eq!(account(namespace, of_bundle), "olm/rake.v1.0.0");
    assert_eq!(account(&two, of_bundle), "olm/rake.v1.0.0");
    let resolved = outcome_of(
        &sandbox,
        "resolve operator.yaml --cluster groups.yaml --catalog community=index.db",
    );
    assert!(
        resolved.stderr.contains("the namespace operators has 2 OperatorGroups"),
        "{resolved}"
    );
    assert!(resolved.stdout.contains("rake.v1.1.0"), "{resolved}");
}

/// S73: the Install of a bundle maps the namespaces that its objects name.
#[test]
fn s73_the_install_of_a_bundle_maps_the_namespaces_of_its_objects() {
    let sandbox = sandbox();
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: my-namespace}\n";
    fs::write(sandbox.path("rake1/manifests/settings.yaml"), map).unwrap();
    let install = json(&sandbox, "permissions -q rake1 -o json");
    assert_eq!(
        install["spec"]["namespaces"],
        json!([{"from": "default", "to": "operators"}, {"from": "my-namespace", "to": "operators"}])
    );
    fs::write(sandbox.path("install.json"), install.to_string()).unwrap();
    let again = json(&sandbox, "permissions -q install.json -o json");
    assert_eq!(again["status"]["pending"], install["status"]["pending"]);
}

#[test]
fn a_file_without_requests_is_rejected() {
    let sandbox = sandbox();
    fs::write(
        sandbox.path("pod.yaml"),
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n",
    )
    .unwrap();
    for command in ["resolve", "plan", "permissions"] {
        let outcome = fail(&sandbox, &format!("{command} pod.yaml"));
        assert!(
            outcome
                .stderr
                .contains("pod.yaml contains neither an Operator nor an Install"),
            "{outcome}"
        );
    }
    fs::write(sandbox.path("bad.yaml"), of_catalog("channel: stable")).unwrap();
    let outcome = fail(&sandbox, "resolve bad.yaml");
    assert!(
        outcome
            .stderr
            .contains("Operator my-rake: spec.updates.catalogSource.channel"),
        "{outcome}"
    );
    for line in [
        "resolve rake",
        "permissions --cluster pod.yaml",
        "permissions rake1 --catalog a=index.db",
        "permissions bad.yaml --policy policy.yaml",
    ] {
        assert_eq!(sandbox.run(line.split(' ')).status, Some(2), "{line}");
    }
}

#[test]
fn a_missing_file_is_reported_as_a_file() {
    let sandbox = Sandbox::new();
    for line in [
        "resolve absent.yaml",
        "resolve folder/absent.json --catalog index.db",
        "plan absent.yaml",
        "permissions ./absent.yml",
    ] {
        let outcome = sandbox.run(line.split(' '));
        let name = line.split(' ').nth(1).unwrap();
        let error = format!("error: cannot read {name}: No such file or directory (os error 2)\n");
        assert_eq!((outcome.status, &*outcome.stderr), (Some(4), &*error), "{line}");
    }
}
