//! Taking bundles and channels out, so that every channel keeps one head and clusters still get there.

use super::{Draft, DraftChannel, DraftError};
use semver::Version;
use std::collections::{BTreeSet, HashSet};

/// What is to go.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Target {
    /// The channel that it goes from; without one, all of them.
    pub channel: Option<String>,
    /// The bundle, by name or version; without one the channel or the package.
    pub bundle: Option<String>,
}

/// What went.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Removal {
    /// The channels.
    pub channels: Vec<String>,
    /// The bundles, which are in no channel any more.
    pub bundles: Vec<String>,
    /// Heads that went, and what only they led on from, with their channels: clusters that run them get no update
    /// from there.
    pub stranded: Vec<(String, String)>,
}

impl Draft {
    /// Takes out what is named. What replaced a bundle takes over what it replaced and skipped, also by its range of
    /// versions, and skips it. Channels
    /// that become empty go, and so do bundles that are in no channel any more, and deprecations of what went.
    /// `default_channel` takes the place of a default channel that goes.
    ///
    /// # Errors
    /// When the package does not have it, the default channel would go, or a channel would have no single head.
    pub fn remove(&mut self, targets: &[Target], default_channel: Option<&str>) -> Result<Removal, DraftError> {
        let mut removal = Removal::default();
        for target in targets {
            // What is named wrongly is said, also beside the whole package.
            if let Some(channel) = &target.channel {
                self.channel(channel)?;
            }
            if let Some(bundle) = &target.bundle {
                self.named(bundle)?;
            }
        }
        if targets.iter().any(|target| *target == Target::default()) {
            self.gone = true;
            removal.channels = self.channels.iter().map(|channel| channel.name.clone()).collect();
            removal.bundles = self.bundles.iter().map(|bundle| bundle.name.clone()).collect();
            return Ok(removal);
        }
        let mut bundles: Vec<(Option<&str>, String)> = Vec::new();
        for target in targets {
            if let Some(bundle) = &target.bundle {
                bundles.push((target.channel.as_deref(), self.named(bundle)?.to_owned()));
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

    /// Takes out the bundles of all channels with a lower version, as [`Draft::remove`].
    ///
    /// # Errors
    /// As [`Draft::remove`], and when a bundle has no version that could be compared.
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

    /// Takes bundles out, each of one channel or of all.
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

    /// Drops what is left of channels and bundles that went.
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
