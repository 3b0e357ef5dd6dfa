//! Creates the update graph of a package whose channels list their bundles and edges, as in file-based catalogs.
//!
//! Index entries cannot express everything that such a list can express, so [`listed`] also returns the differences.

use super::{Channel, Graph, GraphEntry};
use crate::catalog::{self, Catalog};
use std::collections::{BTreeMap, BTreeSet};

/// A difference between the index entries and the list from which they were created.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// In the index, a bundle skips the bundle that it replaces in the list. The reason is that the replacing bundle is
    /// not on the chain of replaced bundles from the head, or that the replaced bundle does not exist.
    Skips {
        /// The channel.
        channel: String,
        /// The bundle.
        bundle: String,
        /// The bundle that `bundle` replaces in the list.
        replaced: String,
    },
    /// A bundle that is replaced or skipped in a channel becomes part of the channel, although the channel does not
    /// list it.
    Joins {
        /// The channel.
        channel: String,
        /// The bundle.
        bundle: String,
    },
}

/// The error for a channel with no head or several heads.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "channel {channel:?} of package {package:?} must have exactly one head, which no other bundle in the channel replaces or skips"
)]
pub struct HeadError {
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
}

/// Returns the graph of a package in a catalog, and the differences from its channel lists.
///
/// # Errors
/// Returns an error if a channel has no head or several heads.
pub fn listed(catalog: &Catalog, package: &catalog::Package) -> Result<(Graph, Vec<Difference>), HeadError> {
    let mut graph = Graph {
        package: package.name.to_string(),
        default_channel: package.default_channel.as_deref().unwrap_or_default().to_owned(),
        channels: Vec::new(),
        dropped: Vec::new(),
        rewritten: BTreeMap::new(),
    };
    let mut differences = Vec::new();
    for channel in &package.channels {
        let Some(head) = channel.head.as_deref() else {
            return Err(HeadError {
                package: package.name.to_string(),
                channel: channel.name.to_string(),
            });
        };
        let members = Members::new(catalog, channel);
        let (entries, skipping) = members.entries(head, catalog);
        differences.extend(skipping.into_iter().map(|(bundle, replaced)| Difference::Skips {
            channel: channel.name.to_string(),
            bundle: bundle.to_owned(),
            replaced: replaced.to_owned(),
        }));
        let joins =
            |entry: &&GraphEntry| !members.0.contains_key(&*entry.bundle) && catalog.find(&entry.bundle).is_some();
        let joining: BTreeSet<&str> = entries.iter().filter(joins).map(|entry| &*entry.bundle).collect();
        differences.extend(joining.into_iter().map(|bundle| Difference::Joins {
            channel: channel.name.to_string(),
            bundle: bundle.to_owned(),
        }));
        graph.channels.push(Channel {
            name: channel.name.to_string(),
            head: head.to_owned(),
            entries,
        });
    }
    Ok((graph, differences))
}

/// The bundles that a channel lists, by name.
struct Members<'a>(BTreeMap<&'a str, &'a catalog::ChannelEntry>);

/// A bundle and the bundle that it replaces.
type Edge<'a> = (&'a str, &'a str);

impl<'a> Members<'a> {
    fn new(catalog: &'a Catalog, channel: &'a catalog::Channel) -> Self {
        let named = |entry: &'a catalog::ChannelEntry| Some((&*catalog.bundle(entry.bundle)?.name, entry));
        Self(channel.entries.iter().filter_map(named).collect())
    }

    /// Returns the entries from a head downwards, and the edges that the entries represent as skips.
    fn entries(&self, head: &'a str, catalog: &Catalog) -> (Vec<GraphEntry>, Vec<Edge<'a>>) {
        let mut made = EntryList {
            entries: vec![GraphEntry::new(head, 0)],
            depth: 1,
        };
        let mut chain = BTreeSet::from([head]);
        let mut skipping = Vec::new();
        let (mut current, mut at) = (head, 0);
        while let Some(member) = self.0.get(current) {
            for target in &member.skips {
                made.skip(current, target);
            }
            let Some(next) = member.replaces.as_deref() else { break };
            if catalog.find(next).is_none() {
                // No further bundles can be added to an index in which a bundle replaces a missing bundle.
                if !member.skips.iter().any(|skip| &**skip == next) {
                    made.skip(current, next);
                }
                skipping.push((current, next));
                break;
            }
            if !chain.insert(next) {
                break;
            }
            at = made.replace(at, next);
            current = next;
        }
        for (name, member) in self.0.iter().filter(|(name, _)| !chain.contains(*name)) {
            for target in &member.skips {
                made.skip(name, target);
            }
            if let Some(replaced) = &member.replaces
                && !member.skips.contains(replaced)
            {
                made.skip(name, replaced);
                skipping.push((*name, &**replaced));
            }
        }
        (made.entries, skipping)
    }
}

/// A list of entries, and the depth of the next entry.
struct EntryList {
    entries: Vec<GraphEntry>,
    depth: u32,
}

