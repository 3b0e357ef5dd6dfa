//! Publishes bundles of an index in additional channels of their package.
//!
//! A bundle enters a channel as if it were newly added, according to its `replaces` and `skips` or to its version. All
//! other channels remain unchanged.

use super::stored::{self, Place, Stored};
use super::{Dropped, PackageChange, graph_rows, package_change, rows};
use crate::catalog::graph::{self, Channel, Graph, GraphError, Mode, Node};
use crate::database::change::{self, ChangeOptions, Target};
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
pub enum PromoteError {
    /// The index does not contain these bundles.
    #[error(transparent)]
    Unknown(#[from] UnknownBundles),
    /// The name of a channel contains an invisible character.
    #[error("{0}")]
    HiddenCharacter(String),
    /// A bundle is in no channel, so it has no position in the update graph.
    #[error("bundle {bundle} is in no channel, so it has no position in the update graph")]
    NoChannel {
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
/// Returns an error if the name of a channel contains an invisible character, if a bundle is unknown or is in no
/// channel, if the bundles do not form a valid graph, or if a
/// bundle would have no update path to the head of a channel. Also returns an error if the database cannot be changed.
/// After an error, the database is unchanged.
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
            // In these modes, `graph::update` would add the bundle again to the channels that already contain it.
            Mode::Semver | Mode::SemverSkipPatch => node.channels.clone_from(new),
        }
        // The substitution was already applied when the bundle was added.
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
        node.default_channel = channels.first().cloned();
    }
    package
}
