//! Versions that wait for versions of CustomResourceDefinitions that the API server does not serve.

use super::*;

/// A definition with these versions, each served or not.
fn memos(versions: &[(&str, bool)]) -> Value {
    let versions = versions
        .iter()
        .map(|(name, served)| json!({"name": name, "served": served}));
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": CRD, "metadata": {"name": "memos.example.com"},
        "spec": {"group": "example.com", "names": {"kind": "Memo", "plural": "memos"}, "scope": "Namespaced",
            "versions": versions.collect::<Vec<_>>()}})
}

/// Returns the reasons why a version with this list of definitions stays `Pending`.
fn pending(list: &str, versions: &[&str], new: Vec<Value>, state: &State) -> Vec<String> {
    let entry = |version: &&str| json!({"name": "memos.example.com", "version": version, "kind": "Memo"});
    let mut csv = csv("memo.v1");
    csv["spec"]["customresourcedefinitions"] = json!({list: versions.iter().map(entry).collect::<Vec<_>>()});
    let steps = in_order(of_bundle(&content(csv, new), &target(), "").unwrap());
    let applied = run(&steps, state);
    assert_eq!(applied.phase, Phase::Complete);
    assert_eq!(applied.succeeds(), applied.pending.is_empty());
    let reasons = applied.pending.iter().map(|version| {
        assert_eq!(version.status_reason(), "RequirementsNotMet");
        version.reason()
    });
    reasons.collect()
}

const UNSERVED: &str =
    "the CustomResourceDefinition memos.example.com does not serve the version \"v1\" (\"CRD version not served\")";

#[test]
fn a_version_stays_pending_if_its_definition_does_not_serve_the_owned_version() {
    let none = State::default();
    let end = |owned: &[&str], versions: &[(&str, bool)]| pending("owned", owned, vec![memos(versions)], &none);
    assert_eq!(end(&["v1"], &[("v1", false), ("v2", true)]), [UNSERVED]);
    assert_eq!(end(&["v1"], &[("v2", true)]), [UNSERVED]);
    assert!(end(&["v2"], &[("v1", false), ("v2", true)]).is_empty());
    // OLM reads only the last entry of a definition.
    assert!(end(&["v1", "v2"], &[("v1", false), ("v2", true)]).is_empty());
    assert_eq!(end(&["v2", "v1"], &[("v1", false), ("v2", true)]), [UNSERVED]);
}

#[test]
fn a_version_stays_pending_if_a_definition_of_the_cluster_does_not_serve_the_required_version() {
    for apis in [None, Some(Vec::new())] {
        let state = |versions: &[(&str, bool)]| State {
            objects: vec![memos(versions)],
            apis: apis.clone(),
            ..State::default()
        };
        let end = |versions: &[(&str, bool)]| pending("required", &["v1"], Vec::new(), &state(versions));
        assert_eq!(end(&[("v1", false), ("v2", true)]), [UNSERVED]);
        assert_eq!(end(&[("v2", true)]), [UNSERVED]);
        assert!(end(&[("v1", true)]).is_empty());
    }
}

#[test]
fn the_definition_that_the_plan_writes_decides_about_its_versions() {
    let served = State {
        objects: vec![memos(&[("v1", true)])],
        ..State::default()
    };
    let end = |is_served| {
        pending(
            "owned",
            &["v1"],
            vec![memos(&[("v1", is_served), ("v2", true)])],
            &served,
        )
    };
    assert!(end(true).is_empty());
    assert_eq!(end(false), [UNSERVED]);
}
