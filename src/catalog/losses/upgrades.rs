//! The updates that clusters no longer receive from a channel.

use crate::catalog::updates::{Installed, updates_from};
use crate::catalog::{Catalog, Channel};
use crate::version::{VersionRange, parse_tolerant};
use semver::Version;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// What a cluster runs that no longer receives an update.
pub(super) enum Lost<'a> {
    /// A bundle that is in the channel, or that an entry of the channel replaces or skips.
    Bundle(&'a str),
    /// A version that is not in the channel, but in the skip range of an entry. No other version is reported for this
    /// range.
    Version { version: Version, range: &'a str },
}

/// Returns what no longer receives an update: of the bundles in the channel `before`, of the former bundles that its
/// entries replace or skip, and of the versions that they skip.
pub(super) fn lost_updates<'a>(
    before: (&'a Catalog, &'a Channel),
    after: (&Catalog, &Channel),
    mut installed: Vec<Installed<'a>>,
) -> Vec<Lost<'a>> {
    let entries = &before.1.entries;
    let mut known: HashSet<&str> = installed.iter().map(|installed| installed.name).collect();
    let versions: BTreeSet<Version> = installed.iter().filter_map(|known| known.version.clone()).collect();
    let former = entries
        .iter()
        .flat_map(|entry| entry.replaces.iter().chain(&entry.skips));
    let former = former.filter(|name| known.insert(name)).map(|name| Installed {
        name,
        version: version_in(name),
    });
    installed.extend(former);
    let bundles = installed.len();
    let ranges = ranges(before.1);
    let later = self::ranges(after.1);
    let bounds = ranges.values().chain(later.values()).flat_map(VersionRange::bounds);
    let asked: BTreeSet<Version> = bounds.flat_map(around).collect();
    // The versions of bundles in the channel may also be reached by name.
    let asked = asked.into_iter().filter(|version| !versions.contains(version)).rev();
    installed.extend(asked.map(|version| Installed {
        name: "",
        version: Some(version),
    }));
    let [got_on, gets_on] = [before, after].map(|at| getting_on(at, &installed));
    let lost = installed.iter().zip(got_on).zip(gets_on).enumerate();
    let lost = lost.filter(|(_, ((_, got_on), gets_on))| *got_on && !gets_on);
    let mut reported = HashSet::new();
    let lost = lost.filter_map(|(at, ((installed, _), _))| {
        if at < bundles {
            return Some(Lost::Bundle(installed.name));
        }
        let version = installed.version.clone()?;
        let (range, _) = ranges.iter().find(|(_, range)| range.contains(&version))?;
        reported.insert(*range).then_some(Lost::Version { version, range })
    });
    lost.collect()
}

/// Returns the skip ranges of a channel, by their text.
fn ranges(channel: &Channel) -> BTreeMap<&str, VersionRange> {
    let ranges = channel.entries.iter().filter_map(|entry| entry.skip_range.as_deref());
    let parsed = ranges.filter_map(|range| Some((range, VersionRange::parse_as_olm(range).ok()?)));
    parsed.collect()
}

/// Returns the version that follows the name of the package in the usual names of bundles.
fn version_in(name: &str) -> Option<Version> {
    let mut ends = name.match_indices(['.', '-']);
    ends.find_map(|(at, _)| parse_tolerant(name.get(at + 1..)?))
}

/// Returns releases at, below and above the bound of a range. Other releases between two bounds have the same verdict.
fn around(bound: &Version) -> [Version; 4] {
    let Version {
        major, minor, patch, ..
    } = *bound;
    let below = match (major, minor, patch) {
        (_, _, 1..) => Version::new(major, minor, patch - 1),
        (_, 1.., 0) => Version::new(major, minor - 1, 0),
        (_, 0, 0) => Version::new(major.saturating_sub(1), 0, 0),
    };
    let at = Version::new(major, minor, patch);
    let above = Version::new(major, minor, patch.saturating_add(1));
    [Version::new(0, 0, 0), below, at, above]
}

/// Returns, for each installed bundle, whether it is the head of the channel, or a cluster that runs the bundle
/// receives an update.
fn getting_on((catalog, channel): (&Catalog, &Channel), installed: &[Installed<'_>]) -> Vec<bool> {
    let updates = updates_from(catalog, channel, installed);
    let pairs = installed.iter().zip(updates);
    pairs
        .map(|(installed, update)| channel.head.as_deref() == Some(installed.name) || update.is_some())
        .collect()
}
