//! The way that clusters update in a channel.

use super::links::{by_name, chain};
use super::{Draft, DraftChannel};
use crate::catalog::file_based::WrittenEntry;
use crate::version::VersionRange;
use semver::Version;
use std::collections::{HashMap, HashSet};

/// The updates in a channel. At each step, OLM considers the bundles that replace or skip the installed one, or whose
/// range contains the installed version, and chooses the one nearest to the head. A range that includes higher versions
/// does not lead downwards.
struct Updates<'c> {
    /// The entries from the head down.
    chain: Vec<&'c WrittenEntry>,
    places: HashMap<&'c str, usize>,
    /// The place of the first entry that replaces or skips a bundle.
    named: HashMap<&'c str, usize>,
    ranges: Vec<(usize, VersionRange)>,
    versions: &'c HashMap<&'c str, &'c Version>,
}

impl<'c> Updates<'c> {
    /// Returns the updates in a channel; `None` if the channel has no head.
    fn of(channel: &'c DraftChannel, versions: &'c HashMap<&'c str, &'c Version>) -> Option<Self> {
        let head = *channel.heads().first()?;
        let chain = chain(&by_name(&channel.entries), head);
        let places = chain.iter().map(|entry| entry.name.as_str()).zip(0..).collect();
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
        Some(Self {
            chain,
            places,
            named,
            ranges,
            versions,
        })
    }

    /// Returns the bundle to which a cluster updates from the bundle `name`, which may be outside the channel.
    fn after(&self, name: &str, version: &Version) -> Option<&'c str> {
        let own_place = self.places.get(name).copied();
        let is_above = |place: usize| match own_place {
            Some(own) => place < own,
            None => self
                .chain
                .get(place)
                .and_then(|entry| self.versions.get(entry.name.as_str()))
                .is_some_and(|other| *other > version),
        };
        let spans = |(place, range): &&(usize, VersionRange)| range.contains(version) && is_above(*place);
        let by_range = self.ranges.iter().find(spans).map(|(place, _)| *place);
        let by_name = self.named.get(name).copied().filter(|_| own_place != Some(0));
        let next = by_range.into_iter().chain(by_name).min()?;
        self.chain.get(next).map(|entry| entry.name.as_str())
    }
}

impl Draft {
    /// Returns the bundle to which clusters update from each bundle of a channel; bundles without an update or a
    /// version are omitted.
    pub(crate) fn updates<'c>(&'c self, channel: &'c DraftChannel) -> HashMap<&'c str, String> {
        let versions = self.versions();
        let Some(updates) = Updates::of(channel, &versions) else {
            return HashMap::new();
        };
        let names = channel.entries.iter().map(|entry| entry.name.as_str());
        names
            .filter_map(|name| Some((name, updates.after(name, versions.get(name)?)?.to_owned())))
            .collect()
    }
}

impl DraftChannel {
    /// Returns the bundle with this version.
    pub(super) fn bundle_of(&self, version: &Version, versions: &HashMap<&str, &Version>) -> Option<&str> {
        let mut names = self.entries.iter().map(|entry| entry.name.as_str());
        names.find(|name| versions.get(name) == Some(&version))
    }

    /// Returns the bundle with this version, and the bundles through which a cluster updates from it to the head.
    pub(super) fn way(&self, from: &Version, versions: &HashMap<&str, &Version>) -> Vec<String> {
        let Some(updates) = Updates::of(self, versions) else {
            return Vec::new();
        };
        let own = self.bundle_of(from, versions);
        let mut way: Vec<String> = own.iter().map(|name| (*name).to_owned()).collect();
        let mut seen: HashSet<&str> = own.into_iter().collect();
        let mut at = (own.unwrap_or_default(), from);
        while let Some(next) = updates.after(at.0, at.1).filter(|next| seen.insert(*next)) {
            way.push(next.to_owned());
            let Some(version) = versions.get(next) else {
                return way;
            };
            at = (next, version);
        }
        way
    }
}
