//! OLM's order of preference: catalogs, channels in a catalog, and entries in a channel.

use super::entries::{ChannelKey, Entries, EntryId, Origin};
use super::problem::Problem;
use crate::catalog::Text;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Returns the entries of a channel, or of a part of it, from the head down along the replaced entries, without the
/// skipped entries.
///
/// # Errors
/// Returns an error, in OLM's words, if a channel does not have exactly one such chain.
pub(super) fn chain(
    entries: &Entries,
    package: &str,
    channel: &str,
    listed: &[EntryId],
) -> Result<Vec<EntryId>, String> {
    let by_name: HashMap<&str, EntryId> = listed.iter().map(|id| (&*entries.get(*id).name, *id)).collect();
    let (mut replaced, mut skipped): (HashSet<EntryId>, HashSet<EntryId>) = (HashSet::new(), HashSet::new());
    for id in listed {
        let entry = entries.get(*id);
        replaced.extend(entry.replaces.as_ref().and_then(|name| by_name.get(&**name)));
        skipped.extend(entry.skips.iter().filter_map(|name| by_name.get(&**name)));
    }
    let heads = listed
        .iter()
        .filter(|id| !replaced.contains(id) && !skipped.contains(id));
    let mut chains: Vec<Vec<EntryId>> = Vec::new();
    for head in heads {
        let (mut chain, mut seen, mut next) = (Vec::new(), HashSet::new(), Some(*head));
        while let Some(id) = next {
            let entry = entries.get(id);
            if !seen.insert(id) {
                return Err(format!(
                    "a cycle exists in the chain of replacement beginning with {:?} in channel {channel:?} of package {package:?}",
                    entries.get(*head).name
                ));
            }
            if !skipped.contains(&id) {
                chain.push(id);
            }
            next = entry.replaces.as_ref().and_then(|name| by_name.get(&**name)).copied();
        }
        chains.push(chain);
    }
    match chains.len() {
        0 => Err(format!(
            "no channel heads (entries not replaced by another entry) found in channel {channel:?} of package {package:?}"
        )),
        1 => Ok(chains.swap_remove(0)),
        count => {
            let name = |id: &EntryId| entries.get(*id).name.to_string();
            let shown = chains.iter().map(|chain| match &chain[..] {
                [first, .., last] => format!("{}...{}", name(first), name(last)),
                _ => chain.iter().map(name).collect(),
            });
            Err(format!(
                "a unique replacement chain within a channel is required to determine the relative order between \
                 channel entries, but {count} replacement chains were found in channel {channel:?} of package \
                 {package:?}: {}",
                shown.collect::<Vec<_>>().join(", ")
            ))
        }
    }
}

/// The cached chains, by channel.
#[derive(Debug, Default)]
pub(super) struct Chains(RefCell<HashMap<ChannelKey, Rc<[EntryId]>>>);

impl Chains {
    /// Returns the chain of a whole channel.
    pub(super) fn of(&self, entries: &Entries, key: &ChannelKey) -> Result<Rc<[EntryId]>, String> {
        if let Some(known) = self.0.borrow().get(key) {
            return Ok(Rc::clone(known));
        }
        let listed = entries.channels.get(key).map(Vec::as_slice).unwrap_or_default();
        let found: Rc<[EntryId]> = chain(entries, &key.package, &key.channel, listed)?.into();
        self.0.borrow_mut().insert(key.clone(), Rc::clone(&found));
        Ok(found)
    }
}

/// Returns the rank of the catalog `of` for a bundle of the catalog `home`. The lowest rank is preferred.
pub(super) fn catalog_rank<'p>(
    problem: &'p Problem<'_>,
    home: Origin,
    of: Origin,
) -> (u8, Reverse<i64>, bool, &'p str, &'p str) {
    let Origin::Catalog(place) = of else {
        return (0, Reverse(0), false, "", "");
    };
    let Some(source) = problem.catalogs.get(place) else {
        return (2, Reverse(0), false, "", "");
    };
    (
        if of == home { 1 } else { 2 },
        Reverse(source.priority),
        source.namespace != problem.namespace,
        source.name,
        source.namespace,
    )
}

/// Returns the rank of a channel within a catalog, as in OLM: default channels of any package precede all other
/// channels.
pub(super) fn channel_rank(entries: &Entries, key: &ChannelKey) -> (bool, Text, Text) {
    let listed = entries.channels.get(key).and_then(|ids| ids.first());
    let default = listed.is_some_and(|id| entries.get(*id).default_channel);
    (!default, key.package.clone(), key.channel.clone())
}
