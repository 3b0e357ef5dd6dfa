//! The updates that catalogs offer to installed operators.

use super::named_catalog::NamedCatalog;
use crate::catalog::updates::update_from;
use crate::catalog::{Catalog, Channel, Package};
use crate::cluster::State;
use crate::cluster::conditions::Check;
use crate::version::parse_tolerant;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// An update that OLM would install if it were not blocked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// The name of the bundle.
    pub name: String,
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
}

/// What the catalogs of a cluster offer to an installed operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outlook {
    /// No update.
    Nothing,
    /// An update.
    Update(Waiting),
    /// The catalog of the Subscription does not contain what the Subscription names. OLM resolves nothing in the
    /// namespace of the Subscription then.
    Missing(Missing),
}

/// The package or channel of a Subscription that its catalog does not contain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// The package.
    pub package: String,
    /// The channel; `None` if the whole package is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
}

/// Returns what the catalogs of a cluster offer to one of its operators, in the catalog and channel of its
/// Subscription. Without a Subscription, the first catalog with the operator is searched: first the default channel of
/// the operator's package, then the other channels.
pub fn waiting(state: &State, catalogs: &[NamedCatalog<'_>], operator: &Check) -> Outlook {
    let Some(subscribed) = subscribed(state, operator) else {
        let mut named = catalogs.iter();
        let found = named.find_map(|named| Some((named.catalog, package_with(named.catalog, &operator.operator)?)));
        let update = found.and_then(|(catalog, package)| update_of(catalog, package, None, operator));
        return update.map_or(Outlook::Nothing, Outlook::Update);
    };
    let Subscribed {
        package,
        channel,
        catalog,
    } = subscribed;
    let mut own = catalogs.iter().filter(|named| named.is_of(catalog)).peekable();
    if own.peek().is_none() {
        return Outlook::Nothing;
    }
    let found = own.find_map(|named| Some((named.catalog, named.catalog.package(package)?)));
    let missing = |channel: Option<&str>| {
        let (package, channel) = (package.to_owned(), channel.map(str::to_owned));
        Outlook::Missing(Missing { package, channel })
    };
    match (found, channel) {
        (None, _) => missing(None),
        (Some((_, found)), Some(channel)) if !found.channels.iter().any(|own| *own.name == *channel) => {
            missing(Some(channel))
        }
        (Some((catalog, package)), channel) => {
            update_of(catalog, package, channel, operator).map_or(Outlook::Nothing, Outlook::Update)
        }
    }
}

/// Returns the update of an operator in a channel of its package, or in any channel.
fn update_of(catalog: &Catalog, package: &Package, channel: Option<&str>, operator: &Check) -> Option<Waiting> {
    let mut channels: Vec<&Channel> = package.channels.iter().collect();
    channels.retain(|own| channel.is_none_or(|channel| *own.name == *channel));
    channels.sort_by_key(|channel| Some(&channel.name) != package.default_channel.as_ref());
    let listed = || {
        let id = catalog.find_in(&package.name, &operator.operator)?;
        catalog.bundle(id)?.version.as_deref()
    };
    let version = operator.version.as_deref().or_else(listed).and_then(parse_tolerant);
    channels.into_iter().find_map(|channel| {
        let update = update_from(catalog, channel, &operator.operator, version.as_ref())?;
        Some(Waiting {
            name: catalog.bundle(update)?.name.to_string(),
            package: package.name.to_string(),
            channel: channel.name.to_string(),
        })
    })
}

/// Returns the namespaces and names of the CatalogSources that the Subscriptions of operators use.
pub fn catalogs_of<'a>(state: &'a State, operators: &'a [Check]) -> BTreeSet<(&'a str, &'a str)> {
    let subscribed = operators.iter().filter_map(|operator| subscribed(state, operator));
    subscribed.filter_map(|subscribed| subscribed.catalog).collect()
}

/// What a Subscription names.
struct Subscribed<'a> {
    package: &'a str,
    channel: Option<&'a str>,
    /// The namespace and name of the CatalogSource; the namespace may be empty.
    catalog: Option<(&'a str, &'a str)>,
}

/// Returns the Subscription that installed an operator.
fn subscribed<'a>(state: &'a State, operator: &Check) -> Option<Subscribed<'a>> {
    let installed = Some(operator.operator.as_str());
    let mut written = state.subscriptions.iter();
    if let Some(to) = written.find(|to| to.installed_csv.as_deref() == installed) {
        return Some(Subscribed {
            package: &to.package,
            channel: to.channel.as_deref(),
            catalog: Some((&*to.catalog_namespace, &*to.catalog)).filter(|(_, name)| !name.is_empty()),
        });
    }
    state.objects.iter().find_map(|object| {
        let text = |pointer: &str| {
            let text = object.pointer(pointer).and_then(Value::as_str);
            text.filter(|text| !text.is_empty())
        };
        let here = operator
            .namespace
            .as_deref()
            .is_none_or(|own| text("/metadata/namespace") == Some(own));
        let is_it = text("/kind") == Some("Subscription") && text("/status/installedCSV") == installed && here;
        is_it.then_some(Subscribed {
            package: text("/spec/name")?,
            channel: text("/spec/channel"),
            catalog: text("/spec/source").map(|name| (text("/spec/sourceNamespace").unwrap_or_default(), name)),
        })
    })
}

fn package_with<'a>(catalog: &'a Catalog, bundle: &str) -> Option<&'a Package> {
    let id = catalog.find(bundle)?;
    catalog.packages.iter().find(|package| {
        let mut entries = package.channels.iter().flat_map(|channel| &channel.entries);
        entries.any(|entry| entry.bundle == id)
    })
}
