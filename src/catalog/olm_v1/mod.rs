//! The bundles that OLM v1 chooses from a catalog, and those that it does not install.

mod objects;
pub(crate) mod refusal;
pub(crate) mod refusals;
mod steps;
mod webhooks;

pub use steps::{Allowed, InstalledBundle};
pub(crate) use steps::{Source, steps};

use super::updates::{Installed, Update, choose};
use super::{Bundle, BundleId, Catalog, Channel, ChannelEntry};
use crate::olm::install_mode::ALL_NAMESPACES;
use crate::version::parse_strict;
use semver::{BuildMetadata, Prerelease, Version};
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

/// The install mode in which OLM v1 installs operators.
pub(crate) const MODE: &str = ALL_NAMESPACES;

/// Returns the bundle that OLM v1 installs from these channels if no version is requested: the highest version, whether
/// or not it is a head. Bundles that `is_deprecated` marks, by a document `olm.deprecations`, come last. If the chosen
/// bundle cannot be installed, OLM v1 does not try another one.
pub(crate) fn chosen<'c>(
    catalog: &Catalog,
    channels: impl IntoIterator<Item = &'c Channel>,
    is_deprecated: impl Fn(&Bundle) -> bool,
) -> Option<BundleId> {
    let entries = channels.into_iter().flat_map(|channel| &channel.entries);
    let ids: BTreeSet<BundleId> = entries.map(|entry| entry.bundle).collect();
    let bundles = ids.into_iter().filter_map(|id| Some((id, catalog.bundle(id)?)));
    // Of equal bundles, the first one wins.
    let best = bundles.min_by_key(|(_, bundle)| (is_deprecated(bundle), Reverse(Rank::of(bundle))));
    best.map(|(id, _)| id)
}

/// Returns the updates that OLM v1 chooses from the bundles of these channels if no version is requested. It chooses as
/// in [`chosen`], but only among the bundles that replace or skip the installed one, or whose skip range includes its
/// version. If the installed bundle comes before all of them, it is not updated.
pub(crate) fn updates<'c>(
    catalog: &Catalog,
    channels: impl IntoIterator<Item = &'c Channel>,
    is_deprecated: impl Fn(&Bundle) -> bool,
) -> Vec<Update> {
    let entries = channels.into_iter().flat_map(|channel| &channel.entries);
    let mut line: Vec<_> = entries
        .filter_map(|entry| {
            let bundle = catalog.bundle(entry.bundle)?;
            Some(((is_deprecated(bundle), Reverse(Rank::of(bundle))), bundle, entry))
        })
        .collect();
    line.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    let installed: Vec<Installed<'_>> = line.iter().map(|(_, bundle, _)| Installed::of(bundle)).collect();
    let entries: Vec<&ChannelEntry> = line.iter().map(|(.., entry)| *entry).collect();
    let ranks: HashMap<BundleId, _> = line.iter().map(|(rank, _, entry)| (entry.bundle, rank)).collect();
    let mut updates: Vec<Update> = entries
        .iter()
        .zip(choose(catalog, &entries, &installed))
        .filter_map(|(from, to)| {
            Some(Update {
                from: from.bundle,
                to: to?,
            })
        })
        .filter(|update| ranks.get(&update.to) < ranks.get(&update.from))
        .collect();
    updates.sort_unstable();
    updates.dedup();
    updates
}

/// The order of versions: by precedence, then by the release in the build metadata. A string that is not a version has
/// the lowest rank.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    version: Option<Version>,
    release: Option<Prerelease>,
}

impl Rank {
    fn of(bundle: &Bundle) -> Self {
        Self::of_version(version_of(bundle))
    }

    fn of_version(mut version: Option<Version>) -> Self {
        let build = version
            .as_mut()
            .map(|version| std::mem::replace(&mut version.build, BuildMetadata::EMPTY));
        let release = build.and_then(|build| Prerelease::new(&build).ok());
        Self {
            version,
            release: release.filter(|release| !release.is_empty()),
        }
    }
}

