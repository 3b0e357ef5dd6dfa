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
