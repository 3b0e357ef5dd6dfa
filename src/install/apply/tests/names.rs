//! CustomResourceDefinitions with names that others already have.

use super::*;

fn of_group(group: &str, plural: &str, mut names: Value) -> Value {
    names["plural"] = json!(plural);
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": CRD, "metadata": {"name": format!("{plural}.{group}")},
        "spec": {"group": group, "names": names, "scope": "Namespaced", "versions": [{"name": "v1", "served": true}]}})
}

fn named(plural: &str, names: Value) -> Value {
    of_group("example.com", plural, names)
}

/// Installs a version that owns these definitions. Returns the statuses of the definitions, and the reasons why the
/// version stays `Pending`.
fn end(new: &[Value], existing: Vec<Value>) -> (Vec<StepStatus>, Vec<String>) {
    let owned = new.iter().map(|definition| {
        json!({"name": definition["metadata"]["name"], "version": "v1", "kind": definition["spec"]["names"]["kind"]})
    });
    let mut csv = csv("memo.v1");
    csv["spec"]["customresourcedefinitions"] = json!({"owned": owned.collect::<Vec<_>>()});
    let steps = in_order(of_bundle(&content(csv, new.to_vec()), &target(), "").unwrap());
    let state = State {
        objects: existing,
        ..State::default()
    };
    let applied = run(&steps, &state);
    assert_eq!(applied.phase, Phase::Complete);
    assert_eq!(applied.succeeds(), applied.pending.is_empty());
    assert!(applied.warnings.is_empty(), "the version waits for its definitions");
    let definitions = steps
        .iter()
        .zip(&applied.steps)
        .filter(|(step, _)| step.resource.kind == CRD);
    let pending = applied.pending.iter().map(|version| {
        assert_eq!(version.status_reason(), "RequirementsNotMet");
        version.reason()
    });
    (
        definitions.map(|(_, outcome)| outcome.status).collect(),
        pending.collect(),
    )
}

#[test]
fn a_version_stays_pending_if_another_definition_has_a_name_of_its_definition() {
    let new = named("foos", json!({"kind": "Foo", "shortNames": ["fo"]}));
    for (others, field, name) in [
        (json!({"kind": "Foo", "listKind": "OtherList"}), "kind", "Foo"),
        (json!({"kind": "FooList"}), "listKind", "FooList"),
        (json!({"kind": "Other", "listKind": "FooList"}), "listKind", "FooList"),
        (json!({"kind": "Other", "singular": "foo"}), "singular", "foo"),
        (json!({"kind": "Other", "shortNames": ["o", "fo"]}), "shortNames", "fo"),
        (json!({"kind": "Other", "shortNames": ["foos"]}), "plural", "foos"),
    ] {
        let (statuses, pending) = end(std::slice::from_ref(&new), vec![named("others", others)]);
        assert_eq!(statuses, [StepStatus::Present], "OLM writes the definition twice");
        let reason = format!(
            "the API server does not accept the names of foos.example.com, because others.example.com already uses \
             {name:?} (spec.names.{field})"
        );
        assert_eq!(pending, [reason]);
    }
}

#[test]
fn a_definition_that_no_version_lists_gets_a_warning_if_another_one_has_its_name() {
    let new = named("foos", json!({"kind": "Foo"}));
    let other = |kind: &str| State {
        objects: vec![named("others", json!({"kind": kind}))],
        ..State::default()
    };
    let steps = in_order(of_bundle(&content(csv("memo.v1"), vec![new]), &target(), "").unwrap());
    let applied = run(&steps, &other("Foo"));
    assert!(applied.succeeds(), "the version does not need the definition");
    assert_eq!(
        applied.warnings,
        [
            "the API server does not accept the names of foos.example.com, because others.example.com already uses \
             \"Foo\" (spec.names.kind), so it does not serve them"
        ]
    );
    assert_eq!(run(&steps, &other("Other")).warnings, Vec::<String>::new());
}

#[test]
fn names_of_other_groups_and_of_other_sorts_are_free() {
    let new = named("foos", json!({"kind": "Foo", "singular": "foo"}));
    let free = vec![
        of_group("example.org", "foos", json!({"kind": "Foo"})),
        named("others", json!({"kind": "foo", "singular": "other"})),
    ];
    assert_eq!(end(&[new], free), (vec![StepStatus::Created], Vec::new()));
}

#[test]
fn the_first_definition_of_a_plan_gets_a_name() {
    let definitions = [
        named("as", json!({"kind": "A", "shortNames": ["x"]})),
        named("bs", json!({"kind": "B", "shortNames": ["x"]})),
    ];
    let (statuses, pending) = end(&definitions, Vec::new());
    assert_eq!(statuses, [StepStatus::Created, StepStatus::Present]);
    assert_eq!(pending.len(), 1);
    assert!(
        pending[0].contains("the names of bs.example.com, because as.example.com"),
        "{pending:?}"
    );
}

#[test]
fn an_existing_definition_keeps_its_names_but_gets_no_name_of_another_one() {
    let with = |short: &[&str]| named("foos", json!({"kind": "Foo", "shortNames": short}));
    let other = named("others", json!({"kind": "Other", "shortNames": ["o", "f"]}));
    let pending = |new: &[&str], mut old: Value, accepted: &str| {
        old["status"] = json!({"conditions": [{"type": "NamesAccepted", "status": accepted}]});
        let (statuses, pending) = end(&[with(new)], vec![old, other.clone()]);
        assert_eq!(statuses, [StepStatus::Present]);
        pending.len()
    };
    assert_eq!(pending(&["f"], with(&["f"]), "True"), 0);
    assert_eq!(pending(&["f"], with(&["f"]), "False"), 1);
    assert_eq!(pending(&["f", "o"], with(&["f"]), "True"), 1);
    assert_eq!(pending(&["x"], with(&["f"]), "False"), 0);
}
