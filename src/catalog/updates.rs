//! The update that OLM chooses for each bundle of a channel.
//!
//! OLM follows the chain of replacements down from the head, and ignores bundles that another bundle skips. It chooses
//! the first bundle that replaces or skips the installed one, or whose skip range includes the installed version.

use super::{BundleId, Catalog, Channel, ChannelEntry};
use crate::olm::property::DEPRECATED;
use crate::version::{VersionRange, parse_tolerant};
use semver::Version;
use std::collections::{HashMap, HashSet};

/// An update that clusters perform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Update {
    /// The installed bundle.
    pub from: BundleId,
    /// The new bundle.
    pub to: BundleId,
}

/// Returns the update from each bundle of the channel, if there is one, in the order of the channel's entries.
pub fn updates(catalog: &Catalog, channel: &Channel) -> Vec<Update> {
    let line = line(catalog, channel);
    // Bundles nearer to the head come first.
    let mut by_name: HashMap<&str, usize> = HashMap::new();
    let mut ranges = Vec::new();
    for (place, entry) in line.iter().enumerate() {
        for name in entry.replaces.iter().chain(&entry.skips) {
            by_name.entry(name).or_insert(place);
        }
        let range = entry.skip_range.as_deref().map(VersionRange::parse_as_olm);
        if let Some(Ok(range)) = range {
            ranges.push((place, range));
        }
    }
    let update = |entry: &ChannelEntry| {
        let bundle = catalog.bundle(entry.bundle)?;
        let version = bundle.version.as_deref().and_then(parse_tolerant);
        let other = |place: &usize| line.get(*place).is_some_and(|to| to.bundle != entry.bundle);
        let named = by_name.get(&*bundle.name).copied().filter(other);
        let ranged = version.and_then(|version| {
            let holding = ranges.iter().filter(|(_, range)| range.contains(&version));
            holding.map(|(place, _)| *place).find(other)
        });
        let place = named.into_iter().chain(ranged).min()?;
        Some(Update {
            from: entry.bundle,
            to: line.get(place)?.bundle,
        })
    };
    channel.entries.iter().filter_map(update).collect()
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
    let leads_on = |entry: &&ChannelEntry| {
        let Some(bundle) = catalog.bundle(entry.bundle) else {
            return false;
        };
        let deprecated = bundle.properties.iter().any(|property| &*property.kind == DEPRECATED);
        let named = entry
            .replaces
            .iter()
            .chain(&entry.skips)
            .any(|name| &**name == installed);
        let spans = |version: &Version| {
            let range = entry.skip_range.as_deref().map(VersionRange::parse_as_olm);
            range.is_some_and(|range| range.is_ok_and(|range| range.contains(version)))
        };
        &*bundle.name != installed && !deprecated && (named || version.is_some_and(spans))
    };
    let found = line(catalog, channel).into_iter().find(leads_on)?;
    Some(found.bundle)
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
    use crate::catalog::{Bundle, ManifestsId, Package, Text};

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
    fn updates_go_one_step_along_the_line_of_replacements() {
        let catalog = catalog(&[
            ("3.0.0", Some("2.0.0"), &[], None),
            ("2.0.0", Some("1.0.0"), &[], None),
            ("1.0.0", None, &[], None),
        ]);
        assert_eq!(taken(&catalog), [("2.0.0", "3.0.0"), ("1.0.0", "2.0.0")]);
    }

    #[test]
    fn the_bundle_nearest_to_the_head_wins_whether_it_replaces_skips_or_spans() {
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
    fn an_installed_bundle_need_not_be_in_the_channel() {
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
    fn a_range_counts_in_the_channel_whose_entry_has_it() {
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
    fn a_bundle_that_is_skipped_is_never_an_update_and_a_circle_ends() {
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
}
