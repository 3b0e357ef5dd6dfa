//! Versions that would own what someone else owns.

use super::*;

/// A version that owns a definition.
fn owning(name: &str, replaces: &str, phase: &str) -> Value {
    let mut csv = csv(name);
    csv["metadata"]["namespace"] = json!("operators");
    csv["spec"]["replaces"] = json!(replaces);
    csv["spec"]["customresourcedefinitions"] =
        json!({"owned": [{"name": "monitors.example.com", "version": "v1", "kind": "Monitor"}]});
    csv["status"] = json!({ "phase": phase });
    csv
}

fn conflicts(new: Value, replaces: &str, objects: Vec<Value>) -> Vec<String> {
    let mut new = new;
    new["metadata"].as_object_mut().unwrap().remove("namespace");
    let steps = in_order(of_bundle(&content(new, Vec::new()), &target(), replaces).unwrap());
    let state = State {
        objects,
        ..State::default()
    };
    let failed = run(&steps, &state).failed.into_iter();
    failed
        .map(|failed| {
            assert_eq!(failed.reason, "OwnerConflict");
            failed.message
        })
        .collect()
}

#[test]
fn versions_that_are_connected_by_replacements_do_not_conflict() {
    let new = || owning("memo.v3", "", "");
    let (first, second) = (
        owning("memo.v1", "", "Replacing"),
        owning("memo.v2", "memo.v1", "Failed"),
    );
    let chain = vec![first.clone(), second.clone()];
    assert_eq!(conflicts(new(), "memo.v2", chain.clone()), [""; 0]);
    assert_eq!(conflicts(new(), "", chain).len(), 1);
    let newer = vec![
        owning("memo.v5", "memo.v4", ""),
        owning("memo.v4", "memo.v3", ""),
        first,
    ];
    assert_eq!(conflicts(new(), "memo.v1", newer), [""; 0]);
    let cycle = vec![owning("memo.v1", "memo.v2", "Replacing"), second];
    assert_eq!(conflicts(new(), "memo.v2", cycle.clone()), [""; 0]);
    assert_eq!(conflicts(new(), "", cycle).len(), 1);
    assert_eq!(
        conflicts(new(), "memo.v3", vec![owning("memo.v4", "memo.v4", "")]).len(),
        1
    );
}

#[test]
fn a_version_fails_if_an_existing_api_service_belongs_to_someone_else() {
    let version = |name: &str| {
        let mut csv = csv(name);
        csv["spec"]["apiservicedefinitions"] = json!({"owned": [
            {"group": "metrics.example.com", "version": "v1", "kind": "Sample", "name": "samples", "deploymentName": "memo"}]});
        csv["spec"]["install"]["spec"]["deployments"] = json!([deployment("memo")]);
        csv
    };
    let service = |labels: Value| {
        json!({"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
            "metadata": {"name": "v1.metrics.example.com", "labels": labels}})
    };
    let owned_by = |kind: &str, namespace: &str, name: &str| {
        service(json!({"olm.owner.kind": kind, "olm.owner.namespace": namespace, "olm.owner": name}))
    };
    let by = |namespace: &str, name: &str| owned_by("ClusterServiceVersion", namespace, name);
    let there = |name: &str, namespace: &str, phase: &str| {
        let mut csv = csv(name);
        csv["metadata"]["namespace"] = json!(namespace);
        csv["status"] = json!({ "phase": phase });
        csv
    };
    let failed = |objects: Vec<Value>| conflicts(version("memo.v2"), "memo.v1", objects);
    let unlabelled = "unable to adopt APIService: v1.metrics.example.com exists, but its labels name no \
                      ClusterServiceVersion as its owner";
    assert_eq!(failed(vec![service(json!({"helm": "yes"}))]), [unlabelled]);
    assert_eq!(failed(vec![service(Value::Null)]), [unlabelled]);
    assert_eq!(
        failed(vec![owned_by("Deployment", "operators", "memo.v2")]),
        [unlabelled]
    );
    let other = "unable to adopt APIService: v1.metrics.example.com belongs to other.v1 in the namespace elsewhere";
    assert_eq!(failed(vec![by("elsewhere", "other.v1")]), [other]);
    let succeeded = there("other.v1", "elsewhere", "Succeeded");
    assert_eq!(failed(vec![by("elsewhere", "other.v1"), succeeded]), [other]);
    let replacing = there("other.v1", "elsewhere", "Replacing");
    assert_eq!(failed(vec![by("elsewhere", "other.v1"), replacing]), [""; 0]);
    assert_eq!(failed(vec![by("operators", "memo.v2")]), [""; 0]);
    let replaced = there("memo.v1", "operators", "Succeeded");
    assert_eq!(failed(vec![by("operators", "memo.v1"), replaced]), [""; 0]);
    assert_eq!(failed(vec![by("operators", "memo.v1")]).len(), 1, "not installed");
    assert_eq!(failed(vec![by("elsewhere", "memo.v2")]).len(), 1, "another namespace");
}

#[test]
fn a_version_is_not_installed_if_a_copy_of_an_operator_has_its_name() {
    let steps = in_order(of_bundle(&content(csv("memo.v1"), Vec::new()), &target(), "").unwrap());
    let found = |labels: Value| {
        let mut there = csv("memo.v1");
        there["metadata"]["namespace"] = json!("operators");
        there["metadata"]["labels"] = labels;
        let state = State {
            objects: vec![there],
            ..State::default()
        };
        let applied = run(&steps, &state);
        assert_eq!(
            of_kind(&steps, &applied, "ClusterServiceVersion").status,
            StepStatus::Present
        );
        assert_eq!(applied.succeeds(), applied.failed.is_empty());
        applied.failed.first().map(ToString::to_string)
    };
    let words = "memo.v1 is not installed: the ClusterServiceVersion of this name in the namespace operators is a copy of \
                 the operator in the namespace elsewhere";
    assert_eq!(found(json!({"olm.copiedFrom": "elsewhere"})).as_deref(), Some(words));
    assert_eq!(found(json!({})), None);
}
