//! Native APIs: until the cluster serves them, a version stays `Pending` after its plan.

use super::{Apis, Step, StepStatus};
use crate::csv::{self, Csv};
use crate::kubernetes::GroupVersionKind;
use serde_json::Value;

/// A version that stays `Pending` although its plan is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingVersion {
    /// The name of the ClusterServiceVersion.
    pub name: String,
    /// Its native APIs that the cluster does not serve.
    pub missing: Vec<GroupVersionKind>,
}

/// Returns the new versions among these steps whose native APIs the cluster does not serve. `statuses` are the final
/// statuses of the steps.
pub(super) fn pending(steps: &[Step], statuses: &[StepStatus], apis: &Apis) -> Vec<PendingVersion> {
    let new = steps
        .iter()
        .zip(statuses)
        .filter(|(step, status)| step.resource.kind == csv::KIND && **status == StepStatus::Created);
    let versions = new.map(|(step, _)| {
        let manifest = &step.resource.manifest;
        let natives = manifest.pointer("/spec/nativeAPIs").and_then(Value::as_array);
        let text = |native: &Value, key: &str| native.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let natives = natives.into_iter().flatten();
        let natives = natives
            .map(|native| GroupVersionKind::new(text(native, "group"), text(native, "version"), text(native, "kind")));
        PendingVersion {
            name: Csv(manifest).name().to_owned(),
            missing: natives.filter(|native| !apis.serves(native)).collect(),
        }
    });
    versions.filter(|version| !version.missing.is_empty()).collect()
}
