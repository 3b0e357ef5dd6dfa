//! The differences between two catalogs: packages, channels, the edges of the update graph, and bundles.
//!
//! Bundles are the same if their names and packages are, because several packages of a file-based catalog may have
//! bundles of one name. Manifests are not part of a catalog and are not compared. Lists of differences are sorted by
//! name. [`details`] compares everything else that indexes contain.

pub mod details;

use self::details::DetailDifference;
use super::{Bundle, Catalog, Channel, ChannelEntry, Package, Property};
use crate::olm::property;
use crate::text::canonical;
use serde::Serialize;
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// All differences.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The packages whose channels or default channel differ.
    pub packages: Vec<PackageDifference>,
    /// The bundles that differ, in all packages.
    pub bundles: Vec<BundleDifference>,
    /// The other parts that differ; see [`details`].
    pub details: Vec<DetailDifference>,
}

/// The kind of change to a package, channel, entry or bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The item is only in the second catalog.
    Added,
    /// The item is only in the first catalog.
    Removed,
    /// The item is in both catalogs, but differs.
    Changed,
}

/// A value that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The value in the first catalog.
    pub before: Option<String>,
    /// The value in the second catalog.
    pub after: Option<String>,
}

/// The values that only one of the two catalogs contains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SetChange<T> {
    /// Values only in the second catalog.
    pub added: Vec<T>,
    /// Values only in the first catalog.
    pub removed: Vec<T>,
}

/// The differences in a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PackageDifference {
    /// The name of the package.
    pub name: String,
    /// The kind of change.
    pub kind: Kind,
    /// The default channel, if it differs.
    pub default_channel: Option<Change>,
    /// The channels that differ.
    pub channels: Vec<ChannelDifference>,
}

/// The differences in a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChannelDifference {
    /// The name of the channel.
    pub name: String,
    /// The kind of change.
    pub kind: Kind,
    /// The head, if it differs.
    pub head: Option<Change>,
    /// The bundles that were added or removed, or whose edges differ.
    pub entries: Vec<EntryDifference>,
}

/// The differences in a channel's entry for a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EntryDifference {
    /// The name of the bundle.
    pub bundle: String,
    /// The kind of change in the channel.
    pub kind: Kind,
    /// The bundle that the entry replaces, if it differs.
    pub replaces: Option<Change>,
    /// The skipped bundles, if they differ. The order is ignored.
    pub skips: Option<SetChange<String>>,
}

/// The differences in a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BundleDifference {
    /// The name of the bundle.
    pub name: String,
    /// The package of the bundle; empty if it is unknown.
    pub package: String,
    /// The kind of change.
    pub kind: Kind,
    /// The version, if it differs.
    pub version: Option<Change>,
    /// The image reference, if it differs. `before` or `after` is `None` if that catalog stores the bundle inline,
    /// without an image.
    pub image: Option<Change>,
    /// The version range that the bundle's entries skip, if it differs. If the entries skip different ranges, each
    /// range is followed by its channel.
    pub skip_range: Option<Change>,
    /// The properties, if they differ; omitted for bundles that were added or removed.
    pub properties: Option<SetChange<TypedValue>>,
    /// The dependencies, if they differ; omitted for bundles that were added or removed.
    pub dependencies: Option<SetChange<TypedValue>>,
}

/// A stored property or dependency, with the JSON text of its value.
pub type TypedValue = property::Property<String, String>;

impl Difference {
    /// Returns whether there are no differences.
    pub fn is_empty(&self) -> bool {
        self.packages.is_empty() && self.bundles.is_empty() && self.details.is_empty()
    }
}

/// Returns the differences between `before` and `after`, without details.
pub fn difference(before: &Catalog, after: &Catalog) -> Difference {
    let ranges = (skip_ranges(before), skip_ranges(after));
    let bundles = (bundles(before), bundles(after));
    Difference {
        packages: merged(&before.packages, &after.packages, |package| &package.name)
            .filter_map(|pair| of_package(before, after, pair))
            .collect(),
        bundles: merged(&bundles.0, &bundles.1, |(key, _)| key)
            .filter_map(|pair| of_bundle(pair, &ranges))
            .collect(),
        details: Vec::new(),
    }
}

/// An item as it is in the first catalog and in the second; `None` for a catalog that does not contain the item.
type Pair<'a, T> = (Option<&'a T>, Option<&'a T>);

