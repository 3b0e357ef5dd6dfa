//! The content of a mirror that the objects of a cluster need.

use crate::cli::Context;
use crate::cli::arguments::LimitArguments;
use crate::cli::cluster_files::read_cluster;
use crate::cli::error::CommandError;
use crate::cli::named_catalogs::ambiguous;
use crate::cluster::{CatalogName, dump, subscribed_catalogs};
use crate::mirror::installed::{Installed, catalog_names, installed};
use crate::resolver::closure::Follow;
use std::collections::{BTreeMap, BTreeSet};

/// Reads the objects of a cluster, and returns the request to mirror the content that they need. `catalogs` maps
/// the names of catalogs to the indexes that are used instead of those of the cluster.
pub(super) fn needed(
    cluster: &[String],
    catalogs: &BTreeMap<CatalogName, String>,
    follow: &Follow,
    limits: &LimitArguments,
    context: &Context<'_>,
) -> Result<Installed, CommandError> {
    let state = read_cluster(None, cluster, dump::kept, limits, context)?;
    let known = catalog_names(&state.objects);
    let used = subscribed_catalogs(&state.objects);
    for name in catalogs.keys() {
        let _ = name
            .namespace_among(used.iter().copied())
            .map_err(|error| ambiguous(&error))?;
    }
    let is_known = |name: &CatalogName| {
        let mut known = known.iter();
        known.any(|known| known.name == name.name && (name.namespace.is_none() || known.namespace == name.namespace))
    };
    if let Some(name) = catalogs.keys().find(|name| !is_known(name)) {
        let error = CommandError::missing(format!("the cluster has no CatalogSource or ClusterCatalog {name}"));
        let pairs = || {
            known
                .iter()
                .map(|known| (known.namespace.as_deref().unwrap_or_default(), &*known.name))
        };
        let shown = pairs().map(|(namespace, name)| CatalogName::shortest(namespace, name, pairs()).to_string());
        let shown: BTreeSet<String> = shown.collect();
        return Err(if shown.is_empty() {
            error
        } else {
            error.hint(format!("its catalogs are {}", Vec::from_iter(shown).join(", ")))
        });
    }
    Ok(installed(&state.objects, catalogs, follow))
}

/// Returns the error for a cluster of which nothing can be mirrored. `are_skipped` is whether it uses packages, and
/// warnings contain the reasons why they are skipped.
pub(super) fn without_packages(are_skipped: bool) -> CommandError {
    if are_skipped {
        return CommandError::failure("none of the packages that the cluster uses can be mirrored");
    }
    let error = CommandError::failure("the cluster uses no packages");
    error.hint("pass its Subscriptions and CatalogSources, or ClusterExtensions and ClusterCatalogs")
}
