//! Checks whether OLM can write the Deployments of a version: after the plan, OLM writes them with the installing
//! account.

use super::failed_version::{FailedVersion, failed};
use super::{Cluster, Step, StepStatus, invalid};
use crate::install::handling::Resource;
use serde_json::Value;

/// `status.reason` of a ClusterServiceVersion if the account is not allowed to create or update its Deployments.
const FORBIDDEN: &str = "InstallComponentFailedNoRetry";

/// `status.reason` of a ClusterServiceVersion if the API server rejects one of its Deployments.
const INVALID: &str = "InstallComponentFailed";

/// Returns the versions among these steps that fail because OLM cannot create or update their Deployments: the
/// installing account is not allowed to, or the selector of an existing Deployment would change. `statuses` are the
/// final statuses of the steps.
pub(super) fn refused(steps: &[Step], statuses: &[StepStatus], cluster: &Cluster<'_>) -> Vec<FailedVersion> {
    failed(steps, statuses, |step, csv| {
        let namespace = step.namespace(cluster.namespace);
        csv.deployments().iter().find_map(|deployment| {
            let name = deployment.get("name").and_then(Value::as_str)?;
            if let Some(refusal) = cluster.forbidden_deployment(name, namespace) {
                let message = format!("install strategy failed: install strategy failed: {refusal}");
                return Some((FORBIDDEN, message));
            }
            let existing = cluster.existing.find("apps", "Deployment", namespace, name)?;
            let refusal = invalid::selector(existing, deployment.get("spec")?, name)?;
            Some((INVALID, format!("install strategy failed: {refusal}")))
        })
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
