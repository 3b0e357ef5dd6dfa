//! Keeping a part of a package.

use super::error::release_of;
use super::links::{by_name, chain};
use super::{Draft, DraftChannel, DraftError, Removal};
use crate::catalog::file_based::WrittenEntry;
use crate::catalog::selection::part::{Candidate, Part, Versions};
use crate::version::VersionRange;
use semver::Version;
use std::collections::{BTreeSet, HashMap, HashSet};

impl Draft {
    /// Removes all bundles outside the part. In each channel, bundles between the remaining ones are also kept if the
    /// channel would otherwise be disconnected; they are returned with their channels. The lowest remaining bundle
    /// keeps its edges to removed bundles, so that clusters that run those bundles still receive updates.
    ///
    /// # Errors
    /// Returns an error if a channel does not exist, no bundle would remain, the default channel would be removed, or
    /// no update path leads from a version to the head.
    pub fn prune(
        &mut self,
        part: &Part,
        default_channel: Option<&str>,
    ) -> Result<(Removal, Vec<(String, String)>), DraftError> {
        let mut removal = Removal::default();
        for channel in &part.channels {
            self.channel(channel)?;
        }
        if !part.channels.is_empty() {
            let gone = self
                .channels
                .extract_if(.., |channel| !part.channels.contains(&channel.name));
            removal.channels.extend(gone.map(|channel| channel.name));
        }
        let mut between = Vec::new();
        let mut channels = std::mem::take(&mut self.channels);
        let versions = self.versions();
        let there: BTreeSet<&Version> = channels
            .iter()
            .flat_map(|channel| &channel.entries)
            .filter_map(|entry| versions.get(entry.name.as_str()).copied())
            .collect();
        let there: Vec<String> = there.into_iter().map(ToString::to_string).collect();
        let prerelease = channels
            .iter()
            .flat_map(|channel| channel.near(part, &versions))
            .max()
            .cloned();
        let is_lost = |from: &&Version| channels.iter().all(|channel| channel.way(from, &versions).is_empty());
        removal.unreached = part.from.iter().filter(is_lost).cloned().collect();
        for channel in &mut channels {
            let before = channel.clone();
            let kept = channel
                .keep(part, &versions)
                .map_err(|(bundle, head)| DraftError::NoWay {
                    package: self.name.clone(),
                    channel: channel.name.clone(),
                    bundle,
                    head,
                })?;
            between.extend(kept.into_iter().map(|bundle| (bundle, channel.name.clone())));
            let stranded = before.stranded_by(channel, &versions).into_iter();
            removal
                .stranded
                .extend(stranded.map(|bundle| (bundle, channel.name.clone())));
        }
        self.channels = channels;
        if !there.is_empty() && self.channels.iter().all(|channel| channel.entries.is_empty()) {
            if matches!(part.versions, Versions::Nothing) && !part.from.is_empty() {
                return Err(DraftError::NoStart {
                    package: self.name.clone(),
                    from: part.from.clone(),
                    versions: there,
                });
            }
            return Err(DraftError::Outside {
                package: self.name.clone(),
                versions: there,
                prerelease,
            });
        }
        self.settle(default_channel, &mut removal)?;
        Ok((removal, between))
    }
}

