//! What the users of a catalog lose in its next version: packages, channels, bundles, and updates to a head.

mod upgrades;

use super::updates::Installed;
use super::{Bundle, BundleId, Catalog, Channel, Package, Text};
use crate::version::parse_tolerant;
use semver::Version;
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use upgrades::{Lost, lost_updates};

/// An item that users of the first catalog have, but users of the second catalog do not.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Loss {
    /// The kind of the loss.
    pub kind: LossKind,
    /// The package; empty for a bundle whose package is unknown.
    pub package: String,
    /// The channel, if the loss concerns one.
    pub channel: Option<String>,
    /// The bundle, if the loss concerns one.
    pub bundle: Option<String>,
    /// A version that clusters may run although the catalog does not contain it, if the loss concerns such versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The skip range that includes the version.
    #[serde(rename = "skipRange", skip_serializing_if = "Option::is_none")]
    pub skip_range: Option<String>,
}

/// The kinds of losses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LossKind {
    /// The package is missing. Its channels and bundles are not reported separately.
    RemovedPackage,
    /// The channel is missing. Subscriptions to it receive no further updates.
    RemovedChannel,
    /// The bundle is missing.
    RemovedBundle,
    /// The bundle is in the catalog, but no longer in the channel.
    RemovedEntry,
    /// A cluster that runs the bundle from the channel no longer receives an update, although the bundle is not the
    /// head. The catalog may no longer contain the bundle, but an entry of the channel replaces, skips or spans it.
    LostUpgrade,
    /// The head of the channel has a lower version than before.
    LowerHead,
    /// New subscriptions that specify no channel follow another channel than before.
    ChangedDefaultChannel,
    /// The bundle has the same name, but a different image or version.
    ChangedBundle,
}

impl LossKind {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::RemovedPackage,
        Self::RemovedChannel,
        Self::RemovedBundle,
        Self::RemovedEntry,
        Self::LostUpgrade,
        Self::LowerHead,
        Self::ChangedDefaultChannel,
        Self::ChangedBundle,
    ];

    /// Returns the name of the kind, such as `removed-package`.
    pub fn name(self) -> &'static str {
        match self {
            Self::RemovedPackage => "removed-package",
            Self::RemovedChannel => "removed-channel",
            Self::RemovedBundle => "removed-bundle",
            Self::RemovedEntry => "removed-entry",
            Self::LostUpgrade => "lost-upgrade",
            Self::LowerHead => "lower-head",
            Self::ChangedDefaultChannel => "changed-default-channel",
            Self::ChangedBundle => "changed-bundle",
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let package = &self.package;
        let channel = self.channel.as_deref().unwrap_or_default();
        let bundle = self.bundle.as_deref().unwrap_or_default();
        match self.kind {
            LossKind::RemovedPackage => write!(formatter, "package {package} was removed"),
            LossKind::RemovedChannel => write!(formatter, "channel {channel} of package {package} was removed"),
            LossKind::RemovedBundle if package.is_empty() => write!(formatter, "bundle {bundle} was removed"),
            LossKind::RemovedBundle => write!(formatter, "bundle {bundle} of package {package} was removed"),
            LossKind::RemovedEntry => write!(
                formatter,
                "bundle {bundle} is no longer in channel {channel} of package {package}"
            ),
            LossKind::LostUpgrade if self.bundle.is_none() => write!(
                formatter,
                "clusters that run a version in the skipRange {} from channel {channel} of package {package}, such as \
                {}, no longer receive an update",
                self.skip_range.as_deref().unwrap_or_default(),
                self.version.as_deref().unwrap_or_default()
            ),
            LossKind::LostUpgrade => write!(
                formatter,
                "clusters that run {bundle} from channel {channel} of package {package} no longer receive an update"
            ),
            LossKind::LowerHead => write!(
                formatter,
                "the head of channel {channel} of package {package} is {bundle}, a lower version than before"
            ),
            LossKind::ChangedDefaultChannel => {
                write!(
                    formatter,
                    "the default channel of package {package} is no longer {channel}"
                )
            }
            LossKind::ChangedBundle if package.is_empty() => {
                write!(formatter, "bundle {bundle} has a different image or version")
            }
            LossKind::ChangedBundle => write!(
                formatter,
                "bundle {bundle} of package {package} has a different image or version"
            ),
        }
    }
}

