//! Adding bundles to channels.

use super::error::Above;
use super::links::{by_name, chain};
use super::{Draft, DraftBundle, DraftChannel, DraftError, differing};
use crate::bundle::stated::StatedAt;
use crate::catalog::file_based::WrittenEntry;
use crate::catalog::file_based::shown::Shown;
use crate::catalog::graph::Mode;
use crate::version::is_name_of_higher;
use semver::Version;
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

/// A bundle to add.
#[derive(Debug, Clone, PartialEq)]
pub struct NewBundle {
    /// The document of the bundle.
    pub document: Value,
    /// The name of the bundle, and the bundles that it replaces and skips.
    pub entry: WrittenEntry,
    /// The version of the bundle; `None` if it cannot be ordered.
    pub version: Option<Version>,
    /// The channels that the bundle itself names.
    pub channels: Vec<String>,
    /// The default channel that the bundle itself names.
    pub default_channel: Option<String>,
    /// What user interfaces show of the bundle's package, if the bundle begins it.
    pub shown: Shown,
    /// The places in the bundle's files that specify its position in channels, as `FILE:LINE`.
    pub stated: StatedAt,
}

/// The channels to which a bundle is added, and its position in them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Placement {
    /// The channels; if empty, the channels that the bundle itself names.
    pub channels: Vec<String>,
    /// The update mode that determines the position in the channels.
    pub mode: Mode,
    /// The default channel of the package.
    pub default_channel: Option<String>,
    /// Whether to replace a bundle that has the same name, but different content or edges.
    pub overwrite: bool,
}

impl Draft {
    /// Adds a bundle to channels, which are created if absent. A new package has no default channel until
    /// [`Draft::choose_default`] chooses it. `known` is the existing document of this bundle in the
    /// catalog, if any. Returns the changed channels: those to which the bundle was added, or in which its edges were
    /// replaced.
    ///
    /// # Errors
    /// Returns an error if another bundle has the same name, a version that the mode needs is missing, or a channel
    /// would not have exactly one head.
    pub fn add(
        &mut self,
        new: &NewBundle,
        placement: &Placement,
        known: Option<&Value>,
    ) -> Result<Vec<String>, DraftError> {
        let added = self.add_unplaced(new, placement, known);
        added.map_err(|error| match error {
            // The channels of the placement are not stated in the bundle.
            DraftError::ChannelName { .. } if !placement.channels.is_empty() => error,
            error => error.at(&new.stated),
        })
    }

