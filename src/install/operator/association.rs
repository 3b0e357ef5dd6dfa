//! Determines the operators that objects belong to.
//!
//! An object with an operator label belongs to the operator that the label names. A Subscription also belongs to the
//! `Operator` with the same package, channel and CatalogSource. If a Subscription has no label and there is no such
//! `Operator`, it belongs to the operator that OLM would create for it, `<package>.<namespace>`. The version and the
//! InstallPlan of a Subscription belong to the same operator as the Subscription. Everything that a version owns,
//! according to owner references, OLM's labels and its list of CustomResourceDefinitions, belongs to the same operator
//! as the version.

use super::component::Component;
use super::updates::{self, CatalogReference};
use crate::cluster::labels;
use crate::csv::{self, Csv, GROUP, owner};
use crate::install::named_catalog::NamedCatalog;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Returns the components of each operator, including indirect ones, as positions in `components`.
pub(super) fn associated(
    components: &[Component<'_>],
    resources: &[Component<'_>],
    catalogs: &[NamedCatalog<'_>],
) -> BTreeMap<String, BTreeSet<usize>> {
    let owned = Owned::of(components);
    let mut followers: HashMap<CatalogReference, Vec<&str>> = HashMap::new();
    // The first resource with a name, or with a name that is cut to this one in a label.
    let mut whole: HashMap<&str, &str> = HashMap::new();
    for resource in resources {
        let name = resource.name();
        if let Some(followed) = updates::reference_of(*resource, catalogs) {
            followers.entry(followed).or_default().push(name);
        }
        for labelled in [name, labels::cut(name)] {
            whole.entry(labelled).or_insert(name);
        }
    }
    let mut found: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (place, component) in components.iter().enumerate() {
        if component.is(GROUP, "Subscription") {
            let own = CatalogReference::of_subscription(*component);
            let matching = followers.get(&own).into_iter().flatten();
            let mut names: Vec<String> = matching.map(|name| (*name).to_owned()).collect();
            if names.is_empty() && labels::operators(component.labels()).next().is_none() {
                names.push(format!("{}.{}", own.package, component.text("/metadata/namespace")));
            }
            for name in names {
                found.entry(name).or_default().insert(place);
            }
        }
        for labelled in labels::operators(component.labels()) {
            let name = whole.get(labelled).copied().unwrap_or(labelled);
            found.entry(name.to_owned()).or_default().insert(place);
        }
    }
    for places in found.values_mut() {
        owned.follow(components, places);
    }
    found
}

/// The components that belong to each component, as positions.
struct Owned {
    by_uid: HashMap<String, Vec<usize>>,
    /// Indexed by the kind, namespace and name of the owner. Cluster-scoped objects may have an owner in any namespace.
    by_name: HashMap<(String, String, String), Vec<usize>>,
    /// Indexed by the kind, namespace and name of the component itself.
    at: HashMap<(String, String, String), usize>,
}

fn key(kind: &str, namespace: &str, name: &str) -> (String, String, String) {
    (kind.to_owned(), namespace.to_owned(), name.to_owned())
}

impl Owned {
    fn of(components: &[Component<'_>]) -> Self {
        let mut owned = Self {
            by_uid: HashMap::new(),
            by_name: HashMap::new(),
            at: HashMap::new(),
        };
        for (place, component) in components.iter().enumerate() {
            let namespace = component.text("/metadata/namespace");
            owned
                .at
                .entry(key(component.text("/kind"), namespace, component.name()))
                .or_insert(place);
            for reference in component.list("/metadata/ownerReferences") {
                let reference = Component(reference);
                let uid = reference.text("/uid");
                if !uid.is_empty() {
                    owned.by_uid.entry(uid.to_owned()).or_default().push(place);
                }
                let key = key(reference.text("/kind"), namespace, reference.text("/name"));
                owned.by_name.entry(key).or_default().push(place);
            }
            let [name, home, kind] = owner::recorded(component.0);
            if !name.is_empty() && kind == csv::KIND {
                owned.by_name.entry(key(kind, home, name)).or_default().push(place);
            }
        }
        owned
    }

    /// Adds to `places` all components that belong, directly or indirectly, to the components in `places`.
    fn follow(&self, components: &[Component<'_>], places: &mut BTreeSet<usize>) {
        let mut new: Vec<usize> = places.iter().copied().collect();
        while let Some(component) = new.pop().and_then(|place| components.get(place)) {
            for place in self.next(*component) {
                if places.insert(place) {
                    new.push(place);
                }
            }
        }
    }

    fn next(&self, component: Component<'_>) -> Vec<usize> {
        let namespace = component.text("/metadata/namespace");
        let at = |kind: &str, namespace: &str, name: &str| self.at.get(&key(kind, namespace, name)).copied();
        if component.is(GROUP, "Subscription") {
            // Owner references cannot be used here, because a Subscription also owns the InstallPlans of all other
            // Subscriptions in its namespace.
            let plan = component.some_text("/status/installPlanRef/name");
            let plan = plan
                .or(component.some_text("/status/installplan/name"))
                .unwrap_or_default();
            let installed = component.text("/status/installedCSV");
            let both = [at(csv::KIND, namespace, installed), at("InstallPlan", namespace, plan)];
            return both.into_iter().flatten().collect();
        }
        if component.is(GROUP, "InstallPlan") {
            return Vec::new();
        }
        let uid = component.text("/metadata/uid");
        let by_uid = self.by_uid.get(uid).filter(|_| !uid.is_empty());
        let by_name = self
            .by_name
            .get(&key(component.text("/kind"), namespace, component.name()));
        let mut found: Vec<usize> = by_uid.into_iter().chain(by_name).flatten().copied().collect();
        if component.is_csv() {
            let definitions = Csv(component.0).owned_crds();
            found.extend(definitions.filter_map(|crd| at("CustomResourceDefinition", "", crd.name())));
        }
        found
    }
}
