//! Recomputes the graphs of all packages, as adding no bundles would.
//!
//! An addition computes all channels of the packages that it touches. If the database was made from a catalog whose
//! channels list less, or have other edges, than this computation produces, channels change that the added bundles are
//! not in. After this recomputation, an addition changes only what depends on the added bundles.

use super::graph_rows;
use super::stored::{Place, Stored};
use crate::catalog::graph::{self, Graph, Mode, Node};
use crate::database::change::{self, ChangeOptions, Target};
use crate::database::error::DatabaseError;
use std::collections::BTreeMap;

/// Computes the graph of each package in a mode. A package without a valid graph, and the default channels, stay
/// unchanged.
///
/// # Errors
/// Returns an error if the database cannot be read or changed.
pub(crate) fn settle(mode: Mode, target: &Target<'_>, options: &ChangeOptions) -> Result<(), DatabaseError> {
    change::changing(target, options, |transaction| {
        let settled = || {
            let mut statement = transaction.prepare("SELECT name FROM package")?;
            let names = statement.query_map([], |row| row.get::<_, String>(0))?;
            let names = names.collect::<rusqlite::Result<Vec<_>>>()?;
            let node = Node::default();
            let places = names.iter().map(|package| Place {
                package,
                name: "",
                node: &node,
            });
            let stored = Stored::read(transaction, &places.collect::<Vec<_>>())?;
            for before in stored.packages.values() {
                if let (Ok(graph), Some(default_channel)) = (
                    graph::update(&before.graph, &BTreeMap::new(), mode),
                    before.default_channel.clone(),
                ) {
                    let graph = Graph {
                        default_channel,
                        ..graph
                    };
                    graph_rows::write(transaction, &graph, before)?;
                }
            }
            Ok(())
        };
        settled().map_err(|error| target.failed(options, &error))
    })
}