    fn add_unplaced(
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
            // A published bundle may name its channels as it likes; its other faults are reported when it is read.
            let is_asked_for = !placement.channels.is_empty();
            if self.channel(channel).is_err() && (is_asked_for || channel.is_empty()) {
                Self::require_name(channel)?;
            }
            let place = self.channel(channel).unwrap_or_else(|_| {
                self.channels.push(DraftChannel::new(channel));
                self.channels.len() - 1
            });
            if self.enter(place, new, placement)? {
                added.push(channel.clone());
            }
        }
        Ok(added)
    }

    /// Adds the bundle to a channel. Returns `false` if the channel is unchanged, because it already contains the
    /// bundle.
    fn enter(&mut self, place: usize, new: &NewBundle, placement: &Placement) -> Result<bool, DraftError> {
        let entry = &new.entry;
        let package = self.name.clone();
        if placement.mode == Mode::Replaces && entry.replaces == entry.name {
            return Err(DraftError::ReplacesItself {
                package,
                bundle: entry.name.clone(),
            });
        }
        let mut channels = std::mem::take(&mut self.channels);
        let entered = match channels.get_mut(place) {
            Some(channel) => channel.enter(&package, entry, placement, &self.versions()),
            None => Ok(false),
        };
        self.channels = channels;
        entered
    }

    /// Sets the default channel of the package after bundles were added, and the icon and description that the document
    /// of a new package gets from the head of that channel. `added` contains these bundles, sorted by ascending
    /// version. The default channel of the placement takes precedence. Otherwise, a package without a default channel
    /// gets the last default channel that the bundles declare or, if they declare none, its only channel.
    ///
    /// # Errors
    /// Returns an error if the channel does not exist, or a new package has no default channel.
    pub fn choose_default<'a>(
        &mut self,
        added: impl DoubleEndedIterator<Item = &'a NewBundle> + Clone,
        placement: &Placement,
    ) -> Result<(), DraftError> {
        self.choose_channel(added.clone(), placement)?;
        let channel = self
            .channels
            .iter()
            .find(|channel| channel.name == self.default_channel);
        let heads = channel.map(DraftChannel::heads).unwrap_or_default();
        if let Some(head) = added.rev().find(|new| heads.contains(&new.entry.name.as_str())) {
            self.shown = head.shown.clone();
        }
        Ok(())
    }

    fn choose_channel<'a>(
        &mut self,
        added: impl DoubleEndedIterator<Item = &'a NewBundle>,
        placement: &Placement,
    ) -> Result<(), DraftError> {
        if let Some(channel) = &placement.default_channel {
            return self.set_default(channel);
        }
        if !self.default_channel.is_empty() {
            return Ok(());
        }
        let channels = || self.channels.iter().map(|channel| channel.name.clone()).collect();
        let mut stated = None;
        for new in added.rev() {
            stated.get_or_insert(&new.stated);
            let Some(declared) = &new.default_channel else {
                continue;
            };
            if self.channel(declared).is_ok() {
                self.default_channel.clone_from(declared);
                return Ok(());
            }
            // If the channels are not the bundle's own, the bundle's default channel might be absent.
            if placement.channels.is_empty() {
                let error = DraftError::UnknownDefault {
                    package: self.name.clone(),
                    bundle: new.entry.name.clone(),
                    default_channel: declared.clone(),
                    channels: channels(),
                };
                return Err(error.at(&new.stated));
            }
        }
        if let [channel] = &*self.channels {
            self.default_channel.clone_from(&channel.name);
            return Ok(());
        }
        let error = DraftError::NoDefault {
            package: self.name.clone(),
            channels: channels(),
        };
        Err(match stated {
            Some(stated) => error.at(stated),
            None => error,
        })
    }
}

