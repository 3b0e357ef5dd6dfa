//! The mode `replaces`, in which the fields `replaces` and `skips` of the bundles determine the channels: the head of a
//! channel is the bundle with the highest version, and the rest is the chain of `replaces` from the head.

use super::{Channel, Graph, GraphEntry, GraphError, Node, Package, dropped, reachable, substitution};
use crate::version::parse_strict;
use semver::Version;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of entries in all channels of a package. The entries for the skips of a chain are repeated in
/// every channel, so a small bundle with many channels and many skips could otherwise fill memory and disk.
pub(super) const MOST_ENTRIES: usize = 1_000_000;

/// Returns the graph of `package` with the bundles `added`, in the mode `replaces`.
///
/// # Errors
/// Returns all errors of the first stage that fails: versions, then heads, then the default channel, then the chains,
/// then whether every added bundle can be reached in each of its channels.
pub(super) fn with_replaces(package: &Package, added: &BTreeMap<String, Node>) -> Result<Graph, Vec<GraphError>> {
    let rewritten = substitution::rewritten(package, added)?;
    let bundles: BTreeMap<&str, &Node> = package
        .bundles
        .iter()
        .chain(added)
        .chain(&rewritten)
        .map(|(name, node)| (name.as_str(), node))
        .collect();
    let build = Build {
        package: &package.name,
        bundles,
    };
    let versions = build.versions()?;
    let heads = build.heads(&versions)?;
    let default_channel = build.default_channel(&versions, &heads)?;
    let channels = build.channels(&heads)?;
    build.check_presence(added, &heads, &channels)?;
    check_heads(package, &channels)?;
    Ok(Graph {
        package: package.name.clone(),
        default_channel,
        dropped: dropped(package, &channels),
        channels,
        rewritten,
    })
}

struct Build<'a> {
    package: &'a str,
    bundles: BTreeMap<&'a str, &'a Node>,
}

/// The versions of a package's bundles, by name; a bundle without a version gets a version below all releases.
type Versions<'a> = BTreeMap<&'a str, Version>;

impl<'a> Build<'a> {
    fn package(&self) -> String {
        self.package.to_owned()
    }