/// Iterates over two lists that are sorted by the same key, and pairs the items that have equal keys.
fn merged<'a, T, Key: Ord + ?Sized + 'a>(
    before: &'a [T],
    after: &'a [T],
    key: impl Fn(&'a T) -> &'a Key,
) -> impl Iterator<Item = Pair<'a, T>> {
    let (mut before, mut after) = (before.iter().peekable(), after.iter().peekable());
    std::iter::from_fn(move || {
        let order = match (before.peek(), after.peek()) {
            (None, None) => return None,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(one), Some(other)) => key(one).cmp(key(other)),
        };
        Some(match order {
            Ordering::Less => (before.next(), None),
            Ordering::Equal => (before.next(), after.next()),
            Ordering::Greater => (None, after.next()),
        })
    })
}

fn kind<T>((before, after): Pair<'_, T>) -> Kind {
    match (before, after) {
        (None, _) => Kind::Added,
        (_, None) => Kind::Removed,
        _ => Kind::Changed,
    }
}

/// Returns the change to a string, or `None` if it is unchanged; an empty string is treated as `None`.
fn change<T: AsRef<str>>(before: Option<T>, after: Option<T>) -> Option<Change> {
    let text = |text: Option<T>| {
        text.map(|text| text.as_ref().to_owned())
            .filter(|text| !text.is_empty())
    };
    let (before, after) = (text(before), text(after));
    (before != after).then_some(Change { before, after })
}

fn set_change<T: Ord>(before: BTreeSet<T>, after: BTreeSet<T>) -> Option<SetChange<T>> {
    if before == after {
        return None;
    }
    let (mut added, mut removed) = (Vec::new(), Vec::new());
    let mut known = before;
    for value in after {
        if !known.remove(&value) {
            added.push(value);
        }
    }
    removed.extend(known);
    Some(SetChange { added, removed })
}

fn of_package(before: &Catalog, after: &Catalog, pair: Pair<'_, Package>) -> Option<PackageDifference> {
    let package = pair.0.or(pair.1)?;
    let difference = PackageDifference {
        name: package.name.to_string(),
        kind: kind(pair),
        default_channel: change(
            pair.0.and_then(|package| package.default_channel.clone()),
            pair.1.and_then(|package| package.default_channel.clone()),
        ),
        channels: merged(channels(pair.0), channels(pair.1), |channel| &channel.name)
            .filter_map(|pair| of_channel(before, after, pair))
            .collect(),
    };
    let same = difference.default_channel.is_none() && difference.channels.is_empty();
    (difference.kind != Kind::Changed || !same).then_some(difference)
}

fn channels(package: Option<&Package>) -> &[Channel] {
    package.map_or(&[], |package| &package.channels)
}

fn of_channel(before: &Catalog, after: &Catalog, pair: Pair<'_, Channel>) -> Option<ChannelDifference> {
    let channel = pair.0.or(pair.1)?;
    let (old, new) = (entries(before, pair.0), entries(after, pair.1));
    let difference = ChannelDifference {
        name: channel.name.to_string(),
        kind: kind(pair),
        head: change(
            pair.0.and_then(|channel| channel.head.clone()),
            pair.1.and_then(|channel| channel.head.clone()),
        ),
        entries: merged(&old, &new, |(name, _)| *name).filter_map(of_entry).collect(),
    };
    let same = difference.head.is_none() && difference.entries.is_empty();
    (difference.kind != Kind::Changed || !same).then_some(difference)
}

/// Returns the entries of a channel with the names of their bundles, sorted by name.
fn entries<'a>(catalog: &'a Catalog, channel: Option<&'a Channel>) -> Vec<(&'a str, &'a ChannelEntry)> {
    let entries = channel.into_iter().flat_map(|channel| &channel.entries);
    let mut entries: Vec<(&str, &ChannelEntry)> = entries
        .filter_map(|entry| Some((&*catalog.bundle(entry.bundle)?.name, entry)))
        .collect();
    entries.sort_by_key(|(name, _)| *name);
    entries
}

fn of_entry(pair: Pair<'_, (&str, &ChannelEntry)>) -> Option<EntryDifference> {
    let (name, _) = pair.0.or(pair.1)?;
    let replaces = |entry: Option<&(&str, &ChannelEntry)>| entry.and_then(|(_, entry)| entry.replaces.clone());
    let skips = |entry: Option<&(&str, &ChannelEntry)>| -> BTreeSet<String> {
        let skips = entry.into_iter().flat_map(|(_, entry)| &entry.skips);
        skips.map(ToString::to_string).collect()
    };
    let difference = EntryDifference {
        bundle: (*name).to_owned(),
        kind: kind(pair),
        replaces: change(replaces(pair.0), replaces(pair.1)),
        skips: set_change(skips(pair.0), skips(pair.1)),
    };
    let same = difference.replaces.is_none() && difference.skips.is_none();
    (difference.kind != Kind::Changed || !same).then_some(difference)
}

