//! The update in a catalog for an installed operator.

use crate::catalog::updates::update_from;
use crate::catalog::{Catalog, Channel, Package};
use crate::cluster::State;
use crate::cluster::conditions::Check;
use crate::version::parse_tolerant;
use serde::Serialize;
use serde_json::Value;

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

/// Returns the update in a catalog for an operator of a cluster, in the channel of its Subscription. Without a
/// Subscription, the default channel of the operator's package is searched first, then the other channels.
pub fn waiting(state: &State, catalog: &Catalog, operator: &Check) -> Option<Waiting> {
    let subscribed = subscribed(state, operator);
    let package = match &subscribed {
        Some((package, _)) => catalog.package(package)?,
        None => package_with(catalog, &operator.operator)?,
    };
    let channel = subscribed.and_then(|(_, channel)| channel);
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

/// Returns the package and channel of the Subscription that installed an operator.
fn subscribed<'a>(state: &'a State, operator: &Check) -> Option<(&'a str, Option<&'a str>)> {
    let installed = Some(operator.operator.as_str());
    let mut written = state.subscriptions.iter();
    if let Some(to) = written.find(|to| to.installed_csv.as_deref() == installed) {
        return Some((&to.package, to.channel.as_deref()));
    }
    state.objects.iter().find_map(|object| {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str);
        let here = operator
            .namespace
            .as_deref()
            .is_none_or(|own| text("/metadata/namespace") == Some(own));
        let is_it = text("/kind") == Some("Subscription") && text("/status/installedCSV") == installed && here;
        let channel = text("/spec/channel").filter(|channel| !channel.is_empty());
        is_it.then_some((text("/spec/name")?, channel))
    })
}

fn package_with<'a>(catalog: &'a Catalog, bundle: &str) -> Option<&'a Package> {
    let id = catalog.find(bundle)?;
    catalog.packages.iter().find(|package| {
        let mut entries = package.channels.iter().flat_map(|channel| &channel.entries);
        entries.any(|entry| entry.bundle == id)
    })
}
