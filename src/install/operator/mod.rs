//! The single resource of an operator, as the proposal simplify-olm-apis has it: put together from what a cluster
//! holds.
//!
//! [`operators`] finds the operators by the labels of their components, and tells of each one its components with what
//! is out of order about them, what the newest version that works says of itself, the updates that an index has, and
//! what there is to say of the whole. [`definitions`] are the CustomResourceDefinitions of this and the related kinds.
//!
//! What only a controller can see is taken over from the resources in which it is said. Whether the components diverge
//! from what was resolved, [`compare()`] tells. [`migrate`] are the resources that take the place of Subscriptions and
//! OperatorGroups.

mod association;
mod compare;
mod component;
mod conditions;
pub mod definitions;
mod diverging;
mod filled_in;
mod metadata;
pub mod migrate;
mod normal;
mod references;
mod says;
mod updates;

pub use compare::{Comparison, Difference, compare};
pub use diverging::ResolvedFrom;
pub use metadata::{Api, Apis, Metadata};
pub use normal::Condition;
pub use references::Reference;
pub use updates::{Available, Updates};

use crate::catalog::Catalog;
use crate::cluster::labels::{self, LabelStyle};
use crate::csv::GROUP;
use component::Component;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// `apiVersion` of the resource.
pub(crate) const API_VERSION: &str = "operators.coreos.com/v2alpha1";

/// How the resource is put together.
#[derive(Debug, Clone, Copy, Default)]
pub struct OperatorOptions {
    /// How the key in `matchLabels` is written.
    pub label_style: LabelStyle,
    /// Whether conditions of components are shown that are as they should be.
    pub all_conditions: bool,
}

/// An `Operator` of `operators.coreos.com/v2alpha1`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Operator {
    /// [`API_VERSION`].
    pub api_version: &'static str,
    /// `Operator`.
    pub kind: &'static str,
    /// The name.
    pub metadata: ObjectMeta,
    /// Where updates come from: as the resource in the cluster says it, else as its Subscription does.
    pub spec: Value,
    /// Everything else.
    pub status: Status,
    /// The version that the cluster has of it.
    #[serde(skip)]
    pub installed: Option<InstalledVersion>,
    /// What is not as it was resolved, where that was looked at.
    #[serde(skip)]
    pub diverging: Vec<Difference>,
}

/// The version of an operator that a cluster has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledVersion {
    /// The name of its ClusterServiceVersion.
    pub name: String,
    /// The namespace of its ClusterServiceVersion.
    pub namespace: String,
    /// The package, where it is known.
    pub package: Option<String>,
}

/// The metadata of the resource. An operator is cluster-scoped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ObjectMeta {
    /// The name of the operator, as in the label; in full where the cluster holds a resource of it.
    pub name: String,
}

/// The status of the resource.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Status {
    /// What the newest ClusterServiceVersion that works says; `None` where none works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Metadata>,
    /// The channels with an update; `None` where there is none, or no index to look into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updates: Option<Updates>,
    /// What is out of order, or to be decided by a person.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// The components.
    pub components: Components,
}

/// The components of an operator.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Components {
    /// The label that they carry.
    pub match_labels: Map<String, Value>,
    /// The components, by kind, API version, namespace and name.
    pub refs: Vec<Reference>,
}

/// The operators among the objects of a cluster, by name. `catalog` is the index that updates are looked for in.
pub fn operators(objects: &[Value], catalog: Option<&Catalog>, options: OperatorOptions) -> Vec<Operator> {
    let all: Vec<Component<'_>> = objects.iter().map(Component).collect();
    let components: Vec<Component<'_>> = all.iter().copied().filter(|component| !component.is_copied()).collect();
    let resources: Vec<Component<'_>> = all
        .iter()
        .filter(|object| object.is(GROUP, "Operator"))
        .copied()
        .collect();
    let associated = association::associated(&components, &resources, catalog);
    let named = associated.keys().map(String::as_str);
    let names: BTreeSet<&str> = named.chain(resources.iter().map(|resource| resource.name())).collect();
    let operator = |name: &str| {
        let places = associated.get(name).into_iter().flatten();
        let mut own: Vec<_> = places
            .filter_map(|place| components.get(*place).copied())
            .filter(|component| !component.is(GROUP, "Operator"))
            .collect();
        own.extend(says::resources(&own, &components));
        let resource = resources.iter().find(|resource| resource.name() == name).copied();
        one(name, resource, &own, &all, catalog, options)
    };
    names.into_iter().map(operator).collect()
}

fn one(
    name: &str,
    resource: Option<Component<'_>>,
    components: &[Component<'_>],
    all: &[Component<'_>],
    catalog: Option<&Catalog>,
    options: OperatorOptions,
) -> Operator {
    let subscription = updates::subscription(components);
    let newest = metadata::newest(components);
    let spec = resource
        .and_then(updates::spec_of)
        .or(subscription.map(updates::spec_from));
    let spec = spec.map_or_else(|| json!({}), |updates| json!({ "updates": updates }));
    let followed = updates::followed(name, &spec, subscription, newest, components);
    let version = followed.installed.as_deref();
    let version = version.and_then(|name| components.iter().find(|csv| csv.is_csv() && csv.name() == name));
    let installed = version.map(|csv| InstalledVersion {
        name: csv.name().to_owned(),
        namespace: csv.text("/metadata/namespace").to_owned(),
        package: followed.package.clone(),
    });
    let found = catalog
        .map(|catalog| updates::found(catalog, &followed))
        .unwrap_or_default();
    Operator {
        api_version: API_VERSION,
        kind: "Operator",
        metadata: ObjectMeta { name: name.to_owned() },
        spec,
        status: Status {
            metadata: newest.map(|newest| metadata::of(newest, all)),
            updates: updates::updates(&found, &followed),
            conditions: [
                conditions::of(resource, components, &found, &followed),
                says::of(components, followed.installed.as_deref()),
            ]
            .concat(),
            components: Components {
                match_labels: Map::from_iter([(labels::key(options.label_style, name), json!(""))]),
                refs: references::references(components, all, options.all_conditions),
            },
        },
        installed,
        diverging: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
