//! Adds bundles to an index in one call: either all of them or none.
//!
//! The rows of the bundles are first collected in a `Spool`, and the database is locked only after all rows are
//! available, so a slow registry never keeps another writer waiting. Then one transaction checks the bundles against
//! the index, computes the new graph of every package that they touch, and writes the rows ordered by package and name.
//! The same bundles therefore produce the same bytes in any order. The names and edges of all bundles are kept in
//! memory, but the manifests of only one bundle at a time.

mod existing;
mod graph_rows;
pub mod promote;
mod refusal;
mod report;
mod rows;
mod settle;
mod stored;

pub use super::reach::Stranded;
pub use existing::Differences;
pub use refusal::{Refusal, Refused};
pub use report::{AddedBundle, ChannelChange, Lost, PackageChange, Report};
pub(crate) use settle::settle;

use super::change::{self, ChangeOptions, Target};
use super::error::DatabaseError;
use super::reach;
use super::record::Record;
use super::spool::{Piece, Spool};
use crate::bundle::stated::StatedAt;
use crate::catalog::graph::{self, Graph, Mode, Node};
use crate::files::FileError;
use report::package_change;
use rusqlite::Transaction;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use stored::{Place, Stored};

/// The rules for adding bundles.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Policy {
    /// The rule that determines the positions of the bundles in the graph.
    pub mode: Mode,
    /// How to treat bundles that the index already contains.
    pub existing: Existing,
    /// Whether to accept bundles that substitute for other bundles (annotation `olm.substitutesFor`).
    pub substitutes: bool,
    /// Whether to refuse an addition that removes a bundle from a channel, or leaves a bundle without an update path to
    /// the head of a channel.
    pub refuse_losses: bool,
}

/// How to treat a bundle whose name is already in the index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Existing {
    /// Refuse the bundle.
    #[default]
    Refuse,
    /// Skip the bundle if the bundle in the index has the same content and image, and is in all channels that the new
    /// bundle names; otherwise, refuse the bundle.
    Skip,
    /// Overwrite the bundle in the index, unless another bundle replaces or skips it. A call can overwrite at most one
    /// bundle per package. Not available in the semver modes.
    Overwrite,
}

impl From<Mode> for Policy {
    fn from(mode: Mode) -> Self {
        Self {
            mode,
            ..Self::default()
        }
    }
}

/// The bundles to add in one call.
#[derive(Debug)]
pub struct Additions {
    spool: Spool,
    bundles: Vec<Addition>,
}

/// The data that is kept in memory about a bundle to be added.
#[derive(Debug)]
struct Addition {
    origin: String,
    name: String,
    package: String,
    bundle_path: String,
    node: Node,
    skip_range: String,
    stated: StatedAt,
    manifests: Piece,
    csv: Range<usize>,
    bundle: Range<usize>,
    rows: Piece,
}

/// An error that prevents an addition.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AddError {
    /// The bundles conflict with each other or with the index. Contains all reasons, in a fixed order.
    #[error("{}", .0.iter().map(Refused::to_string).collect::<Vec<_>>().join("\n"))]
    Refused(Vec<Refused>),
    /// Bundles would lose their channel or their update path, which the policy does not allow. Contains one sentence
    /// for each loss.
    #[error("{}", .0.join("\n"))]
    Losses(Vec<String>),
    /// The database cannot be read or written.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The temporary file cannot be read or written.
    #[error(transparent)]
    Spool(#[from] FileError),
}

impl Additions {
    /// Creates an empty list of bundles to add. If the rows of the bundles become large, they are buffered in an
    /// unnamed file in `folder`.
    pub fn new(folder: &Path) -> Self {
        Self {
            spool: Spool::new(folder),
            bundles: Vec::new(),
        }
    }

    /// Appends a bundle to the list.
    ///
    /// # Errors
    /// Returns an error if the temporary file cannot be written.
    pub fn push(&mut self, record: &Record) -> Result<(), FileError> {
        let manifests = self.spool.push(&record.manifests.text)?;
        let rows = rows::encode(&record.rows).map_err(|error| self.spool.failed("write", error))?;
        let rows = self.spool.push(&rows)?;
        self.bundles.push(Addition {
            origin: record.origin.clone(),
            name: record.name.clone(),
            package: record.package.clone(),
            bundle_path: record.bundle_path.clone(),
            node: Node {
                version: record.version.clone(),
                replaces: record.replaces.clone(),
                skips: record.skips.clone(),
                channels: record.channels.clone(),
                default_channel: record.default_channel.clone(),
                deprecated: false,
                substitutes: record.substitutes.clone(),
            },
            skip_range: record.rows.skip_range.clone(),
            stated: record.stated.clone(),
            manifests,
            csv: record.manifests.csv.clone(),
            bundle: record.manifests.bundle.clone(),
            rows,
        });
        Ok(())
    }

