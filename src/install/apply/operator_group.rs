//! Checks whether the versions of a plan can be members of the OperatorGroup of their namespace.

use super::failed_version::{FailedVersion, failed};
use crate::cluster::{State, operator_groups, refused_operator_groups};
use crate::csv::Csv;
use crate::install::permissions::{Targets, of_group};
use crate::olm::install_mode;
use crate::olm::releases::Olm;
use crate::steps::{Step, StepStatus};
use std::collections::HashMap;

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
    let mut known: HashMap<&str, Standing> = HashMap::new();
    failed(steps, statuses, |step, csv| {
        let namespace = step.namespace(namespace);
        let standing = known
            .entry(namespace)
            .or_insert_with(|| Standing::of(namespace, state, olm));
        match standing {
            Standing::Free => None,
            Standing::Members(targets) => {
                let message = install_mode::unsupported(|mode| csv.supports(mode), namespace, targets)?;
                Some(("UnsupportedOperatorGroup", message))
            }
            Standing::Refused(reason, message) => Some((reason, (*message).to_owned())),
        }
    })
}

/// What the OperatorGroups of a namespace mean for the versions that are installed there.
enum Standing {
    /// The versions are installed.
    Free,
    /// The versions must support these target namespaces; an empty list stands for all namespaces.
    Members(Vec<String>),
    /// OLM refuses all versions, for this reason and with this message.
    Refused(&'static str, &'static str),
}

impl Standing {
    fn of(namespace: &str, state: &State, olm: &Olm) -> Self {
        let groups = operator_groups(&state.objects, namespace);
        match (&groups[..], refused_operator_groups(&state.objects, namespace)) {
            ([group], _) => match of_group(Csv(group), &state.objects) {
                Targets::Selected => Self::Free,
                Targets::All => Self::Members(Vec::new()),
                // An empty list would stand for all namespaces.
                Targets::Namespaces(names) if names.is_empty() => Self::Free,
                Targets::Namespaces(names) => Self::Members(names),
            },
            _ if *olm == Olm::Proposed => Self::Free,
            (_, Some(0)) => Self::Refused("NoOperatorGroup", "csv in namespace with no operatorgroups"),
            (_, Some(_)) => Self::Refused(
                "TooManyOperatorGroups",
                "csv created in namespace with multiple operatorgroups, can't pick one automatically",
            ),
            (_, None) => Self::Free,
        }
    }
}
