//! Adds the requests to the state of a cluster: indexes, packages, and bundles that are treated as installed.

use super::{NamedIndex, PackageChannel, ResolveError, ResolveOptions};
use crate::catalog::Catalog;
use crate::cluster::state::{CatalogSource, Installed, Subscription};
use crate::cluster::{AmbiguousCatalog, CatalogName, State};
use crate::resolver;
use std::borrow::Cow;

/// The namespace and name of a CatalogSource.
pub(super) type SourceId = (String, String);

/// Adds the indexes as catalogs, and returns their CatalogSources.
pub(super) fn add_catalogs(indexes: &[NamedIndex], state: &mut State) -> Result<Vec<SourceId>, ResolveError> {
    let mut added: Vec<SourceId> = Vec::new();
    for (number, index) in (1..).zip(indexes) {
        let name = match &index.name {
            Some(name) => name.clone(),
            None if number == 1 => "catalog".into(),
            None => CatalogName::from(&*format!("catalog-{number}")),
        };
        let id = (namespace_of(&name, state)?, name.name.clone());
        if added.contains(&id) {
            let name = name.to_string();
            return Err(ResolveError::CatalogTwice { name });
        }
        added.push(id);
    }
    for ((namespace, name), NamedIndex { index, priority, .. }) in added.iter().zip(indexes) {
        let mut known = state.catalogs.iter_mut();
        if let Some(known) = known.find(|known| (&known.namespace, &known.name) == (namespace, name)) {
            known.source = Some(index.clone());
            known.priority = priority.unwrap_or(known.priority);
            continue;
        }
        state.catalogs.push(CatalogSource {
            namespace: namespace.clone(),
            name: name.clone(),
            priority: priority.unwrap_or_default(),
            source: Some(index.clone()),
            packages: Vec::new(),
        });
    }
    Ok(added)
}

/// Returns the namespace of the CatalogSource that a name refers to: one of the CatalogSources that OLM uses, otherwise
/// another one of the cluster, otherwise one that a Subscription names.
fn namespace_of(name: &CatalogName, state: &State) -> Result<String, AmbiguousCatalog> {
    if let Some(namespace) = &name.namespace {
        return Ok(namespace.clone());
    }
    let used = state.catalogs.iter().map(|known| (&*known.namespace, &*known.name));
    let others = state
        .other_catalogs
        .iter()
        .map(|(namespace, name)| (&**namespace, &**name));
    let subscribed = state
        .subscriptions
        .iter()
        .map(|to| (&*to.catalog_namespace, &*to.catalog));
    let namespace = match name.namespace_among(used)? {
        Some(namespace) => Some(namespace),
        None => match name.namespace_among(others)? {
            Some(namespace) => Some(namespace),
            None => name.namespace_among(subscribed)?,
        },
    };
    Ok(namespace.unwrap_or(&state.namespace).to_owned())
}

/// Subscribes to the packages in this catalog; without a catalog, in the first one.
pub(super) fn subscribe(
    options: &ResolveOptions,
    catalog: Option<&SourceId>,
    state: &mut State,
) -> Result<(), ResolveError> {
    let mut catalogs = state.catalogs.iter();
    let is_it =
        |(namespace, name): &SourceId, known: &CatalogSource| (namespace, name) == (&known.namespace, &known.name);
    let catalog = catalogs.find(|known| catalog.is_none_or(|catalog| is_it(catalog, known)));
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
