//! The bundles that OLM v1 installs for a ClusterExtension, one after the other.

use super::{Rank, version_of};
use crate::catalog::{Bundle, BundleId, Catalog, ChannelEntry, Text};
use crate::version::VersionRange;
use crate::version::masterminds::Constraint;
use semver::Version;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The bundles that a ClusterExtension allows.
#[derive(Debug, Clone, Default)]
pub struct Allowed {
    /// The channels; empty for all.
    pub channels: BTreeSet<String>,
    /// The versions; `None` for all.
    pub versions: Option<Constraint>,
    /// Whether any bundle may replace the installed one, even if no channel has such an update.
    pub any_update: bool,
}

/// A bundle on a cluster, which need not be in a catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledBundle {
    /// The name.
    pub name: String,
    /// The version; `None` if it is not known or cannot be ordered.
    pub version: Option<Version>,
}

/// A catalog that OLM v1 may choose from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'c> {
    pub(crate) catalog: &'c Catalog,
    /// The deprecated bundles, as pairs of package and bundle.
    pub(crate) deprecated: &'c BTreeSet<(Text, Text)>,
    pub(crate) priority: i64,
}

/// The bundles that OLM v1 installs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Steps {
    /// The bundles of each source, in the order of the sources.
    pub(crate) bundles: Vec<BTreeSet<BundleId>>,
    /// Whether OLM v1 refuses to choose, because several sources with the same priority offer a bundle.
    pub(crate) are_contested: bool,
    /// The chosen bundles that OLM v1 does not install, each with the position of its source. No other bundle is
    /// installed instead of them or after them.
    pub(crate) refused: Vec<(usize, BundleId)>,
}

/// Returns the bundle that OLM v1 installs next, the one that it installs after that, and so on. If it refuses to
/// choose between sources, the bundles of all of them are included. `is_refused` says whether OLM v1 does not install a
/// bundle of the source at a position.
///
/// # Errors
/// Returns the first error of `is_refused`.
pub(crate) fn steps<E>(
    sources: &[Source<'_>],
    package: &str,
    allowed: &Allowed,
    installed: Option<&InstalledBundle>,
    is_refused: impl Fn(usize, &Bundle) -> Result<bool, E>,
) -> Result<Steps, E> {
    let mut steps = Steps {
        bundles: vec![BTreeSet::new(); sources.len()],
        are_contested: false,
        refused: Vec::new(),
    };
    let offers: Vec<Vec<Offer<'_>>> = sources.iter().map(|source| source.offers(package, allowed)).collect();
    let mut next = vec![installed.cloned()];
    while let Some(installed) = next.pop() {
        let winners = winners(sources, &offers, allowed, installed.as_ref());
        steps.are_contested |= winners.len() > 1;
        for (place, id) in winners {
            let Some(bundle) = sources[place].catalog.bundle(id) else {
                continue;
            };
            if !steps.bundles[place].insert(id) {
                continue;
            }
            let is_installed = installed
                .as_ref()
                .is_some_and(|installed| *bundle.name == *installed.name);
            if !is_installed && is_refused(place, bundle)? {
                steps.refused.push((place, id));
                continue;
            }
            next.push(Some(InstalledBundle {
                name: bundle.name.to_string(),
                version: version_of(bundle),
            }));
        }
    }
    Ok(steps)
}

/// Returns the bundles that win over those of the other sources, with the positions of their sources. Only the first
/// criterion that tells the bundles apart counts: whether they are deprecated, then the priorities of the sources.
fn winners(
    sources: &[Source<'_>],
    offers: &[Vec<Offer<'_>>],
    allowed: &Allowed,
    installed: Option<&InstalledBundle>,
) -> Vec<(usize, BundleId)> {
    let best = sources
        .iter()
        .zip(offers)
        .enumerate()
        .filter_map(|(place, (source, offers))| {
            let best = offers.iter().find(|offer| offer.follows(allowed, installed))?;
            Some((best.is_deprecated, Reverse(source.priority), place, best.entry.bundle))
        });
    let best: Vec<_> = best.collect();
    let first = best
        .iter()
        .map(|(deprecated, priority, ..)| (deprecated, priority))
        .min();
    let winners = best
        .iter()
        .filter(|(deprecated, priority, ..)| Some((deprecated, priority)) == first);
    winners.map(|(_, _, place, id)| (*place, *id)).collect()
}

/// A bundle in a channel that an extension allows.
struct Offer<'c> {
    entry: &'c ChannelEntry,
    is_deprecated: bool,
    rank: Rank,
    /// The installed versions that the bundle updates.
    updated: Option<VersionRange>,
}

impl<'c> Source<'c> {
    /// Returns the bundles that the extension allows, the best one first. Of equal bundles, the first one in the
    /// catalog comes first.
    fn offers(&self, package: &str, allowed: &Allowed) -> Vec<Offer<'c>> {
        let channels = self
            .catalog
            .package(package)
            .into_iter()
            .flat_map(|package| &package.channels);
        let channels = channels.filter(|channel| allowed.has_channel(&channel.name));
        let offers = channels.flat_map(|channel| &channel.entries).filter_map(|entry| {
            let bundle = self.catalog.bundle(entry.bundle)?;
            let rank = Rank::of(bundle);
            let is_in_range = |range: &Constraint| rank.version.as_ref().is_some_and(|version| range.contains(version));
            allowed.versions.as_ref().is_none_or(is_in_range).then(|| Offer {
                entry,
                is_deprecated: self.deprecated.contains(&(package.into(), bundle.name.clone())),
                updated: entry
                    .skip_range
                    .as_deref()
                    .and_then(|range| VersionRange::parse_as_olm(range).ok()),
                rank,
            })
        });
        let mut offers: Vec<Offer<'c>> = offers.collect();
        offers.sort_by(|one, other| one.key().cmp(&other.key()));
        offers
    }
}

impl Offer<'_> {
    fn key(&self) -> impl Ord + '_ {
        (self.is_deprecated, Reverse(&self.rank), self.entry.bundle)
    }

    /// Whether OLM v1 may install the bundle after `installed`.
    fn follows(&self, allowed: &Allowed, installed: Option<&InstalledBundle>) -> bool {
        let Some(installed) = installed else { return true };
        let is_same = || self.rank.version.is_some() && self.rank == Rank::of_version(installed.version.clone());
        allowed.any_update || is_same() || self.updates(installed)
    }

    /// Whether the bundle replaces or skips the installed one, or its range includes the installed version.
    fn updates(&self, installed: &InstalledBundle) -> bool {
        let mut names = self.entry.replaces.iter().chain(&self.entry.skips);
        let is_spanned = |version| self.updated.as_ref().is_some_and(|range| range.contains(version));
        names.any(|name| **name == *installed.name) || installed.version.as_ref().is_some_and(is_spanned)
    }
}

