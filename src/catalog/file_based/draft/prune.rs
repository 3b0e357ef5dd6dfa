//! Keeping a part of a package.

use super::{Draft, DraftChannel, DraftError, Removal};
use crate::catalog::file_based::WrittenEntry;
use crate::catalog::selection::part::{Part, Versions};
use crate::version::VersionRange;
use semver::Version;
use std::collections::BTreeSet;

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
        let bundles = &self.bundles;
        let version = |name: &str| {
            let bundle = bundles.iter().find(|bundle| bundle.name == name);
            bundle.and_then(|bundle| bundle.version.clone())
        };
        for channel in &mut self.channels {
            let head = channel.heads().first().map(|head| (*head).to_owned());
            let kept = channel
                .keep(part, &version)
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
        self.settle(default_channel, &mut removal)?;
        Ok((removal, between))
    }
}

impl DraftChannel {
    /// Keeps a part of the entries; gives those that stay only because the others need them. A bundle from which
    /// nothing leads to the head is the error, with the head.
    fn keep(
        &mut self,
        part: &Part,
        version: &impl Fn(&str) -> Option<Version>,
    ) -> Result<Vec<String>, (String, String)> {
        let Some(head) = self.heads().first().map(|head| (*head).to_owned()) else {
            return Ok(Vec::new());
        };
        let mut wanted: BTreeSet<String> = BTreeSet::new();
        let all = part.from.is_none();
        for entry in &self.entries {
            let is_wanted = match &part.versions {
                Versions::All => all,
                versions => versions.wants(version(&entry.name).as_ref(), entry.name == head),
            };
            if is_wanted {
                wanted.insert(entry.name.clone());
            }
        }
        if let Some(from) = &part.from {
            let way = self.way(from, version);
            if let Some(last) = way.last().filter(|last| **last != head) {
                return Err((last.clone(), head));
            }
            wanted.extend(way);
        }
        let mut kept: Vec<WrittenEntry> = self.entries.clone();
        kept.retain(|entry| wanted.contains(&entry.name));
        if !kept.is_empty() && !is_whole(&kept) {
            let chain = self.chain(&head);
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

    /// The entries from the head down, by what they replace.
    fn chain(&self, head: &str) -> Vec<&WrittenEntry> {
        let mut chain: Vec<&WrittenEntry> = Vec::new();
        let mut next = Some(head);
        while let Some(name) = next {
            let entry = self.entries.iter().find(|entry| entry.name == name);
            let Some(entry) = entry.filter(|entry| chain.iter().all(|known| known.name != entry.name)) else {
                break;
            };
            chain.push(entry);
            next = Some(&entry.replaces);
        }
        chain
    }

    /// The bundle of a version, and those that a cluster takes from it to the head, as OLM chooses them: always the one
    /// nearest to the head that replaces or skips it, or whose range holds its version.
    fn way(&self, from: &Version, version: &impl Fn(&str) -> Option<Version>) -> Vec<String> {
        let Some(head) = self.heads().first().map(|head| (*head).to_owned()) else {
            return Vec::new();
        };
        let chain = self.chain(&head);
        let own = self
            .entries
            .iter()
            .find(|entry| version(&entry.name).as_ref() == Some(from));
        let mut way: Vec<String> = own.iter().map(|entry| entry.name.clone()).collect();
        let mut at = (own.map_or("", |entry| entry.name.as_str()), from.clone());
        loop {
            let leads_on = |entry: &&&WrittenEntry| {
                let spans = VersionRange::parse_as_olm(&entry.skip_range).is_ok_and(|range| range.contains(&at.1));
                let named = entry.replaces == at.0 || entry.skips.iter().any(|name| name == at.0);
                entry.name != at.0 && ((named && !at.0.is_empty()) || (!entry.skip_range.is_empty() && spans))
            };
            let Some(next) = chain.iter().find(leads_on) else {
                return way;
            };
            if way.contains(&next.name) {
                return way;
            }
            way.push(next.name.clone());
            let Some(version) = version(&next.name) else {
                return way;
            };
            at = (&next.name, version);
        }
    }
}

/// Whether there is one head, and all other entries are led on from by what stands above them.
fn is_whole(entries: &[WrittenEntry]) -> bool {
    let channel = DraftChannel {
        entries: entries.to_vec(),
        ..DraftChannel::new("")
    };
    let [head] = channel.heads()[..] else {
        return false;
    };
    let mut led: BTreeSet<&str> = BTreeSet::from([head]);
    let mut next = Some(head);
    while let Some(entry) = next.and_then(|name| entries.iter().find(|entry| entry.name == name)) {
        led.extend(entry.skips.iter().map(String::as_str));
        next = Some(entry.replaces.as_str()).filter(|name| led.insert(name));
    }
    entries.iter().all(|entry| led.contains(entry.name.as_str()))
}
