//! Publishes bundles of an index in additional channels of their package.
//!
//! A bundle enters a channel as if it were newly added, according to its `replaces` and `skips` or to its version. The
//! bundles of the channel keep their edges, and all other channels remain unchanged.

use super::stored::{self, Place, Stored};
use super::{PackageChange, graph_rows, package_change, rows};
use crate::catalog::graph::{self, Channel, Dropped, Graph, GraphError, Mode, Node};
use crate::database::change::{self, ChangeOptions, Target};
use crate::database::edges::{ChannelQuery, Member};
use crate::database::error::DatabaseError;
use crate::database::named::{self, NamedBundle, UnknownBundles};
use crate::visible::hidden_in;
use rusqlite::Transaction;
use std::collections::{BTreeMap, BTreeSet};

/// The bundles to publish, and their additional channels.
#[derive(Debug, Clone, Copy)]
pub struct Promotion<'a> {
    /// The bundles, each identified by its name or by its image as stored in the index.
    pub bundles: &'a BTreeSet<String>,
    /// The channels; missing channels are created.
    pub channels: &'a BTreeSet<String>,
    /// The rule that determines the positions of the bundles in the channels.
    pub mode: Mode,
}

/// The result of a promotion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Promoted {
    /// The bundles, and the channels that they were added to.
    pub bundles: BTreeMap<String, BTreeSet<String>>,
    /// The bundles that were added to channels because one of these bundles replaces or skips them, and the channels.
    pub below: BTreeMap<String, BTreeSet<String>>,
    /// Bundles that were already in some of the named channels, and those channels.
    pub already: BTreeMap<String, BTreeSet<String>>,
    /// The changes to the packages, by name.
    pub packages: Vec<PackageChange>,
}

/// An error that prevents a promotion.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PromoteError {
    /// The index does not contain these bundles.
    #[error(transparent)]
    Unknown(#[from] UnknownBundles),
    /// The name of a channel contains an invisible character.
    #[error("{0}")]
    HiddenCharacter(String),
    /// The name of a channel is empty or consists of spaces.
    #[error("the channel {0:?} has a blank name")]
    BlankChannel(String),
    /// A bundle is not in any channel, so it has no position in the update graph.
    #[error("bundle {bundle} is not in any channel, so it has no position in the update graph")]
    NoChannel {
        /// The bundle.
        bundle: String,
    },
    /// A bundle is deprecated and in no channel, so nothing can update to it or from it.
    #[error("bundle {bundle} cannot be promoted because it is deprecated and in no channel")]
    Deprecated {
        /// The bundle.
        bundle: String,
    },
    /// The bundles do not form a valid graph in the channels. Contains all reasons.
    #[error("{}", .0.iter().map(GraphError::to_string).collect::<Vec<_>>().join("\n"))]
    Graph(Vec<GraphError>),
    /// Bundles of the channels would no longer have an update path to the head.
    #[error(
        "package {package} would lose updates: {}; promote a bundle that replaces or skips these bundles",
        stranded.iter().map(Stranding::to_string).collect::<Vec<_>>().join("; ")
    )]
    Strands {
        /// The package.
        package: String,
        /// The channels in which bundles would have no update path to the head.
        stranded: Vec<Stranding>,
    },
    /// The database cannot be read or written.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

/// A channel in which bundles would have no update path to the head.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("channel {channel} would have no update path to its head {head} from {}", bundles.join(", "))]
pub struct Stranding {
    /// The channel.
    pub channel: String,
    /// The head of the channel after the promotion.
    pub head: String,
    /// The bundles of the channel that would have no update path to the head.
    pub bundles: Vec<String>,
}

