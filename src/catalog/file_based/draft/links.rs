//! The entries of a channel, and the names that link them.

use super::DraftChannel;
use crate::catalog::file_based::{WrittenEntry, heads};
use crate::version::VersionRange;
use std::collections::{BTreeSet, HashMap, HashSet};

impl WrittenEntry {
    /// Returns the bundles that the entry replaces and skips.
    pub(crate) fn below(&self) -> impl Iterator<Item = &str> {
        let names = std::iter::once(&self.replaces).chain(&self.skips);
        names.map(String::as_str).filter(|name| !name.is_empty())
    }
}

impl DraftChannel {
    /// Returns the bundles that no other bundle replaces or skips.
    pub fn heads(&self) -> Vec<&str> {
        let places = heads::heads(self.entries.iter().map(|entry| (entry.name.as_str(), entry.below())));
        let names = places.into_iter().filter_map(|place| self.entries.get(place));
        names.map(|entry| entry.name.as_str()).collect()
    }

    /// Returns the bundles from the head down, each before those that it skips and replaces. Bundles that cannot be
    /// reached from a head come last.
    pub fn from_head(&self) -> Vec<String> {
        let entries = by_name(&self.entries);
        let mut listed: Vec<&str> = Vec::new();
        let mut seen = HashSet::new();
        let heads = self.heads();
        let chains = heads.iter().flat_map(|head| chain(&entries, head));
        let led = chains.flat_map(|entry| {
            let skipped = entry.skips.iter().map(String::as_str);
            std::iter::once(entry.name.as_str()).chain(skipped.filter(|name| entries.contains_key(name)))
        });
        let rest = self.entries.iter().map(|entry| entry.name.as_str());
        listed.extend(led.chain(rest).filter(|name| seen.insert(*name)));
        listed.into_iter().map(str::to_owned).collect()
    }

    /// Removes bundles. Returns the bundles that receive no further updates: the removed heads, and those bundles
    /// outside the channel that only the removed heads replaced or skipped.
    pub(super) fn take_out(&mut self, bundles: &HashSet<&str>) -> Vec<String> {
        let order = self.downwards(bundles);
        if order.is_empty() {
            return Vec::new();
        }
        let mut links = Links::new(std::mem::take(&mut self.entries));
        let stranded = order.iter().flat_map(|bundle| links.take_out(bundle)).collect();
        self.entries = links.entries.into_iter().flatten().collect();
        stranded
    }

    /// Returns the specified bundles that are in the channel, from the heads down. If bundles are removed in this
    /// order, the edges of each removed bundle pass to bundles that remain.
    fn downwards(&self, bundles: &HashSet<&str>) -> Vec<String> {
        let entries = by_name(&self.entries);
        let mut order = Vec::new();
        let mut seen: HashSet<&str> = HashSet::new();
        let all = self.entries.iter().map(|entry| entry.name.as_str());
        for begin in self.heads().into_iter().chain(all) {
            let mut next = vec![begin];
            while let Some(name) = next.pop() {
                let Some(entry) = entries.get(name).filter(|_| seen.insert(name)) else {
                    continue;
                };
                if bundles.contains(name) {
                    order.push(name.to_owned());
                }
                next.extend(entry.below());
            }
        }
        order
    }
}

/// Returns the entries by name.
pub(super) fn by_name(entries: &[WrittenEntry]) -> HashMap<&str, &WrittenEntry> {
    // If two entries have the same name, the first one is used.
    entries.iter().rev().map(|entry| (entry.name.as_str(), entry)).collect()
}

/// Returns the entries from the head down, along the replaces chain.
pub(super) fn chain<'e>(entries: &HashMap<&str, &'e WrittenEntry>, head: &'e str) -> Vec<&'e WrittenEntry> {
    let mut chain: Vec<&WrittenEntry> = Vec::new();
    let mut seen = HashSet::new();
    let mut next = head;
    while let Some(entry) = entries.get(next).filter(|_| seen.insert(next)) {
        chain.push(entry);
        next = &entry.replaces;
    }
    chain
}

/// The entries of a channel during a removal of bundles.
struct Links {
    entries: Vec<Option<WrittenEntry>>,
    places: HashMap<String, usize>,
    replaced_by: HashMap<String, BTreeSet<usize>>,
    skipped_by: HashMap<String, BTreeSet<usize>>,
}

