//! Checks whether the installing account may write the Deployments of a version: after the plan, OLM writes them with
//! that account.

use super::{Cluster, Step, StepStatus};
use crate::csv::{self, Csv};
use crate::install::handling::Resource;
use serde_json::Value;

/// `status.reason` of a ClusterServiceVersion if the account is not allowed to create or update its Deployments.
const REASON: &str = "InstallComponentFailedNoRetry";

/// A version that fails although its plan is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedVersion {
    /// The name of the ClusterServiceVersion.
    pub name: String,
    /// `status.reason`.
    pub reason: &'static str,
    /// `status.message`.
    pub message: String,
}

/// Returns the versions among these steps that fail because the installing account is not allowed to create or update
/// their Deployments. `statuses` are the final statuses of the steps; a version that already existed is not installed
/// again.
pub(super) fn refused(steps: &[Step], statuses: &[StepStatus], cluster: &Cluster<'_>) -> Vec<FailedVersion> {
    let new = steps
        .iter()
        .zip(statuses)
        .filter(|(step, status)| step.resource.kind == csv::KIND && **status == StepStatus::Created);
    let failed = new.filter_map(|(step, _)| {
        let csv = Csv(&step.resource.manifest);
        let mut names = csv
            .deployments()
            .iter()
            .filter_map(|deployment| deployment.get("name").and_then(Value::as_str));
        let refusal = names.find_map(|name| cluster.forbidden_deployment(name, step.namespace(cluster.namespace)))?;
        Some(FailedVersion {
            name: csv.name().to_owned(),
            reason: REASON,
            message: format!("install strategy failed: install strategy failed: {refusal}"),
        })
    });
    failed.collect()
}

impl Cluster<'_> {
    /// Returns the API server's message if the account is not allowed to create or update a Deployment.
    fn forbidden_deployment(&self, name: &str, namespace: &str) -> Option<String> {
        let installer = self.installer.as_ref()?;
        let resource = Resource {
            group: "apps".to_owned(),
            plural: "deployments".to_owned(),
            namespaced: true,
        };
        let exists = self.existing.find("apps", "Deployment", namespace, name).is_some();
        let verbs: &[&str] = if exists {
            &["get", "patch", "update"]
        } else {
            &["get", "create"]
        };
        verbs
            .iter()
            .find_map(|verb| installer.forbidden(&resource, name, verb, namespace))
    }
}
