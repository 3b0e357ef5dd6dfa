//! The update graph as a picture: as [`mermaid`] or [`dot`] text, which other programs draw, or as [`svg`].
//!
//! All three are created from a [`Drawing`], which specifies the content, but not the layout. Lines lead from an older
//! bundle to the bundle that it may be updated to. The output depends only on the catalog, byte for byte.

mod dot;
mod layout;
mod mermaid;
mod svg;

pub use dot::dot;
pub use mermaid::mermaid;
pub use svg::{inline_svg, svg};

use super::file_based::load::Deprecated;
use super::{Bundle, Catalog, Channel, Package, Text, order};
use crate::olm::property::DEPRECATED;
use crate::version::{VersionRange, parse_strict};
use crate::visible::is_hidden;
use semver::Version;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

/// The approximate maximum number of parts, per bundle, that are drawn for the version ranges of a channel. If versions
/// are in update order, a range is one part. Otherwise, a range can have many parts: without a limit, the lines would
/// overlap, and their number would grow with the square of the number of bundles.
const RANGE_PARTS: usize = 8;

/// Channels of packages, ready to be drawn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drawing {
    /// The channels, in the order of the catalog.
    pub channels: Vec<ChannelDrawing>,
}

/// A channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelDrawing {
    /// The package.
    pub package: Text,
    /// The channel.
    pub channel: Text,
    /// Whether the channel is the default for users who specify no channel.
    pub is_default: bool,
    /// Whether the channel or its package is deprecated.
    pub is_deprecated: bool,
    /// The bundles from the head downwards, followed by the names that only edges mention.
    pub nodes: Vec<Node>,
    /// The edges, sorted by newer bundle, then by kind.
    pub edges: Vec<Edges>,
    /// The number of bundles whose range is not drawn because too many lines would be needed.
    pub undrawn_ranges: usize,
}

/// A bundle in a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The bundle.
    pub name: Text,
    /// The version, as stored.
    pub version: Option<Text>,
    /// The version range that the bundle skips, as stored.
    pub skip_range: Option<Text>,
    /// Whether the bundle is the head of the channel.
    pub is_head: bool,
    /// Whether the bundle is deprecated.
    pub is_deprecated: bool,
    /// The relation of the bundle to the channel.
    pub standing: Standing,
}

/// The relation of a bundle to a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The bundle is an entry.
    Entry,
    /// The bundle is an entry that other bundles skip. Without [`View::tell_skipped`], such a bundle counts as an
    /// ordinary entry.
    Skipped,
    /// The bundle is not an entry of the channel; only edges or the head refer to it.
    Absent,
}

/// Edges of one kind that lead to one bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edges {
    /// The relation of the newer bundle to the older ones.
    pub kind: EdgeKind,
    /// The position of the newer bundle in [`ChannelDrawing::nodes`].
    pub newer: usize,
    /// The positions of the older bundles, in order, as consecutive runs.
    pub older: Vec<Range<usize>>,
}

/// The reason why a bundle may be updated to a newer one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeKind {
    /// The newer bundle replaces the older one.
    Replaces,
    /// The newer bundle skips the older one.
    Skips,
    /// The older version is in the range that the newer bundle skips.
    SkipRange,
}

impl ChannelDrawing {
    /// Returns the suffix for the channel name.
    fn remark(&self) -> &'static str {
        match (self.is_default, self.is_deprecated) {
            (true, true) => ", default, deprecated",
            (true, false) => ", default",
            (false, true) => ", deprecated",
            (false, false) => "",
        }
    }
}

impl Edges {
    /// Iterates over the positions of the older bundles.
    pub fn each(&self) -> impl Iterator<Item = usize> + '_ {
        self.older.iter().cloned().flatten()
    }

    /// Returns the number of edges.
    pub fn count(&self) -> usize {
        self.older.iter().map(ExactSizeIterator::len).sum()
    }
}

impl Node {
    fn is_absent(&self) -> bool {
        self.standing == Standing::Absent
    }

    /// Returns the words that describe the node without color.
    pub fn words(&self) -> Vec<&'static str> {
        let words = [
            (self.is_head, "head"),
            (self.is_deprecated, "deprecated"),
            (self.standing == Standing::Skipped, "skipped"),
            (self.is_absent(), "not in the channel"),
        ];
        words
            .iter()
            .filter(|(holds, _)| *holds)
            .map(|(_, word)| *word)
            .collect()
    }

    /// Returns the text below the name.
    fn details(&self) -> String {
        let version = self.version.as_deref().filter(|version| !version.is_empty());
        let range = self.skip_range.as_ref().map(|range| format!("skipRange {range}"));
        let mut details: Vec<&str> = version.into_iter().collect();
        details.extend(self.words());
        details.extend(range.as_deref());
        details.join(", ")
    }
}

