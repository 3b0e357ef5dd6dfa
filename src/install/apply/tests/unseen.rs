//! Updates of definitions that cannot be checked.

use super::*;

const NAME: &str = "servicemonitors.monitoring.coreos.com";

/// A version that owns the definition.
fn owner(phase: &str) -> Value {
    let mut csv = csv("monitor.v1");
    csv["metadata"]["namespace"] = json!("operators");
    csv["spec"]["customresourcedefinitions"] =
        json!({"owned": [{"name": NAME, "version": "v1", "kind": "ServiceMonitor"}]});
    csv["status"] = json!({ "phase": phase });
    csv
}

fn applied(new: Value, objects: Vec<Value>) -> (StepStatus, Vec<UncheckedUpdate>) {
    let steps = steps(vec![new], &Value::Null);
    let state = State {
        objects,
        ..State::default()
    };
    let applied = run(&steps, &state);
    assert!(applied.succeeds());
    (of_kind(&steps, &applied, CRD).status, applied.unchecked)
}

fn unchecked(lacks: Lacks) -> Vec<UncheckedUpdate> {
    vec![UncheckedUpdate {
        definition: NAME.to_owned(),
        lacks,
    }]
}

#[test]
fn a_definition_that_a_succeeded_version_owns_exists_although_the_input_lacks_it() {
    let new = || typed("integer", "None");
    let absent = unchecked(Lacks::Definition {
        owner: "monitor.v1".to_owned(),
    });
    assert_eq!(applied(new(), vec![owner("Succeeded")]), (StepStatus::Present, absent));
    let mut copied = owner("Succeeded");
    copied["metadata"]["labels"] = json!({"olm.copiedFrom": "elsewhere"});
    for others in [vec![owner("Pending")], vec![copied], Vec::new()] {
        assert_eq!(applied(new(), others), (StepStatus::Created, Vec::new()));
    }
    let fit = sized("ServiceMonitor", "a", &json!(1));
    let known = applied(new(), vec![owner("Succeeded"), definition("v1"), fit]);
    assert_eq!(known, (StepStatus::Present, Vec::new()));
}

#[test]
fn a_changed_schema_is_unchecked_if_the_input_has_no_custom_resources_of_the_kind() {
    let new = || typed("integer", "None");
    let without_objects = unchecked(Lacks::Objects {
        kind: "ServiceMonitor".to_owned(),
    });
    let changed = typed("string", "None");
    assert_eq!(applied(new(), vec![changed.clone()]).1, without_objects);
    let other = sized("Rule", "a", &json!(1));
    assert_eq!(applied(new(), vec![changed.clone(), other]).1, without_objects);
    let fit = sized("ServiceMonitor", "a", &json!(1));
    assert_eq!(applied(new(), vec![changed.clone(), fit]).1, []);
    assert_eq!(applied(new(), vec![new()]).1, []);
    // OLM does not compare objects with the schemas of versions that were not served before.
    let mut elsewhere = changed.clone();
    elsewhere["spec"]["versions"][0]["name"] = json!("v1alpha1");
    assert_eq!(applied(new(), vec![elsewhere]).1, []);
    let mut unserved = changed;
    unserved["spec"]["versions"][0]["served"] = json!(false);
    assert_eq!(applied(new(), vec![unserved]).1, []);
}
