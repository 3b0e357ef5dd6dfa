//! Keeping a part of a package.

use super::links::{by_name, chain};
use super::{Draft, DraftChannel, DraftError, Removal};
use crate::catalog::file_based::WrittenEntry;
use crate::catalog::selection::part::{Part, Versions};
use crate::version::VersionRange;
use semver::Version;
use std::collections::{BTreeSet, HashMap, HashSet};

impl Draft {
    /// Takes out what is none of the part. In each channel the bundles between those that stay are kept, too, where the
    /// channel would not hang together without them; they are returned with their channels. The lowest bundle that
    /// stays still names what it replaces and skips, although that is gone: clusters that run it get on.
    ///
    /// # Errors
    /// When there is no such channel, nothing would be left, the default channel would go, or nothing leads from a
    /// version to the head.
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
        for channel in &mut channels {
            let head = channel.heads().first().map(|head| (*head).to_owned());
            let kept = channel
                .keep(part, &versions)
                .map_err(|(bundle, head)| DraftError::NoWay {
                    package: self.name.clone(),
                    channel: channel.name.clone(),
                    bundle,
                    head,
                })?;
            between.extend(kept.into_iter().map(|bundle| (bundle, channel.name.clone())));
            let gone = head.filter(|head| channel.entries.iter().all(|entry| entry.name != *head));
            removal.stranded.extend(gone.map(|head| (head, channel.name.clone())));
        }
        self.channels = channels;
        self.settle(default_channel, &mut removal)?;
        Ok((removal, between))
    }
}

impl DraftChannel {
    /// Keeps a part of the entries; gives those that stay only because the others need them. A bundle from which
    /// nothing leads to the head is the error, with the head.
    fn keep(&mut self, part: &Part, versions: &HashMap<&str, &Version>) -> Result<Vec<String>, (String, String)> {
        let Some(head) = self.heads().first().map(|head| (*head).to_owned()) else {
            return Ok(Vec::new());
        };
        let mut wanted: BTreeSet<String> = BTreeSet::new();
        let all = part.from.is_none();
        for entry in &self.entries {
            let is_wanted = match &part.versions {
                Versions::All => all,
                kept => kept.wants(versions.get(entry.name.as_str()).copied(), entry.name == head),
            };
            if is_wanted {
                wanted.insert(entry.name.clone());
            }
        }
        if let Some(from) = &part.from {
            let way = self.way(from, versions);
            if let Some(last) = way.last().filter(|last| **last != head) {
                return Err((last.clone(), head));
            }
            wanted.extend(way);
        }
        let mut kept: Vec<WrittenEntry> = self.entries.clone();
        kept.retain(|entry| wanted.contains(&entry.name));
        if !kept.is_empty() && !is_whole(&kept) {
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
        self.entries = kept;
        let names = self.entries.iter().map(|entry| entry.name.clone());
        Ok(names.filter(|name| !wanted.contains(name)).collect())
    }

    /// The bundle of a version, and those that a cluster takes from it to the head, as OLM chooses them: always the one
    /// nearest to the head that replaces or skips it, or whose range holds its version.
    fn way(&self, from: &Version, versions: &HashMap<&str, &Version>) -> Vec<String> {
        let Some(head) = self.heads().first().map(|head| (*head).to_owned()) else {
            return Vec::new();
        };
        let chain = chain(&by_name(&self.entries), &head);
        let mut named: HashMap<&str, usize> = HashMap::new();
        let mut ranges = Vec::new();
        for (place, entry) in chain.iter().enumerate() {
            for name in entry.below().filter(|name| *name != entry.name) {
                named.entry(name).or_insert(place);
            }
            if let Ok(range) = VersionRange::parse_as_olm(&entry.skip_range)
                && !entry.skip_range.is_empty()
            {
                ranges.push((place, range));
            }
        }
        let own = self
            .entries
            .iter()
            .find(|entry| versions.get(entry.name.as_str()) == Some(&from));
        let mut way: Vec<String> = own.iter().map(|entry| entry.name.clone()).collect();
        let mut seen: HashSet<&str> = own.iter().map(|entry| entry.name.as_str()).collect();
        let mut at = (own.map_or("", |entry| entry.name.as_str()), from);
        loop {
            let is_at = |place: usize| chain.get(place).is_some_and(|entry| entry.name == at.0);
            let spans = |(place, range): &&(usize, VersionRange)| range.contains(at.1) && !is_at(*place);
            let by_range = ranges.iter().find(spans).map(|(place, _)| *place);
            let by_name = named.get(at.0).copied();
            let next = by_range.into_iter().chain(by_name).min();
            let Some(next) = next
                .and_then(|place| chain.get(place))
                .filter(|next| seen.insert(&next.name))
            else {
                return way;
            };
            way.push(next.name.clone());
            let Some(version) = versions.get(next.name.as_str()) else {
                return way;
            };
            at = (&next.name, version);
        }
    }
}

/// Whether there is one head, from which a chain of replaces leads to all entries that none skips.
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
        // What is skipped ends the chain.
        next = entries_by_name
            .get(entry.replaces.as_str())
            .filter(|_| !skipped.contains(entry.replaces.as_str()));
    }
    let mut names = entries.iter().map(|entry| &entry.name);
    names.all(|name| reached.contains(name.as_str()) || skipped.contains(name.as_str()))
}
