//! Taking bundles and channels out, so that every channel keeps one head and clusters still get there.

use super::{Draft, DraftChannel, DraftError};
use crate::catalog::file_based::WrittenEntry;
use semver::Version;
use std::collections::BTreeSet;

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
    /// Takes out what is named. What replaced a bundle takes over what it replaced and skipped, and skips it. Channels
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
        for target in targets {
            match (&target.channel, &target.bundle) {
                (None, None) => {
                    self.gone = true;
                    removal.channels = self.channels.iter().map(|channel| channel.name.clone()).collect();
                    removal.bundles = self.bundles.iter().map(|bundle| bundle.name.clone()).collect();
                    return Ok(removal);
                }
                (Some(channel), None) => {
                    let place = self.channel(channel)?;
                    removal.channels.push(self.channels.remove(place).name);
                }
                (channel, Some(bundle)) => {
                    let bundle = self.named(bundle)?.to_owned();
                    self.remove_bundle(channel.as_deref(), &bundle, &mut removal)?;
                }
            }
        }
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
                Some(version) if version.cmp_precedence(below).is_lt() => lower.push(bundle.name.clone()),
                Some(_) => {}
                None => {
                    return Err(DraftError::Version {
                        package: self.name.clone(),
                        bundle: bundle.name.clone(),
                    });
                }
            }
        }
        for bundle in &lower {
            self.remove_bundle(None, bundle, &mut removal)?;
        }
        self.settle(default_channel, &mut removal)?;
        Ok(removal)
    }

    /// Takes a bundle out of one channel, or of all.
    fn remove_bundle(&mut self, from: Option<&str>, bundle: &str, removal: &mut Removal) -> Result<(), DraftError> {
        if let Some(from) = from {
            let place = self.channel(from)?;
            let has = |channel: &DraftChannel| channel.entries.iter().any(|entry| entry.name == bundle);
            if !self.channels.get(place).is_some_and(has) {
                return Err(DraftError::Entry {
                    package: self.name.clone(),
                    channel: from.to_owned(),
                    bundle: bundle.to_owned(),
                });
            }
        }
        for channel in &mut self.channels {
            if from.is_none_or(|from| channel.name == from) {
                let stranded = channel.take_out(bundle).into_iter();
                removal
                    .stranded
                    .extend(stranded.map(|bundle| (bundle, channel.name.clone())));
            }
        }
        Ok(())
    }

    /// Drops what is left of channels and bundles that went.
    pub(super) fn settle(&mut self, default_channel: Option<&str>, removal: &mut Removal) -> Result<(), DraftError> {
        let empty = self.channels.extract_if(.., |channel| channel.entries.is_empty());
        removal.channels.extend(empty.map(|channel| channel.name));
        removal
            .stranded
            .retain(|(_, channel)| !removal.channels.contains(channel));
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

impl DraftChannel {
    /// The bundles that no other one replaces or skips.
    pub fn heads(&self) -> Vec<&str> {
        let below: BTreeSet<&str> = self
            .entries
            .iter()
            .flat_map(|entry| {
                let names = std::iter::once(&entry.replaces).chain(&entry.skips);
                names.filter(|name| **name != entry.name).map(String::as_str)
            })
            .collect();
        let names = self.entries.iter().map(|entry| entry.name.as_str());
        names.filter(|name| !below.contains(name)).collect()
    }

    /// Takes out a bundle. Gives those from which nothing leads on any more: of a head, itself and what only it led on
    /// from.
    fn take_out(&mut self, bundle: &str) -> Vec<String> {
        let Some(place) = self.entries.iter().position(|entry| entry.name == bundle) else {
            return Vec::new();
        };
        let gone = self.entries.remove(place);
        let replaced = self.entries.iter().any(|entry| entry.replaces == bundle);
        // Who skips it leads on from there where nothing replaces it.
        let leads_on = |entry: &WrittenEntry| {
            if replaced {
                entry.replaces == bundle
            } else {
                entry.skips.iter().any(|skipped| skipped == bundle)
            }
        };
        let mut is_head = true;
        for entry in self.entries.iter_mut().filter(|entry| leads_on(entry)) {
            is_head = false;
            let mut below: Vec<&str> = vec![bundle];
            if entry.replaces == bundle {
                gone.replaces.clone_into(&mut entry.replaces);
            } else {
                below.push(&gone.replaces);
            }
            below.extend(gone.skips.iter().map(String::as_str));
            for name in below {
                let known = name.is_empty() || name == entry.name || entry.skips.iter().any(|known| known == name);
                if !known {
                    entry.skips.push(name.to_owned());
                }
            }
        }
        if !is_head {
            return Vec::new();
        }
        let known = |name: &str| {
            let leads_on =
                |entry: &WrittenEntry| entry.replaces == name || entry.skips.iter().any(|skipped| skipped == name);
            self.entries.iter().any(|entry| entry.name == name || leads_on(entry))
        };
        let below = std::iter::once(gone.replaces).chain(gone.skips);
        let below = below.filter(|name| !name.is_empty() && !known(name));
        std::iter::once(bundle.to_owned()).chain(below).collect()
    }
}
