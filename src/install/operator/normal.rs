//! The expected conditions of a component.

use super::component::Component;
use crate::cluster::conditions::{UPGRADEABLE, UPGRADING};
use crate::csv::{self, GROUP};
use crate::kubernetes::GroupVersionKind;
use serde::Serialize;
use serde_json::Value;

/// A condition in the status of an operator or component. Its timestamps are set only if the cluster reports them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// The type of the condition.
    #[serde(rename = "type")]
    pub kind: String,
    /// True, False or Unknown.
    pub status: String,
    /// The reason, in one word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The message, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The time of the last update.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_update_time: Option<String>,
    /// The time since which the condition has had this status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_transition_time: Option<String>,
}

/// The kinds whose conditions are shown: those of the proposal, and `Install`.
const SHOWN: [(&str, &str); 8] = [
    ("apiextensions.k8s.io", "CustomResourceDefinition"),
    ("apiregistration.k8s.io", "APIService"),
    ("apps", "Deployment"),
    ("apps", "ReplicaSet"),
    ("", "Pod"),
    (GROUP, "Subscription"),
    (GROUP, "InstallPlan"),
    (GROUP, "Install"),
];

/// The kinds in which an operator reports conditions that OLM does not know. Such conditions are meant for people, so
/// it is unknown whether they are as expected.
const SAYING: [&str; 2] = ["Condition", "OperatorCondition"];

/// Conditions that are True in a healthy component.
const TRUE: [&str; 12] = [
    "Available",
    "ContainersReady",
    "Established",
    "Initialized",
    "Installed",
    "KubernetesAPIApprovalPolicyConformant",
    "NamesAccepted",
    "PodReadyToStartContainers",
    "PodScheduled",
    "Progressing",
    "Ready",
    "Resolved",
];

/// Conditions that are not True in a healthy component, in addition to conditions whose type ends in one of the words
/// in `UNWELL`.
const NOT_TRUE: [&str; 7] = [
    "ComponentsDiverge",
    "ContentImportError",
    "DisruptionTarget",
    "NonStructuralSchema",
    "PendingApproval",
    "ReplicaFailure",
    "Terminating",
];
const UNWELL: [&str; 2] = ["Unhealthy", "Failed"];

/// Returns the unexpected conditions of a component, or all of them if `all` is set. Returns no conditions for a kind
/// whose conditions are not shown.
pub(super) fn conditions(component: Component<'_>, gvk: &GroupVersionKind, all: bool) -> Vec<Condition> {
    if gvk.is(GROUP, csv::KIND) {
        let phase = phase(component);
        return phase
            .into_iter()
            .filter(|phase| all || phase.kind != "Succeeded")
            .collect();
    }
    if gvk.group == GROUP && SAYING.contains(&gvk.kind.as_str()) {
        let listed = listed(component).into_iter();
        return listed.filter(|condition| all || !is_expected(condition)).collect();
    }
    if !SHOWN.iter().any(|(group, kind)| gvk.is(group, kind)) {
        return Vec::new();
    }
    let listed = listed(component);
    listed
        .into_iter()
        .filter(|condition| all || !is_normal(condition))
        .collect()
}

/// Returns the conditions in a status.
pub(super) fn listed(component: Component<'_>) -> Vec<Condition> {
    component
        .list("/status/conditions")
        .iter()
        .filter_map(condition)
        .collect()
}

/// Reads a condition. In the examples of the proposal, the key of the type is `kind`, and the status is not in quotes.
fn condition(value: &Value) -> Option<Condition> {
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let status = match value.get("status") {
        Some(Value::Bool(true)) => Some("True".to_owned()),
        Some(Value::Bool(false)) => Some("False".to_owned()),
        _ => text("status"),
    };
    Some(Condition {
        kind: text("type").or(text("kind"))?,
        status: status?,
        reason: text("reason"),
        message: text("message"),
        last_update_time: text("lastUpdateTime"),
        last_transition_time: text("lastTransitionTime"),
    })
}

/// Returns the phase of a ClusterServiceVersion as a condition.
fn phase(csv: Component<'_>) -> Option<Condition> {
    let text = |pointer: &str| csv.some_text(pointer).map(str::to_owned);
    Some(Condition {
        kind: text("/status/phase")?,
        status: "True".to_owned(),
        reason: text("/status/reason"),
        message: text("/status/message"),
        last_update_time: text("/status/lastUpdateTime"),
        last_transition_time: text("/status/lastTransitionTime"),
    })
}

/// Whether a condition reports only that the operator may be upgraded, or that it is not upgrading.
fn is_expected(condition: &Condition) -> bool {
    let expected = [(UPGRADEABLE, "True"), (UPGRADING, "False")];
    expected.contains(&(condition.kind.as_str(), condition.status.as_str()))
}

