//! Versions that fail although their plan is complete.

use super::{Step, StepStatus};
use crate::csv::{self, Csv};

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
            reason,
            message,
        })
    });
    failed.collect()
}
