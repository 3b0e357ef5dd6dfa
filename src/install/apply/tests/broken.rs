//! Installed versions that fail because of an updated definition.

use super::*;

const NAME: &str = "servicemonitors.monitoring.coreos.com";

/// An installed version in the namespace `team` that owns or requires a version of the definition.
fn needing(list: &str, version: &str) -> Value {
    let mut csv = csv("beta.v1");
    csv["metadata"]["namespace"] = json!("team");
    csv["spec"]["customresourcedefinitions"] =
        json!({list: [{"name": NAME, "version": version, "kind": "ServiceMonitor"}]});
    csv["status"] = json!({"phase": "Succeeded"});
    csv
}

/// Returns the versions that fail when a plan makes the definition serve only `v2`.
fn broken(objects: Vec<Value>) -> Vec<String> {
    let steps = steps(vec![definition("v2")], &Value::Null);
    let state = State {
        objects,
        ..State::default()
    };
    let applied = run(&steps, &state);
    assert_eq!(
        (applied.phase, applied.succeeds()),
        (Phase::Complete, applied.broken.is_empty())
    );
    applied.broken.iter().map(ToString::to_string).collect()
}

#[test]
fn an_installed_version_fails_if_an_update_stops_serving_a_version_that_it_needs() {
    let expected = "the installed beta.v1 in the namespace team then ends in the phase Failed with the reason \
                    RequirementsNotMet: requirements no longer met: servicemonitors.monitoring.coreos.com no longer serves v1";
    for list in ["owned", "required"] {
        assert_eq!(
            broken(vec![needing(list, "v1"), definition("v1")]),
            [expected],
            "{list}"
        );
        // The definition existed, because the version succeeded.
        assert_eq!(broken(vec![needing(list, "v1")]), [expected], "{list}");
        assert_eq!(broken(vec![needing(list, "v2"), definition("v1")]), [""; 0], "{list}");
    }
    let mut twice = needing("required", "v1");
    twice["spec"]["customresourcedefinitions"]["owned"] =
        json!([{"name": NAME, "version": "v2", "kind": "ServiceMonitor"}]);
    assert_eq!(
        broken(vec![twice, definition("v1")]),
        [""; 0],
        "OLM checks only the owned one"
    );
}

#[test]
fn a_plan_is_not_blamed_for_versions_that_it_does_not_break() {
    let with = |change: &dyn Fn(&mut Value)| {
        let mut csv = needing("required", "v1");
        change(&mut csv);
        broken(vec![csv, definition("v1")])
    };
    assert_eq!(with(&|_| {}).len(), 1);
    assert_eq!(with(&|csv| csv["status"]["phase"] = json!("Failed")), [""; 0]);
    assert_eq!(with(&|csv| csv["status"]["reason"] = json!("Copied")), [""; 0]);
    assert_eq!(
        broken(vec![needing("required", "v1"), definition("v1alpha1")]),
        [""; 0],
        "unmet before"
    );
}

#[test]
fn a_version_that_the_plan_replaces_is_not_checked_again() {
    let of = |replaces: &str| {
        let content = content(csv("beta.v2"), vec![definition("v2")]);
        let steps = in_order(of_bundle(&content, &target(), replaces).unwrap());
        let mut old = needing("owned", "v1");
        old["metadata"]["namespace"] = json!("operators");
        let state = State {
            objects: vec![old, definition("v1")],
            ..State::default()
        };
        run(&steps, &state).broken.len()
    };
    assert_eq!((of("beta.v1"), of("beta.v0")), (0, 1));
}
