//! What is to be resolved: catalogs, what is installed, and what is subscribed to.

use crate::catalog::file_based::load::Loaded;
use crate::catalog::{BundleId, Catalog, Channel, Package, Text};
use crate::cluster::InlineCatalog;
use crate::cluster::conditions::held_in;
use crate::cluster::state::{Installed, State, Subscription, UpgradeStrategy};
use std::collections::{BTreeMap, BTreeSet};

/// What is to be resolved.
#[derive(Debug, Clone, Default)]
pub struct Problem<'a> {
    /// The namespace that operators are installed into.
    pub namespace: String,
    /// The catalogs that OLM takes operators from there, in any order.
    pub catalogs: Vec<Source<'a>>,
    /// The catalogs that OLM does not look at from there, by namespace and name.
    pub other_catalogs: Vec<(String, String)>,
    /// The ClusterServiceVersions of the namespace.
    pub installed: Vec<Installed>,
    /// The Subscriptions of the namespace.
    pub subscriptions: Vec<Subscription>,
    /// Whether a failed upgrade may be upgraded.
    pub fail_forward: bool,
    /// By the name of an installed ClusterServiceVersion: why it must not be upgraded now.
    pub held: BTreeMap<String, String>,
}

/// A catalog in a cluster.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The name of its CatalogSource.
    pub name: &'a str,
    /// The namespace of its CatalogSource.
    pub namespace: &'a str,
    /// A higher one is preferred.
    pub priority: i64,
    /// What it holds.
    pub catalog: &'a Catalog,
    /// Where the ranges of versions are that its entries skip.
    pub ranges: Ranges<'a>,
}

/// Where the ranges of versions are that entries of channels skip.
#[derive(Debug, Clone, Copy)]
pub enum Ranges<'a> {
    /// Each bundle has one, as in a database.
    OfBundles,
    /// Each entry has its own, as in a file-based catalog.
    Files(&'a Loaded),
    /// Each entry has its own, as in a what-if file.
    Inline(&'a InlineCatalog),
}

impl<'a> Source<'a> {
    /// The range that an entry skips.
    pub(super) fn skip_range(&self, package: &Package, channel: &Channel, bundle: BundleId) -> Option<&'a Text> {
        match self.ranges {
            Ranges::OfBundles => self.catalog.bundle(bundle)?.skip_range.as_ref(),
            Ranges::Files(loaded) => loaded.skip_range(package, channel, bundle),
            Ranges::Inline(inline) => inline.skip_range(&package.name, &channel.name, bundle),
        }
    }
}

impl<'a> Problem<'a> {
    /// The problem of a what-if file, with its catalogs. Those in namespaces that OLM does not look at are left out, and
    /// operators whose conditions say so are held.
    pub fn of_state(state: &State, mut catalogs: Vec<Source<'a>>) -> Self {
        let global = state.global_namespace.as_deref();
        let global = global.filter(|_| !state.exclude_global_catalogs);
        let is_looked_at =
            |source: &Source<'_>| source.namespace == state.namespace || Some(source.namespace) == global;
        let passed_over = catalogs.iter().filter(|source| !is_looked_at(source));
        let passed_over = passed_over.map(|source| (source.namespace.to_owned(), source.name.to_owned()));
        let other_catalogs = state.other_catalogs.iter().cloned().chain(passed_over).collect();
        catalogs.retain(is_looked_at);
        Self {
            namespace: state.namespace.clone(),
            catalogs,
            other_catalogs,
            installed: state.installed.clone(),
            subscriptions: state.subscriptions.clone(),
            fail_forward: state.upgrade_strategy == UpgradeStrategy::FailForward,
            held: held_in(state),
        }
    }
}

/// What OLM does not decide by itself, and how long to look.
#[derive(Debug, Clone)]
pub struct Options {
    /// Leave out what is only recommended.
    pub without_recommended: bool,
    /// Packages that are taken where they can be, although they are only optional to a bundle.
    pub with_optional: BTreeSet<String>,
    /// How many candidates are tried before the search gives up.
    pub steps: u64,
    /// Whether to say of every candidate why it was taken or not.
    pub explain: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            without_recommended: false,
            with_optional: BTreeSet::new(),
            steps: 2_000_000,
            explain: false,
        }
    }
}