impl EntryList {
    fn skip(&mut self, bundle: &str, target: &str) {
        self.entries.push(GraphEntry::new(target, self.depth));
        self.entries.push(GraphEntry {
            replaces: Some(self.entries.len() - 1),
            ..GraphEntry::new(bundle, self.depth)
        });
        self.depth += 1;
    }

    /// Adds an entry for a bundle that the entry at position `at` replaces. Returns the position of the new entry.
    fn replace(&mut self, at: usize, target: &str) -> usize {
        let below = self.entries.len();
        self.entries.push(GraphEntry::new(target, self.depth));
        if let Some(entry) = self.entries.get_mut(at) {
            entry.replaces = Some(below);
        }
        self.depth += 1;
        below
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{Bundle, BundleId, ManifestsId, Package, Text};

    /// Returns the entries of a channel as `depth:bundle>target`, and the differences. The channel lists entries such
    /// as `c>b-a` (c replaces b and skips a); the first entry is the head.
    fn graph(list: &[&str], bundles: &[&str]) -> (String, Vec<Difference>) {
        let mut catalog = Catalog::default();
        for name in bundles {
            catalog.bundles.push(Bundle {
                name: Text::from(*name),
                version: None,
                image: None,
                properties: Vec::new(),
                dependencies: Vec::new(),
                manifests: ManifestsId(0),
            });
        }
        let mut channel = catalog::Channel {
            name: Text::from("a"),
            head: None,
            entries: Vec::new(),
        };
        for text in list {
            let mut skips = text.split('-');
            let first = skips.next().unwrap();
            let (name, replaces) = first
                .split_once('>')
                .map_or((first, None), |(name, replaces)| (name, Some(Text::from(replaces))));
            channel.head.get_or_insert(Text::from(name));
            channel.entries.push(catalog::ChannelEntry {
                bundle: catalog.find(name).unwrap(),
                replaces,
                skips: skips.map(Text::from).collect(),
                skip_range: None,
            });
        }
        let package = Package {
            name: Text::from("p"),
            default_channel: Some(Text::from("a")),
            channels: vec![channel],
        };
        let (graph, differences) = listed(&catalog, &package).unwrap();
        let entries = &graph.channels[0].entries;
        let shown = entries.iter().map(|entry| {
            let target = entry.replaces.map(|at| format!(">{}", entries[at].bundle));
            format!("{}:{}{}", entry.depth, entry.bundle, target.unwrap_or_default())
        });
        (shown.collect::<Vec<_>>().join(" "), differences)
    }

    #[test]
    fn a_chain_with_skips_is_stored_as_in_replaces_mode() {
        let (entries, differences) = graph(&["d>c-x", "c>b", "b"], &["b", "c", "d"]);
        assert_eq!(entries, "0:d>c 1:x 1:d>x 2:c>b 3:b");
        assert_eq!(differences, []);
    }

    #[test]
    fn edges_of_skipped_bundles_become_skips_and_are_reported() {
        let (entries, differences) = graph(&["c-b", "b>a", "a"], &["a", "b", "c"]);
        assert_eq!(entries, "0:c 1:b 1:c>b 2:a 2:b>a");
        let (channel, bundle, replaced) = ("a".to_owned(), "b".to_owned(), "a".to_owned());
        let skips = Difference::Skips {
            channel,
            bundle,
            replaced,
        };
        assert_eq!(differences, [skips]);
    }

    #[test]
    fn bundles_of_other_channels_are_included_and_unknown_names_are_not() {
        let (entries, differences) = graph(&["c>b-ghost"], &["b", "c"]);
        assert_eq!(entries, "0:c>b 1:ghost 1:c>ghost 2:b");
        let (channel, bundle) = ("a".to_owned(), "b".to_owned());
        assert_eq!(differences, [Difference::Joins { channel, bundle }]);
    }

    #[test]
    fn a_missing_replaced_bundle_is_skipped() {
        let (entries, differences) = graph(&["c>b", "b>a"], &["b", "c"]);
        assert_eq!(entries, "0:c>b 1:b 2:a 2:b>a");
        let (channel, bundle, replaced) = ("a".to_owned(), "b".to_owned(), "a".to_owned());
        let skips = Difference::Skips {
            channel,
            bundle,
            replaced,
        };
        assert_eq!(differences, [skips]);
    }

    #[test]
    fn a_channel_requires_a_head() {
        let channel = catalog::Channel {
            name: Text::from("a"),
            head: None,
            entries: vec![catalog::ChannelEntry {
                bundle: BundleId(0),
                replaces: None,
                skips: Vec::new(),
                skip_range: None,
            }],
        };
        let package = Package {
            name: Text::from("p"),
            default_channel: None,
            channels: vec![channel],
        };
        let error = listed(&Catalog::default(), &package).unwrap_err();
        assert_eq!((&*error.package, &*error.channel), ("p", "a"));
    }
}
