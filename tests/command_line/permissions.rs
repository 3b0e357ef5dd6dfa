//! `permissions`: the permissions that an install needs, and those that are missing.

use crate::bundles::{garden, outcome_of, rake, succeed};
use crate::common::Sandbox;
use crate::plan::strict;
use serde_json::Value;
use std::fs;

fn bundle(sandbox: &Sandbox, folder: &str, version: &str, verbs: &str) {
    rake(sandbox, folder, version, None);
    let path = sandbox.path(format!("{folder}/manifests/operator.clusterserviceversion.yaml"));
    let mut csv = fs::read_to_string(&path).unwrap();
    csv.push_str(&format!(
        "      permissions:\n      - serviceAccountName: rake\n        rules:\n        - apiGroups: ['']\n          \
         resources: [leaves]\n          verbs: [{verbs}]\n"
    ));
    fs::write(path, csv).unwrap();
}

/// A bundle whose operator requests every verb on each of many resources in each of many groups.
fn wide(sandbox: &Sandbox, folder: &str, version: &str, (groups, resources): (usize, usize), verbs: &str) {
    bundle(sandbox, folder, version, verbs);
    let path = sandbox.path(format!("{folder}/manifests/operator.clusterserviceversion.yaml"));
    let list = |what: &str, count: usize| -> String {
        let items: Vec<String> = (0..count).map(|number| format!("{what}{number}")).collect();
        format!("[{}]", items.join(", "))
    };
    let csv = fs::read_to_string(&path).unwrap();
    let csv = csv.replace("apiGroups: ['']", &format!("apiGroups: {}", list("group", groups)));
    let csv = csv.replace(
        "resources: [leaves]",
        &format!("resources: {}", list("resource", resources)),
    );
    fs::write(path, csv).unwrap();
}

fn json(sandbox: &Sandbox, line: &str) -> Value {
    serde_json::from_str(&sandbox.run(line.split(' ')).stdout).unwrap()
}

/// Operators may request hundreds of thousands of single permissions in a few rules.
#[test]
fn rules_that_expand_to_very_many_permissions_are_reviewed() {
    let sandbox = garden();
    let verbs = "create, delete, get, list, patch, update, watch";
    wide(&sandbox, "old", "1.0.0", (100, 200), verbs);
    wide(&sandbox, "new", "1.1.0", (100, 201), verbs);
    let install = json(&sandbox, "permissions old -o json");
    let rows = install["status"]["pending"]["permissions"].as_array().unwrap();
    let of_operator = rows.iter().filter(|row| row["verbs"].as_array().unwrap().len() == 7);
    assert!(of_operator.count() >= 20_000);
    let added = json(&sandbox, "permissions diff old new -o json");
    let added = added["permissions"].as_array().unwrap();
    let of_operator: Vec<&Value> = added
        .iter()
        .filter(|row| row["resources"][0] == "resource200")
        .collect();
    assert_eq!(of_operator.len(), 100, "one row for each group");
}

/// Rules with too many rows to read are printed unexpanded.
#[test]
fn rules_with_too_many_rows_to_read_are_shown_unexpanded() {
    let sandbox = garden();
    wide(&sandbox, "old", "1.0.0", (300, 200), "get, list");
    wide(&sandbox, "new", "1.1.0", (300, 200), "get, list, watch");
    let added = json(&sandbox, "permissions diff old new -o json");
    let rows = added["permissions"].as_array().unwrap();
    let wide = rows
        .iter()
        .find(|row| row["apiGroups"].as_array().unwrap().len() == 300);
    assert_eq!(wide.unwrap()["verbs"], serde_json::json!(["watch"]));
}

