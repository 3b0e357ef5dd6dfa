//! The update that OLM chooses for each bundle of a channel.
//!
//! OLM follows the chain of replacements down from the head, and ignores bundles that another bundle skips. It chooses
//! the first bundle that replaces or skips the installed one, or whose skip range includes the installed version.

use super::{Bundle, BundleId, Catalog, Channel, ChannelEntry};
use crate::olm::property::DEPRECATED;
use crate::version::{VersionRange, parse_tolerant};
use semver::Version;
use std::collections::{HashMap, HashSet};

/// An update that clusters perform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Update {
    /// The installed bundle.
    pub from: BundleId,
    /// The new bundle.
    pub to: BundleId,
}

/// Returns the update from each bundle of the channel, if there is one, in the order of the channel's entries.
pub fn updates(catalog: &Catalog, channel: &Channel) -> Vec<Update> {
    let entries = channel.entries.iter();
    let known = entries.filter_map(|entry| Some((entry.bundle, catalog.bundle(entry.bundle)?)));
    let known: Vec<(BundleId, &Bundle)> = known.collect();
    let installed: Vec<Installed<'_>> = known.iter().map(|(_, bundle)| Installed::of(bundle)).collect();
    let chosen = choose(catalog, &line(catalog, channel), &installed);
    let pairs = known.iter().zip(chosen);
    pairs
        .filter_map(|((from, _), to)| Some(Update { from: *from, to: to? }))
        .collect()
}

/// A bundle on a cluster, which need not be in the catalog.
#[derive(Debug, Clone)]
pub(crate) struct Installed<'a> {
    pub(crate) name: &'a str,
    pub(crate) version: Option<Version>,
}

impl<'a> Installed<'a> {
    pub(crate) fn of(bundle: &'a Bundle) -> Self {
        Self {
            name: &bundle.name,
            version: bundle.version.as_deref().and_then(parse_tolerant),
        }
    }
}

/// Returns the bundle to which OLM updates an installed bundle in the channel. Of the bundles that replace or skip the
/// installed one, or whose skip range includes the installed version, it is the one nearest to the head. The installed
/// bundle need not be in the catalog. Deprecated bundles are never updates.
pub(crate) fn update_from(
    catalog: &Catalog,
    channel: &Channel,
    installed: &str,
    version: Option<&Version>,
) -> Option<BundleId> {
    let installed = Installed {
        name: installed,
        version: version.cloned(),
    };
    let mut chosen = updates_from(catalog, channel, &[installed]);
    chosen.pop().flatten()
}

