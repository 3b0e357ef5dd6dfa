//! Versions that are not installed although their plan is complete.

use super::{Step, StepStatus};
use crate::csv::{self, Csv};

/// A version that is not installed although its plan is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedVersion {
    /// The name of the ClusterServiceVersion.
    pub name: String,
    /// `status.phase`: `Failed`, or `Installing` if OLM waits without end.
    pub phase: &'static str,
    /// `status.reason`.
    pub reason: &'static str,
    /// `status.message`.
    pub message: String,
}

/// Returns the new versions among these steps for which `failure` returns a reason and a message. `statuses` are the
/// final statuses of the steps. A version that already existed is not installed again, so it does not fail.
pub(super) fn failed<'s>(
    steps: &'s [Step],
    statuses: &[StepStatus],
    mut failure: impl FnMut(&'s Step, Csv<'s>) -> Option<(&'static str, String)>,
) -> Vec<FailedVersion> {
    let new = steps
        .iter()
        .zip(statuses)
        .filter(|(step, status)| step.resource.kind == csv::KIND && **status == StepStatus::Created);
    let failed = new.filter_map(|(step, _)| {
        let csv = Csv(&step.resource.manifest);
        let (reason, message) = failure(step, csv)?;
        Some(FailedVersion {
            name: csv.name().to_owned(),
            phase: "Failed",
            reason,
            message,
        })
    });
    failed.collect()
}

/// Adds the versions in `later`, except those that an earlier check of OLM has already refused.
pub(super) fn add(failed: &mut Vec<FailedVersion>, later: Vec<FailedVersion>) {
    for version in later {
        if !failed.iter().any(|known| known.name == version.name) {
            failed.push(version);
        }
    }
}