/// Returns all losses of users who move from `before` to `after`, sorted.
pub fn losses(before: &Catalog, after: &Catalog) -> Vec<Loss> {
    let mut losses = Vec::new();
    let (bundles, kept) = (before.by_name_and_package(), after.by_name_and_package());
    for package in &before.packages {
        match after.package(&package.name) {
            Some(now) => of_package((before, package), (after, now), &kept, &mut losses),
            None => losses.push(loss(LossKind::RemovedPackage, &package.name)),
        }
    }
    for ((name, package), bundle) in bundles {
        let kind = match kept.get(&(name, package)) {
            // The bundles of a missing package are not reported separately.
            None if !package.is_empty() && after.package(package).is_none() => continue,
            None => LossKind::RemovedBundle,
            Some(now) if changed(bundle, now) => LossKind::ChangedBundle,
            Some(_) => continue,
        };
        losses.push(Loss {
            bundle: Some(name.to_owned()),
            ..loss(kind, package)
        });
    }
    losses.sort();
    losses
}

fn loss(kind: LossKind, package: &str) -> Loss {
    Loss {
        kind,
        package: package.to_owned(),
        channel: None,
        bundle: None,
        version: None,
        skip_range: None,
    }
}

/// Returns whether a cluster receives different content under the same name.
fn changed(before: &Bundle, after: &Bundle) -> bool {
    let says = |bundle: &Bundle| {
        let text = |text: &Option<Text>| text.clone().filter(|text| !text.is_empty());
        (text(&bundle.image), text(&bundle.version))
    };
    says(before) != says(after)
}

fn of_package(
    (before, package): (&Catalog, &Package),
    (after, now): (&Catalog, &Package),
    kept: &BTreeMap<(&str, &str), &Bundle>,
    losses: &mut Vec<Loss>,
) {
    if package.default_channel != now.default_channel
        && let Some(channel) = &package.default_channel
    {
        losses.push(Loss {
            channel: Some(channel.to_string()),
            ..loss(LossKind::ChangedDefaultChannel, &package.name)
        });
    }
    for channel in &package.channels {
        let of_channel = |kind, bundle: Option<&str>| Loss {
            channel: Some(channel.name.to_string()),
            bundle: bundle.map(str::to_owned),
            ..loss(kind, &package.name)
        };
        let Some(current) = now.channel(&channel.name) else {
            losses.push(of_channel(LossKind::RemovedChannel, None));
            continue;
        };
        let versions = (head_version(before, channel), head_version(after, current));
        if let (Some(old), Some(new)) = versions
            && new < old
        {
            losses.push(of_channel(LossKind::LowerHead, current.head.as_deref()));
        }
        let listed: HashSet<&str> = bundles(after, current).map(|bundle| &*bundle.name).collect();
        let installed: Vec<Installed<'_>> = bundles(before, channel).map(Installed::of).collect();
        for installed in &installed {
            if !listed.contains(installed.name) && kept.contains_key(&(installed.name, &*package.name)) {
                losses.push(of_channel(LossKind::RemovedEntry, Some(installed.name)));
            }
        }
        for lost in lost_updates((before, channel), (after, current), installed) {
            losses.push(match lost {
                Lost::Bundle(name) => of_channel(LossKind::LostUpgrade, Some(name)),
                Lost::Version { version, range } => Loss {
                    version: Some(version.to_string()),
                    skip_range: Some(range.to_owned()),
                    ..of_channel(LossKind::LostUpgrade, None)
                },
            });
        }
    }
}

fn bundles<'c>(catalog: &'c Catalog, channel: &Channel) -> impl Iterator<Item = &'c Bundle> {
    let entries = channel.entries.iter();
    entries.filter_map(|entry| catalog.bundle(entry.bundle))
}

fn head_version(catalog: &Catalog, channel: &Channel) -> Option<Version> {
    let head = bundles(catalog, channel).find(|bundle| Some(&bundle.name) == channel.head.as_ref())?;
    parse_tolerant(head.version.as_deref()?)
}

/// Returns the part of `before` to compare with a fragment: the packages that `fragment` also contains.
pub fn counterpart(before: &Catalog, fragment: &Catalog) -> Catalog {
    let kept = |package: &&Package| fragment.package(&package.name).is_some();
    let mut packages: Vec<Package> = before.packages.iter().filter(kept).cloned().collect();
    let entries = packages
        .iter()
        .flat_map(|package| &package.channels)
        .flat_map(|channel| &channel.entries);
    let mut ids: Vec<BundleId> = entries.map(|entry| entry.bundle).collect();
    ids.sort_unstable();
    ids.dedup();
    let channels = packages.iter_mut().flat_map(|package| &mut package.channels);
    for entry in channels.flat_map(|channel| &mut channel.entries) {
        let place = ids
            .binary_search(&entry.bundle)
            .ok()
            .and_then(|place| u32::try_from(place).ok());
        entry.bundle = BundleId(place.unwrap_or(u32::MAX));
    }
    let bundles = ids.iter().filter_map(|id| before.bundle(*id)).cloned().collect();
    Catalog { packages, bundles }
}

#[cfg(test)]
mod tests;
