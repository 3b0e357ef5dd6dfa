//! What an addition changed in an index: its bundles, the graphs of their packages, and the bundles that dropped out of
//! channels.

use super::stored;
use crate::bundle::stated::StatedAt;
use crate::catalog::graph::{Dropped, Graph, some_of};
use crate::database::reach::Stranded;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The changes that a successful call made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The added bundles, by package and name.
    pub bundles: Vec<AddedBundle>,
    /// The packages that the bundles touch, by name.
    pub packages: Vec<PackageChange>,
    /// Bundles that were skipped because the index already contains them with the same content, by name.
    pub skipped: Vec<String>,
    /// The names of the bundles in the index that were overwritten, sorted.
    pub overwritten: Vec<String>,
    /// Bundles that no longer have an update path to the head of a channel, by package and channel.
    pub stranded: Vec<Stranded>,
}

impl Report {
    /// Returns the bundles that dropped out of channels, by package and channel.
    pub fn lost(&self) -> Vec<Lost> {
        let mut lost: Vec<Lost> = Vec::new();
        for change in &self.packages {
            for Dropped { channel, bundle } in &change.dropped {
                let is_same = |last: &&mut Lost| last.package == change.package && last.channel == *channel;
                if let Some(last) = lost.last_mut().filter(is_same) {
                    last.bundles.push(bundle.clone());
                    continue;
                }
                let heads = change.channels.iter().find(|changed| changed.channel == *channel);
                let heads = heads.and_then(|heads| Some((heads.before.clone()?, heads.after.clone()?)));
                // A bundle that was overwritten leaves only the channels that its new annotations do not list.
                let is_overwritten = |(before, _): &&(String, String)| self.overwritten.contains(before);
                lost.push(Lost {
                    package: change.package.clone(),
                    channel: channel.clone(),
                    bundles: vec![bundle.clone()],
                    withdrawn: heads.as_ref().filter(is_overwritten).map(|(before, _)| before.clone()),
                    heads,
                });
            }
        }
        lost
    }
}

/// Bundles that dropped out of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// The bundles, in byte order.
    pub bundles: Vec<String>,
    /// The previous and the current head of the channel, if they differ.
    pub heads: Option<(String, String)>,
    /// The previous head, if it was overwritten by a bundle that does not list the channel.
    pub withdrawn: Option<String>,
}

impl fmt::Display for Lost {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bundles = some_of(&self.bundles);
        let Self { package, channel, .. } = self;
        let (are, them) = match self.bundles.len() {
            1 => ("is", "it"),
            _ => ("are", "them"),
        };
        write!(
            formatter,
            "{bundles} {are} no longer in channel {channel} of package {package} because "
        )?;
        match &self.withdrawn {
            Some(head) => write!(formatter, "the new annotations of {head} do not list the channel"),
            None => write!(formatter, "nothing there replaces or skips {them} anymore"),
        }
    }
}

/// One added bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedBundle {
    /// The package of the bundle.
    pub package: String,
    /// The name of the bundle.
    pub name: String,
    /// The version of the bundle, or an empty string if it has none.
    pub version: String,
    /// The channels that the bundle names.
    pub channels: Vec<String>,
    /// The bundle that it replaces; empty if there is none.
    pub replaces: String,
    /// The bundles that it skips.
    pub skips: Vec<String>,
    /// The versions that it skips; may be empty.
    pub skip_range: String,
    /// The bundle for which it substitutes; empty if there is none.
    pub substitutes: String,
    /// The default channel that the bundle names.
    pub default_channel: Option<String>,
    /// The places in the bundle's files that determine its position, as `FILE:LINE`.
    pub stated: StatedAt,
}

/// The changes to the graph of one package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageChange {
    /// The name of the package.
    pub package: String,
    /// The previous default channel, if the package had one, and the current default channel.
    pub default_channel: (Option<String>, String),
    /// The channels that are new, were removed, or have a different head.
    pub channels: Vec<ChannelChange>,
    /// Bundles that dropped out of a channel. They remain in the index, but the channel no longer offers them to
    /// clusters.
    pub dropped: Vec<Dropped>,
}

/// The change to one channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelChange {
    /// The name of the channel.
    pub channel: String,
    /// The previous head; `None` for a new channel.
    pub before: Option<String>,
    /// The current head; `None` for a removed channel.
    pub after: Option<String>,
}

/// Returns the changes to the graph of a package.
pub(super) fn package_change(graph: Graph, before: &stored::Package) -> PackageChange {
    let after: BTreeMap<&str, &str> = graph
        .channels
        .iter()
        .map(|channel| (channel.name.as_str(), channel.head.as_str()))
        .collect();
    let names: BTreeSet<&str> = before
        .heads
        .keys()
        .map(String::as_str)
        .chain(after.keys().copied())
        .collect();
    let channels = names.into_iter().filter_map(|name| {
        let (before, after) = (before.heads.get(name), after.get(name));
        (before.map(String::as_str) != after.copied()).then(|| ChannelChange {
            channel: name.to_owned(),
            before: before.cloned(),
            after: after.map(|head| (*head).to_owned()),
        })
    });
    PackageChange {
        channels: channels.collect(),
        package: graph.package,
        default_channel: (before.default_channel.clone(), graph.default_channel),
        dropped: graph.dropped,
    }
}
