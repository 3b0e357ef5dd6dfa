//! Finds CustomResourceDefinitions that both a new version and an installed version would own.

use super::Step;
use crate::cluster::State;
use crate::csv::{self, Csv};
use crate::kubernetes::GroupVersionKind;
use serde_json::Value;

/// An installed version and the kinds that it owns.
struct Owner<'a> {
    name: &'a str,
    owned: Vec<GroupVersionKind>,
}

/// Returns a warning for each version in the plan that owns the same definition as an installed version in the same
/// namespace, unless the version in the plan replaces the installed version. After the plan, OLM sets a new version
/// that shares a definition to Failed.
pub(super) fn shared(steps: &[Step], namespace: &str, state: &State) -> Vec<String> {
    let versions = steps.iter().filter(|step| step.resource.kind == csv::KIND);
    let mut warnings = Vec::new();
    for step in versions {
        let csv = Csv(&step.resource.manifest);
        let installed = installed(step.namespace(namespace), state);
        let others = installed.iter();
        for other in others.filter(|other| ![csv.name(), csv.replaces()].contains(&other.name)) {
            let mut owned = csv.owned_crds().filter_map(|crd| Some((crd.name(), crd.gvk()?)));
            let both = owned.find(|(_, gvk)| other.owned.iter().any(|other| other.is(&gvk.group, &gvk.kind)));
            if let Some((crd, _)) = both {
                warnings.push(format!(
                    "{} owns {crd}, but so does {}, which stays installed; OLM allows only one version to own a \
                     definition, so the new version fails with the reason OwnerConflict",
                    csv.name(),
                    other.name
                ));
            }
        }
    }
    warnings
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