/// Returns what [`update_from`] returns for each of the installed bundles, in their order. Time is linear in the sizes
/// of the channel and of `installed`, apart from sorting.
pub(crate) fn updates_from(catalog: &Catalog, channel: &Channel, installed: &[Installed<'_>]) -> Vec<Option<BundleId>> {
    let mut line = line(catalog, channel);
    line.retain(|entry| {
        let bundle = catalog.bundle(entry.bundle);
        bundle.is_some_and(|bundle| !bundle.properties.iter().any(|property| &*property.kind == DEPRECATED))
    });
    choose(catalog, &line, installed)
}

/// Returns, for each installed bundle, the first entry of the line that replaces, skips or spans it and is another
/// bundle.
pub(super) fn choose(catalog: &Catalog, line: &[&ChannelEntry], installed: &[Installed<'_>]) -> Vec<Option<BundleId>> {
    let mut by_name: HashMap<&str, [Option<usize>; 2]> = HashMap::new();
    for (place, entry) in line.iter().enumerate() {
        for name in entry.replaces.iter().chain(&entry.skips) {
            add(by_name.entry(name).or_default(), place);
        }
    }
    let spanning = spanning(line, installed);
    let pairs = installed.iter().zip(spanning);
    pairs
        .map(|(installed, spanning)| {
            let is_other = |place: &usize| {
                let bundle = line.get(*place).and_then(|entry| catalog.bundle(entry.bundle));
                bundle.is_some_and(|bundle| &*bundle.name != installed.name)
            };
            let named = by_name.get(installed.name).copied().unwrap_or_default();
            let places = named.into_iter().chain(spanning).flatten().filter(is_other);
            Some(line.get(places.min()?)?.bundle)
        })
        .collect()
}

/// Adds a place to the first two places. The second one counts if the first one is the installed bundle itself.
fn add(first: &mut [Option<usize>; 2], place: usize) {
    if first.contains(&Some(place)) {
        return;
    }
    if let Some(free) = first.iter_mut().find(|known| known.is_none()) {
        *free = Some(place);
    }
}

/// Returns, for each installed bundle, the first two entries of the line whose skip range includes its version.
///
/// Between the bounds of a range, all versions have the same verdict, so each range is asked about one version of each
/// section of the sorted versions. Versions that already have two entries are passed over.
fn spanning(line: &[&ChannelEntry], installed: &[Installed<'_>]) -> Vec<[Option<usize>; 2]> {
    let mut first = vec![[None; 2]; installed.len()];
    let versions = installed.iter().enumerate();
    let versions = versions.filter_map(|(index, installed)| Some((installed.version.as_ref()?, index)));
    let mut sorted: Vec<(&Version, usize)> = versions.collect();
    sorted.sort_by(|(one, _), (other, _)| one.cmp_precedence(other));
    // The next version at or after this one that lacks an entry.
    let mut open: Vec<usize> = (0..=sorted.len()).collect();
    for (place, entry) in line.iter().enumerate() {
        let Some(Ok(range)) = entry.skip_range.as_deref().map(VersionRange::parse_as_olm) else {
            continue;
        };
        let bounds = range.bounds().flat_map(|bound| {
            let below = sorted.partition_point(|(version, _)| version.cmp_precedence(bound).is_lt());
            let equal = sorted.partition_point(|(version, _)| version.cmp_precedence(bound).is_le());
            [below, equal]
        });
        let mut cuts: Vec<usize> = bounds.chain([0, sorted.len()]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        for section in cuts.windows(2) {
            let &[start, end] = section else { continue };
            if !sorted.get(start).is_some_and(|(version, _)| range.contains(version)) {
                continue;
            }
            let mut at = next_open(&mut open, start);
            while at < end {
                let (_, index) = sorted[at];
                add(&mut first[index], place);
                if first[index][1].is_some() {
                    open[at] = at + 1;
                }
                at = next_open(&mut open, at + 1);
            }
        }
    }
    first
}

/// Follows the links to the next open place, and shortens them.
fn next_open(open: &mut [usize], start: usize) -> usize {
    let mut end = start;
    while open[end] != end {
        end = open[end];
    }
    let mut at = start;
    while at != end {
        at = std::mem::replace(&mut open[at], end);
    }
    end
}

/// Returns the entries from which OLM chooses, from the head downwards.
fn line<'channel>(catalog: &Catalog, channel: &'channel Channel) -> Vec<&'channel ChannelEntry> {
    let name = |entry: &ChannelEntry| catalog.bundle(entry.bundle).map(|bundle| &*bundle.name);
    let entries: HashMap<&str, &ChannelEntry> = channel
        .entries
        .iter()
        .filter_map(|entry| Some((name(entry)?, entry)))
        .collect();
    let skipped: HashSet<&str> = channel
        .entries
        .iter()
        .flat_map(|entry| &entry.skips)
        .map(|name| &**name)
        .collect();
    let (mut line, mut seen, mut next) = (Vec::new(), HashSet::new(), channel.head.as_deref());
    while let Some(name) = next.filter(|name| seen.insert(*name))
        && let Some(entry) = entries.get(name)
    {
        if !skipped.contains(name) {
            line.push(*entry);
        }
        next = entry.replaces.as_deref();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{ManifestsId, Package, Text};
    use proptest::prelude::*;

    /// A bundle, identified by its version: version, replaces, skips, skip range.
    type Row<'a> = (&'a str, Option<&'a str>, &'a [&'a str], Option<&'a str>);

    /// Returns a channel of bundles, from the head down.
    fn catalog(rows: &[Row<'_>]) -> Catalog {
        let mut bundles: Vec<Bundle> = rows
            .iter()
            .map(|(version, ..)| Bundle {
                name: Text::from(*version),
                version: Some(Text::from(*version)),
                image: None,
                properties: Vec::new(),
                dependencies: Vec::new(),
                manifests: ManifestsId(0),
            })
            .collect();
        bundles.sort_by(|one, other| one.name.cmp(&other.name));
        let mut catalog = Catalog {
            packages: Vec::new(),
            bundles,
        };
        let entries = rows.iter().map(|(version, replaces, skips, range)| ChannelEntry {
            bundle: catalog.find(version).unwrap(),
            replaces: replaces.map(Text::from),
            skips: skips.iter().map(|name| Text::from(*name)).collect(),
            skip_range: range.map(Text::from),
        });
        let channel = Channel {
            name: Text::from("stable"),
            head: rows.first().map(|row| Text::from(row.0)),
            entries: entries.collect(),
        };
        catalog.packages.push(Package {
            name: Text::from("p"),
            default_channel: None,
            channels: vec![channel],
        });
        catalog
    }

    fn taken(catalog: &Catalog) -> Vec<(&str, &str)> {
        let name = |id| &*catalog.bundle(id).unwrap().name;
        updates(catalog, &catalog.packages[0].channels[0])
            .into_iter()
            .map(|update| (name(update.from), name(update.to)))
            .collect()
    }

    #[test]
    fn updates_follow_replacements_one_step_at_a_time() {
        let catalog = catalog(&[
            ("3.0.0", Some("2.0.0"), &[], None),
            ("2.0.0", Some("1.0.0"), &[], None),
            ("1.0.0", None, &[], None),
        ]);
        assert_eq!(taken(&catalog), [("2.0.0", "3.0.0"), ("1.0.0", "2.0.0")]);
    }

    #[test]
    fn the_bundle_nearest_to_the_head_wins_for_every_kind_of_edge() {
        let spanning = catalog(&[
            ("3.0.0", Some("2.0.0"), &[], Some(">=1.0.0 <3.0.0")),
            ("2.0.0", Some("1.0.0"), &[], None),
            ("1.0.0", None, &[], None),
        ]);
        assert_eq!(taken(&spanning), [("2.0.0", "3.0.0"), ("1.0.0", "3.0.0")]);
        let skipping = catalog(&[
            ("3.0.0", Some("1.0.0"), &["2.0.0"], None),
            ("2.0.0", Some("1.0.0"), &[], None),
            ("1.0.0", None, &[], None),
        ]);
        assert_eq!(taken(&skipping), [("2.0.0", "3.0.0"), ("1.0.0", "3.0.0")]);
    }

    #[test]
    fn an_installed_bundle_does_not_have_to_be_in_the_channel() {
        let mut catalog = catalog(&[
            ("3.0.0", Some("2.0.0"), &["0.5.0"], Some(">=0.1.0 <0.2.0")),
            ("2.0.0", Some("0.9.0"), &["0.5.0"], None),
        ]);
        let taken = |catalog: &Catalog, installed: &str, version: Option<&str>| {
            let version = version.and_then(parse_tolerant);
            let found = update_from(catalog, &catalog.packages[0].channels[0], installed, version.as_ref())?;
            Some(catalog.bundle(found).unwrap().name.to_string())
        };
        let to = |version: &str| Some(version.to_owned());
        assert_eq!(taken(&catalog, "0.9.0", None), to("2.0.0"));
        assert_eq!(taken(&catalog, "0.5.0", None), to("3.0.0"));
        assert_eq!(taken(&catalog, "other", Some("0.1.5")), to("3.0.0"));
        assert_eq!(taken(&catalog, "2.0.0", Some("2.0.0")), to("3.0.0"));
        for (installed, version) in [("3.0.0", Some("3.0.0")), ("other", Some("0.2.0")), ("other", None)] {
            assert_eq!(taken(&catalog, installed, version), None, "{installed}");
        }
        let head = catalog.find("3.0.0").unwrap();
        catalog.bundles[head.0 as usize]
            .properties
            .push(crate::catalog::Property {
                kind: Text::from(DEPRECATED),
                value: Text::from("{}"),
            });
        assert_eq!(taken(&catalog, "0.5.0", None), to("2.0.0"));
        assert_eq!(taken(&catalog, "2.0.0", None), None);
    }

    #[test]
    fn a_range_applies_only_in_the_channel_of_its_entry() {
        let mut catalog = catalog(&[("2.0.0", None, &[], Some("<2.0.0"))]);
        let package = &mut catalog.packages[0];
        let mut other = package.channels[0].clone();
        other.entries[0].skip_range = None;
        package.channels.push(other);
        let installed = Version::new(1, 0, 0);
        let found = |channel: &Channel| update_from(&catalog, channel, "1.0.0", Some(&installed)).is_some();
        let channels = &catalog.packages[0].channels;
        assert_eq!(channels.iter().map(found).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn a_skipped_bundle_is_never_an_update_and_cycles_end() {
        let skipped = catalog(&[
            ("3.0.0", Some("2.0.0"), &["2.0.0"], None),
            ("2.0.0", Some("1.0.0"), &[], None),
            ("1.0.0", None, &[], None),
        ]);
        assert_eq!(taken(&skipped), [("2.0.0", "3.0.0")]);
        let circle = catalog(&[("2.0.0", Some("1.0.0"), &[], None), ("1.0.0", Some("2.0.0"), &[], None)]);
        assert_eq!(taken(&circle), [("2.0.0", "1.0.0"), ("1.0.0", "2.0.0")]);
        let own = catalog(&[("1.0.0", None, &[], Some("<2.0.0"))]);
        assert_eq!(taken(&own), []);
    }

    /// Returns the update by asking every entry of the line.
    fn by_asking(catalog: &Catalog, channel: &Channel, installed: &Installed<'_>) -> Option<BundleId> {
        let leads_on = |entry: &&ChannelEntry| {
            let name = &*catalog.bundle(entry.bundle).unwrap().name;
            let mut named = entry.replaces.iter().chain(&entry.skips);
            let range = entry.skip_range.as_deref().map(VersionRange::parse_as_olm);
            let spans = |version| matches!(&range, Some(Ok(range)) if range.contains(version));
            name != installed.name
                && (named.any(|name| &**name == installed.name) || installed.version.as_ref().is_some_and(spans))
        };
        Some(line(catalog, channel).into_iter().find(leads_on)?.bundle)
    }

    fn version() -> impl Strategy<Value = String> {
        (0..3_u8, 0..3_u8, any::<bool>()).prop_map(|(major, minor, pre)| {
            let pre = if pre { "-a" } else { "" };
            format!("{major}.{minor}.0{pre}")
        })
    }

    proptest! {
        #[test]
        fn all_updates_equal_the_updates_of_each_installed_bundle(
            entries in proptest::collection::btree_map(version(), (0..4_usize, "(>|<|>=|<=|!|=)", version(), version(), any::<[bool; 2]>()), 1..9),
            others in proptest::collection::vec(version(), 0..4),
        ) {
            let names: Vec<&String> = entries.keys().rev().collect();
            let ranges: Vec<String> = entries.values().rev().map(|(_, sign, one, other, _)| format!("{sign}{one} || >{other} <2.0.0")).collect();
            let rows: Vec<(Option<&str>, Vec<&str>)> = entries.values().rev().enumerate().map(|(at, (skip, .., [_, skips]))| {
                let replaced = names.get(at + 1).map(|name| name.as_str());
                (replaced, names.get(at + skip + 1).filter(|_| *skips).map(|name| name.as_str()).into_iter().collect())
            }).collect();
            let with_range: Vec<bool> = entries.values().rev().map(|(.., [ranged, _])| *ranged).collect();
            let rows: Vec<Row<'_>> = rows.iter().enumerate().map(|(at, (replaces, skips))| {
                (names[at].as_str(), *replaces, skips.as_slice(), with_range[at].then_some(ranges[at].as_str()))
            }).collect();
            let catalog = catalog(&rows);
            let channel = &catalog.packages[0].channels[0];
            let mut installed: Vec<Installed<'_>> = catalog.bundles.iter().map(Installed::of).collect();
            installed.extend(others.iter().map(|version| Installed { name: "other", version: parse_tolerant(version) }));
            let one_by_one: Vec<_> = installed.iter().map(|installed| by_asking(&catalog, channel, installed)).collect();
            prop_assert_eq!(updates_from(&catalog, channel, &installed), one_by_one);
        }
    }
}