/// The name and the package of a bundle.
type Key<'a> = (&'a str, &'a str);

fn bundles(catalog: &Catalog) -> Vec<(Key<'_>, &Bundle)> {
    catalog.by_name_and_package().into_iter().collect()
}

/// The version range that each bundle's entries skip. If the entries skip different ranges, each range is followed by
/// its channel.
type SkipRanges<'a> = BTreeMap<Key<'a>, String>;

fn skip_ranges(catalog: &Catalog) -> SkipRanges<'_> {
    let mut listed: BTreeMap<Key<'_>, Vec<(&str, &str)>> = BTreeMap::new();
    for package in &catalog.packages {
        for channel in &package.channels {
            for (name, entry) in entries(catalog, Some(channel)) {
                let range = entry.skip_range.as_deref().unwrap_or_default();
                let key = (name, &*package.name);
                listed.entry(key).or_default().push((&channel.name, range));
            }
        }
    }
    let text = |listed: &[(&str, &str)]| match listed {
        [(_, first), others @ ..] if others.iter().all(|(_, range)| range == first) => (*first).to_owned(),
        _ => {
            let some = listed.iter().filter(|(_, range)| !range.is_empty());
            let some: Vec<_> = some.map(|(channel, range)| format!("{range} in {channel}")).collect();
            some.join(", ")
        }
    };
    listed.into_iter().map(|(key, listed)| (key, text(&listed))).collect()
}

fn of_bundle(
    pair: Pair<'_, (Key<'_>, &Bundle)>,
    ranges: &(SkipRanges<'_>, SkipRanges<'_>),
) -> Option<BundleDifference> {
    let ((name, package), _) = *pair.0.or(pair.1)?;
    let key = (name, package);
    let pair = (pair.0.map(|(_, bundle)| *bundle), pair.1.map(|(_, bundle)| *bundle));
    let both = pair.0.zip(pair.1);
    let text = |of: fn(&Bundle) -> Option<&super::Text>| change(pair.0.and_then(of), pair.1.and_then(of));
    let difference = BundleDifference {
        name: name.to_owned(),
        package: package.to_owned(),
        kind: kind(pair),
        version: text(|bundle| bundle.version.as_ref()),
        image: text(|bundle| bundle.image.as_ref()),
        skip_range: change(ranges.0.get(&key), ranges.1.get(&key)),
        properties: both.and_then(|(one, other)| value_change(properties(one), properties(other))),
        dependencies: both.and_then(|(one, other)| value_change(dependencies(one), dependencies(other))),
    };
    let BundleDifference {
        version: None,
        image: None,
        skip_range: None,
        properties: None,
        dependencies: None,
        kind: Kind::Changed,
        ..
    } = difference
    else {
        return Some(difference);
    };
    None
}

/// Returns the change to a set of values. Values that differ only in the order of their keys, in escapes or in spaces
/// are the same.
fn value_change(before: BTreeSet<TypedValue>, after: BTreeSet<TypedValue>) -> Option<SetChange<TypedValue>> {
    let mut change = set_change(before, after)?;
    let meaning = |value: &TypedValue| {
        let parsed = serde_json::from_str::<Value>(&value.value);
        let text = parsed.map_or_else(
            |_| value.value.clone(),
            |parsed| canonical::as_written(&parsed, &value.value),
        );
        (value.kind.clone(), text)
    };
    let (added, removed): (Vec<_>, Vec<_>) = (
        change.added.iter().map(meaning).collect(),
        change.removed.iter().map(meaning).collect(),
    );
    change.added.retain(|value| !removed.contains(&meaning(value)));
    change.removed.retain(|value| !added.contains(&meaning(value)));
    (!change.added.is_empty() || !change.removed.is_empty()).then_some(change)
}

fn properties(bundle: &Bundle) -> BTreeSet<TypedValue> {
    let own = bundle
        .properties
        .iter()
        .filter(|own| &*own.kind != property::CONSTRAINT);
    own.map(typed).collect()
}

/// Returns the dependencies and the constraints. A bundle may declare a constraint as a dependency or as a property,
/// and a catalog stores it the way it was declared.
fn dependencies(bundle: &Bundle) -> BTreeSet<TypedValue> {
    let constraints = bundle
        .properties
        .iter()
        .filter(|own| &*own.kind == property::CONSTRAINT);
    bundle.dependencies.iter().chain(constraints).map(typed).collect()
}

fn typed(stored: &Property) -> TypedValue {
    TypedValue::new(&*stored.kind, &*stored.value)
}

#[cfg(test)]
mod tests;
