//! The update graph of one package, as a pure function of its bundles.
//!
//! An index stores a channel as a list of entries: the head at depth 0, followed by the bundles to which `replaces` and
//! `skips` lead from the head. In the mode `replaces`, the fields of the bundles determine that list: the head of a
//! channel is the bundle with the highest version, and the rest is the chain of `replaces` from the head. In the other
//! modes, versions determine the list. A skipped bundle is in the list as a pair of entries. The first is for the
//! skipped bundle. The second is for the bundle that skips it, and points to the first.
//!
//! The result depends only on the *set* of bundles: channels are in byte order, and nothing depends on the order in
//! which bundles were specified or stored.

mod error;
mod listed;
mod replaces;
mod semver;
mod substitution;

pub use error::GraphError;
pub(crate) use error::some_of;
pub use listed::{Difference, HeadError, listed};

use std::collections::{BTreeMap, BTreeSet};

/// The rule that determines the position of a new bundle in the graph.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// The fields `replaces` and `skips` of the bundles determine the position.
    #[default]
    Replaces,
    /// The version determines the position: the bundle replaces the next lower bundle.
    Semver,
    /// The version determines the position, and the bundle skips all lower versions with the same major and minor
    /// number.
    SemverSkipPatch,
}

/// The data about a bundle that the update graph needs: names and edges, but no manifests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Node {
    /// The version as stored; empty if the bundle has none.
    pub version: String,
    /// The bundle that this bundle replaces; empty if there is none.
    pub replaces: String,
    /// The bundles that this bundle skips, in the declared order.
    pub skips: Vec<String>,
    /// The channels that contain the bundle; empty for a stored bundle outside the graph. An edge may still lead to
    /// such a bundle.
    pub channels: BTreeSet<String>,
    /// The default channel that the bundle declares for its package; for a stored bundle, the default channel of the
    /// package.
    pub default_channel: Option<String>,
    /// Whether the bundle is deprecated; the graph ends at a deprecated bundle.
    pub deprecated: bool,
    /// The bundle for which this bundle substitutes; empty if there is none. Only the mode `replaces` uses this field.
    pub substitutes: String,
}

/// A package before a change: its stored bundles, and the bundles to which their edges lead.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Package {
    /// The name of the package.
    pub name: String,
    /// The bundles by name. The channels of each bundle are those that currently contain it, regardless of its
    /// annotations.
    pub bundles: BTreeMap<String, Node>,
    /// The stored edges of each channel: for each bundle, the bundles that it replaces or skips in the channel. Only
    /// the modes that order bundles by version use them; the mode `replaces` uses the edges that the bundles declare.
    pub edges: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
}

/// The graph of one package: its channels in byte order of their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    /// The name of the package.
    pub package: String,
    /// The default channel, which is always one of the channels.
    pub default_channel: String,
    /// The channels, except those whose head is deprecated.
    pub channels: Vec<Channel>,
    /// The bundles that a channel no longer contains, in byte order of channel and name.
    pub dropped: Vec<Dropped>,
    /// The stored and added bundles whose edges change because of substitutions, by name and with their new edges.
    pub rewritten: BTreeMap<String, Node>,
}

/// One channel and its entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    /// The name of the channel.
    pub name: String,
    /// The bundle for new installations.
    pub head: String,
    /// The entries in the order in which they are stored; the first is the head.
    pub entries: Vec<GraphEntry>,
}

/// One entry of a channel. A bundle can have several: one of its own, one for each bundle that it skips, and one for
/// each bundle that skips it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphEntry {
    /// The bundle; a skipped bundle need not exist.
    pub bundle: String,
    /// The distance from the head, in entries. The modes that order bundles by version do not count the entries for
    /// skipped bundles.
    pub depth: u32,
    /// The entry that this one replaces, as an index into [`Channel::entries`].
    pub replaces: Option<usize>,
}

/// A bundle that can no longer be reached from the head of a channel that it was in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dropped {
    /// The channel.
    pub channel: String,
    /// The bundle.
    pub bundle: String,
}

/// Returns the graph of `package` with the bundles `added`.
///
/// # Errors
/// Returns all errors of the first stage that fails.
pub fn update(package: &Package, added: &BTreeMap<String, Node>, mode: Mode) -> Result<Graph, Vec<GraphError>> {
    match mode {
        Mode::Replaces => replaces::with_replaces(package, added),
        Mode::Semver => self::semver::with_versions(package, added, false),
        Mode::SemverSkipPatch => self::semver::with_versions(package, added, true),
    }
}

impl GraphEntry {
    fn new(bundle: &str, depth: u32) -> Self {
        Self {
            bundle: bundle.to_owned(),
            depth,
            replaces: None,
        }
    }
}

fn reachable(channels: &[Channel]) -> BTreeSet<(&str, &str)> {
    let entries = channels.iter().flat_map(|channel| {
        let names = channel.entries.iter().map(|entry| entry.bundle.as_str());
        names.map(|bundle| (channel.name.as_str(), bundle))
    });
    entries.collect()
}

fn dropped(before: &Package, channels: &[Channel]) -> Vec<Dropped> {
    let reachable = reachable(channels);
    let mut dropped: Vec<_> = before
        .bundles
        .iter()
        .flat_map(|(bundle, node)| node.channels.iter().map(move |channel| (channel, bundle)))
        .filter(|(channel, bundle)| !reachable.contains(&(channel.as_str(), bundle.as_str())))
        .map(|(channel, bundle)| Dropped {
            channel: channel.clone(),
            bundle: bundle.clone(),
        })
        .collect();
    dropped.sort();
    dropped
}

#[cfg(test)]
mod tests;
