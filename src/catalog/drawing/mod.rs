//! The update graph as a picture: [`mermaid`] and [`dot`] for other programs to draw, [`svg`] drawn here.
//!
//! All three are made of one [`Drawing`], which says what is to be seen and nothing about where. Lines lead from the
//! older bundle to the one that it may be updated to. What is drawn depends on the catalog alone, byte for byte.

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

/// More parts of ranges than this for each bundle of a channel are not drawn. Where versions stand in the order of
/// updates, a range is one part; where they do not, the lines would cover each other, and their number grow with the
/// square of the bundles.
const RANGE_PARTS: usize = 8;

/// Channels of packages, ready to be drawn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drawing {
    /// In the order of the catalog.
    pub channels: Vec<ChannelDrawing>,
}

/// A channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelDrawing {
    /// The package.
    pub package: Text,
    /// The channel.
    pub channel: Text,
    /// Whether users who named no channel get this one.
    pub is_default: bool,
    /// Whether the channel, or its package, is deprecated.
    pub is_deprecated: bool,
    /// From the head downwards; behind them the names that only edges mention.
    pub nodes: Vec<Node>,
    /// By the newer bundle, then by kind.
    pub edges: Vec<Edges>,
    /// How many bundles have a range whose lines are left out because there are too many of them.
    pub undrawn_ranges: usize,
}

/// A bundle in a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The bundle.
    pub name: Text,
    /// Its version as stored.
    pub version: Option<Text>,
    /// The range of versions that it skips, as stored.
    pub skip_range: Option<Text>,
    /// Whether it is the head of the channel.
    pub is_head: bool,
    /// Whether it is deprecated.
    pub is_deprecated: bool,
    /// How it belongs to the channel.
    pub standing: Standing,
}

/// How a bundle belongs to a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is an entry.
    Entry,
    /// It is an entry that others skip, where that is to be told.
    Skipped,
    /// The channel only mentions it.
    Absent,
}

/// Edges of one kind that lead to one bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edges {
    /// What the newer bundle says about the older ones.
    pub kind: EdgeKind,
    /// The place in [`ChannelDrawing::nodes`] of the bundle that is updated to.
    pub newer: usize,
    /// The places of those that are updated, in order, as runs of neighbours.
    pub older: Vec<Range<usize>>,
}

/// Why a bundle may be updated to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeKind {
    /// The newer replaces it.
    Replaces,
    /// The newer skips it.
    Skips,
    /// Its version is in the range that the newer skips.
    SkipRange,
}

impl ChannelDrawing {
    /// What stands behind the name of the channel.
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
    /// The places of the older bundles.
    pub fn each(&self) -> impl Iterator<Item = usize> + '_ {
        self.older.iter().cloned().flatten()
    }

    /// How many edges these are.
    pub fn count(&self) -> usize {
        self.older.iter().map(ExactSizeIterator::len).sum()
    }
}

impl Node {
    fn is_absent(&self) -> bool {
        self.standing == Standing::Absent
    }

    /// The words that tell it apart without colour.
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

    /// What stands below the name.
    fn details(&self) -> String {
        let version = self.version.as_deref().filter(|version| !version.is_empty());
        let range = self.skip_range.as_ref().map(|range| format!("skipRange {range}"));
        let mut details: Vec<&str> = version.into_iter().collect();
        details.extend(self.words());
        details.extend(range.as_deref());
        details.join(", ")
    }
}

/// How much is drawn, and what is known beyond the catalog.
#[derive(Debug, Clone, Copy, Default)]
pub struct View<'a> {
    /// The lowest version that is drawn; bundles without a version are not, either.
    pub lowest: Option<&'a Version>,
    /// Whether bundles that others skip are told apart: OLM updates from them, and never to them.
    pub tell_skipped: bool,
    /// What a file-based catalog says is deprecated.
    pub deprecated: Option<&'a Deprecated>,
}

/// What is to be drawn of these channels.
pub fn drawing(catalog: &Catalog, channels: &[(&Package, &Channel)]) -> Drawing {
    View::default().drawing(catalog, channels)
}

impl View<'_> {
    /// What is to be drawn of these channels.
    pub fn drawing(&self, catalog: &Catalog, channels: &[(&Package, &Channel)]) -> Drawing {
        let drawn = channels
            .iter()
            .map(|(package, channel)| of_channel(catalog, package, channel, self));
        // A channel of which nothing is high enough would be an empty box.
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
        let told = |deprecated: &Deprecated| {
            let pair = (package.name.clone(), bundle.name.clone());
            deprecated.bundles.contains(&pair)
        };
        bundle.properties.iter().any(|property| &*property.kind == DEPRECATED) || self.deprecated.is_some_and(told)
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
    // Where only a part is drawn, it is not known which of them belong to it.
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

/// Rising places as runs of neighbours.
fn runs(places: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    joined(places.map(|place| place..place + 1))
}

/// Rising ranges, with those joined that touch.
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

/// Finds the bundles of a channel whose versions are in a range, without looking at each of them for each range.
struct Ranges {
    /// Rising, with the place of the bundle.
    versions: Vec<(Version, usize)>,
    /// For each version where the stretch ends whose places rise or fall one by one.
    stretches: Vec<usize>,
    /// How many parts may still be drawn.
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

    /// The places of the bundles in the range but `newer`; `None` where they are in too many parts. A string that is no
    /// range holds none.
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

/// `text` without what no form of a picture can show: line breaks, control characters, and those that turn the
/// direction of the text.
fn shown(text: &str) -> String {
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