    /// Adds all bundles to the index in one transaction.
    ///
    /// In the semver modes, also removes the manifests of bundles that have an image and are no longer the head of a
    /// channel, as opm does. Only the packages of the call are affected.
    ///
    /// # Errors
    /// Returns an error if the bundles are refused or the database cannot be changed. The database is then unchanged.
    pub fn commit(
        mut self,
        policy: impl Into<Policy>,
        target: &Target<'_>,
        options: &ChangeOptions,
    ) -> Result<Report, AddError> {
        let policy = policy.into();
        self.sort();
        change::adding(target, options, |transaction| {
            self.write(transaction, policy, target, options)
        })
    }

    /// Adds all bundles, with the given graphs, to an index that contains none of their packages.
    ///
    /// # Errors
    /// Returns an error if the database cannot be written. The database is then unchanged.
    pub(crate) fn commit_as(
        &mut self,
        graphs: &[Graph],
        target: &Target<'_>,
        options: &ChangeOptions,
    ) -> Result<(), AddError> {
        self.sort();
        change::adding(target, options, |transaction| {
            let failed = |error: rusqlite::Error| target.failed(options, &error);
            self.insert(transaction, |_| false, failed)?;
            let none = stored::Package::default();
            let mut graphs = graphs.iter();
            graphs.try_for_each(|graph| {
                graph_rows::write(transaction, graph, &none)
                    .map_err(failed)
                    .map_err(AddError::from)
            })
        })
    }

    fn sort(&mut self) {
        let key = |bundle: &Addition| (bundle.package.clone(), bundle.name.clone());
        self.bundles.sort_by_cached_key(key);
    }

    fn write(
        &mut self,
        transaction: &Transaction<'_>,
        policy: Policy,
        target: &Target<'_>,
        options: &ChangeOptions,
    ) -> Result<Report, AddError> {
        let failed = |error: rusqlite::Error| target.failed(options, &error);
        let mut report = Report::default();
        let mut stored = self.stored(transaction).map_err(failed)?;
        let differences = existing::differences(transaction, &self.bundles, &stored, &mut self.spool, failed)?;
        if policy.existing == Existing::Skip {
            report.skipped = existing::leave_out(&mut self.bundles, &differences);
            if !report.skipped.is_empty() {
                stored = self.stored(transaction).map_err(failed)?;
            }
        }
        let mut overwritten = existing::overwritten(&self.bundles, &stored, policy);
        let mut refusals = refusal::check(&self.bundles, &stored, &overwritten, &differences, policy);
        let (graphs, errors) = self.graphs(&stored, &overwritten, &refusals, policy.mode);
        refusals.extend(errors);
        refusals.dedup();
        if !refusals.is_empty() {
            let refused = refusals.into_iter();
            let refused = refused.map(|refusal| Refused::new(refusal, &self.bundles));
            return Err(AddError::Refused(refused.collect()));
        }
        let packages = stored.packages.keys().map(String::as_str).collect();
        let stranded = || reach::stranded(transaction, &packages).map_err(failed);
        let stranded_before = stranded()?;
        let same = existing::unchanged(
            transaction,
            &self.bundles,
            &overwritten,
            &stored,
            &mut self.spool,
            failed,
        )?;
        self.bundles.retain(|bundle| !same.contains(&bundle.name));
        overwritten.retain(|name| !same.contains(name));
        report.skipped.extend(same);
        existing::clear(transaction, &overwritten).map_err(failed)?;
        let deprecated = |name: &str| stored.deprecated.contains(name) && !overwritten.contains(name);
        self.insert(transaction, deprecated, failed)?;
        let touched: BTreeSet<&str> = self.bundles.iter().map(|bundle| &*bundle.package).collect();
        let graphs = graphs.into_iter().zip(stored.packages.values());
        let graphs: Vec<_> = graphs.filter(|(graph, _)| touched.contains(&*graph.package)).collect();
        for (graph, _) in &graphs {
            rows::rewrite(transaction, &graph.rewritten).map_err(failed)?;
        }
        for (graph, before) in graphs {
            graph_rows::write(transaction, &graph, before).map_err(failed)?;
            report.packages.push(package_change(graph, before));
        }
        if policy.mode != Mode::Replaces {
            let packages = report.packages.iter().map(|change| change.package.as_str());
            rows::leave_to_images(transaction, packages).map_err(failed)?;
        }
        report.overwritten = overwritten.into_iter().collect();
        report.stranded = stranded()?;
        let is_new = |now: &Stranded| !stranded_before.iter().any(|before| before.is_as(now));
        report.stranded.retain(is_new);
        if policy.refuse_losses {
            let stranded = report.stranded.iter().map(|stranded| stranded.finding().message);
            let lost = report.lost().into_iter().map(|lost| lost.to_string());
            let losses: Vec<String> = lost.chain(stranded).collect();
            if !losses.is_empty() {
                return Err(AddError::Losses(losses));
            }
        }
        report.bundles = self.bundles.iter().map(Addition::reported).collect();
        Ok(report)
    }