/// Options of a drawing. They include the deprecations, because a [`Catalog`] does not contain any.
#[derive(Debug, Clone, Copy, Default)]
pub struct View<'a> {
    /// The lowest version to draw; if set, bundles without a version are also omitted.
    pub lowest: Option<&'a Version>,
    /// Whether to mark bundles that others skip: OLM updates from them, but never to them.
    pub tell_skipped: bool,
    /// The deprecations of a file-based catalog.
    pub deprecated: Option<&'a Deprecated>,
}

/// Returns the drawing of the specified channels.
pub fn drawing(catalog: &Catalog, channels: &[(&Package, &Channel)]) -> Drawing {
    View::default().drawing(catalog, channels)
}

impl View<'_> {
    /// Returns the drawing of the specified channels.
    pub fn drawing(&self, catalog: &Catalog, channels: &[(&Package, &Channel)]) -> Drawing {
        let drawn = channels
            .iter()
            .map(|(package, channel)| of_channel(catalog, package, channel, self));
        // A channel without a high enough version would be an empty box.
        let some = drawn.filter(|channel| self.lowest.is_none() || !channel.nodes.is_empty());
        Drawing {
            channels: some.collect(),
        }
    }

    fn shows(&self, bundle: &Bundle) -> bool {
        let version = || parse_strict(bundle.version.as_deref()?).ok();
        let high_enough = |lowest: &Version| version().is_some_and(|version| version.cmp_precedence(lowest).is_ge());
        self.lowest.is_none_or(high_enough)
    }

    fn is_deprecated(&self, package: &Package, bundle: &Bundle) -> bool {
        let is_deprecation = |deprecated: &Deprecated| {
            let pair = (package.name.clone(), bundle.name.clone());
            deprecated.bundles.contains(&pair)
        };
        bundle.properties.iter().any(|property| &*property.kind == DEPRECATED)
            || self.deprecated.is_some_and(is_deprecation)
    }

    fn is_channel_deprecated(&self, package: &Package, channel: &Channel) -> bool {
        self.deprecated.is_some_and(|deprecated| {
            let pair = (package.name.clone(), channel.name.clone());
            deprecated.packages.contains(&package.name) || deprecated.channels.contains(&pair)
        })
    }
}

fn of_channel(catalog: &Catalog, package: &Package, channel: &Channel, view: &View<'_>) -> ChannelDrawing {
    let mut nodes = Vec::with_capacity(channel.entries.len());
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut entries = Vec::new();
    let skipped: HashSet<&Text> = if view.tell_skipped {
        channel.entries.iter().flat_map(|entry| &entry.skips).collect()
    } else {
        HashSet::new()
    };
    for entry in order::entries(catalog, channel) {
        let Some(bundle) = catalog.bundle(entry.bundle).filter(|bundle| view.shows(bundle)) else {
            continue;
        };
        places.insert(&bundle.name, nodes.len());
        entries.push(entry);
        nodes.push(Node {
            name: bundle.name.clone(),
            version: bundle.version.clone(),
            skip_range: entry.skip_range.clone(),
            is_head: channel.head.as_ref() == Some(&bundle.name),
            is_deprecated: view.is_deprecated(package, bundle),
            standing: if skipped.contains(&bundle.name) {
                Standing::Skipped
            } else {
                Standing::Entry
            },
        });
    }
    let mentioned = entries
        .iter()
        .flat_map(|entry| entry.replaces.iter().chain(&entry.skips));
    // If only a part is drawn, it is unknown which of the mentioned bundles belong to that part.
    let absent: BTreeSet<&Text> = mentioned
        .chain(&channel.head)
        .filter(|name| view.lowest.is_none() && !name.is_empty() && !places.contains_key(&***name))
        .collect();
    for name in absent {
        places.insert(name, nodes.len());
        nodes.push(Node {
            name: name.clone(),
            version: None,
            skip_range: None,
            is_head: channel.head.as_ref() == Some(name),
            is_deprecated: false,
            standing: Standing::Absent,
        });
    }
    let mut ranges = Ranges::new(&nodes);
    let mut edges = Vec::new();
    let mut undrawn_ranges = 0;
    for (newer, entry) in entries.iter().enumerate() {
        let place = |name: &Text| places.get(&**name).copied();
        let skips: BTreeSet<usize> = entry.skips.iter().filter_map(place).collect();
        let in_range = match nodes.get(newer).and_then(|node| node.skip_range.as_deref()) {
            Some(range) => ranges.runs(range, newer),
            None => Some(Vec::new()),
        };
        undrawn_ranges += usize::from(in_range.is_none());
        let kinds = [
            (EdgeKind::Replaces, runs(entry.replaces.iter().filter_map(place))),
            (EdgeKind::Skips, runs(skips.into_iter())),
            (EdgeKind::SkipRange, in_range.unwrap_or_default()),
        ];
        let some = kinds.into_iter().filter(|(_, older)| !older.is_empty());
        edges.extend(some.map(|(kind, older)| Edges { kind, newer, older }));
    }
    ChannelDrawing {
        package: package.name.clone(),
        channel: channel.name.clone(),
        is_default: package.default_channel.as_ref() == Some(&channel.name),
        is_deprecated: view.is_channel_deprecated(package, channel),
        nodes,
        edges,
        undrawn_ranges,
    }
}

