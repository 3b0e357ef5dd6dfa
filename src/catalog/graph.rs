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
mod semver;
mod substitution;

pub use error::GraphError;
pub(crate) use error::some_of;
pub use listed::{Difference, HeadError, listed};

use crate::version::parse_strict;
use ::semver::Version;
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
        Mode::Replaces => with_replaces(package, added),
        Mode::Semver => self::semver::with_versions(package, added, false),
        Mode::SemverSkipPatch => self::semver::with_versions(package, added, true),
    }
}

/// Returns the graph of `package` with the bundles `added`, in the mode `replaces`.
///
/// # Errors
/// Returns all errors of the first stage that fails: versions, then heads, then the default channel, then the chains,
/// then whether every added bundle can be reached in each of its channels.
fn with_replaces(package: &Package, added: &BTreeMap<String, Node>) -> Result<Graph, Vec<GraphError>> {
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
        for (channel, head) in heads {
            if self.is_deprecated(head) {
                continue;
            }
            match self.walk(channel, head) {
                Ok(entries) => channels.push(Channel {
                    name: (*channel).to_owned(),
                    head: (*head).to_owned(),
                    entries,
                }),
                Err(found) => errors.extend(found),
            }
        }
        if errors.is_empty() { Ok(channels) } else { Err(errors) }
    }

    /// Returns the entries of one channel. The chain may lead through bundles that do not list the channel.
    fn walk(&self, channel: &str, head: &'a str) -> Result<Vec<GraphEntry>, Vec<GraphError>> {
        let mut entries = vec![GraphEntry::new(head, 0)];
        let mut visited = BTreeSet::from([head]);
        let mut depth = 1;
        let (mut current, mut at) = (head, 0);
        while let Some(node) = self.bundles.get(current)
            && !node.deprecated
        {
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

impl GraphEntry {
    fn new(bundle: &str, depth: u32) -> Self {
        Self {
            bundle: bundle.to_owned(),
            depth,
            replaces: None,
        }
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

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[cfg(test)]
mod tests;
