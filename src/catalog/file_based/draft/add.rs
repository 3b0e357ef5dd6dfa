//! Putting a bundle into channels.

use super::{Draft, DraftBundle, DraftChannel, DraftError};
use crate::catalog::file_based::WrittenEntry;
use crate::catalog::graph::Mode;
use semver::Version;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// A bundle to add.
#[derive(Debug, Clone, PartialEq)]
pub struct NewBundle {
    /// Its document.
    pub document: Value,
    /// Its name, with what it replaces and skips.
    pub entry: WrittenEntry,
    /// Its version; none where it says none that has an order.
    pub version: Option<Version>,
    /// The channels that it names itself.
    pub channels: Vec<String>,
    /// The default channel that it names itself.
    pub default_channel: Option<String>,
}

/// Where a bundle is added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Placement {
    /// The channels; none for those that the bundle names itself.
    pub channels: Vec<String>,
    /// How it takes its place in them.
    pub mode: Mode,
    /// The default channel of the package.
    pub default_channel: Option<String>,
    /// Replace a bundle of the same name that has another content.
    pub overwrite: bool,
}

impl Draft {
    /// Adds a bundle to channels, which are made where they are absent. `known` is the document of the bundle with its
    /// name that the catalog has. Gives the channels that it was not in before.
    ///
    /// # Errors
    /// When there is another bundle of its name, a version is missing that the mode asks for, a new package has no
    /// default channel, or a channel would have no single head.
    pub fn add(
        &mut self,
        new: &NewBundle,
        placement: &Placement,
        known: Option<&Value>,
    ) -> Result<Vec<String>, DraftError> {
        let name = &new.entry.name;
        let differs = known.is_some_and(|known| *known != new.document);
        if let Some(known) = known.filter(|_| differs && !placement.overwrite) {
            return Err(DraftError::Differs {
                package: self.name.clone(),
                bundle: name.clone(),
                fields: differing(known, &new.document),
            });
        }
        let document = (known.is_none() || differs).then(|| new.document.clone());
        match self.bundles.iter_mut().find(|bundle| bundle.name == *name) {
            Some(bundle) => {
                bundle.document = document.or(bundle.document.take());
                bundle.version.clone_from(&new.version);
            }
            None => self.bundles.push(DraftBundle {
                source: None,
                document,
                name: name.clone(),
                version: new.version.clone(),
            }),
        }
        let channels = if placement.channels.is_empty() {
            &new.channels
        } else {
            &placement.channels
        };
        let mut added = Vec::new();
        for channel in channels {
            let place = self.channel(channel).unwrap_or_else(|_| {
                self.channels.push(DraftChannel::new(channel));
                self.channels.len() - 1
            });
            if self.enter(place, new, placement)? {
                added.push(channel.clone());
            }
        }
        self.choose_default(new, placement)?;
        Ok(added)
    }

    /// Puts the bundle into a channel; false where it was there with the same edges.
    fn enter(&mut self, place: usize, new: &NewBundle, placement: &Placement) -> Result<bool, DraftError> {
        let entry = &new.entry;
        let package = self.name.clone();
        let mut channels = std::mem::take(&mut self.channels);
        let entered = match channels.get_mut(place) {
            Some(channel) => channel.enter(&package, entry, placement, &self.versions()),
            None => Ok(false),
        };
        self.channels = channels;
        entered
    }

    fn choose_default(&mut self, new: &NewBundle, placement: &Placement) -> Result<(), DraftError> {
        if let Some(channel) = &placement.default_channel {
            return self.set_default(channel);
        }
        if !self.default_channel.is_empty() {
            return Ok(());
        }
        let named = new
            .default_channel
            .as_deref()
            .filter(|channel| self.channel(channel).is_ok());
        let only = match &*self.channels {
            [channel] => Some(channel.name.as_str()),
            _ => None,
        };
        match named.or(only) {
            Some(channel) => self.default_channel = channel.to_owned(),
            None => {
                return Err(DraftError::NoDefault {
                    package: self.name.clone(),
                    channels: self.channels.iter().map(|channel| channel.name.clone()).collect(),
                });
            }
        }
        Ok(())
    }
}

