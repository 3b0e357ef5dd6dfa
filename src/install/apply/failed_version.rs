//! Versions that are not installed although their plan is complete.

use super::{Step, StepStatus};
use crate::cluster::State;
use crate::csv::{self, Csv};
use std::collections::BTreeMap;
use std::fmt;

/// A version that is not installed although its plan is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedVersion {
    /// The name of the ClusterServiceVersion.
    pub name: String,
    /// `status.phase`: `Failed`, or `Installing` if OLM waits without end. Empty if OLM does not install the version at
    /// all.
    pub phase: &'static str,
    /// `status.reason`.
    pub reason: &'static str,
    /// `status.message`.
    pub message: String,
}

impl FailedVersion {
    /// Returns a version in the phase `Failed`.
    pub(super) fn of(csv: Csv<'_>, reason: &'static str, message: String) -> Self {
        Self {
            name: csv.name().to_owned(),
            phase: "Failed",
            reason,
            message,
        }
    }
}

/// Explains what becomes of the version.
impl fmt::Display for FailedVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            phase,
            reason,
            message,
        } = self;
        if phase.is_empty() {
            write!(formatter, "{name} is not installed: {message}")
        } else {
            write!(
                formatter,
                "{name} then ends in the phase {phase} with the reason {reason}: {message}"
            )
        }
    }
}

/// Returns the new versions among these steps for which `failure` returns a reason and a message. `statuses` are the
/// final statuses of the steps. A version that already existed is not installed again, so it does not fail.
pub(super) fn failed<'s>(
    steps: &'s [Step],
    statuses: &[StepStatus],
    mut failure: impl FnMut(&'s Step, Csv<'s>) -> Option<(&'static str, String)>,
) -> Vec<FailedVersion> {
    let failed = created(steps, statuses).filter_map(|(step, csv)| {
        let (reason, message) = failure(step, csv)?;
        Some(FailedVersion::of(csv, reason, message))
    });
    failed.collect()
}

/// Returns the versions that these steps create. `statuses` are the final statuses of the steps.
pub(super) fn created<'s>(steps: &'s [Step], statuses: &[StepStatus]) -> impl Iterator<Item = (&'s Step, Csv<'s>)> {
    let new = steps
        .iter()
        .zip(statuses)
        .filter(|(step, status)| step.resource.kind == csv::KIND && **status == StepStatus::Created);
    new.map(|(step, _)| (step, Csv(&step.resource.manifest)))
}

/// Returns the versions among these steps that OLM does not install, because it takes a copy of an operator from
/// another namespace for the version, and leaves it unchanged. `statuses` are the final statuses of the steps.
pub(super) fn hidden_by_copies<'s>(
    steps: &[Step],
    statuses: &[StepStatus],
    namespace: &str,
    state: &'s State,
) -> Vec<FailedVersion> {
    let versions = state.objects.iter().map(Csv);
    let copies = versions.filter(|csv| csv.text(&["kind"]) == csv::KIND && csv.is_copied());
    let place = |copy: Csv<'s>| ((copy.text(&["metadata", "namespace"]), copy.name()), copy);
    let copies: BTreeMap<(&str, &str), Csv<'_>> = copies.map(place).collect();
    let present = steps
        .iter()
        .zip(statuses)
        .filter(|(step, status)| step.resource.kind == csv::KIND && **status == StepStatus::Present);
    let hidden = present.filter_map(|(step, _)| {
        let (namespace, name) = (step.namespace(namespace), &*step.resource.name);
        let copy = copies.get(&(namespace, name))?;
        let home = match copy.copied_from() {
            "" => "another namespace".to_owned(),
            home => format!("the namespace {home}"),
        };
        Some(FailedVersion {
            name: name.to_owned(),
            phase: "",
            reason: "Copied",
            message: format!(
                "the ClusterServiceVersion of this name in the namespace {namespace} is a copy of the operator in {home}"
            ),
        })
    });
    hidden.collect()
}

/// Adds the versions in `later`, except those that an earlier check of OLM has already refused.
pub(super) fn add(failed: &mut Vec<FailedVersion>, later: Vec<FailedVersion>) {
    for version in later {
        if !failed.iter().any(|known| known.name == version.name) {
            failed.push(version);
        }
    }
}
