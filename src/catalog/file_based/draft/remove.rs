//! Removing bundles and channels so that every channel keeps one head and clusters can still update to it.

use super::{Draft, DraftChannel, DraftError};
use semver::Version;
use std::collections::{BTreeSet, HashSet};

/// An item to remove.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Target {
    /// The channel from which to remove the bundle; `None` for all channels.
    pub channel: Option<String>,
    /// The bundle, by name or version; `None` for the whole channel or package.
    pub bundle: Option<String>,
}

/// The removed items.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Removal {
    /// The channels.
    pub channels: Vec<String>,
    /// The bundles that are no longer in any channel.
    pub bundles: Vec<String>,
    /// The removed heads, and the bundles that only they replaced or skipped, with their channels: clusters that run
    /// these bundles receive no further updates there.
    pub stranded: Vec<(String, String)>,
    /// Whether the whole package was removed.
    pub whole: bool,
    /// The versions to upgrade from that have no update path in any channel.
    pub unreached: Vec<Version>,
}

impl Draft {
    /// Removes the targets. The bundle that replaced a removed bundle takes over the edges of the removed bundle,
    /// including the version range, and skips the removed bundle. Channels that become empty are removed, as are
    /// bundles that are no longer in any channel, and deprecations of removed items. `default_channel`, if specified,
    /// becomes the default channel.
    ///
    /// # Errors
    /// Returns an error if the package does not contain a target, the default channel would be removed, no channel
    /// would remain, or a channel would not have exactly one head.
    pub fn remove(&mut self, targets: &[Target], default_channel: Option<&str>) -> Result<Removal, DraftError> {
        let mut removal = Removal::default();
        for target in targets {
            // Wrong names are reported even if the whole package is removed.
            if let Some(channel) = &target.channel {
                self.channel(channel)?;
            }
            if let Some(bundle) = &target.bundle {
                self.in_entries(bundle)?;
            }
        }
        if targets.iter().any(|target| *target == Target::default()) {
            self.gone = true;
            removal.whole = true;
            removal.channels = self.channels.iter().map(|channel| channel.name.clone()).collect();
            removal.bundles = self.bundles.iter().map(|bundle| bundle.name.clone()).collect();
            return Ok(removal);
        }
        let mut bundles: Vec<(Option<&str>, String)> = Vec::new();
        for target in targets {
            if let Some(bundle) = &target.bundle {
                bundles.push((target.channel.as_deref(), self.in_entries(bundle)?.to_owned()));
            }
        }
        self.remove_bundles(&bundles, &mut removal)?;
        let whole = targets.iter().filter(|target| target.bundle.is_none());
        let whole: HashSet<&String> = whole.filter_map(|target| target.channel.as_ref()).collect();
        let gone = self.channels.extract_if(.., |channel| whole.contains(&channel.name));
        removal.channels.extend(gone.map(|channel| channel.name));
        self.settle(default_channel, &mut removal)?;
        Ok(removal)
    }

    /// Removes the bundles below a version from all channels, like [`Draft::remove`].
    ///
    /// # Errors
    /// Fails like [`Draft::remove`]. Also returns an error if a bundle has no comparable version.
    pub fn truncate(&mut self, below: &Version, default_channel: Option<&str>) -> Result<Removal, DraftError> {
        let mut removal = Removal::default();
        let mut lower = Vec::new();
        for bundle in &self.bundles {
            match &bundle.version {
                Some(version) if version.cmp_precedence(below).is_lt() => lower.push((None, bundle.name.clone())),
                Some(_) => {}
                None => {
                    return Err(DraftError::Version {
                        package: self.name.clone(),
                        bundle: bundle.name.clone(),
                    });
                }
            }
        }
        self.remove_bundles(&lower, &mut removal)?;
        self.settle(default_channel, &mut removal)?;
        Ok(removal)
    }

    /// Returns the name of a bundle that is specified by name or version. A channel may list a name without a bundle.
    fn in_entries<'n>(&'n self, bundle: &'n str) -> Result<&'n str, DraftError> {
        let mut entries = self.channels.iter().flat_map(|channel| &channel.entries);
        if entries.any(|entry| entry.name == bundle) {
            return Ok(bundle);
        }
        self.named(bundle)
    }

    /// Removes bundles, each from one channel or from all.
    fn remove_bundles(&mut self, bundles: &[(Option<&str>, String)], removal: &mut Removal) -> Result<(), DraftError> {
        for (from, bundle) in bundles {
            let Some(from) = from else { continue };
            let place = self.channel(from)?;
            let has = |channel: &DraftChannel| channel.entries.iter().any(|entry| entry.name == *bundle);
            if !self.channels.get(place).is_some_and(has) {
                return Err(DraftError::Entry {
                    package: self.name.clone(),
                    channel: (*from).to_owned(),
                    bundle: bundle.clone(),
                });
            }
        }
        for channel in &mut self.channels {
            let own = bundles
                .iter()
                .filter(|(from, _)| from.is_none_or(|from| from == channel.name));
            let own: HashSet<&str> = own.map(|(_, bundle)| bundle.as_str()).collect();
            let stranded = channel.take_out(&own).into_iter();
            removal
                .stranded
                .extend(stranded.map(|bundle| (bundle, channel.name.clone())));
        }
        Ok(())
    }

    /// Completes a removal: drops empty channels, unlisted bundles and their deprecations, and checks the result.
    pub(super) fn settle(&mut self, default_channel: Option<&str>, removal: &mut Removal) -> Result<(), DraftError> {
        let empty = self.channels.extract_if(.., |channel| channel.entries.is_empty());
        removal.channels.extend(empty.map(|channel| channel.name));
        let gone: HashSet<&String> = removal.channels.iter().collect();
        removal.stranded.retain(|(_, channel)| !gone.contains(channel));
        let listed: BTreeSet<&str> = self
            .channels
            .iter()
            .flat_map(|channel| &channel.entries)
            .map(|entry| entry.name.as_str())
            .collect();
        let unlisted = self
            .bundles
            .extract_if(.., |bundle| !listed.contains(bundle.name.as_str()));
        removal.bundles.extend(unlisted.map(|bundle| bundle.name));
        if self.channels.is_empty() {
            let package = self.name.clone();
            return Err(DraftError::Empty { package });
        }
        if let Some(channel) = default_channel {
            self.set_default(channel)?;
        }
        if removal.channels.contains(&self.default_channel) {
            return Err(DraftError::Default {
                package: self.name.clone(),
                channel: self.default_channel.clone(),
                others: self.channels.iter().map(|channel| channel.name.clone()).collect(),
            });
        }
        for channel in &self.channels {
            let heads = channel.heads();
            if heads.len() != 1 {
                return Err(DraftError::Heads {
                    package: self.name.clone(),
                    channel: channel.name.clone(),
                    heads: heads.into_iter().map(str::to_owned).collect(),
                });
            }
        }
        self.tidy_deprecations();
        Ok(())
    }
}