impl DraftChannel {
    /// Puts a bundle into the channel; false where it was there with the same edges.
    fn enter(
        &mut self,
        package: &str,
        entry: &WrittenEntry,
        placement: &Placement,
        versions: &HashMap<&str, &Version>,
    ) -> Result<bool, DraftError> {
        if let Some(known) = self.entries.iter_mut().find(|known| known.name == entry.name) {
            if placement.mode != Mode::Replaces || known == entry {
                return Ok(false);
            }
            if !placement.overwrite {
                return Err(DraftError::Edges {
                    package: package.to_owned(),
                    channel: self.name.clone(),
                    bundle: entry.name.clone(),
                });
            }
            *known = entry.clone();
        } else if placement.mode == Mode::Replaces {
            // In front of what it leads on from, as people write them.
            let below = |known: &WrittenEntry| known.name == entry.replaces || entry.skips.contains(&known.name);
            let first = self.entries.iter().position(below);
            self.entries.insert(first.unwrap_or(0), entry.clone());
        } else {
            self.enter_by_version(entry, placement.mode, versions)
                .map_err(|bundle| DraftError::Version {
                    package: package.to_owned(),
                    bundle,
                })?;
        }
        let heads = self.heads();
        if heads.len() == 1 {
            return Ok(true);
        }
        Err(DraftError::Heads {
            package: package.to_owned(),
            channel: self.name.clone(),
            heads: heads.into_iter().map(str::to_owned).collect(),
        })
    }

    /// Puts an entry between the next lower and the next higher version. The name of a bundle without a version is the
    /// error.
    fn enter_by_version(
        &mut self,
        entry: &WrittenEntry,
        mode: Mode,
        versions: &HashMap<&str, &Version>,
    ) -> Result<(), String> {
        let of = |name: &str| versions.get(name).copied().ok_or_else(|| name.to_owned());
        let own = of(&entry.name)?;
        let mut lower: Vec<(&Version, String)> = Vec::new();
        let mut at = 0;
        for (place, known) in self.entries.iter().enumerate() {
            let known_version = of(&known.name)?;
            if known_version.cmp_precedence(own).is_gt() {
                at = place + 1;
            } else {
                lower.push((known_version, known.name.clone()));
            }
        }
        lower.sort_by(|one, other| one.0.cmp_precedence(other.0));
        let skip_patches = mode == Mode::SemverSkipPatch;
        let same = |version: &Version| (version.major, version.minor) == (own.major, own.minor);
        let mut new = WrittenEntry {
            replaces: String::new(),
            skips: Vec::new(),
            ..entry.clone()
        };
        let next = lower.iter().rev().find(|(version, _)| !(skip_patches && same(version)));
        if let Some((_, next)) = next {
            next.clone_into(&mut new.replaces);
        }
        if skip_patches {
            let patches = lower.iter().rev().filter(|(version, _)| same(version));
            new.skips = patches.map(|(_, name)| name.clone()).collect();
        }
        let below: HashSet<&str> = lower.iter().map(|(_, name)| name.as_str()).collect();
        for known in &mut self.entries {
            let Some(version) = versions.get(known.name.as_str()) else {
                continue;
            };
            if !version.cmp_precedence(own).is_gt() {
                continue;
            }
            if skip_patches && same(version) {
                known.skips.insert(0, entry.name.clone());
            } else if known.replaces.is_empty() || below.contains(known.replaces.as_str()) {
                entry.name.clone_into(&mut known.replaces);
            }
        }
        self.entries.insert(at, new);
        Ok(())
    }
}

/// The fields of two documents that differ.
pub(crate) fn differing(one: &Value, other: &Value) -> Vec<String> {
    let keys = |value: &Value| value.as_object().map(|map| map.keys().cloned().collect::<Vec<_>>());
    let mut fields: Vec<String> = [keys(one), keys(other)].into_iter().flatten().flatten().collect();
    fields.retain(|field| one.get(field) != other.get(field));
    fields.sort_unstable();
    fields.dedup();
    fields
}
