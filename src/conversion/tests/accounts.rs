//! Tests of accounts, their rules, and the APIs that the rules name.

use super::*;

#[test]
fn a_simple_csv_survives_a_round_trip() {
    let (back, plain, findings) = round_trip(&csv(), &[]);
    let mut expected = csv();
    // Without this entry, OLM would not create the account.
    set(
        &mut expected,
        PERMISSIONS,
        json!([{"serviceAccountName": "op", "rules": []}]),
    );
    expected.sort_all_objects();
    assert_eq!(back, expected);
    assert_eq!(ids(&findings), BTreeSet::from(["convert-field-added"]));
    let paths: Vec<&str> = plain.iter().map(|(path, _)| path).collect();
    assert_eq!(
        paths,
        [
            "manifests/op.deployment.yaml",
            "manifests/op.rbac.yaml",
            "metadata/annotations.yaml",
            "metadata/olm.yaml"
        ]
    );
}

#[test]
fn entries_of_an_account_are_merged_and_accounts_of_operands_kept() {
    let mut csv = with(
        PERMISSIONS,
        json!([
            {"serviceAccountName": "op", "rules": [rule("pods")]},
            {"serviceAccountName": "op", "rules": [rule("secrets"), rule("pods")]},
            {"serviceAccountName": "operand", "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]},
            {"serviceAccountName": "bare", "rules": []},
            {"serviceAccountName": "default", "rules": [rule("services")]},
        ]),
    );
    set(
        &mut csv,
        CLUSTER_PERMISSIONS,
        json!([{"serviceAccountName": "op", "rules": [rule("nodes")]}]),
    );
    let (back, _, findings) = round_trip(&csv, &[]);
    let accounts = |pointer: &str| -> Vec<(String, usize)> {
        let entries = back.pointer(pointer).unwrap().as_array().unwrap().iter();
        let entry = |entry: &Value| {
            let name = entry["serviceAccountName"].as_str().unwrap().to_owned();
            (name, entry["rules"].as_array().unwrap().len())
        };
        entries.map(entry).collect()
    };
    let expected = [("bare", 0), ("default", 1), ("op", 2), ("operand", 1)];
    assert_eq!(
        accounts(PERMISSIONS),
        expected.map(|(name, rules)| (name.to_owned(), rules))
    );
    assert_eq!(accounts(CLUSTER_PERMISSIONS), [("op".to_owned(), 1)]);
    assert_eq!(
        ids(&findings),
        BTreeSet::from(["convert-order", "convert-repeated-rule"])
    );
}

#[test]
fn wildcards_of_the_operators_account_are_rejected_with_their_place() {
    let wild = json!({"apiGroups": ["apps"], "resources": ["deployments", "*/scale"], "verbs": ["get"]});
    let csv = with(
        CLUSTER_PERMISSIONS,
        json!([{"serviceAccountName": "op", "rules": [rule("pods"), wild]}]),
    );
    let path = "spec.install.spec.clusterPermissions[0].rules[1].resources[1]".to_owned();
    assert_eq!(refusals(&csv, &[]), [("rbac-wildcard", path)]);
}

#[test]
fn apis_in_rbac_rules_are_required_only_if_the_csv_requires_them() {
    let third_party =
        |group: &str, resource: &str| json!({"apiGroups": [group], "resources": [resource], "verbs": ["get"]});
    let rules = json!([
        third_party("monitoring.coreos.com", "servicemonitors/status"),
        third_party("cert-manager.io", "certificates"),
        third_party("route.openshift.io", "routes"),
    ]);
    let mut csv = with(
        CLUSTER_PERMISSIONS,
        json!([{"serviceAccountName": "op", "rules": rules}]),
    );
    let required = json!([{"name": "certificates.cert-manager.io", "version": "v1", "kind": "Certificate"}]);
    set(
        &mut csv,
        "/spec/customresourcedefinitions",
        json!({"required": required}),
    );
    let native = json!([{"group": "route.openshift.io", "version": "v1", "kind": "Route"}]);
    set(&mut csv, "/spec/nativeAPIs", native.clone());
    let (back, plain, findings) = round_trip(&csv, &[]);
    assert_eq!(back["spec"]["customresourcedefinitions"]["required"], required);
    assert_eq!(back["spec"]["nativeAPIs"], native);
    let olm = String::from_utf8(plain.get("metadata/olm.yaml").unwrap().to_vec()).unwrap();
    assert_eq!(olm.matches("dependency: optional").count(), 2, "{olm}");
    assert!(findings.is_empty(), "{findings:#?}");
}

#[test]
fn shipped_bindings_that_name_a_namespace_stay_manifests() {
    let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "op"}, "rules": [rule("nodes")]});
    let binding = |namespace: Value| {
        let mut subject = json!({"kind": "ServiceAccount", "name": "op"});
        if !namespace.is_null() {
            subject["namespace"] = namespace;
        }
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": "op"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "op"},
            "subjects": [subject],
        })
    };
    let csv = with(
        CLUSTER_PERMISSIONS,
        json!([{"serviceAccountName": "op", "rules": [rule("pods")]}]),
    );
    let (back, _, findings) = round_trip(&csv, &[role.clone(), binding(json!("op-system"))]);
    assert_eq!(back.pointer("/spec/install/spec"), csv.pointer("/spec/install/spec"));
    assert!(findings.is_empty(), "{findings:#?}");

    let (back, _, findings) = round_trip(&csv, &[role, binding(Value::Null)]);
    let rules = back.pointer("/spec/install/spec/clusterPermissions/0/rules").unwrap();
    assert_eq!(
        rules.as_array().map(Vec::len),
        Some(2),
        "such a binding is about this very account"
    );
    assert_eq!(ids(&findings), BTreeSet::from(["convert-field-changed"]));
}