impl DraftChannel {
    /// Adds a bundle to the channel. Returns `false` if the channel is unchanged, because it already contains the
    /// bundle.
    fn enter(
        &mut self,
        package: &str,
        entry: &WrittenEntry,
        placement: &Placement,
        versions: &HashMap<&str, &Version>,
    ) -> Result<bool, DraftError> {
        let others: HashSet<String> = self.entries.iter().map(|known| known.name.clone()).collect();
        if let Some(known) = self.entries.iter_mut().find(|known| known.name == entry.name) {
            let repaired = |known: &WrittenEntry| is_repaired(known, entry, &others);
            if placement.mode != Mode::Replaces || known == entry || repaired(known) {
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
            // The entry is inserted before those that it replaces or skips, as in catalogs written by people.
            let below = |known: &WrittenEntry| known.name == entry.replaces || entry.skips.contains(&known.name);
            let first = self.entries.iter().position(below);
            self.entries.insert(first.unwrap_or(0), entry.clone());
        } else {
            self.enter_by_version(package, entry, placement.mode, versions)?;
        }
        let heads = self.heads();
        if heads.len() == 1 {
            return Ok(true);
        }
        if placement.mode == Mode::Replaces && heads.contains(&entry.name.as_str()) {
            let heads: Vec<&str> = heads.into_iter().filter(|head| *head != entry.name).collect();
            return Err(DraftError::SecondHead {
                package: package.into(),
                channel: self.name.clone(),
                bundle: entry.name.clone(),
                above: Box::new(self.above(entry, &heads, versions)),
                others: heads.into_iter().map(str::to_owned).collect(),
                replaces: entry.replaces.clone().into(),
                is_absent: !others.contains(&entry.replaces),
            });
        }
        Err(DraftError::Heads {
            package: package.to_owned(),
            channel: self.name.clone(),
            heads: heads.into_iter().map(str::to_owned).collect(),
        })
    }

    /// Returns those of the other heads that an entry cannot replace.
    fn above(&self, entry: &WrittenEntry, heads: &[&str], versions: &HashMap<&str, &Version>) -> Above {
        let entries = by_name(&self.entries);
        let gap_below = |head: &str| {
            let last = *chain(&entries, head).last()?;
            let is_gap = !last.replaces.is_empty() && !entries.contains_key(last.replaces.as_str());
            is_gap.then(|| [last.name.clone(), last.replaces.clone()])
        };
        let own = versions.get(entry.name.as_str());
        let is_higher = |head: &&&str| match (own, versions.get(**head)) {
            (Some(own), Some(other)) => other.cmp_precedence(own).is_gt(),
            // In a template, only the versions of new bundles are known.
            (Some(own), None) if is_name_of_higher(head, &own.to_string()) => true,
            _ => gap_below(head).is_some(),
        };
        let higher: Vec<&&str> = heads.iter().filter(is_higher).collect();
        Above {
            gap: higher.iter().find_map(|head| gap_below(head)),
            heads: higher.into_iter().map(|head| (*head).to_owned()).collect(),
        }
    }

    /// Inserts an entry between those with the next lower and the next higher version. Fails if a bundle of the channel
    /// has no version, or if its version equals that of the entry when build metadata is ignored.
    fn enter_by_version(
        &mut self,
        package: &str,
        entry: &WrittenEntry,
        mode: Mode,
        versions: &HashMap<&str, &Version>,
    ) -> Result<(), DraftError> {
        let of = |name: &str| {
            let version = versions.get(name).copied();
            version.ok_or_else(|| DraftError::Version {
                package: package.to_owned(),
                bundle: name.to_owned(),
            })
        };
        let own = of(&entry.name)?;
        let mut lower: Vec<(&Version, String)> = Vec::new();
        let mut at = 0;
        for (place, known) in self.entries.iter().enumerate() {
            let known_version = of(&known.name)?;
            match known_version.cmp_precedence(own) {
                Ordering::Greater => at = place + 1,
                Ordering::Less => lower.push((known_version, known.name.clone())),
                Ordering::Equal => {
                    return Err(DraftError::SameVersion {
                        package: package.to_owned(),
                        channel: self.name.clone(),
                        bundles: [known.name.clone(), entry.name.clone()],
                    });
                }
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
        if skip_patches {
            self.unchain_patches(own, &new.replaces, versions);
        }
        self.entries.insert(at, new);
        Ok(())
    }

    /// Lets the entries of a minor version that replace one another, as in a channel that was ordered in another mode,
    /// replace `before` instead, and skip all lower patch versions.
    fn unchain_patches(&mut self, of: &Version, before: &str, versions: &HashMap<&str, &Version>) {
        let is_own = |version: &&Version| (version.major, version.minor) == (of.major, of.minor);
        let own = |name: &str| versions.get(name).copied().filter(is_own);
        let names = self.entries.iter().map(|known| known.name.as_str());
        let mut patches: Vec<(&Version, String)> =
            names.filter_map(|name| Some((own(name)?, name.to_owned()))).collect();
        patches.sort_by(|one, other| other.0.cmp_precedence(one.0));
        let all: HashSet<&str> = patches.iter().map(|(_, name)| name.as_str()).collect();
        for known in &mut self.entries {
            let Some(version) = own(&known.name).filter(|_| all.contains(known.replaces.as_str())) else {
                continue;
            };
            before.clone_into(&mut known.replaces);
            let skipped: HashSet<&str> = known.skips.iter().map(String::as_str).collect();
            let lower = patches
                .iter()
                .filter(|(patch, _)| patch.cmp_precedence(version).is_lt());
            let missing = lower.filter(|(_, name)| !skipped.contains(name.as_str()));
            let missing: Vec<String> = missing.map(|(_, name)| name.clone()).collect();
            known.skips.extend(missing);
        }
    }
}

/// Returns whether an existing entry differs from a new one only because bundles below it were removed from the
/// channel. In that case, the existing entry still replaces or skips all bundles that the new entry replaces or skips.
/// `others` are the bundles in the channel.
fn is_repaired(known: &WrittenEntry, new: &WrittenEntry, others: &HashSet<String>) -> bool {
    let below: HashSet<&str> = known.below().collect();
    let is_gone = !new.replaces.is_empty() && !others.contains(&new.replaces);
    let is_in = |range: &str| known.skip_range.split("||").any(|part| part.trim() == range.trim());
    is_gone
        && new.below().all(|name| below.contains(name))
        && new.skip_range.split("||").all(|part| part.is_empty() || is_in(part))
}
