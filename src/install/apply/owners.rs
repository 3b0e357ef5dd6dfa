//! Finds versions that would own the same CustomResourceDefinition as another installed version, or an APIService that
//! belongs to someone else.

use super::failed_version::{FailedVersion, failed};
use super::{Cluster, Step, StepStatus};
use crate::cluster::State;
use crate::cluster::conditions::{InstalledOperator, installed_in};
use crate::csv::{self, Csv, owner};
use crate::kubernetes::GroupVersionKind;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// An installed version and the kinds that it owns.
struct Owner<'a> {
    name: &'a str,
    replaces: &'a str,
    owned: Vec<GroupVersionKind>,
}

/// The installed versions of a namespace.
struct Owners<'a> {
    all: Vec<Owner<'a>>,
    /// The positions of the versions that own each kind, by group and kind.
    by_kind: HashMap<(String, String), Vec<usize>>,
    /// The version that each version replaces.
    replaces: HashMap<&'a str, &'a str>,
    /// The version that replaces each version.
    replaced_by: HashMap<&'a str, &'a str>,
}

impl<'a> Owners<'a> {
    fn of(namespace: &str, state: &'a State) -> Self {
        let all = installed(namespace, state);
        let mut by_kind: HashMap<_, Vec<usize>> = HashMap::new();
        for (place, owner) in all.iter().enumerate() {
            for gvk in &owner.owned {
                by_kind.entry(key(gvk)).or_default().push(place);
            }
        }
        Self {
            by_kind,
            replaces: all.iter().map(|owner| (owner.name, owner.replaces)).collect(),
            replaced_by: all.iter().map(|owner| (owner.replaces, owner.name)).collect(),
            all,
        }
    }

    /// Returns the positions of the versions that own a kind.
    fn of_kind(&self, gvk: &GroupVersionKind) -> &[usize] {
        self.by_kind.get(&key(gvk)).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the conflict with the first version that owns one of the definitions of `csv`. Versions that are
    /// connected with it by a chain of replacements do not conflict.
    fn definition(&self, csv: Csv<'_>) -> Option<String> {
        let owned = csv.owned_crds().filter_map(|crd| Some((crd.name(), crd.gvk()?)));
        let owned: Vec<(&str, GroupVersionKind)> = owned.collect();
        let chain = self.chain(csv);
        let stays = |place: &&usize| {
            let name = self.all.get(**place).map(|owner| owner.name);
            name.is_some_and(|name| !chain.contains(name))
        };
        let first = owned.iter().filter_map(|(_, gvk)| self.of_kind(gvk).iter().find(stays));
        let place = first.min()?;
        let (crd, _) = owned.iter().find(|(_, gvk)| self.of_kind(gvk).contains(place))?;
        let other = self.all.get(*place)?.name;
        Some(format!(
            "conflicting CRD owner in namespace: {crd} is also owned by {other}, which stays installed"
        ))
    }

    /// Returns the names of a version, and of the installed versions that replace it or that it replaces, directly or
    /// indirectly.
    fn chain<'n>(&self, csv: Csv<'n>) -> HashSet<&'n str>
    where
        'a: 'n,
    {
        let mut chain = HashSet::from([csv.name()]);
        // The versions of a damaged cluster may replace each other in a cycle.
        let mut next = self.replaced_by.get(csv.name());
        while let Some(name) = next.filter(|name| chain.insert(name)) {
            next = self.replaced_by.get(name);
        }
        let mut previous = Some(csv.replaces()).filter(|name| !name.is_empty());
        while let Some(name) = previous.filter(|name| chain.insert(name)) {
            previous = self.replaces.get(name).copied();
        }
        chain
    }
}

fn key(gvk: &GroupVersionKind) -> (String, String) {
    (gvk.group.clone(), gvk.kind.clone())
}

/// Returns the versions among these steps that fail because an installed version in the same namespace owns one of
/// their definitions, or because an existing APIService belongs to someone else. `statuses` are the final statuses of
/// the steps.
pub(super) fn refused(
    steps: &[Step],
    statuses: &[StepStatus],
    cluster: &Cluster<'_>,
    state: &State,
) -> Vec<FailedVersion> {
    let mut known: HashMap<&str, Owners<'_>> = HashMap::new();
    let installed = installed_in(state);
    failed(steps, statuses, |step, csv| {
        let namespace = step.namespace(cluster.namespace);
        let owners = known.entry(namespace).or_insert_with(|| Owners::of(namespace, state));
        let message = owners
            .definition(csv)
            .or_else(|| api_service(csv, namespace, &installed, cluster))?;
        Some(("OwnerConflict", message))
    })
}

/// Returns the conflict with the owner of an existing APIService that a version owns too. OLM adopts an APIService only
/// if its labels name the version itself, the installed version that it replaces, or a version that is being replaced.
fn api_service(
    csv: Csv<'_>,
    namespace: &str,
    installed: &[InstalledOperator<'_>],
    cluster: &Cluster<'_>,
) -> Option<String> {
    csv.owned_api_services().find_map(|api| {
        let service = format!("{}.{}", api.version, api.group);
        let existing = cluster
            .existing
            .find("apiregistration.k8s.io", "APIService", "", &service)?;
        let [name, home, kind] = owner::recorded(existing);
        if kind != csv::KIND || home.is_empty() || name.is_empty() {
            return Some(format!(
                "unable to adopt APIService: {service} exists, but its labels name no ClusterServiceVersion as its owner"
            ));
        }
        let mut installed = installed.iter();
        let owner = installed.find(|other| other.name == name && other.namespace.is_none_or(|own| own == home));
        let is_leaving = |owner: &InstalledOperator<'_>| ["Replacing", "Deleting"].contains(&owner.phase.unwrap_or(""));
        let is_replaced = name == csv.replaces() && owner.is_some();
        let is_own = home == namespace && (name == csv.name() || is_replaced);
        (!is_own && !owner.is_some_and(is_leaving)).then(|| {
            format!("unable to adopt APIService: {service} belongs to {name} in the namespace {home}")
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
            replaces: installed.replaces.as_deref().unwrap_or_default(),
            owned: installed.provides.clone(),
        });
    let objects = state.objects.iter().map(Csv).filter(|object| {
        let is_here = object.text(&["metadata", "namespace"]) == namespace;
        object.0.get("kind").and_then(Value::as_str) == Some(csv::KIND) && is_here && !object.is_copied()
    });
    let objects = objects.map(|object| Owner {
        name: object.name(),
        replaces: object.replaces(),
        owned: object.owned_crds().filter_map(csv::OwnedCrd::gvk).collect(),
    });
    // A version among the objects can also be in the list of installed versions, but must be returned only once.
    let mut owners: Vec<Owner<'_>> = objects.collect();
    let mut seen: HashSet<&str> = owners.iter().map(|known| known.name).collect();
    owners.extend(named.filter(|named| seen.insert(named.name)));
    owners
}
