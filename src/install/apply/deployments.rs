//! Checks whether the installing account may write the Deployments of a version: after the plan, OLM writes them with
//! that account.

use super::failed_version::{FailedVersion, failed};
use super::{Cluster, Step, StepStatus};
use crate::install::handling::Resource;
use serde_json::Value;

/// `status.reason` of a ClusterServiceVersion if the account is not allowed to create or update its Deployments.
const REASON: &str = "InstallComponentFailedNoRetry";

/// Returns the versions among these steps that fail because the installing account is not allowed to create or update
/// their Deployments. `statuses` are the final statuses of the steps.
pub(super) fn refused(steps: &[Step], statuses: &[StepStatus], cluster: &Cluster<'_>) -> Vec<FailedVersion> {
    failed(steps, statuses, |step, csv| {
        let deployments = csv.deployments().iter();
        let mut names = deployments.filter_map(|deployment| deployment.get("name").and_then(Value::as_str));
        let refusal = names.find_map(|name| cluster.forbidden_deployment(name, step.namespace(cluster.namespace)))?;
        let message = format!("install strategy failed: install strategy failed: {refusal}");
        Some((REASON, message))
    })
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
