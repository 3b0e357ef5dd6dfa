//! Checks whether the versions of a plan can be members of the OperatorGroup of their namespace.

use super::failed_version::{FailedVersion, failed};
use crate::cluster::{State, operator_groups, refused_operator_groups};
use crate::csv::Csv;
use crate::install::permissions::{Targets, of_group};
use crate::olm::install_mode;
use crate::olm::releases::Olm;
use crate::steps::{Step, StepStatus};

/// Returns the versions among these steps that fail because of the OperatorGroups of their namespace. `statuses` are
/// the final statuses of the steps. With the proposal simplify-olm-apis, a namespace may have several OperatorGroups or
/// none.
pub(super) fn refused(
    steps: &[Step],
    statuses: &[StepStatus],
    namespace: &str,
    state: &State,
    olm: &Olm,
) -> Vec<FailedVersion> {
    failed(steps, statuses, |step, csv| {
        refusal(csv, step.namespace(namespace), state, olm)
    })
}

/// Returns the reason and the message with which OLM refuses a version in a namespace.
fn refusal(csv: Csv<'_>, namespace: &str, state: &State, olm: &Olm) -> Option<(&'static str, String)> {
    let groups = operator_groups(&state.objects, namespace);
    match (&groups[..], refused_operator_groups(&state.objects, namespace)) {
        ([group], _) => {
            let group = Csv(group);
            let targets = match of_group(group, &state.objects) {
                Targets::Selected => return None,
                Targets::All => Vec::new(),
                // An empty list would stand for all namespaces.
                Targets::Namespaces(names) if names.is_empty() => return None,
                Targets::Namespaces(names) => names,
            };
            let message = install_mode::unsupported(|mode| csv.supports(mode), namespace, &targets)?;
            Some(("UnsupportedOperatorGroup", message))
        }
        _ if *olm == Olm::Proposed => None,
        (_, Some(0)) => Some(("NoOperatorGroup", "csv in namespace with no operatorgroups".to_owned())),
        (_, Some(_)) => {
            let message = "csv created in namespace with multiple operatorgroups, can't pick one automatically";
            Some(("TooManyOperatorGroups", message.to_owned()))
        }
        (_, None) => None,
    }
}
