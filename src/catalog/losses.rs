//! What the users of a catalog lose in its next version: packages, channels, bundles, and updates to a head.

use super::updates::{Installed, updates_from};
use super::{Bundle, BundleId, Catalog, Channel, Package, Text};
use crate::version::parse_tolerant;
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::fmt;

/// An item that users of the first catalog have, but users of the second catalog do not.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Loss {
    /// The kind of the loss.
    pub kind: LossKind,
    /// The package; empty for a bundle that is in no channel.
    pub package: String,
    /// The channel, if the loss concerns one.
    pub channel: Option<String>,
    /// The bundle, if the loss concerns one.
    pub bundle: Option<String>,
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
    /// head.
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
            LossKind::RemovedBundle => write!(formatter, "bundle {bundle} was removed"),
            LossKind::RemovedEntry => write!(
                formatter,
                "bundle {bundle} is no longer in channel {channel} of package {package}"
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
            LossKind::ChangedBundle => write!(formatter, "bundle {bundle} has a different image or version"),
        }
    }
}

/// Returns all losses of users who move from `before` to `after`, sorted.
pub fn losses(before: &Catalog, after: &Catalog) -> Vec<Loss> {
    let mut losses = Vec::new();
    // The bundles of a missing package are not reported separately.
    let mut told: HashSet<BundleId> = HashSet::new();
    for package in &before.packages {
        if let Some(now) = after.package(&package.name) {
            of_package((before, package), (after, now), &mut losses);
            continue;
        }
        let entries = package.channels.iter().flat_map(|channel| &channel.entries);
        told.extend(entries.map(|entry| entry.bundle));
        losses.push(loss(LossKind::RemovedPackage, package));
    }
    let packages = packages(before);
    for (index, bundle) in before.bundles.iter().enumerate() {
        let id = u32::try_from(index).ok().map(BundleId);
        let known = after.find(&bundle.name).and_then(|id| after.bundle(id));
        let kind = match known {
            None if id.is_some_and(|id| told.contains(&id)) => continue,
            None => LossKind::RemovedBundle,
            Some(now) if changed(bundle, now) => LossKind::ChangedBundle,
            Some(_) => continue,
        };
        losses.push(Loss {
            kind,
            package: id
                .and_then(|id| packages.get(&id))
                .map_or_else(String::new, ToString::to_string),
            channel: None,
            bundle: Some(bundle.name.to_string()),
        });
    }
    losses.sort();
    losses
}

/// Returns the first package by name of each bundle that is in a channel.
fn packages(catalog: &Catalog) -> HashMap<BundleId, &Text> {
    let mut packages = HashMap::new();
    for package in &catalog.packages {
        for entry in package.channels.iter().flat_map(|channel| &channel.entries) {
            packages.entry(entry.bundle).or_insert(&package.name);
        }
    }
    packages
}

fn loss(kind: LossKind, package: &Package) -> Loss {
    Loss {
        kind,
        package: package.name.to_string(),
        channel: None,
        bundle: None,
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

fn of_package((before, package): (&Catalog, &Package), (after, now): (&Catalog, &Package), losses: &mut Vec<Loss>) {
    if package.default_channel != now.default_channel
        && let Some(channel) = &package.default_channel
    {
        losses.push(Loss {
            channel: Some(channel.to_string()),
            ..loss(LossKind::ChangedDefaultChannel, package)
        });
    }
    for channel in &package.channels {
        let of_channel = |kind, bundle: Option<&str>| Loss {
            channel: Some(channel.name.to_string()),
            bundle: bundle.map(str::to_owned),
            ..loss(kind, package)
        };
        let Some(current) = now.channel(&channel.name) else {
            losses.push(of_channel(LossKind::RemovedChannel, None));
            continue;
        };
        let versions = (
            version_of(before, channel.head.as_deref()),
            version_of(after, current.head.as_deref()),
        );
        if let (Some(old), Some(new)) = versions
            && new < old
        {
            losses.push(of_channel(LossKind::LowerHead, current.head.as_deref()));
        }
        let listed: HashSet<&str> = bundles(after, current).map(|bundle| &*bundle.name).collect();
        let installed: Vec<Installed<'_>> = bundles(before, channel).map(Installed::of).collect();
        let [got_on, gets_on] = [(before, channel), (after, current)].map(|at| getting_on(at, &installed));
        for ((installed, got_on), gets_on) in installed.iter().zip(got_on).zip(gets_on) {
            if !listed.contains(installed.name) && after.find(installed.name).is_some() {
                losses.push(of_channel(LossKind::RemovedEntry, Some(installed.name)));
            }
            if got_on && !gets_on {
                losses.push(of_channel(LossKind::LostUpgrade, Some(installed.name)));
            }
        }
    }
}

fn bundles<'c>(catalog: &'c Catalog, channel: &Channel) -> impl Iterator<Item = &'c Bundle> {
    let entries = channel.entries.iter();
    entries.filter_map(|entry| catalog.bundle(entry.bundle))
}

fn version_of(catalog: &Catalog, bundle: Option<&str>) -> Option<semver::Version> {
    let bundle = catalog.bundle(catalog.find(bundle?)?)?;
    parse_tolerant(bundle.version.as_deref()?)
}

/// Returns, for each bundle, whether it is the head of the channel, or a cluster that runs the bundle receives an update.
fn getting_on((catalog, channel): (&Catalog, &Channel), installed: &[Installed<'_>]) -> Vec<bool> {
    let updates = updates_from(catalog, channel, installed);
    let pairs = installed.iter().zip(updates);
    pairs
        .map(|(installed, update)| channel.head.as_deref() == Some(installed.name) || update.is_some())
        .collect()
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
