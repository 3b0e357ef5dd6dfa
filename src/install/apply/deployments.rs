//! Checks whether OLM can write the Deployments of a version, and the objects for those that serve webhooks or APIs:
//! after the plan, OLM writes them with the installing account.

use super::failed_version::{FailedVersion, created};
use super::{Cluster, Step, StepStatus, invalid};
use crate::csv::Csv;
use crate::install::handling::Resource;
use crate::install::permissions::serving;
use crate::kubernetes::rbac::covering::TooComplex;
use crate::validation::rejected_deployments;
use serde_json::Value;

/// `status.reason` of a ClusterServiceVersion if the account is not allowed to create or update its Deployments or
/// APIServices.
const FORBIDDEN: &str = "InstallComponentFailedNoRetry";

/// `status.reason` of a ClusterServiceVersion if the API server rejects one of its Deployments, or if the account is
/// not allowed to write the objects that OLM needs before it can create a Deployment that serves webhooks or APIs.
const INVALID: &str = "InstallComponentFailed";

/// Returns the versions among these steps that fail because OLM cannot create or update their Deployments, or the
/// objects for Deployments that serve webhooks or APIs: the installing account is not allowed to, the API server
/// rejects a Deployment, or the selector of an existing Deployment would change. `statuses` are the final statuses of
/// the steps.
///
/// # Errors
/// Returns an error if comparing the rules that OLM grants with the permissions of the account takes too many steps.
pub(super) fn refused(
    steps: &[Step],
    statuses: &[StepStatus],
    cluster: &Cluster<'_>,
) -> Result<Vec<FailedVersion>, TooComplex> {
    let mut refused = Vec::new();
    for (step, csv) in created(steps, statuses) {
        let refusal = cluster.refused_component(csv, step.namespace(cluster.namespace))?;
        refused.extend(refusal.map(|(reason, message)| FailedVersion::of(csv, reason, message)));
    }
    Ok(refused)
}

impl Cluster<'_> {
    /// Returns the reason and the message with which the installation of a version ends at the first object that OLM
    /// cannot write.
    fn refused_component(&self, csv: Csv<'_>, namespace: &str) -> Result<Option<(&'static str, String)>, TooComplex> {
        let installer = self.installer.as_ref();
        let refused =
            |requests: &[serving::Request]| installer.map_or(Ok(None), |installer| installer.refusal(requests));
        let forbidden = |refusal| {
            (
                FORBIDDEN,
                format!("install strategy failed: install strategy failed: {refusal}"),
            )
        };
        let certificates = serving::certificates(csv, namespace, &self.existing);
        if let Some(refusal) = refused(&certificates)? {
            return Ok(Some((INVALID, format!("install strategy failed: {refusal}"))));
        }
        let rejected = rejected_deployments(csv.0);
        let mut deployments = csv.deployments().iter().enumerate();
        let refused_deployment = |(index, deployment): (usize, &Value)| {
            let name = deployment.get("name").and_then(Value::as_str)?;
            if let Some(refusal) = self.forbidden_deployment(name, namespace) {
                return Some(forbidden(refusal));
            }
            if let Some(problem) = rejected.get(&index) {
                let message = format!("install strategy failed: Deployment.apps {name:?} is invalid: {problem}");
                return Some((INVALID, message));
            }
            let existing = self.existing.find("apps", "Deployment", namespace, name)?;
            let refusal = invalid::selector(existing, deployment.get("spec")?, name)?;
            Some((INVALID, format!("install strategy failed: {refusal}")))
        };
        let Some(first) = deployments.next() else {
            return Ok(None);
        };
        if let Some(refusal) = refused_deployment(first) {
            return Ok(Some(refusal));
        }
        // OLM writes all APIServices after each of the Deployments.
        let services = serving::api_services(csv, namespace, &self.existing);
        if let Some(refusal) = refused(&services)? {
            return Ok(Some(forbidden(refusal)));
        }
        Ok(deployments.find_map(refused_deployment))
    }

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
