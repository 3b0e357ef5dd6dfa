//! The access to owned APIs that OLM gives to others.

use super::*;

/// A version that owns an API of a CustomResourceDefinition, and others that it serves itself.
fn owning(served: &[&str]) -> Value {
    let mut csv = version(true);
    csv["spec"]["customresourcedefinitions"] =
        json!({"owned": [{"name": "memos.example.com", "version": "v1", "kind": "Memo"}]});
    let served = served.iter();
    let served = served.map(|name| json!({"group": "api.example.com", "version": "v2", "kind": "Ink", "name": name}));
    csv["spec"]["apiservicedefinitions"] = json!({"owned": served.collect::<Vec<_>>()});
    csv
}

fn of_others(operator: &Operator) -> Vec<String> {
    let of_one = |held: &SubjectPermissions| -> Vec<String> {
        let subject = held.subject.to_string();
        let rules = held.permissions.iter().map(|holding| &holding.permission.rule);
        let line = |rule: &Rule| format!("{subject}: {} {}", rule.resources.join(","), rule.verbs.join(","));
        rules.map(line).collect()
    };
    operator.others.iter().flat_map(of_one).collect()
}

#[test]
fn everyone_who_may_administer_edit_or_view_gets_access_to_owned_apis() {
    for targets in [json!({}), json!({"targetNamespaces": ["operators"]})] {
        let operator = held(owning(&["inks"]), Vec::new(), &state(vec![group(&targets)]));
        let (view, edit) = ("get,list,watch", "create,update,patch,delete");
        let expected = [
            format!("everyone with ClusterRole admin: inks *,{edit},{view}"),
            "everyone with ClusterRole admin: customresourcedefinitions get".to_owned(),
            format!("everyone with ClusterRole admin: memos *,{edit},{view}"),
            format!("everyone with ClusterRole edit: inks {edit},{view}"),
            "everyone with ClusterRole edit: customresourcedefinitions get".to_owned(),
            format!("everyone with ClusterRole edit: memos {edit},{view}"),
            format!("everyone with ClusterRole view: inks {view}"),
            "everyone with ClusterRole view: customresourcedefinitions get".to_owned(),
            format!("everyone with ClusterRole view: memos {view}"),
        ];
        assert_eq!(of_others(&operator), expected);
        let permissions = operator.others.iter().flat_map(|held| &held.permissions);
        assert!(permissions.clone().all(|held| held.permission.namespaces.is_empty()));
        let reasons: BTreeSet<&str> = permissions.flat_map(|held| &held.reasons).map(String::as_str).collect();
        let reason =
            "ClusterRole memos.example.com-v1-crdview, which OLM creates for the owned API Memo (example.com/v1)";
        assert!(reasons.contains(reason), "{reasons:?}");
        let reason = "ClusterRole inks-v2-view, which OLM creates for the owned API Ink (api.example.com/v2)";
        assert!(reasons.contains(reason), "{reasons:?}");
    }
}

#[test]
fn a_new_owned_api_is_access_that_others_gain() {
    let before = held(owning(&[]), Vec::new(), &State::default());
    let after = held(owning(&["inks"]), Vec::new(), &State::default());
    let gained = |new, old| super::super::super::gained(new, std::slice::from_ref(old), &Grants::default()).unwrap();
    let subjects: Vec<String> = gained(&after, &before)
        .iter()
        .map(|gain| gain.subject.to_string())
        .collect();
    let expected = ["admin", "edit", "view"].map(|role| format!("everyone with ClusterRole {role}"));
    assert_eq!(subjects, expected);
    assert_eq!(gained(&before, &after), []);
}

#[test]
fn nobody_gets_access_to_apis_through_a_role_that_the_cluster_does_not_extend() {
    let role = |name: &str| object("rbac.authorization.k8s.io/v1", "ClusterRole", name);
    let operator = held(
        owning(&[]),
        Vec::new(),
        &state(vec![role("view"), role("edit"), role("admin")]),
    );
    assert_eq!(of_others(&operator), [""; 0]);
}
