//! What bundles that a cluster cannot install block: new installations from a channel, and updates.

use super::listed::listed;
use crate::catalog::BundleId;
use std::collections::BTreeMap;

/// The part of a package from which a cluster installs operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope<'a> {
    /// A channel.
    Channel(&'a str),
    /// All channels together, as for a `ClusterExtension` that names none.
    AllChannels,
}

/// The bundles of a package that block something, each with the descriptions of what it blocks. Channels with the same
/// consequences are listed together.
#[derive(Debug, Default)]
pub(super) struct Stops {
    /// For each bundle and consequence, the channels, and whether it also holds for all channels together.
    found: BTreeMap<(BundleId, String), (Vec<String>, bool)>,
}

impl Stops {
    /// Adds what a bundle blocks: new installations, and the updates from the bundles with these names.
    pub(super) fn add(&mut self, scope: Scope<'_>, bundle: BundleId, blocks_new: bool, held: &[String]) {
        let new = blocks_new.then(|| "new installations fail".to_owned());
        let stay = (!held.is_empty()).then(|| format!("clusters with {} cannot be updated", listed(held)));
        let consequences: Vec<String> = new.into_iter().chain(stay).collect();
        if consequences.is_empty() {
            return;
        }
        let key = (bundle, consequences.join(", and "));
        let (channels, all) = self.found.entry(key).or_default();
        match scope {
            Scope::Channel(name) => channels.push(format!("{name:?}")),
            Scope::AllChannels => *all = true,
        }
    }

    /// Returns the descriptions, for each bundle.
    pub(super) fn described(self, package: &str) -> BTreeMap<BundleId, Vec<String>> {
        let mut described: BTreeMap<BundleId, Vec<String>> = BTreeMap::new();
        for ((id, consequence), (channels, all)) in self.found {
            let word = if channels.len() == 1 { "channel" } else { "channels" };
            let place = match (&channels[..], all) {
                ([], _) => format!("for ClusterExtensions of package {package:?} without channels"),
                (names, false) => format!("in {word} {} of package {package:?}", names.join(", ")),
                (names, true) => format!(
                    "in {word} {} of package {package:?}, and for ClusterExtensions without channels",
                    names.join(", ")
                ),
            };
            let stop = format!("{place}, {consequence}");
            described.entry(id).or_default().push(stop);
        }
        described
    }
}