#[test]
fn permissions_are_shown_for_the_installation_and_for_the_operator() {
    let sandbox = garden();
    bundle(&sandbox, "rake", "1.0.0", "get, list");
    insta::assert_snapshot!(outcome_of(&sandbox, "permissions rake"), @"
    needed for the installation itself:
    NAMESPACE  GROUP                      RESOURCE                NAMES  VERBS
    operators  (core)                     serviceaccounts                create
    operators  apps                       deployments                    get, list, watch, create, update, patch, delete
    operators  operators.coreos.com       clusterserviceversions         create
    operators  rbac.authorization.k8s.io  rolebindings                   create
    operators  rbac.authorization.k8s.io  roles                          create

    needed to grant to the operator:
    NAMESPACE  GROUP   RESOURCE  NAMES  VERBS
    operators  (core)  leaves           get, list

    permissions of the accounts of rake.v1.0.0 after installation:
    ACCOUNT  NAMESPACE  GROUP                 RESOURCE            NAMES        VERBS               WHY
    rake     (all)      (core)                leaves                           get, list           1
    rake     (all)      (core)                namespaces                       get, list, watch    2
    rake     operators  operators.coreos.com  operatorconditions  rake.v1.0.0  get, update, patch  3

      1  Role rake.v1.0.0-rake-5wniRHaTKCDXTQANBwPWQejxsYWS5XVfo2Pwx, which OLM copies into a ClusterRole, because there are no target namespaces
      2  OLM copies the Role rake.v1.0.0-rake-5wniRHaTKCDXTQANBwPWQejxsYWS5XVfo2Pwx into a ClusterRole, and adds this rule there
      3  Role rake.v1.0.0, with which OLM lets the operator write its OperatorCondition
      (no OperatorGroup was specified, so one without target namespaces is assumed, because the operator supports AllNamespaces)
    ");
    let install = json(&sandbox, "permissions rake -o json");
    assert_eq!(
        (&install["kind"], &install["spec"]["approval"]),
        (&"Install".into(), &"Unapproved".into())
    );
    assert_eq!(install["status"]["conditions"][0]["reason"], "UnsatisfiedPermissions");
    let pending = install["status"]["pending"]["permissions"].as_array().unwrap();
    assert!(
        pending.iter().all(|rule| rule["namespaces"][0] == "operators"),
        "{pending:?}"
    );
    let yaml: Value = serde_yaml::from_str(&outcome_of(&sandbox, "permissions rake -o yaml").stdout).unwrap();
    assert_eq!(yaml, install);
    assert_eq!(sandbox.run("permissions rake --exit-code".split(' ')).status, Some(3));
}

#[test]
fn held_permissions_are_subtracted_and_generated_roles_grant_the_rest() {
    let sandbox = garden();
    bundle(&sandbox, "rake", "1.0.0", "get, list");
    let state = "version: 1\ngrants:\n- serviceAccount: installer\n  namespace: olm\n  rules:\n  - apiGroups: ['*']\n    resources: ['*']\n    verbs: ['*']\n    namespaces: [operators]\n";
    fs::write(sandbox.path("state.yaml"), state).unwrap();
    let line = "permissions rake --state state.yaml --service-account olm/installer";
    let reviewed = outcome_of(&sandbox, line).stdout;
    assert!(reviewed.starts_with("olm/installer is missing nothing\n"), "{reviewed}");
    let install = json(&sandbox, &format!("{line} -o json"));
    assert_eq!(
        (install["spec"].get("approval"), install["status"].get("pending")),
        (None, None)
    );
    assert_eq!(install["status"]["serviceAccountRef"]["name"], "installer");
    let roles = outcome_of(&sandbox, "permissions rake --service-account olm/installer --as role").stdout;
    fs::write(sandbox.path("roles.yaml"), &roles).unwrap();
    let line = "permissions rake --cluster roles.yaml --service-account olm/installer --exit-code";
    let reviewed = outcome_of(&sandbox, line).stdout;
    assert!(
        reviewed.starts_with("olm/installer is missing nothing\n"),
        "{reviewed}{roles}"
    );
    let list = json(
        &sandbox,
        "permissions rake --service-account olm/installer --as role -o json",
    );
    assert_eq!(list["items"][0]["kind"], "Role");
    let nothing = outcome_of(
        &sandbox,
        "permissions rake --objects roles.yaml --service-account olm/installer --as role",
    );
    assert_eq!(nothing.stdout, "");
}

#[test]
fn roles_are_generated_for_the_account_of_the_operator_group() {
    let sandbox = garden();
    bundle(&sandbox, "rake", "1.0.0", "get, list");
    let group = "apiVersion: operators.coreos.com/v1\nkind: OperatorGroup\nmetadata: {name: g, namespace: garden}\n\
                 spec: {serviceAccountName: installer}\n";
    fs::write(sandbox.path("group.yaml"), group).unwrap();
    let of_group = outcome_of(&sandbox, "permissions rake -n garden --cluster group.yaml --as role");
    let named = outcome_of(
        &sandbox,
        "permissions rake -n garden --service-account garden/installer --as role",
    );
    assert!(!named.stdout.is_empty());
    assert_eq!(of_group.stdout, named.stdout);
}

/// The OperatorGroup determines what OLM makes of the Roles; existing objects have to be read and changed.
#[test]
fn permissions_of_the_operator_depend_on_the_operator_group() {
    let sandbox = garden();
    bundle(&sandbox, "rake", "1.0.0", "get, list");
    let group = |spec: &str| {
        let group = format!(
            "apiVersion: operators.coreos.com/v1\nkind: OperatorGroup\nmetadata: {{name: g, namespace: operators}}\n\
             spec: {spec}\n---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {{name: rake, namespace: operators}}\n"
        );
        fs::write(sandbox.path("group.yaml"), group).unwrap();
        let install = json(&sandbox, "permissions rake --cluster group.yaml -o json");
        let account = &install["status"]["accounts"][0];
        assert_eq!(account["serviceAccountRef"]["name"], "rake");
        let permissions = account["permissions"].as_array().unwrap();
        let leaves = permissions
            .iter()
            .find(|rule| rule["resources"][0] == "leaves")
            .unwrap();
        assert_eq!(leaves["verbs"], serde_json::json!(["get", "list"]));
        leaves["namespaces"].clone()
    };
    assert_eq!(
        group("{targetNamespaces: [shed]}"),
        serde_json::json!(["operators", "shed"])
    );
    assert_eq!(group("{}"), Value::Null);
    let shown = outcome_of(&sandbox, "permissions rake --cluster group.yaml").stdout;
    let role = "copies into a ClusterRole, because there are no target namespaces";
    for part in [
        "serviceaccounts                get, create, patch\n",
        "permissions of the accounts of rake.v1.0.0 after installation:\n",
        "(all)      (core)                namespaces",
        role,
        "  (the OperatorGroup g has no target namespaces, so it targets all namespaces)\n",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let planned = outcome_of(&sandbox, "plan rake --cluster group.yaml").stdout;
    assert!(planned.contains(role), "{planned}");
}

#[test]
fn an_image_that_no_cluster_can_pull_is_inlined() {
    let sandbox = garden();
    rake(&sandbox, "rake", "1.0.0", None);
    succeed(&sandbox, "bundle build rake -q -t oci:out:v1");
    let install = json(&sandbox, "permissions oci:out:v1 -o json");
    let content = &install["spec"]["content"][0];
    assert_eq!(
        (&content["type"], &content["manifestImage"]),
        (&"Raw".into(), &Value::Null)
    );
    assert!(content["raw"].is_string(), "{content}");
}

#[test]
fn the_printed_install_matches_the_printed_definition() {
    let sandbox = garden();
    rake(&sandbox, "rake", "1.0.0", None);
    succeed(&sandbox, "bundle build rake -q -t oci:out:v1");
    let definitions = json(&sandbox, "operator crds -o json");
    let mut definitions = definitions["items"].as_array().unwrap().iter();
    let definition = definitions
        .find(|one| one["spec"]["names"]["kind"] == "Install")
        .unwrap();
    let schema = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let validator = jsonschema::validator_for(&strict(schema)).unwrap();
    fs::write(
        sandbox.path("all.yaml"),
        "version: 1\ngrants:\n- serviceAccount: a\n  namespace: b\n  rules: [{apiGroups: ['*'], resources: ['*'], verbs: ['*']}]\n",
    )
    .unwrap();
    fs::write(
        sandbox.path("policy.yaml"),
        "version: 1\nkinds: {deny: [Deployment, CustomResourceDefinition]}\n",
    )
    .unwrap();
    for line in [
        "permissions -q greenhouse --policy policy.yaml -o json",
        "permissions rake -o json",
        "permissions oci:out:v1 -o json",
        "permissions -q greenhouse --namespace garden --service-account b/a -o json",
        "permissions -q greenhouse --state all.yaml --service-account b/a -o json",
    ] {
        let install = json(&sandbox, line);
        let problems: Vec<String> = validator.iter_errors(&install).map(|error| error.to_string()).collect();
        assert!(problems.is_empty(), "{line}: {problems:?}");
    }
}

#[test]
fn an_upgrade_that_needs_more_permissions_exits_with_1() {
    let sandbox = garden();
    bundle(&sandbox, "old", "1.0.0", "get, list");
    bundle(&sandbox, "new", "1.1.0", "get, list, delete");
    insta::assert_snapshot!(sandbox.run("permissions diff old new".split(' ')), @"
    to approve: rake.v1.1.0 needs these permissions in addition to those of rake.v1.0.0:
    NAMESPACE  GROUP   RESOURCE  NAMES  VERBS
    operators  (core)  leaves           delete

    to approve: after the installation of rake.v1.1.0, these subjects have more permissions than with rake.v1.0.0:
    SUBJECT         NAMESPACE  GROUP   RESOURCE  NAMES  VERBS
    operators/rake  (all)      (core)  leaves           delete
    ------- exit 3 -------
    ");
    let fewer = outcome_of(&sandbox, "permissions diff new old");
    assert_eq!(
        fewer.stderr,
        "warning: the version of rake.v1.0.0 is lower than that of rake.v1.1.0; specify the new bundle last\n"
    );
    let other = sandbox.run("permissions diff compost new".split(' '));
    assert!(
        other.stderr.contains("rake.v1.1.0 is of the package rake, but ") && other.status == Some(3),
        "{other}"
    );
    assert_eq!(
        fewer.stdout,
        "nothing to approve: rake.v1.0.0 needs only permissions that rake.v1.1.0 was approved for\n"
    );
    for same in ["old", "greenhouse", "compost"] {
        let outcome = outcome_of(&sandbox, &format!("permissions diff {same} {same}"));
        assert!(outcome.stdout.starts_with("no differences: "), "{outcome}");
        assert!(!outcome.stderr.contains("info["), "{outcome}");
    }
    let added = json(&sandbox, "permissions diff old new -o json");
    assert_eq!(added["permissions"][0]["verbs"], serde_json::json!(["delete"]));
    let everything = "kind: List\nitems:\n- apiVersion: rbac.authorization.k8s.io/v1\n  kind: ClusterRole\n  metadata: {name: all}\n  rules: [{apiGroups: ['*'], resources: ['*'], verbs: ['*']}]\n\
        - apiVersion: rbac.authorization.k8s.io/v1\n  kind: ClusterRoleBinding\n  metadata: {name: all}\n  roleRef: {kind: ClusterRole, name: all}\n  subjects: [{kind: ServiceAccount, name: a, namespace: b}]\n";
    fs::write(sandbox.path("dump.yaml"), everything).unwrap();
    let held = outcome_of(
        &sandbox,
        "permissions diff old new --cluster dump.yaml --service-account b/a",
    );
    assert!(
        held.stdout
            .starts_with("nothing to approve: rake.v1.1.0 needs only permissions that rake.v1.0.0 was approved for"),
        "{held}"
    );
}

/// The grants of a bundle grow although its installation needs nothing more.
#[test]
fn an_upgrade_that_grants_more_permissions_exits_with_3() {
    let sandbox = garden();
    let csv = |folder: &str| sandbox.path(format!("{folder}/manifests/operator.clusterserviceversion.yaml"));
    for (folder, version) in [("own", "1.0.0"), ("every", "1.1.0"), ("open", "1.1.0")] {
        bundle(&sandbox, folder, version, "get");
        let text = fs::read_to_string(csv(folder)).unwrap();
        // The install of each version needs the permissions for every namespace.
        let text = format!(
            "{text}      clusterPermissions:\n      - serviceAccountName: other\n        rules:\n        - apiGroups: ['']\n          \
             resources: [leaves]\n          verbs: [get]\n"
        );
        fs::write(csv(folder), text).unwrap();
    }
    let cluster_role = "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: open}, \
                        rules: [{apiGroups: [''], resources: [leaves], verbs: [get]}]}\n";
    let binding = "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: open}, \
                   roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: open}, \
                   subjects: [{kind: Group, name: 'system:unauthenticated'}]}\n";
    fs::write(sandbox.path("open/manifests/role.yaml"), cluster_role).unwrap();
    fs::write(sandbox.path("open/manifests/binding.yaml"), binding).unwrap();
    let all = fs::read_to_string(csv("own")).unwrap();
    fs::write(csv("own"), all.replace("type: AllNamespaces", "type: OwnNamespace")).unwrap();
    let more = sandbox.run("permissions diff own every".split(' '));
    assert_eq!(more.status, Some(3), "{more}");
    assert!(
        more.stdout
            .contains("to approve: after the installation of rake.v1.1.0, these subjects"),
        "{more}"
    );
    let gained = json(&sandbox, "permissions diff every open -o json");
    let of_group = serde_json::json!({
        "subject": {"kind": "Group", "name": "system:unauthenticated"},
        "permissions": [{"apiGroups": [""], "resources": ["leaves"], "verbs": ["get"]}],
    });
    assert_eq!(gained["gained"], serde_json::json!([of_group]));
    let shown = outcome_of(&sandbox, "permissions open").stdout;
    assert!(shown.contains("Group system:unauthenticated  (all)"), "{shown}");
}

#[test]
fn an_invalid_command_line_is_a_usage_error() {
    let sandbox = garden();
    for line in [
        "permissions",
        "permissions rake --as role",
        "permissions rake --service-account nobody",
        "permissions rake --catalog olm/community",
        "permissions diff rake",
        "permissions diff rake --package rake",
        "permissions rake --user ann --catalog community",
        "permissions --user ann",
        "bundle validate rake --policy policy.yaml --as opm",
    ] {
        assert_eq!(sandbox.run(line.split(' ')).status, Some(2), "{line}");
    }
}

/// A user who may list what the rake lists, and may use one of two catalogs.
const ANN: &str = "\
kind: List
items:
- {apiVersion: operators.coreos.com/v1alpha1, kind: CatalogSource, metadata: {name: community, namespace: olm}}
- {apiVersion: operators.coreos.com/v1alpha1, kind: CatalogSource, metadata: {name: certified, namespace: olm}}
- apiVersion: rbac.authorization.k8s.io/v1
  kind: Role
  metadata: {name: gardener, namespace: operators}
  rules: [{apiGroups: [''], resources: [leaves], verbs: [get, list]}]
- apiVersion: rbac.authorization.k8s.io/v1
  kind: RoleBinding
  metadata: {name: gardener, namespace: operators}
  roleRef: {kind: Role, name: gardener}
  subjects: [{kind: User, name: ann}]
- apiVersion: rbac.authorization.k8s.io/v1
  kind: Role
  metadata: {name: community-installer, namespace: olm}
  rules: [{apiGroups: [operators.coreos.com], resources: [catalogsources], resourceNames: [community], verbs: [install]}]
- apiVersion: rbac.authorization.k8s.io/v1
  kind: RoleBinding
  metadata: {name: community-installer, namespace: olm}
  roleRef: {kind: Role, name: community-installer}
  subjects: [{kind: Group, name: team}]
- apiVersion: rbac.authorization.k8s.io/v1
  kind: ClusterRole
  metadata: {name: everything}
  rules: [{apiGroups: ['*'], resources: ['*'], verbs: ['*']}]
- apiVersion: rbac.authorization.k8s.io/v1
  kind: ClusterRoleBinding
  metadata: {name: everything}
  roleRef: {kind: ClusterRole, name: everything}
  subjects: [{kind: User, name: root}]
";

/// S82: an approver must hold the permissions that the install needs.
#[test]
fn s82_a_user_who_holds_the_pending_permissions_may_approve() {
    let sandbox = garden();
    bundle(&sandbox, "rake", "1.0.0", "get, list");
    fs::write(sandbox.path("dump.yaml"), ANN).unwrap();
    let ask = |more: &str| sandbox.run(format!("permissions rake --cluster dump.yaml {more}").split(' '));
    insta::assert_snapshot!(ask("--user ann"), @"
    ann may not approve rake.v1.0.0 without these permissions:
    NAMESPACE  GROUP                      RESOURCE                NAMES  VERBS
    operators  (core)                     serviceaccounts                create
    operators  apps                       deployments                    get, list, watch, create, update, patch, delete
    operators  operators.coreos.com       clusterserviceversions         create
    operators  rbac.authorization.k8s.io  rolebindings                   create
    operators  rbac.authorization.k8s.io  roles                          create
    ------- stderr -------
    error: the answer is no: ann lacks permissions to approve rake.v1.0.0
    use --as role to print the roles that allow it
    ------- exit 3 -------
    ");
    let root = ask("--user root");
    assert_eq!(
        (root.status, root.stdout.as_str()),
        (Some(0), "root may approve rake.v1.0.0\n")
    );
    let masters = ask("--group system:masters");
    assert_eq!(masters.stdout, "a member of system:masters may approve rake.v1.0.0\n");
    let json = json(&sandbox, "permissions rake --cluster dump.yaml --user ann -o json");
    assert_eq!(json["mayApprove"], false);
    let lists = |rules: &Value| rules.to_string().contains("leaves");
    assert!(lists(&json["pending"]) && !lists(&json["missing"]), "{json}");
    // The printed roles are those that were missing.
    let roles = ask("--user ann --as role");
    fs::write(sandbox.path("roles.yaml"), &roles.stdout).unwrap();
    let after = sandbox.run("permissions rake --cluster dump.yaml --cluster roles.yaml --user ann".split(' '));
    assert_eq!(
        (after.status, after.stdout.as_str()),
        (Some(0), "ann may approve rake.v1.0.0\n"),
        "{}",
        roles.stdout
    );
}

/// S51: the verb install on a CatalogSource, and the role that grants it.
#[test]
fn s51_a_user_with_the_verb_install_may_use_a_catalog() {
    let sandbox = garden();
    fs::write(sandbox.path("dump.yaml"), ANN).unwrap();
    insta::assert_snapshot!(sandbox.run("permissions --user ann --group team --cluster dump.yaml".split(' ')), @"
    CATALOG    NAMESPACE  USE
    certified  olm        not allowed
    community  olm        allowed
    ");
    let one = sandbox.run("permissions --user ann --catalog olm/community --cluster dump.yaml".split(' '));
    assert_eq!(one.status, Some(3), "{one}");
    insta::assert_snapshot!(sandbox.run("permissions --group team --catalog olm/certified --cluster dump.yaml --as role".split(' ')), @"
    apiVersion: rbac.authorization.k8s.io/v1
    kind: Role
    metadata:
      name: certified-installer
      namespace: olm
    rules:
    - apiGroups:
      - operators.coreos.com
      resources:
      - catalogsources
      resourceNames:
      - certified
      verbs:
      - install
    ---
    apiVersion: rbac.authorization.k8s.io/v1
    kind: RoleBinding
    metadata:
      name: certified-installer
      namespace: olm
    roleRef:
      apiGroup: rbac.authorization.k8s.io
      kind: Role
      name: certified-installer
    subjects:
    - apiGroup: rbac.authorization.k8s.io
      kind: Group
      name: team
    ");
}

/// S86: permissions approved for any predecessor need not be approved again.
#[test]
fn s86_permissions_approved_for_any_predecessor_count() {
    let sandbox = garden();
    for (folder, version, verbs) in [
        ("a", "1.0.0", "get, delete"),
        ("b", "1.1.0", "get, list"),
        ("c", "1.2.0", "list, delete"),
    ] {
        bundle(&sandbox, folder, version, verbs);
    }
    assert_eq!(sandbox.run("permissions diff b c".split(' ')).status, Some(3));
    let both = outcome_of(&sandbox, "permissions diff a b c");
    assert_eq!(
        both.stdout,
        "nothing to approve: rake.v1.2.0 needs only permissions that rake.v1.0.0 and rake.v1.1.0 were approved for\n"
    );
    let json = json(&sandbox, "permissions diff a b c -o json");
    assert_eq!(
        (&json["old"], &json["approved"]),
        (
            &"rake.v1.1.0".into(),
            &serde_json::json!(["rake.v1.0.0", "rake.v1.1.0"])
        )
    );
}

/// S86 against published versions: the head of the package, and other bundles of the index by name.
#[test]
fn s86_a_new_version_is_compared_with_the_published_head() {
    let sandbox = garden();
    bundle(&sandbox, "a", "1.0.0", "get, delete");
    bundle(&sandbox, "b", "1.1.0", "get, list");
    let path = sandbox.path("b/manifests/operator.clusterserviceversion.yaml");
    let csv = fs::read_to_string(&path).unwrap();
    fs::write(
        path,
        csv.replace("  version: 1.1.0\n", "  version: 1.1.0\n  replaces: rake.v1.0.0\n"),
    )
    .unwrap();
    bundle(&sandbox, "c", "1.2.0", "list, delete");
    succeed(&sandbox, "registry add -q -b a,b -d index.db");
    let more = sandbox.run("permissions diff c --index index.db --package rake".split(' '));
    assert_eq!(more.status, Some(3), "{more}");
    assert!(
        more.stdout
            .starts_with("to approve: rake.v1.2.0 needs these permissions in addition to those of rake.v1.1.0:"),
        "{more}"
    );
    let both = outcome_of(
        &sandbox,
        "permissions diff rake.v1.0.0 c --index index.db --package rake",
    );
    assert!(
        both.stdout.starts_with(
            "nothing to approve: rake.v1.2.0 needs only permissions that rake.v1.0.0 and rake.v1.1.0 were approved for"
        ),
        "{both}"
    );
    for (line, words) in [
        (
            "--package rak",
            "the index has no package \"rak\"; did you mean \"rake\"?",
        ),
        (
            "--package rake --channel beta",
            "the package \"rake\" has no channel \"beta\"; its channels are \"stable\"",
        ),
    ] {
        let wrong = sandbox.run(format!("permissions diff c --index index.db {line}").split(' '));
        assert!(wrong.status == Some(4) && wrong.stderr.contains(words), "{wrong}");
    }
}

/// S90: a binding to a role outside the bundle grants the rules of that role.
#[test]
fn s90_a_policy_rejects_a_binding_to_a_role_outside_the_bundle() {
    let sandbox = garden();
    bundle(&sandbox, "rake", "1.0.0", "get, list");
    let bind = |role: &str| {
        let binding = format!(
            "{{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {{name: boss}}, roleRef: \
             {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: {role}}}, \
             subjects: [{{kind: ServiceAccount, name: rake, namespace: operators}}]}}\n"
        );
        fs::write(sandbox.path("rake/manifests/boss.yaml"), binding).unwrap();
    };
    let allow = "version: 1\npermissions: {allow: [{resources: [leaves]}]}\n";
    fs::write(sandbox.path("policy.yaml"), allow).unwrap();
    for (role, words) in [
        ("cluster-admin", "which ClusterRole cluster-admin contains"),
        (
            "foreman",
            "does not allow a binding to ClusterRole foreman, because this role is not in the input",
        ),
    ] {
        bind(role);
        for (command, status) in [("permissions", 3), ("bundle validate", 1)] {
            let outcome = sandbox.run(format!("{command} rake --policy policy.yaml").split(' '));
            assert_eq!(outcome.status, Some(status), "{outcome}");
            let shown = outcome.to_string();
            assert!(
                shown.contains(words) && shown.contains("ClusterRoleBinding/boss"),
                "{shown}"
            );
        }
    }
    let known = "---\n{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: foreman}, \
                 rules: [{apiGroups: [''], resources: [leaves], verbs: [get]}]}\n";
    fs::write(sandbox.path("dump.yaml"), known).unwrap();
    let outcome = sandbox.run("permissions rake --policy policy.yaml --cluster dump.yaml".split(' '));
    assert!(outcome.status == Some(0) && outcome.stderr.is_empty(), "{outcome}");
}

/// S90: in an OperatorGroup without target namespaces, OLM turns the Roles of an operator into ClusterRoles.
#[test]
fn s90_a_policy_judges_permissions_in_the_scope_of_the_operator_group() {
    let sandbox = garden();
    bundle(&sandbox, "rake", "1.0.0", "get, list");
    fs::write(
        sandbox.path("scope.yaml"),
        "version: 1\npermissions: {deny: [{resources: [leaves], scope: Cluster}]}\n",
    )
    .unwrap();
    fs::write(sandbox.path("kinds.yaml"), "version: 1\nkinds: {deny: [ClusterRole]}\n").unwrap();
    for (spec, status) in [("{}", 3), ("{targetNamespaces: [operators]}", 0)] {
        let group = format!(
            "---\n{{apiVersion: operators.coreos.com/v1, kind: OperatorGroup, metadata: {{name: og, namespace: operators}}, \
             spec: {spec}}}\n"
        );
        fs::write(sandbox.path("dump.yaml"), group).unwrap();
        for policy in ["scope", "kinds"] {
            let line = format!("permissions rake --cluster dump.yaml --namespace operators --policy {policy}.yaml");
            let outcome = sandbox.run(line.split(' '));
            assert_eq!(outcome.status, Some(status), "{spec}: {outcome}");
        }
    }
}

/// S90: kinds, permissions, registries and catalogs, for everyone and for single users.
#[test]
fn s90_a_policy_applies_to_bundles_catalogs_and_users() {
    let sandbox = garden();
    bundle(&sandbox, "rake", "1.0.0", "get, list");
    fs::write(sandbox.path("dump.yaml"), ANN).unwrap();
    let policy = "version: 1\nkinds: {deny: [ServiceAccount]}\npermissions: {deny: [{resources: [leaves], verbs: [list]}]}\n\
                  registries: {allow: [other.example.com]}\ncatalogs: {deny: ['olm/*']}\n\
                  for:\n- {groups: [team], kinds: {}, permissions: {}, registries: {}, catalogs: {allow: [olm/community]}}\n";
    fs::write(sandbox.path("policy.yaml"), policy).unwrap();
    insta::assert_snapshot!(sandbox.run("bundle validate rake --policy policy.yaml".split(' ')), @r#"
    warning[csv-annotations-missing]: the ClusterServiceVersion has no annotations
     --> rake/manifests/operator.clusterserviceversion.yaml:4:3
      |
    4 |   name: rake.v1.0.0
      |   ^^^^^^^^^^^^^^^^^
      |
      = note: in ClusterServiceVersion/rake.v1.0.0 at metadata.annotations
      = help: Add annotations; alm-examples shows users which objects to create.

    warning[csv-minkubeversion-missing]: spec.minKubeVersion is not set
     --> rake/manifests/operator.clusterserviceversion.yaml:6:3
      |
    6 |   displayName: rake
      |   ^^^^^^^^^^^^^^^^^
      |
      = note: in ClusterServiceVersion/rake.v1.0.0 at spec.minKubeVersion
      = help: Set spec.minKubeVersion to the oldest Kubernetes version that the operator supports, such as 1.25.0.

    error[policy-source]: policy.yaml does not allow the registry of the image registry.example.com/rake:1.0.0
      --> rake/manifests/operator.clusterserviceversion.yaml:23:24
       |
    23 |                 image: registry.example.com/rake:1.0.0
       |                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
       |
       = note: in ClusterServiceVersion/rake.v1.0.0 at spec.install.spec.deployments[0].spec.template.spec.containers[0].image
       = help: Use an image or catalog from an allowed source, or ask the administrator to allow this source.

    error[policy-kind]: policy.yaml does not allow objects of the kind core/ServiceAccount, which OLM creates from this field
      --> rake/manifests/operator.clusterserviceversion.yaml:25:7
       |
    25 |       - serviceAccountName: rake
       |       ^^^^^^^^^^^^^^^^^^^^^^^^^^
       |
       = note: in ClusterServiceVersion/rake.v1.0.0 at spec.install.spec.permissions
       = help: Remove the object, or ask the administrator to allow its kind.

    error[policy-permission]: policy.yaml does not allow {APIGroups:[""], Resources:["leaves"], Verbs:["list"]} in a namespace
      --> rake/manifests/operator.clusterserviceversion.yaml:27:11
       |
    27 |         - apiGroups: ['']
       |           ^^^^^^^^^^^^^^^
       |
       = note: in ClusterServiceVersion/rake.v1.0.0 at spec.install.spec.permissions[0].rules[0]
       = help: Request fewer permissions, or ask the administrator to allow this one.

    rake (registry+v1): 3 errors, 2 warnings
    ------- exit 1 -------
    "#);
    let review = sandbox.run("permissions rake --policy policy.yaml".split(' '));
    assert!(
        review.status == Some(3) && review.stderr.contains("policy-source"),
        "{review}"
    );
    let written = sandbox.run("permissions rake --policy policy.yaml -o json".split(' '));
    let install: Value = serde_json::from_str(&written.stdout).unwrap();
    let refused = install["status"]["refusedByPolicy"].as_array().unwrap();
    assert_eq!((written.status, refused.len()), (Some(3), 3), "{written}");
    let source = "ClusterServiceVersion/rake.v1.0.0: policy.yaml does not allow the registry of the image \
                  registry.example.com/rake:1.0.0";
    assert!(refused.iter().any(|reason| reason == source), "{written}");
    succeed(&sandbox, "registry add -q -b rake -d index.db");
    let index = sandbox.run("index check index.db --policy policy.yaml -o json".split(' '));
    let found: Value = serde_json::from_str(&index.stdout).unwrap();
    let mut rules: Vec<&str> = found["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["rule"].as_str().unwrap())
        .collect();
    rules.sort_unstable();
    assert_eq!(
        (index.status, rules),
        (Some(1), vec!["policy-kind", "policy-permission", "policy-source"]),
        "{index}"
    );
    // What is said to the team counts for its members instead of what is said to all.
    let member =
        sandbox.run("permissions rake --group team --user root --cluster dump.yaml --policy policy.yaml".split(' '));
    assert_eq!((member.status, member.stderr.as_str()), (Some(0), ""), "{member}");
    insta::assert_snapshot!(sandbox.run("permissions --group team --cluster dump.yaml --policy policy.yaml".split(' ')), @"
    CATALOG    NAMESPACE  USE
    certified  olm        forbidden by the policy
    community  olm        allowed
    ");
    let json = json(
        &sandbox,
        "permissions --user ann --catalog olm/community --cluster dump.yaml --policy policy.yaml -o json",
    );
    assert_eq!(json["catalogs"][0]["refusedByPolicy"], true);
    for line in ["bundle validate rake", "index check index.db", "permissions rake"] {
        fs::write(sandbox.path("wrong.yaml"), "version: 1\nkind: {}\n").unwrap();
        let wrong = sandbox.run(format!("{line} --policy wrong.yaml").split(' '));
        assert_eq!(wrong.status, Some(1), "{wrong}");
        assert!(
            wrong
                .stderr
                .starts_with("error: wrong.yaml:2:1: kind is not a known key of the file; did you mean kinds?"),
            "{wrong}"
        );
    }
}

/// Findings about a `k8s+v1` bundle are located in the manifests of the author.
#[test]
fn s90_a_policy_points_at_the_manifests_of_a_plain_bundle() {
    let sandbox = garden();
    fs::write(
        sandbox.path("policy.yaml"),
        "version: 1\nkinds: {deny: [ClusterRole, Role]}\n",
    )
    .unwrap();
    let outcome = sandbox.run("bundle validate greenhouse --policy policy.yaml -o json".split(' '));
    let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let findings = report["bundles"][0]["findings"].as_array().unwrap();
    let refused: Vec<&Value> = findings
        .iter()
        .filter(|finding| finding["rule"] == "policy-kind")
        .collect();
    assert!(!refused.is_empty(), "{outcome}");
    assert!(
        refused.iter().all(|finding| finding["file"]
            .as_str()
            .is_some_and(|file| file.contains("/manifests/"))),
        "{refused:?}"
    );
}

/// O50: a forbidden optional manifest is not created, and the install completes.
#[test]
fn permissions_for_optional_manifests_are_not_missing() {
    let sandbox = garden();
    rake(&sandbox, "rake", "1.0.0", None);
    let monitor = "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: rake}\n";
    fs::write(sandbox.path("rake/manifests/monitor.yaml"), monitor).unwrap();
    let pending = |sandbox: &Sandbox| {
        let install = json(sandbox, "permissions rake -o json");
        install["status"]["pending"]["permissions"].to_string()
    };
    assert!(pending(&sandbox).contains("servicemonitors"));
    let properties = "properties:\n- {type: olm.manifests.optional, value: {manifests: [{group: monitoring.coreos.com, kind: ServiceMonitor, name: rake}]}}\n";
    fs::write(sandbox.path("rake/metadata/properties.yaml"), properties).unwrap();
    assert!(!pending(&sandbox).contains("servicemonitors"));
    let shown = outcome_of(&sandbox, "permissions rake").stdout;
    let (needed, optional) = shown.split_once("needed for optional manifests").unwrap();
    assert!(
        !needed.contains("servicemonitors") && optional.contains("servicemonitors"),
        "{shown}"
    );
}
