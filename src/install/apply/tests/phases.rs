//! OLM sets one phase: each check of a version presupposes that the version passes the checks before it.

use super::*;

/// A version for all namespaces that owns a Deployment and requires an API.
fn requiring() -> Value {
    let mut csv = csv("memo.v1");
    csv["spec"]["installModes"] = json!([{"type": "AllNamespaces", "supported": true}]);
    csv["spec"]["nativeAPIs"] = json!([{"group": "route.example.com", "version": "v1", "kind": "Route"}]);
    csv["spec"]["install"]["spec"]["deployments"] = json!([deployment("memo")]);
    csv
}

/// A Deployment of the same name whose selector OLM cannot change.
fn immutable() -> Value {
    let mut there = object("apps/v1", "Deployment", "memo");
    there["metadata"]["namespace"] = json!("operators");
    there["spec"] = json!({"selector": {"matchLabels": {"app": "old"}}});
    there
}

fn group(spec: &Value) -> Value {
    json!({"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup",
        "metadata": {"name": "group", "namespace": "operators"}, "spec": spec})
}

/// Returns the reasons for which the version fails, and those for which it stays `Pending`.
fn reasons(objects: Vec<Value>, apis: Option<Vec<Api>>, olm: &Olm) -> (Vec<&'static str>, Vec<&'static str>) {
    let steps = in_order(of_bundle(&content(requiring(), Vec::new()), &target(), "").unwrap());
    let state = State {
        apis,
        objects,
        ..State::default()
    };
    let applied = run_with(&steps, &state, olm);
    assert_eq!(applied.phase, Phase::Complete);
    (
        applied.failed.iter().map(|failed| failed.reason).collect(),
        applied.pending.iter().map(Requirements::status_reason).collect(),
    )
}

#[test]
fn the_deployments_of_a_version_are_checked_only_if_its_requirements_are_met() {
    let objects = vec![immutable()];
    for olm in [Olm::newest(), Olm::Proposed] {
        let (failed, pending) = reasons(objects.clone(), Some(Vec::new()), &olm);
        assert_eq!((&*failed, &*pending), (&[][..], &["RequirementsNotMet"][..]), "{olm:?}");
        let (failed, pending) = reasons(objects.clone(), None, &olm);
        assert_eq!(
            (&*failed, &*pending),
            (&["InstallComponentFailed"][..], &[][..]),
            "{olm:?}"
        );
    }
}

#[test]
fn nothing_else_is_said_of_a_version_that_its_operator_group_refuses() {
    let own = group(&json!({"targetNamespaces": ["operators"]}));
    for olm in [Olm::newest(), Olm::Proposed] {
        let (failed, pending) = reasons(vec![immutable(), own.clone()], Some(Vec::new()), &olm);
        assert_eq!(
            (&*failed, &*pending),
            (&["UnsupportedOperatorGroup"][..], &[][..]),
            "{olm:?}"
        );
    }
}

#[test]
fn a_version_fails_if_its_operator_group_selects_none_of_the_namespaces() {
    let selecting = group(&json!({"selector": {"matchLabels": {"team": "a"}}}));
    let mut namespace = object("v1", "Namespace", "b");
    namespace["metadata"]["labels"] = json!({"team": "b"});
    for olm in [Olm::newest(), Olm::Proposed] {
        let (failed, pending) = reasons(vec![selecting.clone(), namespace.clone()], None, &olm);
        assert_eq!((&*failed, &*pending), (&["NoTargetNamespaces"][..], &[][..]), "{olm:?}");
        // Without any namespace in the input, the selected namespaces are unknown.
        let (failed, pending) = reasons(vec![selecting.clone()], None, &olm);
        assert_eq!((&*failed, &*pending), (&[][..], &[][..]), "{olm:?}");
    }
    namespace["metadata"]["labels"]["team"] = json!("a");
    let (failed, _) = reasons(vec![selecting, namespace], None, &Olm::newest());
    assert_eq!(failed, ["UnsupportedOperatorGroup"], "a selected namespace is a target");
}

#[test]
fn a_version_stays_pending_without_the_deployment_of_its_api_service() {
    let mut version = csv("memo.v1");
    version["spec"]["apiservicedefinitions"] = json!({"owned": [
        {"group": "wood.example.com", "version": "v1", "kind": "Plank", "name": "planks", "deploymentName": "planks"},
    ]});
    let reasons = |version: &Value| -> Vec<String> {
        let steps = in_order(of_bundle(&content(version.clone(), Vec::new()), &target(), "").unwrap());
        let pending = run(&steps, &State::default()).pending.into_iter();
        pending
            .map(|pending| {
                assert_eq!(pending.status_reason(), "RequirementsNotMet");
                pending.reason()
            })
            .collect()
    };
    let words = "its install strategy has no Deployment \"planks\" for its API Plank (wood.example.com/v1)";
    assert_eq!(reasons(&version), [words]);
    version["spec"]["install"]["spec"]["deployments"] = json!([deployment("planks")]);
    assert_eq!(reasons(&version), [""; 0]);
}
