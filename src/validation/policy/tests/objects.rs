//! The objects that OLM creates from a bundle, and the scope of their permissions.

use super::*;

const DENY_SECRETS: &str = "version: 1\npermissions: {deny: [{resources: [secrets]}]}\n";
const DENY_IN_CLUSTER: &str = "version: 1\npermissions: {deny: [{resources: [pods], scope: Cluster}]}\n";

#[test]
fn the_kind_decides_regardless_of_the_group_as_in_olm() {
    let rules = json!([{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}]);
    let kinds = "version: 1\nkinds: {deny: ['rbac.authorization.k8s.io/ClusterRole*']}\n";
    let admin = "version: 1\npermissions: {deny: [{verbs: [escalate]}]}\n";
    for api_version in [
        json!("x.example.com/v1"),
        json!("authorization.openshift.io/v1"),
        json!(null),
    ] {
        let role = json!({"apiVersion": api_version, "kind": "ClusterRole", "metadata": {"name": "r"}, "rules": rules});
        let mut binding = binding("cluster-admin");
        binding["apiVersion"] = api_version;
        let found = |policy: &str| broken(policy, &json!({}), &[&role, &binding]);
        assert_eq!(found(DENY_SECRETS).len(), 2);
        assert_eq!(found(admin), [("policy-permission", "roleRef".to_owned())]);
        assert_eq!(found(kinds).len(), 2);
    }
    let foreign = json!({"apiVersion": "x.example.com/v1", "kind": "ClusterRole"});
    let found = judge(&policy(kinds).terms(None, &[]), None, &[&foreign], &Setting::default());
    assert_eq!(
        found[0].message,
        "policy.yaml does not allow objects of the kind rbac.authorization.k8s.io/ClusterRole, which OLM creates from \
         this object, because it ignores the group"
    );
    let other = json!({"apiVersion": "x.example.com/v1", "kind": "Memo"});
    assert_eq!(
        broken("version: 1\nkinds: {allow: ['x.example.com/*']}", &json!({}), &[&other]),
        []
    );
}

#[test]
fn fields_count_in_any_case_and_findings_name_them_as_written() {
    let rules = json!([{"apiGroups": [""], "Resources": ["secrets"], "verbs": ["get"]}]);
    let csv =
        json!({"Spec": {"install": {"spec": {"ClusterPermissions": [{"serviceAccountName": "a", "Rules": rules}]}}}});
    assert_eq!(
        broken(DENY_SECRETS, &csv, &[]),
        [(
            "policy-permission",
            "Spec.install.spec.ClusterPermissions[0].Rules[0]".to_owned()
        )]
    );
    let mut role = cluster_role("r", &json!({"Rules": rules}));
    role.as_object_mut().unwrap().remove("rules");
    let mut binding = binding("cluster-admin");
    let reference = binding.as_object_mut().unwrap().remove("roleRef").unwrap();
    binding["roleref"] = reference;
    let found = broken(DENY_SECRETS, &json!({}), &[&role, &binding]);
    let paths: Vec<&str> = found.iter().map(|(_, path)| path.as_str()).collect();
    assert_eq!(paths, ["Rules[0]", "roleref"]);
}

#[test]
fn the_bindings_of_a_cluster_role_determine_its_scope() {
    let in_namespace = |kind: &str| {
        json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "n"},
            "roleRef": {"kind": kind, "name": "r"}})
    };
    let role = cluster_role("r", &json!({}));
    let refusals = |objects: &[&Value], cluster: &[Value]| {
        let setting = Setting {
            objects: cluster,
            ..Setting::default()
        };
        let found = judge(&policy(DENY_IN_CLUSTER).terms(None, &[]), None, objects, &setting);
        found.into_iter().map(|broken| broken.message).collect::<Vec<_>>()
    };
    let of_namespace = in_namespace("ClusterRole");
    assert_eq!(refusals(&[&role, &of_namespace], &[]), Vec::<String>::new());
    assert_eq!(refusals(&[&role, &of_namespace, &binding("r")], &[]).len(), 1);
    assert_eq!(refusals(&[&role, &of_namespace], &[binding("r")]).len(), 1);
    let unbound = "policy.yaml does not allow {APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"get\"]} in the whole \
                   cluster, where this role could be bound, because the bundle contains no binding to it";
    assert_eq!(refusals(&[&role], &[]), [unbound]);
    assert_eq!(refusals(&[&role, &in_namespace("Role")], &[]), [unbound]);
    let labels = json!({"name": "r", "labels": {"rbac.authorization.k8s.io/aggregate-to-view": "true"}});
    let aggregated = cluster_role("r", &json!({"metadata": labels}));
    assert_eq!(refusals(&[&aggregated, &of_namespace], &[]).len(), 1);
}

