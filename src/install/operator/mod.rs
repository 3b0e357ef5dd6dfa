//! The combined resource of an operator, as in the proposal simplify-olm-apis, assembled from the objects in a cluster.
//!
//! [`operators`] finds the operators by the labels of their components. For each operator, it reports the components
//! with their problems, the metadata of the newest working version, the updates in an index, and the conditions of the
//! operator as a whole. [`definitions`] contains the CustomResourceDefinitions of `Operator` and the related kinds.
//!
//! Information that only a controller has is read from the resources that report it. [`compare()`] determines whether
//! the components diverge from the resolved content. [`migrate`] creates the resources that replace Subscriptions and
//! OperatorGroups.

mod association;
mod compare;
mod component;
mod conditions;
mod configured;
mod content;
mod defined;
pub mod definitions;
mod diverging;
mod filled_in;
mod metadata;
pub mod migrate;
mod normal;
mod openshift;
mod references;
mod says;
mod updates;

pub use compare::{Comparison, Difference, ObservedObjects, compare};
pub use diverging::ResolvedFrom;
pub use metadata::{Api, Apis, Metadata};
pub use normal::Condition;
pub use references::Reference;
pub use updates::{Available, Updates};

use crate::cluster::conditions::Conditions;
use crate::cluster::labels::{self, LabelStyle};
use crate::cluster::openshift::next_version;
use crate::cluster::requested::API_VERSION;
use crate::csv::GROUP;
use crate::install::named_catalog::NamedCatalog;
use component::Component;
use defined::Defined;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeSet, HashMap};

/// Options for assembling the resource.
#[derive(Debug, Clone, Copy, Default)]
pub struct OperatorOptions {
    /// The style of the label key in `matchLabels`.
    pub label_style: LabelStyle,
    /// Whether conditions with the expected status are also shown.
    pub all_conditions: bool,
}

/// An `Operator` of `operators.coreos.com/v2alpha1`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Operator {
    /// `API_VERSION`.
    pub api_version: &'static str,
    /// `Operator`.
    pub kind: &'static str,
    /// The metadata, which contains only the name.
    pub metadata: ObjectMeta,
    /// The source of updates, from the resource in the cluster; by default, from the Subscription.
    pub spec: Value,
    /// The observed state of the operator.
    pub status: Status,
    /// The installed version.
    #[serde(skip)]
    pub installed: Option<InstalledVersion>,
    /// The namespace and name of the CatalogSource that the operator follows, if known; the namespace may be empty.
    #[serde(skip)]
    pub catalog: Option<(String, String)>,
    /// The differences from the resolved content, if the components were compared.
    #[serde(skip)]
    pub diverging: Vec<Difference>,
}

/// The installed version of an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledVersion {
    /// The name of the ClusterServiceVersion.
    pub name: String,
    /// The namespace of the ClusterServiceVersion.
    pub namespace: String,
    /// The package, if known.
    pub package: Option<String>,
}

/// The metadata of the resource. An operator is cluster-scoped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ObjectMeta {
    /// The name of the operator, as in the label; the full name if the cluster has a resource for the operator.
    pub name: String,
}

/// The status of the resource.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Status {
    /// The metadata of the newest working ClusterServiceVersion; `None` if none works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Metadata>,
    /// The channels with an update; `None` if there are no updates or there is no index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updates: Option<Updates>,
    /// The problems, and the decisions that a person must make.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// The components.
    pub components: Components,
}

/// The components of an operator.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Components {
    /// The label that marks the components.
    pub match_labels: Map<String, Value>,
    /// The components, by kind, API version, namespace and name.
    pub refs: Vec<Reference>,
}

/// Returns the operators among the objects of a cluster, by name. `catalogs` are the indexes to search for updates.
pub fn operators(objects: &[Value], catalogs: &[NamedCatalog<'_>], options: OperatorOptions) -> Vec<Operator> {
    let all: Vec<Component<'_>> = objects.iter().map(Component).collect();
    let components: Vec<Component<'_>> = all.iter().copied().filter(|component| !component.is_copied()).collect();
    let resources: Vec<Component<'_>> = all
        .iter()
        .filter(|object| object.is(GROUP, "Operator"))
        .copied()
        .collect();
    // If two dumps contain a resource of the same name, the first one takes precedence.
    let by_name: HashMap<&str, Component<'_>> = resources.iter().rev().map(|one| (one.name(), *one)).collect();
    let surroundings = Surroundings {
        defined: Defined::among(&all),
        next_openshift: next_version(objects),
    };
    let conditions = Conditions::among(components.iter().map(|component| component.0));
    let associated = association::associated(&components, &resources, catalogs);
    let named = associated.keys().map(String::as_str);
    let names: BTreeSet<&str> = named.chain(resources.iter().map(|resource| resource.name())).collect();
    let operator = |name: &str| {
        let places = associated.get(name).into_iter().flatten();
        let mut own: Vec<_> = places
            .filter_map(|place| components.get(*place).copied())
            .filter(|component| !component.is(GROUP, "Operator"))
            .collect();
        own.extend(says::resources(&own, &conditions));
        one(name, by_name.get(name).copied(), &own, &surroundings, catalogs, options)
    };
    names.into_iter().map(operator).collect()
}

/// What operators need to know about their cluster.
struct Surroundings<'a> {
    defined: Defined<'a>,
    /// The next minor version of OpenShift, if the cluster is known to be one of OpenShift.
    next_openshift: Option<(u64, u64)>,
}

fn one(
    name: &str,
    resource: Option<Component<'_>>,
    components: &[Component<'_>],
    Surroundings {
        defined,
        next_openshift,
    }: &Surroundings<'_>,
    catalogs: &[NamedCatalog<'_>],
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
    let found = updates::found(catalogs, &followed);
    Operator {
        api_version: API_VERSION,
        kind: "Operator",
        metadata: ObjectMeta { name: name.to_owned() },
        spec,
        status: Status {
            metadata: newest.map(|newest| metadata::of(newest, defined)),
            updates: updates::updates(&found, &followed),
            conditions: [
                conditions::of(resource, components, &found, &followed),
                openshift::of(components, *next_openshift).into_iter().collect(),
                says::of(components, followed.installed.as_deref()),
            ]
            .concat(),
            components: Components {
                match_labels: Map::from_iter([(labels::key(options.label_style, name), json!(""))]),
                refs: references::references(components, defined, options.all_conditions),
            },
        },
        installed,
        catalog: followed.catalog,
        diverging: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