impl Links {
    fn new(entries: Vec<WrittenEntry>) -> Self {
        let mut links = Self {
            entries: Vec::new(),
            places: HashMap::new(),
            replaced_by: HashMap::new(),
            skipped_by: HashMap::new(),
        };
        for (place, entry) in entries.iter().enumerate() {
            links.places.entry(entry.name.clone()).or_insert(place);
            link(&mut links.replaced_by, &entry.replaces, place);
            for skipped in &entry.skips {
                link(&mut links.skipped_by, skipped, place);
            }
        }
        links.entries = entries.into_iter().map(Some).collect();
        links
    }

    /// Removes a bundle. Its place is taken by the bundles that replace it, or by those that skip it if none replaces
    /// it. Returns the bundles that receive no further updates.
    fn take_out(&mut self, bundle: &str) -> Vec<String> {
        let Some(place) = self.places.remove(bundle) else {
            return Vec::new();
        };
        let Some(gone) = self.entries.get_mut(place).and_then(Option::take) else {
            return Vec::new();
        };
        unlink(&mut self.replaced_by, &gone.replaces, place);
        for skipped in &gone.skips {
            unlink(&mut self.skipped_by, skipped, place);
        }
        let above = linked(&self.replaced_by, bundle)
            .or_else(|| linked(&self.skipped_by, bundle))
            .cloned();
        for place in above.iter().flatten() {
            self.hand_on(&gone, *place);
        }
        if above.is_some() {
            return Vec::new();
        }
        let below = gone.below().filter(|name| !self.knows(name)).map(str::to_owned);
        std::iter::once(bundle.to_owned()).chain(below).collect()
    }

    /// Makes the entry at a position replace and skip the bundles that a removed entry replaced and skipped.
    fn hand_on(&mut self, gone: &WrittenEntry, place: usize) {
        // The replaces chain ends at a skipped bundle, so a bundle that another entry replaces must not be skipped.
        let is_replaced = linked(&self.replaced_by, &gone.replaces).is_some();
        let Some(entry) = self.entries.get_mut(place).and_then(Option::as_mut) else {
            return;
        };
        let mut below: Vec<&str> = vec![&gone.name];
        if entry.replaces == gone.name {
            unlink(&mut self.replaced_by, &gone.name, place);
            gone.replaces.clone_into(&mut entry.replaces);
            link(&mut self.replaced_by, &gone.replaces, place);
        } else if !is_replaced {
            below.push(&gone.replaces);
        }
        below.extend(gone.skips.iter().map(String::as_str));
        for name in below {
            if !name.is_empty() && name != entry.name && link(&mut self.skipped_by, name, place) {
                entry.skips.push(name.to_owned());
            }
        }
        entry.skip_range = united(&entry.skip_range, &gone.skip_range);
    }

    /// Returns whether an entry has this name, or replaces or skips a bundle with this name.
    fn knows(&self, name: &str) -> bool {
        let is_linked = |links| linked(links, name).is_some();
        self.places.contains_key(name) || is_linked(&self.replaced_by) || is_linked(&self.skipped_by)
    }
}

/// Adds a link. Returns `false` if it already exists.
fn link(links: &mut HashMap<String, BTreeSet<usize>>, name: &str, place: usize) -> bool {
    links.entry(name.to_owned()).or_default().insert(place)
}

/// Returns the positions of the entries that link to a name, or `None` if there are none.
fn linked<'l>(links: &'l HashMap<String, BTreeSet<usize>>, name: &str) -> Option<&'l BTreeSet<usize>> {
    links.get(name).filter(|places| !places.is_empty())
}

fn unlink(links: &mut HashMap<String, BTreeSet<usize>>, name: &str, place: usize) {
    if let Some(places) = links.get_mut(name) {
        places.remove(&place);
    }
}

/// Returns a range that includes the versions of both ranges. A string that OLM does not accept as a range includes no
/// version.
fn united(one: &str, other: &str) -> String {
    let is_range = |text: &str| !text.is_empty() && VersionRange::parse_as_olm(text).is_ok();
    let known = |text: &str| one.split("||").any(|part| part.trim() == text.trim());
    let new: Vec<&str> = other.split("||").map(str::trim).filter(|part| !known(part)).collect();
    if !is_range(other) || new.is_empty() || (!one.is_empty() && !is_range(one)) {
        return one.to_owned();
    }
    if one.is_empty() {
        return other.to_owned();
    }
    format!("{one} || {}", new.join(" || "))
}