#[test]
fn roles_and_bindings_with_the_labels_of_the_operator_are_copied_for_the_whole_cluster() {
    let labelled = |kind: &str, owner: &str, more: &Value| {
        let labels =
            json!({"olm.owner": owner, "olm.owner.namespace": "ns", "olm.owner.kind": "ClusterServiceVersion"});
        let metadata = json!({"name": "r", "labels": labels});
        let mut object = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": metadata});
        object
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        object
    };
    let csv = json!({"metadata": {"name": "memo.v1"}});
    let refusals = |policy: &str, everywhere: bool, object: &Value| {
        let setting = Setting {
            everywhere,
            namespace: "ns",
            ..Setting::default()
        };
        let terms = self::policy(policy).terms(None, &[]);
        judge(&terms, Some(&csv), &[object], &setting).len()
    };
    let rules = json!({"rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]});
    let kinds = "version: 1\nkinds: {deny: [ClusterRole, ClusterRoleBinding]}\n";
    let of_admin = |kind: &str| json!({"roleRef": {"kind": kind, "name": "cluster-admin"}});
    for (kind, more) in [
        ("Role", rules),
        ("RoleBinding", of_admin("ClusterRole")),
        // The copy refers to the ClusterRole of this name.
        ("RoleBinding", of_admin("Role")),
    ] {
        for (policy, everywhere, owner, count) in [
            (DENY_IN_CLUSTER, true, "memo.v1", 1),
            (kinds, true, "memo.v1", 1),
            (DENY_IN_CLUSTER, false, "memo.v1", 0),
            (DENY_IN_CLUSTER, true, "other.v1", 0),
            (kinds, true, "other.v1", 0),
        ] {
            let found = refusals(policy, everywhere, &labelled(kind, owner, &more));
            assert_eq!(found, count, "{kind} {more} {policy} {everywhere} {owner}");
        }
    }
}

#[test]
fn webhooks_and_owned_apis_may_authenticate_requests() {
    let deny = "version: 1\npermissions: {deny: [{resources: [tokenreviews]}]}\n";
    let kinds = "version: 1\nkinds: {deny: [core/Secret, rbac.authorization.k8s.io/ClusterRoleBinding]}\n";
    for (spec, path) in [
        (
            json!({"webhookdefinitions": [{"type": "ConversionWebhook", "deploymentName": "d"}]}),
            "spec.webhookdefinitions",
        ),
        (
            json!({"apiservicedefinitions": {"owned": [{"name": "a", "deploymentName": "d"}]}}),
            "spec.apiservicedefinitions.owned",
        ),
    ] {
        let csv = json!({"spec": spec});
        assert_eq!(broken(deny, &csv, &[]), [("policy-permission", path.to_owned())]);
        assert_eq!(
            broken(kinds, &csv, &[]),
            [("policy-kind", path.to_owned()), ("policy-kind", path.to_owned())]
        );
        // OLM mounts the certificate, so the permission to read it adds nothing.
        assert_eq!(broken(DENY_SECRETS, &csv, &[]), []);
    }
    assert_eq!(
        broken(
            deny,
            &json!({"spec": {"apiservicedefinitions": {"required": [{"name": "a"}]}}}),
            &[]
        ),
        []
    );
}