/// Joins ascending positions into consecutive runs.
fn runs(places: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    joined(places.map(|place| place..place + 1))
}

/// Joins adjacent ranges; the ranges must be ascending.
fn joined(ranges: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

/// Finds the bundles in a version range of a channel, without comparing each bundle with each range.
struct Ranges {
    /// The versions in ascending order, each with the position of its bundle.
    versions: Vec<(Version, usize)>,
    /// For each version, the end of the run that contains it; within a run, the positions increase or decrease by one.
    stretches: Vec<usize>,
    /// The number of additional parts that may be drawn.
    left: usize,
}

impl Ranges {
    fn new(nodes: &[Node]) -> Self {
        let mut versions: Vec<(Version, usize)> = nodes
            .iter()
            .enumerate()
            .filter_map(|(place, node)| Some((parse_strict(node.version.as_deref()?).ok()?, place)))
            .collect();
        versions.sort_by(|(one, at), (other, other_at)| one.cmp_precedence(other).then(other_at.cmp(at)));
        let place = |at: usize| versions.get(at).map(|(_, place)| *place);
        let mut stretches = vec![0; versions.len()];
        let mut begin = 0;
        while let Some(first) = place(begin) {
            let falls = place(begin + 1).is_some_and(|next| next + 1 == first);
            let follows = |last: usize, next: usize| if falls { next + 1 == last } else { last + 1 == next };
            let mut end = begin + 1;
            while let (Some(last), Some(next)) = (place(end - 1), place(end))
                && follows(last, next)
            {
                end += 1;
            }
            if let Some(stretch) = stretches.get_mut(begin..end) {
                stretch.fill(end);
            }
            begin = end;
        }
        Self {
            left: RANGE_PARTS * (nodes.len() + RANGE_PARTS),
            versions,
            stretches,
        }
    }

    /// Returns the positions of the bundles in the range except `newer`, or `None` if they form too many parts. If the
    /// string is not a range, no bundle is in it.
    fn runs(&mut self, range: &str, newer: usize) -> Option<Vec<Range<usize>>> {
        let Ok(range) = VersionRange::parse_as_olm(range) else {
            return Some(Vec::new());
        };
        let mut parts = Vec::new();
        for found in range.positions(&self.versions, |(version, _)| version) {
            let mut begin = found.start;
            while begin < found.end {
                let end = self.stretches.get(begin).map_or(found.end, |end| found.end.min(*end));
                if let (Some((_, one)), Some((_, other))) = (self.versions.get(begin), self.versions.get(end - 1)) {
                    parts.push(*one.min(other)..one.max(other) + 1);
                }
                if parts.len() > self.left {
                    return None;
                }
                begin = end;
            }
        }
        self.left -= parts.len();
        parts.sort_by_key(|part| part.start);
        let without = joined(parts.into_iter()).into_iter().flat_map(|part| {
            let (before, after) = if part.contains(&newer) {
                (part.start..newer, newer + 1..part.end)
            } else {
                (part, 0..0)
            };
            [before, after].into_iter().filter(|part| !part.is_empty())
        });
        Some(without.collect())
    }
}

/// Replaces characters that no picture format can show: line breaks, control characters, and direction-changing
/// characters.
fn printable(text: &str) -> String {
    let show = |character: char| match character {
        '\n' | '\r' | '\t' => ' ',
        '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        _ if is_hidden(character) => '\u{fffd}',
        _ => character,
    };
    text.chars().map(show).collect()
}

#[cfg(test)]
mod tests;
