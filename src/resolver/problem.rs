//! The input of a resolution: catalogs, installed operators, and subscriptions.

use super::preferences::Preferences;
use crate::catalog::Catalog;
use crate::cluster::conditions::{Hold, held_in};
use crate::cluster::state::{Installed, State, Subscription, UpgradeStrategy};
use crate::olm::releases::Olm;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The input of a resolution.
#[derive(Debug, Clone, Default)]
pub struct Problem<'a> {
    /// The OLM that resolves the problem.
    pub olm: Olm,
    /// The namespace that operators are installed into.
    pub namespace: String,
    /// The catalogs that OLM uses for this namespace, in any order.
    pub catalogs: Vec<CatalogSource<'a>>,
    /// The catalogs that OLM does not use for this namespace, by namespace and name.
    pub other_catalogs: Vec<(String, String)>,
    /// Those of the other catalogs whose content is known. It occurs only in explanations.
    pub unused_catalogs: Vec<CatalogSource<'a>>,
    /// The installed ClusterServiceVersions of the namespace.
    pub installed: Vec<Installed>,
    /// The Subscriptions of the namespace.
    pub subscriptions: Vec<Subscription>,
    /// Whether an operator whose upgrade failed may be upgraded further.
    pub fail_forward: bool,
    /// The reasons why installed ClusterServiceVersions must not be upgraded now, by name.
    pub held: BTreeMap<String, Hold>,
}

/// A catalog in a cluster.
#[derive(Debug, Clone, Copy)]
pub struct CatalogSource<'a> {
    /// The name of the CatalogSource.
    pub name: &'a str,
    /// The namespace of the CatalogSource.
    pub namespace: &'a str,
    /// The priority; catalogs with a higher priority are preferred.
    pub priority: i64,
    /// The content of the catalog.
    pub catalog: &'a Catalog,
}

impl<'a> Problem<'a> {
    /// Returns the problem that a what-if file describes. `read` contains the content of the catalogs, in the order of
    /// the file. Catalogs in namespaces that OLM does not use become `other_catalogs` and `unused_catalogs`, and the
    /// blocking conditions of operators become `held`.
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
        let (catalogs, unused_catalogs): (Vec<_>, Vec<_>) = sources.partition(is_looked_at);
        let passed_over = unused_catalogs
            .iter()
            .map(|source| (source.namespace.to_owned(), source.name.to_owned()));
        let other_catalogs = state.other_catalogs.iter().cloned().chain(passed_over).collect();
        Self {
            olm: Olm::default(),
            namespace: state.namespace.clone(),
            catalogs,
            other_catalogs,
            unused_catalogs,
            installed: state.installed.clone(),
            subscriptions: state.subscriptions.clone(),
            fail_forward: state.upgrade_strategy == UpgradeStrategy::FailForward,
            held: held_in(state, &state.namespace, &Olm::Proposed),
        }
    }
}

/// Options that OLM does not have, and the search limit.
#[derive(Debug, Clone)]
pub struct ResolverOptions {
    /// Preferences for dependencies that are not required.
    pub preferences: Preferences,
    /// The maximum number of candidates to try.
    pub steps: u64,
    /// Whether to explain the outcome for every candidate.
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