impl DraftChannel {
    /// Returns the channel's prerelease versions for which `part` would select the corresponding release.
    fn near<'v>(&self, part: &Part, versions: &HashMap<&str, &'v Version>) -> Vec<&'v Version> {
        let is_near = |entry: &WrittenEntry| {
            let version = *versions.get(entry.name.as_str())?;
            let candidate = Candidate {
                channel: &self.name,
                bundle: &entry.name,
                version: Some(&release_of(version)),
                is_head: false,
            };
            (!version.pre.is_empty() && part.versions.wants(candidate)).then_some(version)
        };
        self.entries.iter().filter_map(is_near).collect()
    }

    /// Keeps a part of the entries. Returns the entries that are kept only because other entries need them. Fails if a
    /// bundle has no update path to the head; the error contains the names of the bundle and the head.
    fn keep(&mut self, part: &Part, versions: &HashMap<&str, &Version>) -> Result<Vec<String>, (String, String)> {
        let Some(head) = self.heads().first().map(|head| (*head).to_owned()) else {
            return Ok(Vec::new());
        };
        let mut wanted: BTreeSet<String> = BTreeSet::new();
        for entry in &self.entries {
            let candidate = Candidate {
                channel: &self.name,
                bundle: &entry.name,
                version: versions.get(entry.name.as_str()).copied(),
                is_head: entry.name == head,
            };
            if part.versions.wants(candidate) {
                wanted.insert(entry.name.clone());
            }
        }
        for from in &part.from {
            let way = self.way(from, versions);
            if let Some(last) = way.last().filter(|last| **last != head) {
                return Err((last.clone(), head));
            }
            let start = self
                .bundle_of(from, versions)
                .filter(|start| part.past_from && *start != head);
            wanted.extend(way.into_iter().filter(|bundle| Some(bundle.as_str()) != start));
        }
        let mut kept: Vec<WrittenEntry> = self.entries.clone();
        kept.retain(|entry| wanted.contains(&entry.name));
        let hangs_together = kept.is_empty() || (is_whole(&kept) && self.may_lead(&kept));
        if !hangs_together {
            let chain = chain(&by_name(&self.entries), &head);
            let leads_to = |entry: &&WrittenEntry| {
                wanted.contains(&entry.name) || entry.skips.iter().any(|skipped| wanted.contains(skipped))
            };
            let places: Vec<usize> = chain
                .iter()
                .enumerate()
                .filter(|(_, entry)| leads_to(entry))
                .map(|(at, _)| at)
                .collect();
            let (first, last) = (places.first().copied(), places.last().copied());
            let needed: BTreeSet<&str> = chain
                .iter()
                .enumerate()
                .filter(|(at, _)| first.is_some_and(|first| first <= *at) && last.is_some_and(|last| *at <= last))
                .map(|(_, entry)| entry.name.as_str())
                .collect();
            kept = self.entries.clone();
            kept.retain(|entry| wanted.contains(&entry.name) || needed.contains(entry.name.as_str()));
        }
        let names = kept.into_iter().map(|entry| entry.name).collect();
        let names = self.shielded(&names, &head);
        self.entries.retain(|entry| names.contains(&entry.name));
        let names = self.entries.iter().map(|entry| entry.name.clone());
        Ok(names.filter(|name| !wanted.contains(name)).collect())
    }

    /// Returns the removed bundles that were above the head of `part` and from which no update leads to `part`, the
    /// remaining part of the channel. Also returns the bundles that only these bundles replaced or skipped.
    fn stranded_by(&self, part: &Self, versions: &HashMap<&str, &Version>) -> Vec<String> {
        let Some(head) = part.heads().first().map(|head| (*head).to_owned()) else {
            return Vec::new();
        };
        let entries = by_name(&self.entries);
        // The original head leads to all entries of its channel.
        let mut below: HashSet<&str> = HashSet::new();
        let mut next = vec![&*head];
        while let Some(name) = next.pop() {
            if below.insert(name) {
                next.extend(entries.get(name).into_iter().flat_map(|entry| entry.below()));
            }
        }
        let kept: HashSet<&str> = part.entries.iter().map(|entry| entry.name.as_str()).collect();
        let linked: HashSet<&str> = part.entries.iter().flat_map(WrittenEntry::below).collect();
        let ranges = part.entries.iter().filter(|entry| !entry.skip_range.is_empty());
        let ranges: Vec<VersionRange> = ranges
            .filter_map(|entry| VersionRange::parse_as_olm(&entry.skip_range).ok())
            .collect();
        let is_in_range = |name: &str| {
            let version = versions.get(name);
            version.is_some_and(|version| ranges.iter().any(|range| range.contains(version)))
        };
        let linked_before = self.entries.iter().flat_map(WrittenEntry::below).map(str::to_owned);
        let mut all = self.from_head();
        all.extend(linked_before);
        let mut seen = HashSet::new();
        all.retain(|name| {
            let is_left = [&below, &kept, &linked].iter().all(|names| !names.contains(&**name));
            is_left && !is_in_range(name) && seen.insert(name.clone())
        });
        all
    }

    /// Returns `names`, and the names of entries that skip one of them: a skipped bundle would be installed again if
    /// the entry that skips it were missing. For each entry that is added this way, the entries that connect it to the
    /// highest entry are also added.
    fn shielded(&self, names: &BTreeSet<String>, head: &str) -> BTreeSet<String> {
        let mut skipping: HashMap<&str, Vec<&str>> = HashMap::new();
        let mut leading: HashMap<&str, Vec<&str>> = HashMap::new();
        for entry in &self.entries {
            for below in entry.skips.iter().filter(|name| **name != entry.name) {
                skipping.entry(below).or_default().push(&entry.name);
            }
            for below in entry.below().filter(|name| *name != entry.name) {
                leading.entry(below).or_default().push(&entry.name);
            }
        }
        let chain = chain(&by_name(&self.entries), head);
        let places: HashMap<&str, usize> = chain.iter().map(|entry| entry.name.as_str()).zip(0..).collect();
        let mut kept: BTreeSet<&str> = BTreeSet::new();
        let own = self.entries.iter().map(|entry| entry.name.as_str());
        let mut new: Vec<&str> = own.filter(|name| names.contains(*name)).collect();
        while !new.is_empty() {
            while let Some(name) = new.pop() {
                kept.insert(name);
                let above = skipping.get(name).into_iter().flatten();
                if !above.clone().any(|above| kept.contains(above) || new.contains(above)) {
                    new.extend(above.take(1));
                }
            }
            let leads_on = |name: &&str| {
                leading
                    .get(name)
                    .into_iter()
                    .flatten()
                    .any(|above| kept.contains(above))
            };
            let heads = kept.iter().filter(|name| !leads_on(name));
            let top = heads.clone().filter_map(|name| places.get(name)).min();
            let loose = heads.filter(|name| top.is_none_or(|top| places.get(*name) != Some(top)));
            new = loose.filter_map(|name| leading.get(name)?.first().copied()).collect();
        }
        kept.into_iter().map(str::to_owned).collect()
    }

    /// Returns whether the heads of the entries in `kept` may be heads of the channel. A bundle that the channel skips
    /// cannot be a head, because it must not be installed.
    fn may_lead(&self, kept: &[WrittenEntry]) -> bool {
        let channel = Self {
            entries: kept.to_vec(),
            ..Self::new("")
        };
        let skips =
            |entry: &WrittenEntry, head: &str| entry.name != head && entry.skips.iter().any(|name| name == head);
        let heads = channel.heads();
        heads
            .iter()
            .all(|head| !self.entries.iter().any(|entry| skips(entry, head)))
    }
}

/// Returns whether there is exactly one head, and a chain of replaces leads from it to all entries that no entry skips.
pub(super) fn is_whole(entries: &[WrittenEntry]) -> bool {
    let channel = DraftChannel {
        entries: entries.to_vec(),
        ..DraftChannel::new("")
    };
    let [head] = channel.heads()[..] else {
        return false;
    };
    let mut skipped: HashSet<&str> = HashSet::new();
    for entry in entries {
        let others = entry.skips.iter().filter(|name| **name != entry.name);
        skipped.extend(others.map(String::as_str));
    }
    let entries_by_name = by_name(entries);
    let mut reached: HashSet<&str> = HashSet::from([head]);
    let mut next = entries_by_name.get(head);
    while let Some(entry) = next.filter(|entry| !entry.replaces.is_empty()) {
        if !reached.insert(&entry.replaces) {
            return false;
        }
        // A skipped bundle ends the chain.
        next = entries_by_name
            .get(entry.replaces.as_str())
            .filter(|_| !skipped.contains(entry.replaces.as_str()));
    }
    let mut names = entries.iter().map(|entry| &entry.name);
    names.all(|name| reached.contains(name.as_str()) || skipped.contains(name.as_str()))
}
