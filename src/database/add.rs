//! Adding bundles to an index: all of one call, or none of them.
//!
//! The rows of the bundles are collected first, in a [`Spool`], and the database is locked only when all are there: a
//! slow registry never keeps another writer waiting. Then one transaction checks the bundles against the index,
//! computes the new graph of every package that they touch, and writes the rows in the order of packages and names. So
//! the outcome, to the byte, depends on the set of bundles and not on the order in which they came, and memory holds
//! their names and edges and the manifests of one of them.

mod existing;
mod graph_rows;
pub mod promote;
mod refusal;
mod rows;
mod stored;

pub use super::reach::Stranded;
pub use existing::Differences;
pub use refusal::Refusal;

use super::change::{self, ChangeOptions, Target};
use super::error::DatabaseError;
use super::reach;
use super::record::Record;
use super::spool::{Piece, Spool};
use crate::catalog::graph::{self, Dropped, Graph, Mode, Node};
use crate::files::FileError;
use rusqlite::Transaction;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use stored::{Place, Stored};

/// How bundles are added.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Policy {
    /// How they take their places in the graph.
    pub mode: Mode,
    /// What becomes of bundles that the index holds already.
    pub existing: Existing,
    /// Take bundles that stand in for others (annotation `olm.substitutesFor`).
    pub substitutes: bool,
}

/// What becomes of a bundle whose name the index holds already.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Existing {
    /// It is refused.
    #[default]
    Refuse,
    /// It is left out where content and image are the same and it is in all channels that it names, else refused.
    Skip,
    /// It takes the place of the one that is there, if nothing replaces or skips that one; at most one in each package.
    /// Not in the modes that go by versions.
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

/// The bundles of one call.
#[derive(Debug)]
pub struct Additions {
    spool: Spool,
    bundles: Vec<Addition>,
}

/// What stays in memory of a bundle that is to be added.
#[derive(Debug)]
struct Addition {
    origin: String,
    name: String,
    package: String,
    bundle_path: String,
    node: Node,
    manifests: Piece,
    csv: Range<usize>,
    bundle: Range<usize>,
    rows: Piece,
}

/// What an accepted call changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The added bundles, by package and name.
    pub bundles: Vec<AddedBundle>,
    /// The packages that they touch, by name.
    pub packages: Vec<PackageChange>,
    /// Bundles that were left out, because the index holds them already, by name.
    pub skipped: Vec<String>,
    /// Bundles of the index that gave their place to one of their name, by name.
    pub overwritten: Vec<String>,
    /// Bundles that no update leads to any more in a channel where one did, by package and channel.
    pub stranded: Vec<Stranded>,
}

/// One added bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedBundle {
    /// Its package.
    pub package: String,
    /// Its name.
    pub name: String,
    /// Its version; empty where it has none.
    pub version: String,
    /// The channels that it names.
    pub channels: Vec<String>,
}

/// How the graph of one package changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageChange {
    /// The name of the package.
    pub package: String,
    /// The default channel before, where the package had one, and now.
    pub default_channel: (Option<String>, String),
    /// The channels that are new, are gone, or have another head.
    pub channels: Vec<ChannelChange>,
    /// Bundles that fell out of a channel: they stay stored, and no cluster is offered them there any more.
    pub dropped: Vec<Dropped>,
}

/// How one channel changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelChange {
    /// The name of the channel.
    pub channel: String,
    /// Its head before; none for a new channel.
    pub before: Option<String>,
    /// Its head now; none for a channel that is gone.
    pub after: Option<String>,
}

/// Why nothing was added.
#[derive(Debug, thiserror::Error)]
pub enum AddError {
    /// The bundles do not fit together or into the index: all reasons that were found, in a fixed order.
    #[error("{}", .0.iter().map(Refusal::to_string).collect::<Vec<_>>().join("\n"))]
    Refused(Vec<Refusal>),
    /// The database cannot be read or written.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The temporary file cannot be read or written.
    #[error(transparent)]
    Spool(#[from] FileError),
}

impl Additions {
    /// No bundles yet. Where their rows become many, they wait in a file without a name in `folder`.
    pub fn new(folder: &Path) -> Self {
        Self {
            spool: Spool::new(folder),
            bundles: Vec::new(),
        }
    }

    /// Adds a bundle to the call.
    ///
    /// # Errors
    /// When the temporary file cannot be written.
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
            manifests,
            csv: record.manifests.csv.clone(),
            bundle: record.manifests.bundle.clone(),
            rows,
        });
        Ok(())
    }

    /// Adds all bundles to the index in one transaction.
    ///
    /// In the modes that go by versions, the manifests of bundles that are not the head of a channel any more are left
    /// to their images, in the packages of the call, as the reference does.
    ///
    /// # Errors
    /// When the bundles are refused, or the database cannot be changed. Then it is as it was.
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

    /// Adds all bundles to an index that holds none of their packages, with these graphs of them.
    ///
    /// # Errors
    /// When the database cannot be written. Then it is as it was.
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
        let overwritten = existing::overwritten(&self.bundles, &stored, policy);
        let mut refusals = refusal::check(&self.bundles, &stored, &overwritten, &differences, policy);
        let (graphs, errors) = self.graphs(&stored, &overwritten, &refusals, policy.mode);
        refusals.extend(errors);
        if !refusals.is_empty() {
            return Err(AddError::Refused(refusals));
        }
        let packages = stored.packages.keys().map(String::as_str).collect();
        let stranded = || reach::stranded(transaction, &packages).map_err(failed);
        let stranded_before = stranded()?;
        existing::clear(transaction, &overwritten).map_err(failed)?;
        let deprecated = |name: &str| stored.deprecated.contains(name) && !overwritten.contains(name);
        self.insert(transaction, deprecated, failed)?;
        for graph in &graphs {
            rows::rewrite(transaction, &graph.rewritten).map_err(failed)?;
        }
        for (graph, before) in graphs.into_iter().zip(stored.packages.values()) {
            graph_rows::write(transaction, &graph, before).map_err(failed)?;
            report.packages.push(package_change(graph, before));
        }
        if policy.mode != Mode::Replaces {
            let packages = report.packages.iter().map(|change| change.package.as_str());
            rows::leave_to_images(transaction, packages).map_err(failed)?;
        }
        report.stranded = stranded()?;
        let is_new = |now: &Stranded| !stranded_before.iter().any(|before| before.is_as(now));
        report.stranded.retain(is_new);
        report.bundles = self.bundles.iter().map(Addition::reported).collect();
        report.overwritten = overwritten.into_iter().collect();
        Ok(report)
    }

    fn stored(&self, transaction: &Transaction<'_>) -> rusqlite::Result<Stored> {
        let places: Vec<Place<'_>> = self.bundles.iter().map(Addition::place).collect();
        Stored::read(transaction, &places)
    }

    /// Writes the rows of all bundles but those of the graph.
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

    /// The new graph of each touched package, by name, and what is wrong with them. The graph of a package is not
    /// looked at where `refused` has what could be the reason; that a bundle is given twice is one where the two have
    /// different places in it.
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

    /// Its own name, those of its edges and of what it stands in for: all belong to its package.
    fn names(&self) -> impl Iterator<Item = &str> {
        self.place().names()
    }

    fn reported(&self) -> AddedBundle {
        AddedBundle {
            package: self.package.clone(),
            name: self.name.clone(),
            version: self.node.version.clone(),
            channels: self.node.channels.iter().cloned().collect(),
        }
    }
}

fn package_change(graph: Graph, before: &stored::Package) -> PackageChange {
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

#[cfg(test)]
mod tests;