impl Allowed {
    /// Whether the extension allows bundles of this channel.
    pub(crate) fn has_channel(&self, channel: &str) -> bool {
        self.channels.is_empty() || self.channels.contains(channel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{Channel, ManifestsId, Package};
    use std::convert::Infallible;

    /// A channel, with entries of the form `(VERSION, REPLACED, RANGE)`.
    type Entries = (&'static str, &'static [(&'static str, &'static str, &'static str)]);

    /// Returns a catalog with these channels.
    fn catalog(channels: &[Entries]) -> Catalog {
        let name = |version: &str| Text::from(format!("p.v{version}"));
        let given = |text: &'static str| (!text.is_empty()).then_some(text);
        let entries = channels.iter().flat_map(|(_, entries)| *entries);
        let mut versions: Vec<&str> = entries.map(|(version, ..)| *version).collect();
        versions.sort_unstable();
        let place = |version: &str| versions.iter().position(|known| *known == version).unwrap();
        let id = |version: &str| BundleId(u32::try_from(place(version)).unwrap());
        let entry = |(version, replaced, range): &(&'static str, &'static str, &'static str)| ChannelEntry {
            bundle: id(version),
            replaces: given(replaced).map(name),
            skips: Vec::new(),
            skip_range: given(range).map(Text::from),
        };
        let channel = |(name, entries): &Entries| Channel {
            name: Text::from(*name),
            head: None,
            entries: entries.iter().map(entry).collect(),
        };
        let bundle = |version: &&str| Bundle {
            name: name(version),
            version: Some(Text::from(*version)),
            image: None,
            properties: Vec::new(),
            dependencies: Vec::new(),
            manifests: ManifestsId(0),
        };
        Catalog {
            packages: vec![Package {
                name: "p".into(),
                default_channel: None,
                channels: channels.iter().map(channel).collect(),
            }],
            bundles: versions.iter().map(bundle).collect(),
        }
    }

    fn versions(catalog: &Catalog, ids: &BTreeSet<BundleId>) -> Vec<String> {
        let bundles = ids.iter().filter_map(|id| catalog.bundle(*id)?.version.as_deref());
        bundles.map(str::to_owned).collect()
    }

    fn installed(version: &str) -> Option<InstalledBundle> {
        (!version.is_empty()).then(|| InstalledBundle {
            name: format!("p.v{version}"),
            version: Version::parse(version).ok(),
        })
    }

    /// Returns the steps if OLM v1 refuses the bundles with these names.
    fn steps_without(
        refused: &[&str],
        sources: &[Source<'_>],
        allowed: &Allowed,
        installed: Option<&InstalledBundle>,
    ) -> Steps {
        let is_refused = |_, bundle: &Bundle| Ok::<_, Infallible>(refused.contains(&&*bundle.name));
        let Ok(steps) = steps(sources, "p", allowed, installed, is_refused);
        steps
    }

    fn range(text: &str) -> Option<Constraint> {
        (!text.is_empty()).then(|| Constraint::parse(text).unwrap())
    }

    const STABLE: Entries = (
        "stable",
        &[
            ("1.0.0", "", ""),
            ("1.1.0", "1.0.0", ""),
            ("2.0.0", "1.1.0", ">=1.0.0 <2.0.0"),
        ],
    );

    #[test]
    fn the_highest_allowed_update_follows_unless_it_is_deprecated() {
        let catalog = catalog(&[("fast", &[("3.0.0-rc.1", "", "")]), STABLE]);
        let deprecated = BTreeSet::from([("p".into(), "p.v2.0.0".into())]);
        let source = Source {
            catalog: &catalog,
            deprecated: &deprecated,
            priority: 0,
        };
        let steps = |channels: &[&str], versions_in: &str, from: &str, any_update: bool| {
            let allowed = Allowed {
                channels: channels.iter().map(|channel| (*channel).to_owned()).collect(),
                versions: range(versions_in),
                any_update,
            };
            let steps = steps_without(&[], &[source], &allowed, installed(from).as_ref());
            versions(&catalog, &steps.bundles[0])
        };
        assert_eq!(steps(&[], "", "", false), ["3.0.0-rc.1"]);
        assert_eq!(steps(&["stable"], "", "", false), ["1.1.0"]);
        assert_eq!(steps(&[], ">=1.0.0", "", false), ["1.1.0"]);
        assert_eq!(steps(&[], ">=2.0.0 <3.0.0", "", false), ["2.0.0"]);
        assert_eq!(steps(&[], "", "1.0.0", false), ["1.1.0"]);
        assert_eq!(steps(&[], "", "1.1.0", false), ["1.1.0"]);
        assert_eq!(steps(&[], "2.0.0", "1.1.0", false), ["2.0.0"]);
        assert!(steps(&[], "1.1.0", "2.0.0", false).is_empty());
        assert_eq!(steps(&[], "1.1.0", "2.0.0", true), ["1.1.0"]);
    }

    #[test]
    fn every_step_to_the_newest_version_or_to_a_refused_bundle_is_included() {
        let catalog = catalog(&[(
            "stable",
            &[("1.0.0", "", ""), ("1.1.0", "1.0.0", ""), ("1.2.0", "1.1.0", "")],
        )]);
        let source = Source {
            catalog: &catalog,
            deprecated: &BTreeSet::new(),
            priority: 0,
        };
        let steps = |refused: &[&str], from: &str| {
            let steps = steps_without(refused, &[source], &Allowed::default(), installed(from).as_ref());
            let refused = steps.refused.into_iter().map(|(_, id)| id).collect();
            (versions(&catalog, &steps.bundles[0]), versions(&catalog, &refused))
        };
        let found = |steps: &[&str], refused: &[&str]| {
            let owned = |versions: &[&str]| versions.iter().map(|version| (*version).to_owned()).collect::<Vec<_>>();
            (owned(steps), owned(refused))
        };
        assert_eq!(steps(&[], "1.0.0"), found(&["1.1.0", "1.2.0"], &[]));
        assert_eq!(steps(&["p.v1.1.0"], "1.0.0"), found(&["1.1.0"], &["1.1.0"]));
        assert_eq!(steps(&["p.v1.2.0"], "1.0.0"), found(&["1.1.0", "1.2.0"], &["1.2.0"]));
        assert_eq!(steps(&["p.v1.2.0"], "1.2.0"), found(&["1.2.0"], &[]), "it is installed");
    }

    #[test]
    fn of_several_catalogs_the_one_without_a_deprecated_bundle_wins_and_then_the_highest_priority() {
        let catalog = catalog(&[STABLE]);
        let deprecated = BTreeSet::from([("p".into(), "p.v2.0.0".into())]);
        let none = BTreeSet::new();
        let source = |deprecated, priority| Source {
            catalog: &catalog,
            deprecated,
            priority,
        };
        let allowed = Allowed {
            versions: range("2.0.0"),
            ..Allowed::default()
        };
        let offered = |sources: &[Source<'_>]| {
            let steps = steps_without(&[], sources, &allowed, None);
            let is_used = steps.bundles.iter().map(|bundles| !bundles.is_empty());
            (is_used.collect::<Vec<_>>(), steps.are_contested)
        };
        assert_eq!(offered(&[source(&none, 0), source(&none, 0)]), (vec![true, true], true));
        assert_eq!(
            offered(&[source(&none, 0), source(&none, 10)]),
            (vec![false, true], false)
        );
        assert_eq!(
            offered(&[source(&none, 0), source(&deprecated, 10)]),
            (vec![true, false], false)
        );
    }
}