/// Publishes bundles in additional channels of their packages, in one transaction.
///
/// # Errors
/// Returns an error if the name of a channel is blank or contains an invisible character, if a bundle is unknown or is
/// in no channel, if the bundles do not form a valid graph, or if a bundle would have no update path to the head of a
/// channel. Also returns an error if the database cannot be changed. After an error, the database is unchanged.
pub fn promote(
    promotion: Promotion<'_>,
    target: &Target<'_>,
    options: &ChangeOptions,
) -> Result<Promoted, PromoteError> {
    let failed = |error: rusqlite::Error| target.failed(options, &error);
    let hidden = promotion
        .channels
        .iter()
        .find_map(|channel| hidden_in("the channel", channel));
    if let Some(message) = hidden {
        return Err(PromoteError::HiddenCharacter(message));
    }
    if let Some(blank) = promotion.channels.iter().find(|channel| channel.trim().is_empty()) {
        return Err(PromoteError::BlankChannel(blank.clone()));
    }
    change::changing(target, options, |transaction| {
        let found = named::find(transaction, promotion.bundles).map_err(failed)?;
        if !found.missing.is_empty() {
            let index = target.origin().display().to_string();
            return Err(named::unknown(transaction, index, found.missing)
                .map_err(failed)?
                .into());
        }
        let mut packages: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for NamedBundle { name, package } in found.bundles {
            let Some(package) = package else {
                let deprecated = "SELECT EXISTS (SELECT 1 FROM deprecated WHERE operatorbundle_name = ?1)";
                let deprecated: bool = transaction
                    .query_row(deprecated, [&name], |row| row.get(0))
                    .map_err(failed)?;
                return Err(if deprecated {
                    PromoteError::Deprecated { bundle: name }
                } else {
                    PromoteError::NoChannel { bundle: name }
                });
            };
            packages.entry(package).or_default().insert(name);
        }
        let mut promoted = Promoted::default();
        for (package, bundles) in &packages {
            of_package(transaction, (package, bundles), promotion, &mut promoted, &failed)?;
        }
        Ok(promoted)
    })
}

fn of_package(
    transaction: &Transaction<'_>,
    (package, bundles): (&str, &BTreeSet<String>),
    promotion: Promotion<'_>,
    promoted: &mut Promoted,
    failed: &impl Fn(rusqlite::Error) -> DatabaseError,
) -> Result<(), PromoteError> {
    let node = Node::default();
    let places = bundles.iter().map(|name| Place {
        package,
        name,
        node: &node,
    });
    let stored = Stored::read(transaction, &places.collect::<Vec<_>>()).map_err(failed)?;
    let Some(before) = stored.packages.into_values().next() else {
        return Ok(());
    };
    let mut added = BTreeMap::new();
    for name in bundles {
        let Some(node) = before.graph.bundles.get(name) else {
            continue;
        };
        let new: BTreeSet<String> = promotion.channels.difference(&node.channels).cloned().collect();
        let already: BTreeSet<String> = promotion.channels.intersection(&node.channels).cloned().collect();
        if !already.is_empty() {
            promoted.already.insert(name.clone(), already);
        }
        if !new.is_empty() {
            added.insert(name.clone(), new);
        }
    }
    if added.is_empty() {
        return Ok(());
    }
    let touched: BTreeSet<String> = added.values().flatten().cloned().collect();
    let before = of_channels(before, &touched);
    let members = members(transaction, package, &touched).map_err(failed)?;
    let mut graph = Graph {
        package: package.to_owned(),
        default_channel: before.default_channel.clone().unwrap_or_default(),
        channels: Vec::new(),
        dropped: Vec::new(),
        rewritten: BTreeMap::new(),
    };
    let mut errors = Vec::new();
    for channel in &touched {
        let stored = of_channel(&before.graph, channel, members.get(channel).map_or(&[], Vec::as_slice));
        let new = added.iter().filter(|(_, channels)| channels.contains(channel));
        let nodes = new.filter_map(|(name, _)| {
            let mut node = stored.bundles.get(name)?.clone();
            node.channels.insert(channel.clone());
            // The substitution was already applied when the bundle was added.
            node.substitutes.clear();
            Some((name.clone(), node))
        });
        match graph::update(&stored, &nodes.collect(), promotion.mode) {
            Ok(changed) => {
                graph.channels.extend(changed.channels);
                graph.dropped.extend(changed.dropped);
            }
            Err(found) => errors.extend(found.into_iter().map(of_promotion)),
        }
    }
    if !errors.is_empty() {
        return Err(PromoteError::Graph(errors));
    }
    if !graph.dropped.is_empty() {
        return Err(PromoteError::Strands {
            package: graph.package,
            stranded: stranded(&graph.channels, &graph.dropped),
        });
    }
    if before.default_channel.is_none() {
        graph.default_channel = touched.first().cloned().unwrap_or_default();
    }
    for channel in &graph.channels {
        let entries = channel.entries.iter().map(|entry| &entry.bundle);
        let is_new = |bundle: &str| {
            let node = before.graph.bundles.get(bundle);
            node.is_some_and(|node| !node.channels.contains(&channel.name))
        };
        let is_asked = |bundle: &str| {
            added
                .get(bundle)
                .is_some_and(|channels| channels.contains(&channel.name))
        };
        for bundle in entries.filter(|bundle| is_new(bundle) && !is_asked(bundle)) {
            let channels = promoted.below.entry(bundle.clone()).or_default();
            channels.insert(channel.name.clone());
        }
    }
    graph_rows::write(transaction, &graph, &before).map_err(failed)?;
    if promotion.mode != Mode::Replaces {
        rows::leave_to_images(transaction, std::iter::once(package)).map_err(failed)?;
    }
    promoted.bundles.extend(added);
    promoted.packages.push(package_change(graph, &before));
    Ok(())
}

