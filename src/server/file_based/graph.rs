//! Queries for the edges of a file-based catalog. Unlike in a database, an entry represents one bundle with all its
//! edges.

use crate::catalog::Text;
use crate::database::entries::Edge;
use crate::kubernetes::GroupVersionKind;
use std::collections::{HashMap, HashSet};

/// The edges of all channels, and the providers of each API.
#[derive(Debug, Default)]
pub(in crate::server) struct Graph {
    /// Sorted by package and name.
    pub(super) channels: Vec<Channel>,
    /// The numbers of the bundles, in ascending order.
    pub(super) providers: HashMap<GroupVersionKind, Vec<usize>>,
}

#[derive(Debug)]
pub(super) struct Channel {
    package: Text,
    name: Text,
    is_default: bool,
    /// Sorted by name.
    entries: Vec<ServedEntry>,
    /// An index into `entries`.
    head: Option<usize>,
}

#[derive(Debug)]
pub(super) struct ServedEntry {
    /// The position of the bundle in the catalog.
    pub(super) bundle: usize,
    pub(super) name: Text,
    /// Empty if the bundle replaces nothing.
    pub(super) replaces: Text,
    pub(super) skips: Vec<Text>,
}

impl Channel {
    /// Creates a channel. The entries must be sorted by name. The head is the entry that no other entry replaces or
    /// skips.
    pub(super) fn new(package: Text, name: Text, is_default: bool, entries: impl Iterator<Item = ServedEntry>) -> Self {
        let entries: Vec<ServedEntry> = entries.collect();
        let below = |entry: &ServedEntry| {
            std::iter::once(&entry.replaces)
                .chain(&entry.skips)
                .cloned()
                .collect::<Vec<_>>()
        };
        let reached: HashSet<Text> = entries.iter().flat_map(below).collect();
        let head = entries.iter().position(|entry| !reached.contains(&entry.name));
        Self {
            package,
            name,
            is_default,
            entries,
            head,
        }
    }

    pub(super) fn head(&self) -> Option<&ServedEntry> {
        self.entries.get(self.head?)
    }

    fn edge(&self, entry: &ServedEntry, replaces: &Text) -> Edge {
        Edge {
            package: self.package.to_string(),
            channel: self.name.to_string(),
            bundle: entry.name.to_string(),
            replaces: (!replaces.is_empty()).then(|| replaces.to_string()),
        }
    }

    /// Returns the edges of an entry. One edge leads to the bundle that the entry replaces, or to nothing if the entry
    /// replaces none. A further edge leads to each skipped bundle that `wanted` accepts, unless the entry also
    /// replaces that bundle.
    fn edges(&self, entry: &ServedEntry, wanted: impl Fn(&Text) -> bool) -> Vec<Edge> {
        let skips = entry
            .skips
            .iter()
            .filter(|skipped| **skipped != entry.replaces && wanted(skipped));
        let ends = std::iter::once(&entry.replaces).chain(skips);
        ends.map(|end| self.edge(entry, end)).collect()
    }

    fn has(&self, name: &Text) -> bool {
        self.entries.binary_search_by(|entry| entry.name.cmp(name)).is_ok()
    }
}

impl ServedEntry {
    fn follows(&self, name: &str) -> bool {
        *self.replaces == *name || self.skips.iter().any(|skipped| **skipped == *name)
    }
}

impl Graph {
    /// Returns all entries that replace or skip a bundle, each with the bundle that it replaces; if the name is empty,
    /// also entries that replace nothing.
    pub(in crate::server) fn replacing(&self, name: &str) -> Vec<Edge> {
        let of = |channel: &Channel| {
            let entries = channel.entries.iter().filter(|entry| entry.follows(name));
            entries
                .map(|entry| channel.edge(entry, &entry.replaces))
                .collect::<Vec<_>>()
        };
        self.channels.iter().flat_map(of).collect()
    }

    /// Returns the entry of a channel that replaces or skips a bundle. The head takes precedence, followed by entries
    /// that replace the bundle, then by entries that skip it.
    pub(in crate::server) fn replacing_in(&self, package: &str, channel: &str, name: &str) -> Option<Edge> {
        let key = (package, channel);
        let at = self
            .channels
            .binary_search_by(|known| (&*known.package, &*known.name).cmp(&key));
        let channel = self.channels.get(at.ok()?)?;
        let replaces = |entry: &&ServedEntry| *entry.replaces == *name;
        let follows = |entry: &&ServedEntry| entry.follows(name);
        let found = channel.head().filter(follows);
        let found = found.or_else(|| channel.entries.iter().find(replaces));
        let found = found.or_else(|| channel.entries.iter().find(follows));
        found.map(|entry| channel.edge(entry, &entry.replaces))
    }

    /// Returns all edges of the bundles that provide an API.
    pub(in crate::server) fn providing(&self, api: &GroupVersionKind) -> Vec<Edge> {
        let Some(providers) = self.providers.get(api) else {
            return Vec::new();
        };
        let of = |channel: &Channel| {
            let entries = channel
                .entries
                .iter()
                .filter(|entry| providers.binary_search(&entry.bundle).is_ok());
            entries
                .flat_map(|entry| channel.edges(entry, |_| true))
                .collect::<Vec<_>>()
        };
        self.channels.iter().flat_map(of).collect()
    }

    /// Returns the edges of all heads that provide an API; an edge to a skipped bundle is included only if the channel
    /// contains that bundle.
    pub(in crate::server) fn latest_providing(&self, api: &GroupVersionKind) -> Vec<Edge> {
        let heads = self.providing_heads(api);
        let edges = heads.flat_map(|(channel, head)| channel.edges(head, |skipped| channel.has(skipped)));
        edges.collect()
    }

    /// Returns the head of a default channel if the head provides an API. If several heads do, the first by package
    /// name is returned.
    pub(in crate::server) fn default_providing(&self, api: &GroupVersionKind) -> Option<Edge> {
        let mut heads = self.providing_heads(api).filter(|(channel, _)| channel.is_default);
        heads.next().map(|(channel, head)| channel.edge(head, &head.replaces))
    }

    /// Returns whether the head of any channel provides an API.
    pub(in crate::server) fn is_provided(&self, api: &GroupVersionKind) -> bool {
        self.providing_heads(api).next().is_some()
    }

    fn providing_heads(&self, api: &GroupVersionKind) -> impl Iterator<Item = (&Channel, &ServedEntry)> {
        let providers = self.providers.get(api);
        self.channels.iter().filter_map(move |channel| {
            let head = channel.head()?;
            providers?
                .binary_search(&head.bundle)
                .is_ok()
                .then_some((channel, head))
        })
    }
}
