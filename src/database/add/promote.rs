//! Publishing bundles of an index in further channels of their package.
//!
//! A bundle comes into a channel as it would if it were added to it: by what it replaces and skips, or by its version.
//! Channels that are not named stay as they are.

use super::stored::{self, Place, Stored};
use super::{Dropped, PackageChange, graph_rows, package_change, rows};
use crate::catalog::graph::{self, Channel, Graph, GraphError, Mode, Node};
use crate::database::change::{self, ChangeOptions, Target};
use crate::database::error::DatabaseError;
use crate::database::named::{self, NamedBundle, UnknownBundles};
use rusqlite::Transaction;
use std::collections::{BTreeMap, BTreeSet};

/// What is to be published where.
#[derive(Debug, Clone, Copy)]
pub struct Promotion<'a> {
    /// The bundles, each by its name or by its image as the index stores it.
    pub bundles: &'a BTreeSet<String>,
    /// The channels; those that a package does not have yet are made.
    pub channels: &'a BTreeSet<String>,
    /// How bundles take their places in the channels.
    pub mode: Mode,
}

/// What was published.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Promoted {
    /// Bundles and the channels that are new to them.
    pub bundles: BTreeMap<String, BTreeSet<String>>,
    /// Bundles and the channels among the named ones that had them before.
    pub already: BTreeMap<String, BTreeSet<String>>,
    /// How the packages changed, by name.
    pub packages: Vec<PackageChange>,
}

/// Why nothing was published.
#[derive(Debug, thiserror::Error)]
pub enum PromoteError {
    /// The index does not have these bundles.
    #[error(transparent)]
    Unknown(#[from] UnknownBundles),
    /// A bundle without a channel has no place in the graph that it could be followed from.
    #[error("bundle {bundle} is in no channel, so it has no place in a graph")]
    NoChannel {
        /// The bundle.
        bundle: String,
    },
    /// The bundles do not make a graph in the channels: all reasons that were found.
    #[error("{}", .0.iter().map(GraphError::to_string).collect::<Vec<_>>().join("\n"))]
    Graph(Vec<GraphError>),
    /// Bundles of the channels could not be reached any more.
    #[error(
        "package {package} would lose updates: {}; promote a bundle that replaces or skips them",
        stranded.iter().map(Stranding::to_string).collect::<Vec<_>>().join("; ")
    )]
    Strands {
        /// The package.
        package: String,
        /// The channels.
        stranded: Vec<Stranding>,
    },
    /// The database cannot be read or written.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

/// A channel in which bundles would be left behind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("in channel {channel} nothing would lead from {head} to {}", bundles.join(", "))]
pub struct Stranding {
    /// The channel.
    pub channel: String,
    /// The head that it would have.
    pub head: String,
    /// The bundles that it has now, and that nothing would lead to.
    pub bundles: Vec<String>,
}

/// Publishes bundles in further channels of their packages, in one transaction.
///
/// # Errors
/// When a bundle is not there, it has no place in a channel, one of a channel would be left behind, or the database cannot
/// be changed. Then it is as it was.
pub fn promote(
    promotion: Promotion<'_>,
    target: &Target<'_>,
    options: &ChangeOptions,
) -> Result<Promoted, PromoteError> {
    let failed = |error: rusqlite::Error| target.failed(options, &error);
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
            let package = package.ok_or_else(|| PromoteError::NoChannel { bundle: name.clone() })?;
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
    let before = of_channels(before, promotion.channels);
    let nodes = added.iter().filter_map(|(name, new)| {
        let mut node = before.graph.bundles.get(name)?.clone();
        match promotion.mode {
            Mode::Replaces => node.channels.extend(new.iter().cloned()),
            // There a bundle is put into each channel once more than it is in.
            Mode::Semver | Mode::SemverSkipPatch => node.channels.clone_from(new),
        }
        // What it stands in for was rewritten when it was added.
        node.substitutes.clear();
        Some((name.clone(), node))
    });
    let graph = graph::update(&before.graph, &nodes.collect(), promotion.mode);
    let graph = graph.map_err(|errors| PromoteError::Graph(errors.into_iter().map(of_promotion).collect()))?;
    if !graph.dropped.is_empty() {
        return Err(PromoteError::Strands {
            package: graph.package,
            stranded: stranded(&graph.channels, &graph.dropped),
        });
    }
    let graph = Graph {
        default_channel: before.default_channel.clone().unwrap_or(graph.default_channel),
        ..graph
    };
    graph_rows::write(transaction, &graph, &before).map_err(failed)?;
    if promotion.mode != Mode::Replaces {
        rows::leave_to_images(transaction, std::iter::once(package)).map_err(failed)?;
    }
    promoted.bundles.extend(added);
    promoted.packages.push(package_change(graph, &before));
    Ok(())
}

/// What is dropped, by channel.
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

/// Here any of the channels stands for the default one, so what is wrong with it as that is wrong with it as one of
/// many.
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

/// A package as if it had only these channels. Bundles of others stay, for edges to lead to.
fn of_channels(mut package: stored::Package, channels: &BTreeSet<String>) -> stored::Package {
    package.heads.retain(|channel, _| channels.contains(channel));
    package.entries.retain(|channel, _| channels.contains(channel));
    package.graph.edges.retain(|channel, _| channels.contains(channel));
    for node in package.graph.bundles.values_mut() {
        node.channels.retain(|channel| channels.contains(channel));
        node.default_channel = channels.first().cloned();
    }
    package
}
