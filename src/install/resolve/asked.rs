//! Adds the requests to the state of a cluster: indexes, packages, and bundles that are treated as installed.

use super::{NamedIndex, PackageChannel, ResolveError, ResolveOptions};
use crate::catalog::Catalog;
use crate::cluster::State;
use crate::cluster::state::{CatalogSource, Installed, Subscription};
use crate::resolver;
use std::borrow::Cow;

/// Adds the indexes as catalogs, and returns their names.
pub(super) fn add_catalogs(indexes: &[NamedIndex], state: &mut State) -> Result<Vec<String>, ResolveError> {
    let mut named = Vec::new();
    for (number, NamedIndex { name, index, priority }) in (1..).zip(indexes) {
        let name = match name {
            Some(name) => name.clone(),
            None if number == 1 => "catalog".to_owned(),
            None => format!("catalog-{number}"),
        };
        if named.contains(&name) {
            return Err(ResolveError::CatalogTwice { name });
        }
        named.push(name.clone());
        let known = state.catalogs.iter_mut().find(|catalog| catalog.name == name);
        if let Some(known) = known {
            known.source = Some(index.clone());
            known.priority = priority.unwrap_or(known.priority);
            continue;
        }
        let elsewhere = state.other_catalogs.iter().find(|(_, other)| *other == name);
        let mut subscribed = state.subscriptions.iter().filter(|to| to.catalog == name);
        let subscribed = subscribed.next().map(|to| &to.catalog_namespace);
        let namespace = elsewhere.map(|(namespace, _)| namespace).or(subscribed);
        state.catalogs.push(CatalogSource {
            namespace: namespace.unwrap_or(&state.namespace).clone(),
            name,
            priority: priority.unwrap_or_default(),
            source: Some(index.clone()),
            packages: Vec::new(),
        });
    }
    Ok(named)
}

/// Subscribes to the packages in this catalog; without a catalog, in the first one.
pub(super) fn subscribe(
    options: &ResolveOptions,
    catalog: Option<&str>,
    state: &mut State,
) -> Result<(), ResolveError> {
    let mut catalogs = state.catalogs.iter();
    let catalog = catalogs.find(|known| catalog.is_none_or(|name| known.name == name));
    let catalog = catalog.cloned().unwrap_or_default();
    for PackageChannel { package, channel } in &options.packages {
        if state.subscriptions.iter().any(|known| known.package == *package) {
            let package = package.clone();
            return Err(ResolveError::PackageTwice { package });
        }
        state.subscriptions.push(Subscription {
            name: package.clone(),
            package: package.clone(),
            channel: channel.clone(),
            catalog: catalog.name.clone(),
            catalog_namespace: catalog.namespace.clone(),
            starting_csv: options.starting_csv.clone(),
            ..Subscription::default()
        });
    }
    Ok(())
}

/// Adds the installed versions, with their data from the catalogs, and records them in the Subscriptions to their
/// packages.
pub(super) fn install(
    installed: &[String],
    state: &mut State,
    catalogs: &[Cow<'_, Catalog>],
) -> Result<(), ResolveError> {
    for name in installed {
        let found = catalogs.iter().find_map(|catalog| {
            let id = catalog.find(name)?;
            let bundle = catalog.bundle(id)?;
            let mut packages = catalog.packages.iter();
            let package = packages.find(|package| {
                let mut entries = package.channels.iter().flat_map(|channel| &channel.entries);
                entries.any(|entry| entry.bundle == id)
            });
            Some((bundle, package.map(|package| package.name.to_string())))
        });
        let known = state.installed.iter().find(|known| known.name == *name);
        let package = match (&found, known) {
            (Some((_, package)), _) => package.clone(),
            (None, Some(known)) => known.package.clone(),
            (None, None) => {
                let name = name.clone();
                return Err(ResolveError::NotInstalled { name });
            }
        };
        let is_known = known.is_some();
        for subscription in &mut state.subscriptions {
            if Some(&subscription.package) == package.as_ref() {
                subscription.installed_csv = Some(name.clone());
                subscription.current_csv = Some(name.clone());
            }
        }
        // What the cluster says about the version takes precedence over the catalogs.
        let Some((bundle, _)) = found.filter(|_| !is_known) else {
            continue;
        };
        state.installed.push(Installed {
            name: name.clone(),
            version: bundle.version.as_deref().map(str::to_owned),
            properties: resolver::annotation(package.as_deref().unwrap_or_default(), bundle),
            ..Installed::default()
        });
    }
    Ok(())
}
