//! Checks whether the versions of a plan can be members of the OperatorGroup of their namespace.

use super::failed_version::{FailedVersion, failed};
use super::provided_apis;
use crate::cluster::{State, operator_groups, refused_operator_groups};
use crate::csv::Csv;
use crate::install::permissions::{Targets, of_group};
use crate::olm::install_mode;
use crate::olm::releases::Olm;
use crate::steps::{Step, StepStatus};
use std::collections::HashMap;

/// OLM's reason and message for a version whose OperatorGroup selects no namespace.
const NO_TARGETS: (&str, &str) = (
    "NoTargetNamespaces",
    "no targetNamespaces are matched operatorgroups namespace selection",
);

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
    let mut known: HashMap<&str, Standing<'_>> = HashMap::new();
    failed(steps, statuses, |step, csv| {
        let namespace = step.namespace(namespace);
        let standing = known
            .entry(namespace)
            .or_insert_with(|| Standing::of(namespace, state, olm));
        match standing {
            Standing::Free => None,
            Standing::Members(group, targets) => {
                let names: Option<&[String]> = match targets {
                    Targets::All => Some(&[]),
                    Targets::Namespaces(names) if names.is_empty() => {
                        return Some((NO_TARGETS.0, NO_TARGETS.1.to_owned()));
                    }
                    Targets::Namespaces(names) => Some(names),
                    Targets::Selected => None,
                };
                let unsupported =
                    names.and_then(|names| install_mode::unsupported(|mode| csv.supports(mode), namespace, names));
                match unsupported {
                    Some(message) => Some(("UnsupportedOperatorGroup", message)),
                    None => provided_apis::refusal(csv, *group, targets, &state.objects),
                }
            }
            Standing::Refused(reason, message) => Some((reason, (*message).to_owned())),
        }
    })
}

/// What the OperatorGroups of a namespace mean for the versions that are installed there.
enum Standing<'a> {
    /// The versions are installed.
    Free,
    /// The versions become members of this OperatorGroup, and must support its target namespaces.
    Members(Csv<'a>, Targets),
    /// OLM refuses all versions, for this reason and with this message.
    Refused(&'static str, &'static str),
}

impl<'a> Standing<'a> {
    fn of(namespace: &str, state: &'a State, olm: &Olm) -> Self {
        let groups = operator_groups(&state.objects, namespace);
        match (&groups[..], refused_operator_groups(&state.objects, namespace)) {
            ([group], _) => Self::Members(Csv(group), of_group(Csv(group), &state.objects)),
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