/// Groups the dropped bundles by channel.
fn stranded(channels: &[Channel], dropped: &[Dropped]) -> Vec<Stranding> {
    let of = |channel: &Channel| Stranding {
        channel: channel.name.clone(),
        head: channel.head.clone(),
        bundles: dropped
            .iter()
            .filter(|dropped| dropped.channel == channel.name)
            .map(|dropped| dropped.bundle.clone())
            .collect(),
    };
    let channels = channels.iter().map(of);
    channels.filter(|channel| !channel.bundles.is_empty()).collect()
}

/// Converts an error about the default channel to an error about an ordinary channel, because the default channel is
/// only a placeholder here.
fn of_promotion(error: GraphError) -> GraphError {
    match error {
        GraphError::DefaultChannelDeprecated { package, channel, head } => GraphError::ChannelDeprecated {
            package,
            channel,
            bundle: head.clone(),
            head,
        },
        error => error,
    }
}

/// Reduces a package to the given channels. Bundles of other channels remain as targets of edges.
fn of_channels(mut package: stored::Package, channels: &BTreeSet<String>) -> stored::Package {
    package.heads.retain(|channel, _| channels.contains(channel));
    package.entries.retain(|channel, _| channels.contains(channel));
    package.graph.edges.retain(|channel, _| channels.contains(channel));
    for node in package.graph.bundles.values_mut() {
        node.channels.retain(|channel| channels.contains(channel));
    }
    package
}

/// Returns the bundles of each of the channels, with their edges there.
fn members(
    transaction: &Transaction<'_>,
    package: &str,
    channels: &BTreeSet<String>,
) -> rusqlite::Result<BTreeMap<String, Vec<Member>>> {
    let mut query = ChannelQuery::new(transaction, Some(package))?;
    let mut members = BTreeMap::new();
    for channel in query.channels()? {
        let channel = channel?;
        if channels.contains(&channel.channel) {
            members.insert(channel.channel, channel.members);
        }
    }
    Ok(members)
}

/// Reduces a package to one channel. A bundle has one set of edges for all channels, but a package that was a
/// file-based catalog can have other edges in each channel: the bundles of the channel keep those.
fn of_channel(package: &graph::Package, channel: &str, members: &[Member]) -> graph::Package {
    let mut package = package.clone();
    package.edges.retain(|name, _| name == channel);
    for node in package.bundles.values_mut() {
        node.channels.retain(|name| name == channel);
        node.default_channel = Some(channel.to_owned());
    }
    let skipped: BTreeSet<&String> = members.iter().flat_map(|member| &member.skips).collect();
    let replaced: BTreeSet<&String> = members.iter().filter_map(|member| member.replaces.as_ref()).collect();
    for member in members {
        // A channel does not store the edges of a bundle that it only skips.
        let has_edges = member.replaces.is_some() || !member.skips.is_empty();
        if (has_edges || replaced.contains(&member.bundle) || !skipped.contains(&member.bundle))
            && let Some(node) = package.bundles.get_mut(&member.bundle)
        {
            node.replaces = member.replaces.clone().unwrap_or_default();
            node.skips.clone_from(&member.skips);
        }
    }
    package
}
