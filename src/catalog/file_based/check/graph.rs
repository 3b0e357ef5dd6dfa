//! Checks the update graph of one channel: there must be a single head, and the chain of `replaces` from the head must
//! not strand a bundle.

use super::found::{DocumentId, Found};
use crate::catalog::Text;
use crate::catalog::file_based::heads;
use crate::rules;
use crate::shape::nearest;
use std::collections::{HashMap, HashSet};

/// An entry of a channel.
#[derive(Debug)]
pub(super) struct CheckedEntry {
    /// The position of the entry in the list.
    pub(super) index: usize,
    pub(super) name: Text,
    pub(super) replaces: Text,
    pub(super) skips: Vec<Text>,
}

impl CheckedEntry {
    /// Returns the other bundles that may be updated to this one.
    fn below(&self) -> impl Iterator<Item = &Text> {
        let all = std::iter::once(&self.replaces).chain(&self.skips);
        all.filter(|name| !name.is_empty() && **name != self.name)
    }
}

/// The maximum number of names in one finding.
const SHOWN: usize = 5;

/// Formats names as a list. If there are many, lists the first ones and counts the others.
pub(super) fn name_list<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let count = names.len();
    let mut shown: Vec<String> = names.take(SHOWN).map(|name| format!("{name:?}")).collect();
    if count > SHOWN {
        shown.push(format!("{} more", count - SHOWN));
    }
    match shown.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => shown.concat(),
    }
}

fn circle(names: &[&str]) -> String {
    let mut names: Vec<&str> = names.to_vec();
    if names.len() > 2 * SHOWN {
        names.splice(SHOWN..names.len() - SHOWN, ["…"]);
    }
    names.join(" -> ")
}

/// Checks a channel. `subject` describes the channel in messages. The names of the entries must be unique and not
/// empty.
pub(super) fn check(id: DocumentId, subject: &str, entries: &[CheckedEntry], found: &mut Vec<Found>) {
    let own: HashMap<&str, &CheckedEntry> = entries.iter().map(|entry| (&*entry.name, entry)).collect();
    let at = |entry: &CheckedEntry| id.at(&format!("entries[{}].name", entry.index));
    let links = entries
        .iter()
        .map(|entry| (&*entry.name, entry.below().map(|name| &**name)));
    let places = heads::heads(links).into_iter();
    let heads: Vec<&CheckedEntry> = places.filter_map(|place| entries.get(place)).collect();
    match heads[..] {
        [head] => walk(id, subject, entries, &own, head, found),
        [] => {
            let Some(first) = entries.first() else {
                return;
            };
            let round = upwards(entries, first);
            let message = format!(
                "{subject} has no head, because every entry is replaced or skipped by another one: {}",
                circle(&round)
            );
            let place = round.first().and_then(|name| own.get(name));
            let place = place.map_or_else(|| id.at("entries"), |entry| at(entry));
            found.push(Found::new(&rules::CATALOG_CHANNEL_HEAD, message, place).about(round));
        }
        [first, ..] => {
            let names = heads.iter().map(|head| &*head.name);
            let message = format!(
                "{subject} has {} heads instead of one: {} are neither replaced nor skipped by another entry",
                heads.len(),
                name_list(names)
            );
            let mut finding = Found::new(&rules::CATALOG_CHANNEL_HEAD, message, at(first))
                .about(heads.iter().map(|head| &*head.name));
            for other in heads.iter().skip(1).take(SHOWN) {
                finding = finding.also(at(other), "another head");
            }
            found.push(finding);
        }
    }
}

/// Returns a cycle of entries, each of which replaces or skips the next one. Every entry must be replaced or skipped by
/// another one.
fn upwards<'e>(entries: &'e [CheckedEntry], start: &'e CheckedEntry) -> Vec<&'e str> {
    let mut above: HashMap<&str, &CheckedEntry> = HashMap::new();
    for entry in entries {
        for name in entry.below() {
            above.entry(name).or_insert(entry);
        }
    }
    let (mut seen, mut way, mut at) = (HashMap::new(), Vec::new(), start);
    loop {
        if let Some(begin) = seen.insert(&*at.name, way.len()) {
            way.push(&*at.name);
            let mut round = way.split_off(begin);
            round.reverse();
            return round;
        }
        way.push(&*at.name);
        match above.get(&*at.name) {
            Some(entry) => at = entry,
            None => return way,
        }
    }
}

/// Follows `replaces` from the head to the first bundle that is skipped or not in the channel.
fn walk(
    id: DocumentId,
    subject: &str,
    entries: &[CheckedEntry],
    own: &HashMap<&str, &CheckedEntry>,
    head: &CheckedEntry,
    found: &mut Vec<Found>,
) {
    let skipped = entries.iter().flat_map(|entry| {
        let skips = entry.skips.iter();
        skips.filter(|name| **name != entry.name).map(|name| &**name)
    });
    let skipped: HashSet<&str> = skipped.collect();
    let mut reached: HashSet<&str> = HashSet::from([&*head.name]);
    let mut way = vec![&*head.name];
    let mut last = head;
    while !last.replaces.is_empty() && last.replaces != last.name {
        let next = &*last.replaces;
        way.push(next);
        let place = || id.at(&format!("entries[{}].replaces", last.index));
        if !reached.insert(next) {
            let begin = way.iter().position(|name| *name == next).unwrap_or_default();
            let round = way.get(begin..).unwrap_or_default();
            let message = format!("the replaces chain of {subject} is circular: {}", circle(round));
            let finding = Found::new(&rules::CATALOG_CHANNEL_CYCLE, message, place());
            found.push(finding.about(round.iter().copied()));
            return;
        }
        if skipped.contains(next) {
            break;
        }
        match own.get(next) {
            Some(entry) => last = entry,
            None => break,
        }
    }
    let left = |entry: &&CheckedEntry| !reached.contains(&*entry.name) && !skipped.contains(&*entry.name);
    let stranded: Vec<&CheckedEntry> = entries.iter().filter(left).collect();
    let Some(first) = stranded.first() else {
        return;
    };
    let (names, plural) = (name_list(stranded.iter().map(|entry| &*entry.name)), stranded.len() > 1);
    let message = format!(
        "{subject} leaves {} {names} stranded: no replaces chain from the head {:?} leads there, and no entry skips {}",
        if plural { "bundles" } else { "bundle" },
        head.name,
        if plural { "them" } else { "it" }
    );
    let finding = Found::new(
        &rules::CATALOG_ENTRY_STRANDED,
        message,
        id.at(&format!("entries[{}].name", first.index)),
    )
    .about(stranded.iter().map(|entry| &*entry.name));
    let next = &*last.replaces;
    let end = if next.is_empty() || *next == *last.name {
        format!("the chain ends here: {:?} replaces nothing", last.name)
    } else if skipped.contains(next) {
        format!("the chain ends here: {next:?} is skipped")
    } else {
        format!("the chain ends here: {next:?} is not in the channel")
    };
    let missing = !next.is_empty() && !own.contains_key(next);
    let meant = missing.then(|| nearest(next, stranded.iter().map(|entry| &*entry.name)));
    let finding = match meant.flatten() {
        Some(meant) => finding.help(format!(
            "Did you mean {meant:?} where {:?} replaces {next:?}? {}",
            last.name,
            rules::CATALOG_ENTRY_STRANDED.help
        )),
        None => finding,
    };
    found.push(finding.also(id.at(&format!("entries[{}]", last.index)), end));
}