    fn members(&self) -> impl Iterator<Item = (&'a str, &'a Node)> + '_ {
        let members = self.bundles.iter().filter(|(_, node)| !node.channels.is_empty());
        members.map(|(name, node)| (*name, *node))
    }

    fn versions(&self) -> Result<Versions<'a>, Vec<GraphError>> {
        let mut versions = Versions::new();
        let mut errors = Vec::new();
        for (name, node) in self.members() {
            let text = if node.version.is_empty() {
                "0.0.0-z"
            } else {
                &node.version
            };
            match parse_strict(text) {
                Ok(version) => {
                    versions.insert(name, version);
                }
                Err(reason) => errors.push(GraphError::Version {
                    package: self.package(),
                    bundle: name.to_owned(),
                    version: node.version.clone(),
                    reason,
                }),
            }
        }
        if errors.is_empty() { Ok(versions) } else { Err(errors) }
    }

    /// Returns the head of each channel: the bundle with the highest version, including build metadata.
    fn heads(&self, versions: &Versions<'a>) -> Result<BTreeMap<&'a str, &'a str>, Vec<GraphError>> {
        let greatest = greatest(versions.iter().map(|(name, version)| (*name, version)));
        let (Some(first), rest) = (greatest.first(), greatest.len() > 1) else {
            return Err(vec![GraphError::NoChannel {
                package: self.package(),
            }]);
        };
        if rest {
            return Err(vec![GraphError::AmbiguousMaximum {
                package: self.package(),
                version: self.version_of(first),
                bundles: owned(&greatest),
            }]);
        }
        let mut channels: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (name, node) in self.members() {
            for channel in &node.channels {
                channels.entry(channel).or_default().push(name);
            }
        }
        let mut heads = BTreeMap::new();
        let mut errors = Vec::new();
        for (channel, names) in channels {
            let candidates = names
                .iter()
                .filter_map(|name| versions.get(name).map(|version| (*name, version)));
            let greatest = self::greatest(candidates);
            match greatest.as_slice() {
                [] => {}
                [head] => {
                    heads.insert(channel, *head);
                }
                [head, ..] => errors.push(GraphError::AmbiguousHead {
                    package: self.package(),
                    channel: channel.to_owned(),
                    version: self.version_of(head),
                    bundles: owned(&greatest),
                }),
            }
        }
        if errors.is_empty() { Ok(heads) } else { Err(errors) }
    }

    fn version_of(&self, bundle: &str) -> String {
        self.bundles
            .get(bundle)
            .map(|node| node.version.clone())
            .unwrap_or_default()
    }

    /// Returns the default channel that the bundles declare; if they declare different ones, the bundle with the
    /// highest version decides. A package with one channel needs no declaration.
    fn default_channel(
        &self,
        versions: &Versions<'a>,
        heads: &BTreeMap<&'a str, &'a str>,
    ) -> Result<String, Vec<GraphError>> {
        let declared = self
            .members()
            .filter(|(_, node)| !node.version.is_empty())
            .filter_map(|(name, node)| match node.default_channel.as_deref() {
                None | Some("") => None,
                Some(channel) => Some((versions.get(name), name, channel)),
            })
            .max_by(|left, right| (left.0, left.1).cmp(&(right.0, right.1)));
        let names = || heads.keys().map(|channel| (*channel).to_owned()).collect();
        let error = match declared {
            Some((_, _, channel)) if heads.contains_key(channel) => return self.alive(channel, heads),
            Some((_, bundle, channel)) => GraphError::DefaultChannelUnknown {
                package: self.package(),
                bundle: bundle.to_owned(),
                default_channel: channel.to_owned(),
                channels: names(),
            },
            None => match heads.keys().next() {
                Some(only) if heads.len() == 1 => return self.alive(only, heads),
                _ => GraphError::DefaultChannelMissing {
                    package: self.package(),
                    channels: names(),
                },
            },
        };
        Err(vec![error])
    }

    fn alive(&self, channel: &str, heads: &BTreeMap<&'a str, &'a str>) -> Result<String, Vec<GraphError>> {
        match heads.get(channel) {
            Some(head) if self.is_deprecated(head) => Err(vec![GraphError::DefaultChannelDeprecated {
                package: self.package(),
                channel: channel.to_owned(),
                head: (*head).to_owned(),
            }]),
            _ => Ok(channel.to_owned()),
        }
    }

    fn is_deprecated(&self, bundle: &str) -> bool {
        self.bundles.get(bundle).is_some_and(|node| node.deprecated)
    }

    fn channels(&self, heads: &BTreeMap<&'a str, &'a str>) -> Result<Vec<Channel>, Vec<GraphError>> {
        let mut channels = Vec::with_capacity(heads.len());
        let mut errors = Vec::new();
        let mut room = MOST_ENTRIES;
        for (channel, head) in heads {
            if self.is_deprecated(head) {
                continue;
            }
            match self.walk(channel, head, room) {
                Ok(entries) => {
                    room = room.saturating_sub(entries.len());
                    channels.push(Channel {
                        name: (*channel).to_owned(),
                        head: (*head).to_owned(),
                        entries,
                    });
                }
                Err(found) if matches!(found[..], [GraphError::TooManyEntries { .. }]) => return Err(found),
                Err(found) => errors.extend(found),
            }
        }
        if errors.is_empty() { Ok(channels) } else { Err(errors) }
    }

    /// Returns the entries of one channel. Fails if they need more than `room`. The chain may lead through bundles that
    /// do not list the channel.
    fn walk(&self, channel: &str, head: &'a str, room: usize) -> Result<Vec<GraphEntry>, Vec<GraphError>> {
        let mut entries = vec![GraphEntry::new(head, 0)];
        let mut visited = BTreeSet::from([head]);
        let mut depth = 1;
        let (mut current, mut at) = (head, 0);
        while let Some(node) = self.bundles.get(current)
            && !node.deprecated
        {
            // Each skip has two entries, and the head or replaced bundle has one.
            if entries.len() + 2 * node.skips.len() > room {
                return Err(vec![GraphError::TooManyEntries {
                    package: self.package(),
                    limit: MOST_ENTRIES,
                }]);
            }
            for skip in &node.skips {
                entries.push(GraphEntry::new(skip, depth));
                entries.push(GraphEntry {
                    replaces: Some(entries.len() - 1),
                    ..GraphEntry::new(current, depth)
                });
                depth += 1;
            }
            if node.replaces.is_empty() {
                break;
            }
            let next = node.replaces.as_str();
            if next == current {
                return Err(vec![GraphError::ReplacesItself {
                    package: self.package(),
                    bundle: current.to_owned(),
                }]);
            }
            if !visited.insert(next) {
                return Err(vec![GraphError::Cycle {
                    package: self.package(),
                    channel: channel.to_owned(),
                    head: head.to_owned(),
                    bundle: current.to_owned(),
                    replaces: next.to_owned(),
                }]);
            }
            if !self.bundles.contains_key(next) {
                return Err(vec![GraphError::ReplacesMissing {
                    package: self.package(),
                    channel: channel.to_owned(),
                    head: head.to_owned(),
                    bundle: current.to_owned(),
                    replaces: next.to_owned(),
                }]);
            }
            let below = entries.len();
            entries.push(GraphEntry::new(next, depth));
            if let Some(entry) = entries.get_mut(at) {
                entry.replaces = Some(below);
            }
            (current, at) = (next, below);
            depth += 1;
        }
        Ok(entries)
    }

    fn check_presence(
        &self,
        added: &BTreeMap<String, Node>,
        heads: &BTreeMap<&'a str, &'a str>,
        channels: &[Channel],
    ) -> Result<(), Vec<GraphError>> {
        let reachable = reachable(channels);
        let mut errors = Vec::new();
        let mut left: BTreeMap<&str, (&'a str, Vec<&str>)> = BTreeMap::new();
        for (name, node) in added {
            for channel in &node.channels {
                if reachable.contains(&(channel.as_str(), name.as_str())) {
                    continue;
                }
                let Some((head, head_node)) = heads
                    .get(channel.as_str())
                    .and_then(|head| Some((*head, self.bundles.get(head)?)))
                else {
                    continue;
                };
                if head_node.deprecated {
                    errors.push(GraphError::ChannelDeprecated {
                        package: self.package(),
                        channel: channel.clone(),
                        bundle: name.clone(),
                        head: head.to_owned(),
                    });
                } else {
                    left.entry(channel).or_insert((head, Vec::new())).1.push(name);
                }
            }
        }
        for (channel, (head, bundles)) in left {
            errors.extend(self.unreachable(channel, head, bundles));
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Returns the error for bundles that cannot be reached from the head of their channel.
    fn unreachable(&self, channel: &str, head: &'a str, mut bundles: Vec<&str>) -> Option<GraphError> {
        let of = |name: &str| self.bundles.get(name).copied();
        if let [bundle] = bundles[..] {
            let (node, head_node) = (of(bundle)?, of(head)?);
            return Some(GraphError::Unreachable {
                package: self.package(),
                channel: channel.to_owned(),
                bundle: bundle.to_owned(),
                version: node.version.clone(),
                head: head.to_owned(),
                head_version: head_node.version.clone(),
                head_replaces: head_node.replaces.clone(),
                head_skips: head_node.skips.clone(),
            });
        }
        // The walk over the channel has already shown that the chain ends.
        let (mut end, mut node) = (head, of(head)?);
        while !node.deprecated
            && let Some(next) = of(&node.replaces)
        {
            (end, node) = (&node.replaces, next);
        }
        let version = |name: &str| parse_strict(&self.version_of(name)).ok();
        bundles.sort_by_cached_key(|name| std::cmp::Reverse((version(name), (*name).to_owned())));
        let last = version(end);
        let below = bundles.iter().find(|name| version(name) < last);
        Some(GraphError::SeveralUnreachable {
            package: self.package(),
            channel: channel.to_owned(),
            head: head.to_owned(),
            end: end.to_owned(),
            next: below.or(bundles.first()).map(|name| (*name).to_owned())?,
            bundles: owned(&bundles),
        })
    }
}

/// Returns the names of the bundles with the highest version, in byte order. Versions that differ only in build
/// metadata count as different.
fn greatest<'a, 'v>(bundles: impl Iterator<Item = (&'a str, &'v Version)>) -> Vec<&'a str> {
    let mut names = Vec::new();
    let mut maximum: Option<&Version> = None;
    for (name, version) in bundles {
        match maximum.map_or(std::cmp::Ordering::Greater, |maximum| version.cmp(maximum)) {
            std::cmp::Ordering::Less => {}
            std::cmp::Ordering::Equal => names.push(name),
            std::cmp::Ordering::Greater => {
                maximum = Some(version);
                names = vec![name];
            }
        }
    }
    names
}

/// Returns an error for each channel in which a bundle replaces or skips the head. Stored edges are not reported here;
/// the check of an index reports them.
fn check_heads(package: &Package, channels: &[Channel]) -> Result<(), Vec<GraphError>> {
    let mut errors = Vec::new();
    for Channel { name, head, entries } in channels {
        let leads_to_head = |entry: &&GraphEntry| {
            let target = entry.replaces.and_then(|target| entries.get(target));
            entry.bundle != *head && target.is_some_and(|target| target.bundle == *head)
        };
        let Some(above) = entries.iter().find(leads_to_head) else {
            continue;
        };
        let stored = package.edges.get(name).and_then(|edges| edges.get(&above.bundle));
        if !stored.is_some_and(|targets| targets.contains(head)) {
            errors.push(GraphError::HeadSkipped {
                package: package.name.clone(),
                channel: name.clone(),
                head: head.clone(),
                bundle: above.bundle.clone(),
            });
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