/// Returns the version of a bundle if it is a version.
fn version_of(bundle: &Bundle) -> Option<Version> {
    parse_strict(bundle.version.as_deref()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::ManifestsId;

    fn catalog(versions: &[&str]) -> Catalog {
        let bundles = versions.iter().map(|version| Bundle {
            name: (*version).into(),
            version: Some((*version).into()),
            image: Some("registry.example.com/rake".into()),
            properties: Vec::new(),
            dependencies: Vec::new(),
            manifests: ManifestsId(0),
        });
        Catalog {
            packages: Vec::new(),
            bundles: bundles.collect(),
        }
    }

    fn entry(bundle: u32) -> ChannelEntry {
        ChannelEntry {
            bundle: BundleId(bundle),
            replaces: None,
            skips: Vec::new(),
            skip_range: None,
        }
    }

    fn channel(entries: impl IntoIterator<Item = ChannelEntry>) -> Channel {
        Channel {
            name: "stable".into(),
            head: Some("latest".into()),
            entries: entries.into_iter().collect(),
        }
    }

    #[test]
    fn the_highest_version_is_chosen_unless_it_is_deprecated() {
        let versions = ["1.9.0+2", "1.10.0", "1.9.0+10", "2.0.0-rc.1", "latest"];
        let catalog = catalog(&versions);
        let chosen = |channels: &[Channel], deprecated: &[&str]| {
            let id = chosen(&catalog, channels, |bundle| deprecated.contains(&&*bundle.name))?;
            Some(catalog.bundle(id)?.name.to_string())
        };
        let all = [channel([0, 1].map(entry)), channel([2, 3, 4].map(entry))];
        for (deprecated, expected) in [
            (&[][..], "2.0.0-rc.1"),
            (&["2.0.0-rc.1"], "1.10.0"),
            (&["2.0.0-rc.1", "1.10.0"], "1.9.0+10"),
            (&["2.0.0-rc.1", "1.10.0", "1.9.0+10", "1.9.0+2"], "latest"),
            (&versions, "2.0.0-rc.1"),
        ] {
            assert_eq!(chosen(&all, deprecated).as_deref(), Some(expected));
        }
        assert_eq!(chosen(&all[..1], &[]).as_deref(), Some("1.10.0"));
        assert_eq!(chosen(&[], &[]), None);
    }

    #[test]
    fn an_update_leads_to_the_highest_version_that_directly_follows() {
        let catalog = catalog(&["1.0.0", "1.1.0", "2.0.0", "3.0.0"]);
        let replacing = |bundle, replaces: &str| ChannelEntry {
            replaces: Some(replaces.into()),
            ..entry(bundle)
        };
        let spanning = |bundle, range: &str| ChannelEntry {
            skip_range: Some(range.into()),
            ..entry(bundle)
        };
        let found = |channels: &[Channel], deprecated: &[&str]| -> Vec<(u32, u32)> {
            let updates = updates(&catalog, channels, |bundle| deprecated.contains(&&*bundle.name));
            updates.iter().map(|update| (update.from.0, update.to.0)).collect()
        };
        let line = [channel([entry(0), replacing(1, "1.0.0"), replacing(2, "1.1.0")])];
        assert_eq!(found(&line, &[]), [(0, 1), (1, 2)]);
        assert_eq!(found(&line, &["2.0.0"]), [(0, 1)]);
        let two = [
            channel([entry(0), entry(1), replacing(2, "1.0.0")]),
            channel([spanning(3, "<=3.0.0")]),
        ];
        assert_eq!(found(&two[..1], &[]), [(0, 2)]);
        assert_eq!(found(&two, &[]), [(0, 3), (1, 3), (2, 3)]);
        assert_eq!(found(&two, &["3.0.0"]), [(0, 2)]);
        let backwards = [channel([replacing(0, "1.1.0"), entry(1)])];
        assert_eq!(found(&backwards, &[]), []);
    }
}