fn is_normal(condition: &Condition) -> bool {
    let kind = condition.kind.as_str();
    let is_true = condition.status == "True";
    if TRUE.contains(&kind) {
        // The containers of a pod that has completed are no longer ready.
        return is_true || condition.reason.as_deref() == Some("PodCompleted");
    }
    let unwell = NOT_TRUE.contains(&kind) || UNWELL.iter().any(|end| kind.ends_with(end));
    !(unwell && is_true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn condition_count(api_version: &str, kind: &str, condition: &Value, all: bool) -> usize {
        let object = json!({"apiVersion": api_version, "kind": kind, "status": {"conditions": [condition]}});
        let component = Component(&object);
        conditions(component, &component.gvk(), all).len()
    }

    #[test]
    fn normal_conditions_are_not_shown() {
        const OLM: &str = "operators.coreos.com/v1alpha1";
        const CRD: &str = "apiextensions.k8s.io/v1";
        for (api_version, kind, condition, normal) in [
            ("apps/v1", "Deployment", "Available", "True"),
            ("apps/v1", "Deployment", "Progressing", "True"),
            ("apps/v1", "Deployment", "ReplicaFailure", "False"),
            ("apps/v1", "ReplicaSet", "ReplicaFailure", "False"),
            ("v1", "Pod", "Ready", "True"),
            ("v1", "Pod", "PodScheduled", "True"),
            ("v1", "Pod", "DisruptionTarget", "False"),
            (CRD, "CustomResourceDefinition", "Established", "True"),
            (CRD, "CustomResourceDefinition", "NamesAccepted", "True"),
            (CRD, "CustomResourceDefinition", "NonStructuralSchema", "False"),
            ("apiregistration.k8s.io/v1", "APIService", "Available", "True"),
            (OLM, "InstallPlan", "Installed", "True"),
            (OLM, "Subscription", "CatalogSourcesUnhealthy", "False"),
            (OLM, "Subscription", "ResolutionFailed", "False"),
            (OLM, "Subscription", "BundleUnpackFailed", "False"),
            ("operators.coreos.com/v2alpha1", "Install", "PendingApproval", "False"),
        ] {
            let other = if normal == "True" { "False" } else { "True" };
            let with = |status: &str| json!({"type": condition, "status": status});
            assert_eq!(
                condition_count(api_version, kind, &with(normal), false),
                0,
                "{kind} {condition}"
            );
            assert_eq!(
                condition_count(api_version, kind, &with(other), false),
                1,
                "{kind} {condition}"
            );
            assert_eq!(
                condition_count(api_version, kind, &with(normal), true),
                1,
                "{kind} {condition}"
            );
        }
    }

    #[test]
    fn a_waiting_subscription_and_a_completed_pod_are_normal() {
        let pending = json!({"type": "InstallPlanPending", "status": "True"});
        assert_eq!(
            condition_count("operators.coreos.com/v1alpha1", "Subscription", &pending, false),
            0
        );
        let done = json!({"type": "Ready", "status": "False", "reason": "PodCompleted"});
        assert_eq!(condition_count("v1", "Pod", &done, false), 0);
    }

    #[test]
    fn other_kinds_have_no_conditions_to_show() {
        let condition = json!({"type": "Available", "status": "False"});
        for (api_version, kind) in [
            ("v1", "ConfigMap"),
            ("example.com/v1", "Deployment"),
            ("example.com/v1", "Plumbus"),
        ] {
            assert_eq!(condition_count(api_version, kind, &condition, true), 0, "{kind}");
        }
    }

    #[test]
    fn the_phase_of_a_csv_is_its_condition() {
        let csv = |phase: &str| {
            json!({"apiVersion": csv::API_VERSION, "kind": csv::KIND,
                "status": {"phase": phase, "reason": "R", "message": "m", "lastTransitionTime": "t"}})
        };
        let of = |phase: &str, all| {
            let csv = csv(phase);
            conditions(Component(&csv), &Component(&csv).gvk(), all)
        };
        assert_eq!((of("Succeeded", false).len(), of("", true).len()), (0, 0));
        let expected = Condition {
            kind: "Installing".to_owned(),
            status: "True".to_owned(),
            reason: Some("R".to_owned()),
            message: Some("m".to_owned()),
            last_update_time: None,
            last_transition_time: Some("t".to_owned()),
        };
        assert_eq!(of("Installing", false), [expected]);
        assert_eq!(of("Succeeded", true)[0].kind, "Succeeded");
    }

    #[test]
    fn the_conditions_of_the_proposals_examples_are_read() {
        let object =
            json!({"status": {"conditions": [{"kind": "PendingApproval", "status": true}, {"status": "True"}]}});
        let read = listed(Component(&object));
        assert_eq!(
            (read.len(), read[0].kind.as_str(), read[0].status.as_str()),
            (1, "PendingApproval", "True")
        );
    }
}