    fn stored(&self, transaction: &Transaction<'_>) -> rusqlite::Result<Stored> {
        let places: Vec<Place<'_>> = self.bundles.iter().map(Addition::place).collect();
        Stored::read(transaction, &places)
    }

    /// Writes all rows of the bundles except the rows of the graph.
    fn insert(
        &mut self,
        transaction: &Transaction<'_>,
        deprecated: impl Fn(&str) -> bool,
        failed: impl Fn(rusqlite::Error) -> DatabaseError,
    ) -> Result<(), AddError> {
        let mut writer = rows::Writer::new(transaction).map_err(&failed)?;
        let (mut manifests, mut rows) = (Vec::new(), Vec::new());
        for bundle in &self.bundles {
            self.spool.read(bundle.manifests, &mut manifests)?;
            self.spool.read(bundle.rows, &mut rows)?;
            let rows = rows::decode(&rows).map_err(|error| self.spool.failed("read", error))?;
            let inserted = writer.insert(bundle, &manifests, &rows, deprecated(&bundle.name));
            inserted.map_err(&failed)?;
        }
        Ok(())
    }

    /// Returns the new graph of each touched package, by name, and the errors in the graphs. Skips a package if a
    /// refusal in `refused` might explain errors in its graph, or if one of its bundles was added twice with different
    /// positions in the graph.
    fn graphs(
        &self,
        stored: &Stored,
        overwritten: &BTreeSet<String>,
        refused: &[Refusal],
        mode: Mode,
    ) -> (Vec<Graph>, Vec<Refusal>) {
        let refused: BTreeSet<&str> = refused.iter().flat_map(Refusal::in_the_graph).collect();
        let is_refused = |bundle: &Addition| refused.contains(&*bundle.name) || refused.contains(&*bundle.package);
        let bundles = self.bundles.iter();
        let mut left_out: BTreeSet<&str> = bundles
            .filter(|bundle| is_refused(bundle))
            .map(|bundle| &*bundle.package)
            .collect();
        let mut added: BTreeMap<&str, BTreeMap<String, Node>> = BTreeMap::new();
        for bundle in &self.bundles {
            let node = Node {
                deprecated: stored.deprecated.contains(&bundle.name) && !overwritten.contains(&bundle.name),
                ..bundle.node.clone()
            };
            let of_package = added.entry(&bundle.package).or_default();
            let before = of_package.insert(bundle.name.clone(), node.clone());
            if before.is_some_and(|before| before != node) {
                left_out.insert(&bundle.package);
            }
        }
        let (mut graphs, mut refusals) = (Vec::new(), Vec::new());
        for (name, package) in &stored.packages {
            let Some(added) = added.get(name.as_str()).filter(|_| !left_out.contains(&**name)) else {
                continue;
            };
            match graph::update(&package.graph, added, mode) {
                Ok(graph) => graphs.push(graph),
                Err(errors) => refusals.extend(errors.into_iter().map(Refusal::Graph)),
            }
        }
        (graphs, refusals)
    }
}

impl Addition {
    fn place(&self) -> Place<'_> {
        Place {
            package: &self.package,
            name: &self.name,
            node: &self.node,
        }
    }

    /// Returns the names that must belong to the package of the bundle: its own name and, in the mode `replaces`, the
    /// names of the bundles that it replaces, skips and substitutes for. The other modes ignore these bundles.
    fn names_in(&self, mode: Mode) -> impl Iterator<Item = &str> {
        let names = self.place().names();
        names.filter(move |name| mode == Mode::Replaces || *name == self.name)
    }

    fn reported(&self) -> AddedBundle {
        AddedBundle {
            package: self.package.clone(),
            name: self.name.clone(),
            version: self.node.version.clone(),
            channels: self.node.channels.iter().cloned().collect(),
            replaces: self.node.replaces.clone(),
            skips: self.node.skips.clone(),
            skip_range: self.skip_range.clone(),
            substitutes: self.node.substitutes.clone(),
            default_channel: self.node.default_channel.clone(),
            stated: self.stated.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
