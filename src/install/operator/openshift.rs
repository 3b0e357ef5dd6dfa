//! The condition that an operator blocks the upgrade of its OpenShift cluster.

use super::component::Component;
use super::normal::Condition;
use crate::cluster::openshift::limit_of;
use crate::csv::Csv;

/// An installed version does not support the next minor version of OpenShift.
const UPGRADE_BLOCKED: &str = "OpenShiftUpgradeBlocked";

/// Returns the condition of an operator with these components. `next` is the next minor version of the cluster; if it
/// is unknown, so is the status of the condition.
pub(super) fn of(components: &[Component<'_>], next: Option<(u64, u64)>) -> Option<Condition> {
    let versions = components.iter().filter(|component| component.is_csv());
    let limits = versions.filter_map(|version| limit_of(Csv(version.0), next));
    let limits: Vec<_> = limits.filter(|limit| limit.message.is_some()).collect();
    let is_certain = limits.iter().any(|limit| limit.blocks_upgrade == Some(true));
    let messages: Vec<String> = limits.into_iter().filter_map(|limit| limit.message).collect();
    (!messages.is_empty()).then(|| Condition {
        kind: UPGRADE_BLOCKED.to_owned(),
        status: if is_certain { "True" } else { "Unknown" }.to_owned(),
        reason: Some("IncompatibleOperatorsInstalled".to_owned()),
        message: Some(messages.join("; ")),
        ..Condition::default()
    })
}
