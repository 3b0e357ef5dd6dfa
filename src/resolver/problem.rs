//! What is to be resolved: catalogs, what is installed, and what is subscribed to.

use super::preferences::Preferences;
use crate::catalog::Catalog;
use crate::cluster::conditions::{Hold, held_in};
use crate::cluster::state::{Installed, State, Subscription, UpgradeStrategy};
use crate::olm::releases::Olm;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What is to be resolved.
#[derive(Debug, Clone, Default)]
pub struct Problem<'a> {
    /// The OLM that resolves it.
    pub olm: Olm,
    /// The namespace that operators are installed into.
    pub namespace: String,
    /// The catalogs that OLM takes operators from there, in any order.
    pub catalogs: Vec<CatalogSource<'a>>,
    /// The catalogs that OLM does not look at from there, by namespace and name.
    pub other_catalogs: Vec<(String, String)>,
    /// The ClusterServiceVersions of the namespace.
    pub installed: Vec<Installed>,
    /// The Subscriptions of the namespace.
    pub subscriptions: Vec<Subscription>,
    /// Whether a failed upgrade may be upgraded.
    pub fail_forward: bool,
    /// By the name of an installed ClusterServiceVersion: why it must not be upgraded now.
    pub held: BTreeMap<String, Hold>,
}

/// A catalog in a cluster.
#[derive(Debug, Clone, Copy)]
pub struct CatalogSource<'a> {
    /// The name of its CatalogSource.
    pub name: &'a str,
    /// The namespace of its CatalogSource.
    pub namespace: &'a str,
    /// A higher one is preferred.
    pub priority: i64,
    /// What it holds.
    pub catalog: &'a Catalog,
}

impl<'a> Problem<'a> {
    /// The problem of a what-if file, where `read` is what its catalogs hold, in its order. Those in namespaces that
    /// OLM does not look at are left out, and operators whose conditions say so are held.
    pub fn of_state(state: &'a State, read: &'a [Cow<'a, Catalog>]) -> Self {
        let sources = state.catalogs.iter().zip(read).map(|(named, catalog)| CatalogSource {
            name: &named.name,
            namespace: &named.namespace,
            priority: named.priority,
            catalog,
        });
        let global = state.global_namespace.as_deref();
        let global = global.filter(|_| !state.exclude_global_catalogs);
        let is_referred = |source: &CatalogSource<'_>| {
            let mut referred = state.referred.iter();
            referred.any(|(namespace, name)| source.namespace == namespace && source.name == name)
        };
        let is_looked_at = |source: &CatalogSource<'_>| {
            source.namespace == state.namespace || Some(source.namespace) == global || is_referred(source)
        };
        let (catalogs, passed_over): (Vec<_>, Vec<_>) = sources.partition(is_looked_at);
        let passed_over = passed_over
            .into_iter()
            .map(|source| (source.namespace.to_owned(), source.name.to_owned()));
        let other_catalogs = state.other_catalogs.iter().cloned().chain(passed_over).collect();
        Self {
            olm: Olm::default(),
            namespace: state.namespace.clone(),
            catalogs,
            other_catalogs,
            installed: state.installed.clone(),
            subscriptions: state.subscriptions.clone(),
            fail_forward: state.upgrade_strategy == UpgradeStrategy::FailForward,
            held: held_in(state, &state.namespace),
        }
    }
}

/// What OLM does not decide by itself, and how long to look.
#[derive(Debug, Clone)]
pub struct ResolverOptions {
    /// What is taken of what bundles want without requiring it.
    pub preferences: Preferences,
    /// How many candidates are tried before the search gives up.
    pub steps: u64,
    /// Whether to say of every candidate why it was taken or not.
    pub explain: bool,
}

impl Default for ResolverOptions {
    fn default() -> Self {
        Self {
            preferences: Preferences::default(),
            steps: 2_000_000,
            explain: false,
        }
    }
}
