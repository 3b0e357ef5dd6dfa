//! Installed versions that fail after a plan, because an updated CustomResourceDefinition no longer serves a version
//! that they own or require. OLM checks the requirements of versions in the phase `Succeeded` again when a definition
//! changes.

use super::definition::{is_served, text, versions};
use super::{CRD, Step, StepStatus};
use crate::cluster::State;
use crate::csv::{self, Csv, OwnedCrd};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// An installed version that fails after the plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenVersion {
    /// The name of the ClusterServiceVersion.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// The definitions that no longer serve a version, each with the version that is owned or required.
    pub unserved: Vec<(String, String)>,
}

impl BrokenVersion {
    /// `status.reason` of the version.
    pub(crate) const REASON: &'static str = "RequirementsNotMet";

    /// Returns `status.message` of the version, followed by the cause.
    pub(crate) fn message(&self) -> String {
        let unserved = self.unserved.iter();
        let unserved = unserved.map(|(definition, version)| format!("{definition} no longer serves {version}"));
        format!(
            "requirements no longer met: {}",
            unserved.collect::<Vec<_>>().join(", ")
        )
    }
}

/// Explains what becomes of the version.
impl fmt::Display for BrokenVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, namespace, .. } = self;
        write!(
            formatter,
            "the installed {name} in the namespace {namespace} then ends in the phase Failed with the reason {}: {}",
            Self::REASON,
            self.message()
        )
    }
}

/// Returns the installed versions in all namespaces that fail because of definitions that these steps update.
/// `statuses` are the final statuses of the steps. A version that the plan replaces is not checked again.
pub(super) fn broken(steps: &[Step], statuses: &[StepStatus], namespace: &str, state: &State) -> Vec<BrokenVersion> {
    let done = steps
        .iter()
        .zip(statuses)
        .filter(|(_, status)| [StepStatus::Created, StepStatus::Present].contains(status))
        .map(|(step, _)| step);
    let of_kind = |kind| done.clone().filter(move |step: &&Step| step.resource.kind == kind);
    let updated: BTreeMap<&str, &Value> = of_kind(CRD)
        .map(|step| (&*step.resource.name, &step.resource.manifest))
        .collect();
    if updated.is_empty() {
        return Vec::new();
    }
    let replaced: BTreeSet<(&str, &str)> = of_kind(csv::KIND)
        .map(|step| (step.namespace(namespace), Csv(&step.resource.manifest).replaces()))
        .collect();
    let definitions = state.objects.iter().filter(|object| text(object, "/kind") == CRD);
    let existing: BTreeMap<&str, &Value> = definitions
        .map(|definition| (text(definition, "/metadata/name"), definition))
        .collect();
    // The requirements of a version that has succeeded are met, unless the description of the cluster shows otherwise.
    let is_lost = |name: &str, version: &str| {
        let before = existing.get(name).is_none_or(|definition| serves(definition, version));
        before && updated.get(name).is_some_and(|definition| !serves(definition, version))
    };
    let installed = state.objects.iter().map(Csv).filter(|csv| {
        let place = (csv.text(&["metadata", "namespace"]), csv.name());
        let has_succeeded = csv.text(&["kind"]) == csv::KIND && csv.text(&["status", "phase"]) == "Succeeded";
        has_succeeded && !csv.is_copied() && !replaced.contains(&place)
    });
    let broken = installed.filter_map(|csv| {
        let needed = needed(csv).into_iter();
        let unserved: Vec<(String, String)> = needed
            .filter(|(name, version)| is_lost(name, version))
            .map(|(name, version)| (name.to_owned(), version.to_owned()))
            .collect();
        (!unserved.is_empty()).then(|| BrokenVersion {
            name: csv.name().to_owned(),
            namespace: csv.text(&["metadata", "namespace"]).to_owned(),
            unserved,
        })
    });
    broken.collect()
}

/// Returns the definitions that a version owns or requires, with the version of each that OLM checks: that of the last
/// entry, and of owned definitions if a definition is in both lists.
fn needed(csv: Csv<'_>) -> BTreeMap<&str, &str> {
    let lists = ["required", "owned"].map(|list| csv.list(&["spec", "customresourcedefinitions", list]));
    let entries = lists.into_iter().flatten();
    entries
        .map(|entry| (OwnedCrd(entry).name(), text(entry, "/version")))
        .collect()
}

fn serves(definition: &Value, version: &str) -> bool {
    versions(definition)
        .filter(|version| is_served(version))
        .any(|served| text(served, "/name") == version)
}
