//! Finds versions that would own the same CustomResourceDefinition as an installed version.

use super::failed_version::{FailedVersion, failed};
use super::{Step, StepStatus};
use crate::cluster::State;
use crate::csv::{self, Csv};
use crate::kubernetes::GroupVersionKind;
use serde_json::Value;

/// An installed version and the kinds that it owns.
struct Owner<'a> {
    name: &'a str,
    owned: Vec<GroupVersionKind>,
}

/// Returns the versions among these steps that fail because an installed version in the same namespace owns one of
/// their definitions and is not replaced by them. `statuses` are the final statuses of the steps.
pub(super) fn refused(steps: &[Step], statuses: &[StepStatus], namespace: &str, state: &State) -> Vec<FailedVersion> {
    failed(steps, statuses, |step, csv| {
        let installed = installed(step.namespace(namespace), state);
        let mut others = installed
            .iter()
            .filter(|other| ![csv.name(), csv.replaces()].contains(&other.name));
        others.find_map(|other| {
            let mut owned = csv.owned_crds().filter_map(|crd| Some((crd.name(), crd.gvk()?)));
            let (crd, _) = owned.find(|(_, gvk)| other.owned.iter().any(|other| other.is(&gvk.group, &gvk.kind)))?;
            let message = format!(
                "conflicting CRD owner in namespace: {crd} is also owned by {}, which stays installed",
                other.name
            );
            Some(("OwnerConflict", message))
        })
    })
}

fn installed<'a>(namespace: &str, state: &'a State) -> Vec<Owner<'a>> {
    let named = state
        .installed
        .iter()
        .filter(|_| state.namespace == namespace)
        .map(|installed| Owner {
            name: &installed.name,
            owned: installed.provides.clone(),
        });
    let objects = state.objects.iter().map(Csv).filter(|object| {
        let is_here = object.text(&["metadata", "namespace"]) == namespace;
        object.0.get("kind").and_then(Value::as_str) == Some(csv::KIND) && is_here && !object.is_copied()
    });
    let objects = objects.map(|object| Owner {
        name: object.name(),
        owned: object.owned_crds().filter_map(csv::OwnedCrd::gvk).collect(),
    });
    // A version among the objects can also be in the list of installed versions, but must be returned only once.
    let mut owners: Vec<Owner<'_>> = objects.collect();
    for named in named {
        if !owners.iter().any(|known| known.name == named.name) {
            owners.push(named);
        }
    }
    owners
}
