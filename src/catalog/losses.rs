//! What the users of a catalog lose in its next version: packages, channels, bundles, and updates to a head.

use super::updates::update_from;
use super::{Bundle, BundleId, Catalog, Channel, Package, Text};
use crate::version::parse_tolerant;
use serde::Serialize;
use std::collections::HashSet;
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
            package: before
                .channel_of(&bundle.name)
                .map_or_else(String::new, |(package, _)| package),
            channel: None,
            bundle: Some(bundle.name.to_string()),
        });
    }
    losses.sort();
    losses
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
        for entry in &channel.entries {
            let Some(bundle) = before.bundle(entry.bundle) else {
                continue;
            };
            let listed = current
                .entries
                .iter()
                .any(|entry| is_named(after, entry.bundle, &bundle.name));
            if !listed && after.find(&bundle.name).is_some() {
                losses.push(of_channel(LossKind::RemovedEntry, Some(&bundle.name)));
            }
            if gets_on(before, channel, bundle) && !gets_on(after, current, bundle) {
                losses.push(of_channel(LossKind::LostUpgrade, Some(&bundle.name)));
            }
        }
    }
}

fn is_named(catalog: &Catalog, id: BundleId, name: &str) -> bool {
    catalog.bundle(id).is_some_and(|bundle| &*bundle.name == name)
}

fn version_of(catalog: &Catalog, bundle: Option<&str>) -> Option<semver::Version> {
    let bundle = catalog.bundle(catalog.find(bundle?)?)?;
    parse_tolerant(bundle.version.as_deref()?)
}

/// Returns whether the bundle is the head of the channel, or a cluster that runs the bundle receives an update.
fn gets_on(catalog: &Catalog, channel: &Channel, bundle: &Bundle) -> bool {
    let version = bundle.version.as_deref().and_then(parse_tolerant);
    channel.head.as_deref() == Some(&*bundle.name)
        || update_from(catalog, channel, &bundle.name, version.as_ref()).is_some()
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
