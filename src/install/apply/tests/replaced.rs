//! Versions that wait for the version that they replace.

use super::*;
use crate::cluster::conditions::Unready;
use crate::cluster::state::{Installed, UpgradeStrategy};

const UNREADY: [&str; 3] = ["Failed", "Pending", "Unknown"];

/// A version in the namespace of the plan.
fn there(name: &str, phase: &str) -> Value {
    let mut csv = csv(name);
    csv["metadata"]["namespace"] = json!("operators");
    csv["status"] = json!({ "phase": phase });
    csv
}

/// Replaces `memo.v1` by `memo.v2`.
fn upgraded(csv: Value, state: &State) -> Applied {
    run(
        &in_order(of_bundle(&content(csv, Vec::new()), &target(), "memo.v1").unwrap()),
        state,
    )
}

fn pending(objects: Vec<Value>) -> Vec<Requirements> {
    let state = State {
        objects,
        ..State::default()
    };
    let applied = upgraded(csv("memo.v2"), &state);
    assert_eq!(applied.succeeds(), applied.pending.is_empty());
    applied.pending
}

#[test]
fn a_version_stays_pending_if_the_version_that_it_replaces_cannot_succeed_without_help() {
    for phase in UNREADY {
        let found = pending(vec![there("memo.v1", phase)]);
        let expected = Requirements {
            name: "memo.v2".to_owned(),
            unready: Some(Unready {
                name: "memo.v1".to_owned(),
                phase: phase.to_owned(),
            }),
            ..Requirements::default()
        };
        assert_eq!(found, [expected]);
        assert_eq!(found[0].status_reason(), "RequirementsUnknown");
        let reason = format!("memo.v1 is in the phase {phase}, and OLM replaces a version only in the phase Succeeded");
        assert!(found[0].reason().starts_with(&reason), "{}", found[0].reason());
    }
    // OLM completes an installation without help. An empty phase is unknown.
    for phase in ["InstallReady", "Installing", "Succeeded", "Replacing", "Deleting", ""] {
        assert_eq!(pending(vec![there("memo.v1", phase)]), [], "{phase}");
    }
    let mut elsewhere = there("memo.v1", "Failed");
    elsewhere["metadata"]["namespace"] = json!("elsewhere");
    assert_eq!(pending(vec![elsewhere, there("other.v1", "Failed")]), []);
}

#[test]
fn only_with_fail_forward_is_a_failed_version_replaced() {
    let mut version = csv("memo.v2");
    version["spec"]["installModes"] = json!([{"type": "AllNamespaces", "supported": true}]);
    let group = |namespace: &str| {
        json!({"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup",
            "metadata": {"name": "g", "namespace": namespace},
            "spec": {"upgradeStrategy": "TechPreviewUnsafeFailForward"}})
    };
    let is_replaced = |phase: &str, namespace: &str| {
        let state = State {
            objects: vec![there("memo.v1", phase), group(namespace)],
            ..State::default()
        };
        upgraded(version.clone(), &state).pending.is_empty()
    };
    assert!(is_replaced("Failed", "operators"));
    assert!(!is_replaced("Failed", "elsewhere") && !is_replaced("Pending", "operators"));
    let of_what_if_file = |upgrade_strategy: UpgradeStrategy| State {
        namespace: "operators".to_owned(),
        upgrade_strategy,
        installed: vec![Installed {
            name: "memo.v1".to_owned(),
            phase: "Failed".to_owned(),
            ..Installed::default()
        }],
        ..State::default()
    };
    let default = upgraded(csv("memo.v2"), &of_what_if_file(UpgradeStrategy::Default));
    assert_eq!(default.pending.len(), 1);
    assert!(upgraded(csv("memo.v2"), &of_what_if_file(UpgradeStrategy::FailForward)).succeeds());
}

/// OLM checks the requirements first, then the owners, and the phase last.
#[test]
fn the_phase_of_the_replaced_version_is_checked_after_the_requirements_and_the_owners() {
    let owning = |mut csv: Value| {
        csv["spec"]["customresourcedefinitions"] =
            json!({"owned": [{"name": "monitors.example.com", "version": "v1", "kind": "Monitor"}]});
        csv
    };
    let mut state = State {
        objects: vec![there("memo.v1", "Failed"), owning(there("other.v1", "Succeeded"))],
        ..State::default()
    };
    let applied = upgraded(owning(csv("memo.v2")), &state);
    assert_eq!(applied.pending, []);
    assert_eq!(applied.failed[0].reason, "OwnerConflict");
    let mut requiring = owning(csv("memo.v2"));
    requiring["spec"]["nativeAPIs"] = json!([{"group": "route.example.com", "version": "v1", "kind": "Route"}]);
    state.apis = Some(Vec::new());
    let applied = upgraded(requiring, &state);
    assert_eq!(applied.failed, []);
    assert_eq!(applied.pending[0].status_reason(), "RequirementsNotMet");
    let reason = applied.pending[0].reason();
    assert!(
        reason.contains("Route") && reason.contains("memo.v1 is in the phase Failed"),
        "{reason}"
    );
}
