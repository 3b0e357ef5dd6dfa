//! The heads of a channel.

use std::collections::HashSet;

/// Returns the positions of the entries that no other entry replaces or skips, in order. Each entry is specified by its
/// name, and by the names of the bundles that it replaces and skips.
pub(crate) fn heads<'n, Below>(entries: impl Iterator<Item = (&'n str, Below)> + Clone) -> Vec<usize>
where
    Below: Iterator<Item = &'n str>,
{
    let below = |(own, below): (&'n str, Below)| below.filter(move |name| *name != own);
    let below: HashSet<&str> = entries.clone().flat_map(below).collect();
    let heads = entries.enumerate().filter(|(_, (name, _))| !below.contains(name));
    heads.map(|(place, _)| place).collect()
}
