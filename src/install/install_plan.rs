//! The InstallPlan that OLM would create from the steps of one or more bundles.

use crate::cluster::state::Approval;
use crate::csv;
use crate::steps::{Step, in_order};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The phase of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Phase {
    /// The plan waits for a person to approve it.
    RequiresApproval,
    /// OLM is applying the steps.
    Installing,
    /// All steps are done.
    Complete,
    /// OLM has given up.
    Failed,
}

/// An InstallPlan (`operators.coreos.com/v1alpha1`). It has no name, because the API server generates one from
/// `generateName`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InstallPlan {
    api_version: &'static str,
    kind: &'static str,
    metadata: Metadata,
    /// The specification.
    pub spec: Spec,
    /// The status, with the steps.
    pub status: Status,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    generate_name: &'static str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    labels: BTreeMap<String, &'static str>,
    namespace: String,
}

/// The specification of a plan.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Spec {
    /// Whether OLM or a person approves the plan.
    pub approval: Approval,
    /// Whether the plan is approved.
    pub approved: bool,
    /// The versions that the plan installs, in the order of its steps.
    pub cluster_service_version_names: Vec<String>,
    /// The generation of the previous plan plus one.
    pub generation: u64,
}

/// The status of a plan.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// The phase of the plan.
    pub phase: Phase,
    /// The catalogs that the bundles come from.
    pub catalog_sources: Vec<String>,
    /// The conditions of the plan.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// The error that prevents the plan from completing; empty if there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// The steps.
    pub plan: Vec<Step>,
}

/// A condition of a plan. It has no timestamps, because the plan is hypothetical.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Condition {
    /// `Installed`, or a type that [`super::plan::Planned::resource`] adds.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// `True` or `False`.
    pub status: &'static str,
    /// The reason, in one word.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub reason: &'static str,
    /// The explanation, in a sentence.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}

impl Condition {
    pub(super) fn new(kind: &'static str, status: &'static str, reason: &'static str, message: String) -> Self {
        Self {
            kind,
            status,
            reason,
            message,
        }
    }
}

impl InstallPlan {
    /// Creates a plan with these steps, and sorts the steps. The bundles should already be sorted by name; OLM uses a
    /// random order.
    pub fn new(namespace: &str, steps: Vec<Step>, approval: Approval, generation: u64) -> Self {
        let steps = in_order(steps);
        let mut seen = BTreeSet::new();
        let versions = steps.iter().filter(|step| step.resource.kind == csv::KIND);
        let names = versions.map(|step| step.resource.name.clone());
        let names = names.filter(|name| seen.insert(name.clone())).collect();
        let sources: BTreeSet<String> = steps.iter().map(|step| step.resource.source_name.clone()).collect();
        let approved = approval == Approval::Automatic;
        Self {
            api_version: csv::API_VERSION,
            kind: "InstallPlan",
            metadata: Metadata {
                generate_name: "install-",
                labels: BTreeMap::new(),
                namespace: namespace.to_owned(),
            },
            spec: Spec {
                approval,
                approved,
                cluster_service_version_names: names,
                generation,
            },
            status: Status {
                phase: if approved {
                    Phase::Installing
                } else {
                    Phase::RequiresApproval
                },
                catalog_sources: sources.into_iter().collect(),
                conditions: Vec::new(),
                message: String::new(),
                plan: steps,
            },
        }
    }

    /// Returns the plan with labels that have these keys and empty values.
    #[must_use]
    pub fn labelled(mut self, keys: &BTreeSet<String>) -> Self {
        self.metadata.labels = keys.iter().map(|key| (key.clone(), "")).collect();
        self
    }

    /// Returns the label keys of the plan.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.metadata.labels.keys().map(String::as_str)
    }

    /// Returns the namespace that the plan installs into.
    pub fn namespace(&self) -> &str {
        &self.metadata.namespace
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::of_bundle;
    use crate::steps::tests::{content, csv, target};
    use serde_json::json;

    #[test]
    fn a_plan_with_manual_approval_waits_for_it() {
        let steps = of_bundle(&content(csv("memo.v1"), Vec::new()), &target(), "").unwrap();
        let plan = InstallPlan::new("operators", steps.clone(), Approval::Manual, 3);
        let mut written = serde_json::to_value(plan).unwrap();
        assert_eq!(written["status"]["plan"].as_array().unwrap().len(), 4);
        written["status"]["plan"] = json!([]);
        assert_eq!(
            written,
            json!({
                "apiVersion": "operators.coreos.com/v1alpha1", "kind": "InstallPlan",
                "metadata": {"generateName": "install-", "namespace": "operators"},
                "spec": {"approval": "Manual", "approved": false, "clusterServiceVersionNames": ["memo.v1"], "generation": 3},
                "status": {"phase": "RequiresApproval", "catalogSources": ["catalog"], "plan": []},
            })
        );
        let plan = InstallPlan::new("operators", steps, Approval::Automatic, 1);
        assert!(plan.spec.approved && plan.status.phase == Phase::Installing);
    }
}
