//! The display order of a channel: from the head downwards, so that every update leads up.

use super::{Catalog, Channel, ChannelEntry};
use crate::version::parse_strict;
use semver::Version;
use std::cmp::Reverse;
use std::collections::HashMap;

/// The properties that determine the position of a bundle in its channel.
#[derive(Debug, Clone)]
pub(crate) struct Standing<'a> {
    /// The name of the bundle.
    pub(crate) name: &'a str,
    /// The version. Bundles without a semantic version come after bundles that have one.
    pub(crate) version: Option<&'a str>,
    /// The names of the bundles that this bundle replaces or skips.
    pub(crate) older: Vec<&'a str>,
}

/// Returns the entries whose bundles are in the catalog, from the head of the channel downwards.
pub(crate) fn entries<'channel>(catalog: &Catalog, channel: &'channel Channel) -> Vec<&'channel ChannelEntry> {
    let known = channel.entries.iter();
    let known = known.filter_map(|entry| Some((entry, catalog.bundle(entry.bundle)?)));
    let (entries, standings): (Vec<&ChannelEntry>, Vec<Standing<'_>>) = known
        .map(|(entry, bundle)| {
            let standing = Standing {
                name: &bundle.name,
                version: bundle.version.as_deref(),
                older: entry.replaces.iter().chain(&entry.skips).map(|name| &**name).collect(),
            };
            (entry, standing)
        })
        .unzip();
    let places = from_head(&standings).into_iter();
    places.filter_map(|place| entries.get(place).copied()).collect()
}

/// Returns the positions of the bundles of a channel from the head downwards: by the longest path from a head, then by
/// descending version. A cycle, which has no head, begins with the highest version.
pub(crate) fn from_head(standings: &[Standing<'_>]) -> Vec<usize> {
    let places = standings.iter().enumerate();
    let places: HashMap<&str, usize> = places.map(|(place, standing)| (standing.name, place)).collect();
    let mut nodes: Vec<Node> = standings
        .iter()
        .enumerate()
        .map(|(place, standing)| {
            let older = standing.older.iter().filter_map(|name| places.get(name).copied());
            Node {
                older: older.filter(|older| *older != place).collect(),
                ..Node::default()
            }
        })
        .collect();
    for place in 0..nodes.len() {
        for older in nodes.get(place).map(|node| node.older.clone()).unwrap_or_default() {
            if let Some(node) = nodes.get_mut(older) {
                node.newer += 1;
            }
        }
    }
    let version = |standing: &Standing<'_>| -> Option<Version> { parse_strict(standing.version?).ok() };
    let mut order: Vec<usize> = (0..standings.len()).collect();
    order.sort_by_cached_key(|place| {
        let standing = standings.get(*place);
        (
            Reverse(standing.and_then(version)),
            standing.map(|standing| standing.name),
        )
    });
    let is_head = |place: &usize| nodes.get(*place).is_some_and(|node| node.newer == 0);
    let mut next: Vec<usize> = order.iter().copied().filter(is_head).collect();
    let mut rest = order.iter().copied();
    loop {
        while let Some(place) = next.pop() {
            let Some(node) = nodes.get_mut(place).filter(|node| !node.is_placed) else {
                continue;
            };
            node.is_placed = true;
            let (depth, olders) = (node.depth + 1, std::mem::take(&mut node.older));
            for older in olders {
                if let Some(node) = nodes.get_mut(older).filter(|node| !node.is_placed) {
                    node.depth = node.depth.max(depth);
                    node.newer -= 1;
                    if node.newer == 0 {
                        next.push(older);
                    }
                }
            }
        }
        // The remaining bundles are in a cycle, or below one.
        let Some(place) = rest.find(|place| nodes.get(*place).is_some_and(|node| !node.is_placed)) else {
            break;
        };
        if let Some(node) = nodes.get_mut(place) {
            node.depth = node.depth.max(1);
            next.push(place);
        }
    }
    order.sort_by_key(|place| nodes.get(*place).map(|node| node.depth));
    order
}

/// A bundle during the search for the longest paths.
#[derive(Debug, Default)]
struct Node {
    older: Vec<usize>,
    /// The number of edges from newer bundles that have not been followed yet.
    newer: usize,
    depth: usize,
    is_placed: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the order of bundles, each specified by its version and the bundles that it replaces or skips.
    fn order<'a>(bundles: &[(&'a str, &[&'a str])]) -> Vec<&'a str> {
        let standings: Vec<Standing<'a>> = bundles
            .iter()
            .map(|(version, older)| Standing {
                name: version,
                version: Some(version),
                older: older.to_vec(),
            })
            .collect();
        from_head(&standings)
            .into_iter()
            .map(|place| bundles[place].0)
            .collect()
    }

    #[test]
    fn a_skipped_and_replaced_bundle_comes_after_those_with_higher_versions() {
        let older = ["0.5.0", "0.5.0", "0.5.1", "0.5.2", "0.5.10"];
        let bundles: [(&str, &[&str]); 5] = [
            ("0.5.11", &older),
            ("0.5.0", &[]),
            ("0.5.1", &[]),
            ("0.5.2", &[]),
            ("0.5.10", &[]),
        ];
        assert_eq!(order(&bundles), ["0.5.11", "0.5.10", "0.5.2", "0.5.1", "0.5.0"]);
    }

    #[test]
    fn every_update_leads_up_regardless_of_versions() {
        let bundles: [(&str, &[&str]); 5] = [
            ("1.0.0", &["9.0.0", "3.0.0", "4.0.0"]),
            ("9.0.0", &[]),
            ("3.0.0", &["2.0.0", "unknown"]),
            ("2.0.0", &["9.0.0"]),
            ("4.0.0", &[]),
        ];
        assert_eq!(order(&bundles), ["1.0.0", "4.0.0", "3.0.0", "2.0.0", "9.0.0"]);
    }

    #[test]
    fn cycles_come_after_the_head() {
        let bundles: [(&str, &[&str]); 5] = [
            ("9.0.0", &["8.0.0"]),
            ("8.0.0", &["9.0.0", "7.0.0"]),
            ("7.0.0", &["7.0.0"]),
            ("1.0.0", &[]),
            ("6.0.0", &["6.0.0", "1.0.0"]),
        ];
        assert_eq!(order(&bundles), ["6.0.0", "9.0.0", "1.0.0", "8.0.0", "7.0.0"]);
    }
}
