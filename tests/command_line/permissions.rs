//! `permissions`: what an install needs, and what of it is missing.

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

fn json(sandbox: &Sandbox, line: &str) -> Value {
    serde_json::from_str(&sandbox.run(line.split(' ')).stdout).unwrap()
}

#[test]
fn what_is_needed_is_shown_for_the_install_and_for_the_operator() {
    let sandbox = garden();
    bundle(&sandbox, "rake", "1.0.0", "get, list");
    insta::assert_snapshot!(outcome_of(&sandbox, "permissions rake"), @"
    needed for the install itself:
    NAMESPACE  GROUP                      RESOURCE                NAMES  VERBS
    operators  (core)                     serviceaccounts                get, create, update, patch
    operators  apps                       deployments                    get, list, watch, create, update, patch, delete
    operators  operators.coreos.com       clusterserviceversions         create
    operators  rbac.authorization.k8s.io  rolebindings                   get, create, update, patch
    operators  rbac.authorization.k8s.io  roles                          get, create, update, patch

    needed to hand on to the operator:
    NAMESPACE  GROUP   RESOURCE  NAMES  VERBS
    operators  (core)  leaves           get, list
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
    assert_eq!(sandbox.run("permissions rake --exit-code".split(' ')).status, Some(1));
}

#[test]
fn what_an_account_holds_is_taken_off_and_the_written_roles_give_the_rest() {
    let sandbox = garden();
    bundle(&sandbox, "rake", "1.0.0", "get, list");
    let state = "version: 1\ngrants:\n- serviceAccount: installer\n  namespace: olm\n  rules:\n  - apiGroups: ['*']\n    resources: ['*']\n    verbs: ['*']\n    namespaces: [operators]\n";
    fs::write(sandbox.path("state.yaml"), state).unwrap();
    let line = "permissions rake --state state.yaml --service-account olm/installer";
    assert_eq!(outcome_of(&sandbox, line).stdout, "olm/installer is missing nothing\n");
    let install = json(&sandbox, &format!("{line} -o json"));
    assert_eq!(
        (install["spec"].get("approval"), install["status"].get("pending")),
        (None, None)
    );
    assert_eq!(install["status"]["serviceAccountRef"]["name"], "installer");
    let roles = outcome_of(&sandbox, "permissions rake --service-account olm/installer --as role").stdout;
    fs::write(sandbox.path("roles.yaml"), &roles).unwrap();
    let line = "permissions rake --cluster roles.yaml --service-account olm/installer --exit-code";
    assert_eq!(
        outcome_of(&sandbox, line).stdout,
        "olm/installer is missing nothing\n",
        "{roles}"
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
fn roles_are_written_for_the_account_of_the_operator_group() {
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

#[test]
fn the_content_of_an_image_is_resolved_to_its_digest() {
    let sandbox = garden();
    rake(&sandbox, "rake", "1.0.0", None);
    let built = outcome_of(&sandbox, "bundle build rake -q -t oci:out:v1").stdout;
    let install = json(&sandbox, "permissions oci:out:v1 -o json");
    assert_eq!(install["spec"]["content"][0]["manifestImage"], "oci:out:v1");
    assert_eq!(install["status"]["resolved"][0]["manifestImage"], built.trim_end());
}

#[test]
fn the_printed_install_is_one_of_the_printed_definition() {
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
    for line in [
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
fn an_upgrade_that_asks_for_more_ends_with_one() {
    let sandbox = garden();
    bundle(&sandbox, "old", "1.0.0", "get, list");
    bundle(&sandbox, "new", "1.1.0", "get, list, delete");
    insta::assert_snapshot!(sandbox.run("permissions diff old new".split(' ')), @"
    rake.v1.1.0 needs in addition to rake.v1.0.0:
    NAMESPACE  GROUP   RESOURCE  NAMES  VERBS
    operators  (core)  leaves           delete
    ------- exit 1 -------
    ");
    let fewer = outcome_of(&sandbox, "permissions diff new old");
    assert_eq!(
        fewer.stdout,
        "rake.v1.0.0 needs nothing that rake.v1.1.0 was not approved for\n"
    );
    for same in ["old", "greenhouse", "compost"] {
        let _ = outcome_of(&sandbox, &format!("permissions diff -q {same} {same}"));
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
    assert!(held.stdout.starts_with("rake.v1.1.0 needs nothing"), "{held}");
}

#[test]
fn a_wrong_call_is_told_so() {
    let sandbox = garden();
    for line in [
        "permissions",
        "permissions rake --as role",
        "permissions rake --service-account nobody",
    ] {
        assert_eq!(sandbox.run(line.split(' ')).status, Some(2), "{line}");
    }
}

/// O50: an optional manifest that is forbidden is not created, and the install completes.
#[test]
fn what_only_optional_manifests_need_is_not_missing() {
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
