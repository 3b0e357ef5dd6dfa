//! The stored data of the packages that a call touches: names, edges and entry numbers, but no manifests.

use crate::catalog::graph;
use crate::database::skips;
use rusqlite::{OptionalExtension, Row, Statement, Transaction};
use std::collections::{BTreeMap, BTreeSet};

/// The parts of an added bundle that are needed to look up related data in the index.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) package: &'a str,
    pub(super) name: &'a str,
    pub(super) node: &'a graph::Node,
}

/// The part of an index that the bundles of a call affect.
#[derive(Debug, Default)]
pub(super) struct Stored {
    /// The packages of the bundles, by name; new packages are empty.
    pub(super) packages: BTreeMap<String, Package>,
    /// For each bundle of the call, and for each bundle that a bundle of the call replaces, skips or substitutes for:
    /// the packages that contain it.
    pub(super) elsewhere: BTreeMap<String, BTreeSet<String>>,
    /// The bundles of the call that are already stored.
    pub(super) present: BTreeSet<String>,
    /// All deprecated bundles.
    pub(super) deprecated: BTreeSet<String>,
}

/// A package as stored in the index.
#[derive(Debug, Default)]
pub(super) struct Package {
    /// Whether the package has a row.
    pub(super) exists: bool,
    pub(super) default_channel: Option<String>,
    /// The head of each channel.
    pub(super) heads: BTreeMap<String, String>,
    /// The numbers of the entries of each channel, in ascending order.
    pub(super) entries: BTreeMap<String, Vec<i64>>,
    /// The image of each bundle that has one.
    pub(super) images: BTreeMap<String, String>,
    pub(super) graph: graph::Package,
}

/// A row of the bundle table, without the large columns.
struct Bundle {
    version: String,
    path: String,
    replaces: String,
    skips: String,
    substitutes: String,
}

impl Stored {
    pub(super) fn read(transaction: &Transaction<'_>, added: &[Place<'_>]) -> rusqlite::Result<Self> {
        let mut stored = Self::default();
        for bundle in added {
            let package = stored.packages.entry(bundle.package.to_owned()).or_default();
            bundle.package.clone_into(&mut package.graph.name);
        }
        stored.read_deprecated(transaction)?;
        let memberships = stored.read_entries(transaction, added)?;
        stored.read_channels(transaction)?;
        let mut bundles = transaction.prepare(
            "SELECT version, bundlepath, replaces, skips, substitutesfor FROM operatorbundle WHERE name = ?1",
        )?;
        for (name, package) in &mut stored.packages {
            package.read_row(transaction, name)?;
            if let Some(members) = memberships.get(name) {
                package.read_members(&mut bundles, members, &stored.deprecated)?;
            }
        }
        for bundle in added {
            if find(&mut bundles, bundle.name)?.is_some() {
                stored.present.insert(bundle.name.to_owned());
            }
        }
        stored.read_targets(&mut bundles, added)?;
        Ok(stored)
    }

    fn read_deprecated(&mut self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        let mut statement = transaction.prepare("SELECT operatorbundle_name FROM deprecated")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            self.deprecated.extend(row.get::<_, Option<String>>(0)?);
        }
        Ok(())
    }

    /// Reads the entries of the touched packages. In the same pass over all entries, finds the packages that contain
    /// the bundles of the call, or bundles that these replace, skip or substitute for.
    fn read_entries(
        &mut self,
        transaction: &Transaction<'_>,
        added: &[Place<'_>],
    ) -> rusqlite::Result<BTreeMap<String, Members>> {
        let packages: Vec<&str> = self.packages.keys().map(String::as_str).collect();
        let names: BTreeSet<&str> = added.iter().flat_map(Place::names).collect();
        let mut statement = transaction.prepare(
            "SELECT entry_id, package_name, channel_name, operatorbundle_name, replaces FROM channel_entry
             WHERE package_name IN (SELECT value FROM json_each(?1))
                OR operatorbundle_name IN (SELECT value FROM json_each(?2))
             ORDER BY entry_id",
        )?;
        let mut memberships: BTreeMap<String, Members> = BTreeMap::new();
        let mut bundles: BTreeMap<i64, String> = BTreeMap::new();
        let mut links = Vec::new();
        let mut rows = statement.query((json(&packages), json(&names)))?;
        while let Some(row) = rows.next()? {
            let (Some(package), Some(bundle)) = (row.get::<_, Option<String>>(1)?, row.get::<_, Option<String>>(3)?)
            else {
                continue;
            };
            let channel = row.get::<_, Option<String>>(2)?.unwrap_or_default();
            if let Some(stored) = self.packages.get_mut(&package) {
                let number = row.get(0)?;
                stored.entries.entry(channel.clone()).or_default().push(number);
                bundles.insert(number, bundle.clone());
                if let Some(target) = row.get::<_, Option<i64>>(4)? {
                    links.push((package.clone(), channel.clone(), bundle.clone(), target));
                }
                memberships
                    .entry(package.clone())
                    .or_default()
                    .entry(bundle.clone())
                    .or_default()
                    .insert(channel);
            }
            if names.contains(bundle.as_str()) {
                self.elsewhere.entry(bundle).or_default().insert(package);
            }
        }
        for (package, channel, bundle, target) in links {
            if let (Some(stored), Some(target)) = (self.packages.get_mut(&package), bundles.get(&target)) {
                let edges = stored.graph.edges.entry(channel).or_default();
                edges.entry(bundle).or_default().insert(target.clone());
            }
        }
        Ok(memberships)
    }

    fn read_channels(&mut self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        let packages: Vec<&str> = self.packages.keys().map(String::as_str).collect();
        let mut statement = transaction.prepare(
            "SELECT package_name, name, head_operatorbundle_name FROM channel
             WHERE package_name IN (SELECT value FROM json_each(?1))",
        )?;
        let mut rows = statement.query([json(&packages)])?;
        while let Some(row) = rows.next()? {
            let (package, channel): (String, Option<String>) = (row.get(0)?, row.get(1)?);
            let head: Option<String> = row.get(2)?;
            if let Some(package) = self.packages.get_mut(&package) {
                package
                    .heads
                    .insert(channel.unwrap_or_default(), head.unwrap_or_default());
            }
        }
        Ok(())
    }

    /// Follows the edges to bundles that are stored but are not in any channel.
    fn read_targets(&mut self, stored: &mut Statement<'_>, added: &[Place<'_>]) -> rusqlite::Result<()> {
        let in_call: BTreeSet<&str> = added.iter().map(|bundle| bundle.name).collect();
        for (name, package) in &mut self.packages {
            let bundles = &mut package.graph.bundles;
            let from_call = added.iter().filter(|bundle| bundle.package == name);
            let edges = |bundle: &Place<'_>| [bundle.node.replaces.clone(), bundle.node.substitutes.clone()];
            let mut open: Vec<String> = from_call.flat_map(edges).collect();
            open.extend(bundles.values().map(|node| node.replaces.clone()));
            while let Some(target) = open.pop() {
                if target.is_empty() || in_call.contains(target.as_str()) || bundles.contains_key(&target) {
                    continue;
                }
                if let Some(bundle) = find(stored, &target)? {
                    open.push(bundle.replaces.clone());
                    let deprecated = self.deprecated.contains(&target);
                    bundles.insert(target, bundle.node(BTreeSet::new(), None, deprecated));
                }
            }
        }
        Ok(())
    }
}

/// The channels of each bundle that has entries.
type Members = BTreeMap<String, BTreeSet<String>>;

impl Package {
    fn read_row(&mut self, transaction: &Transaction<'_>, name: &str) -> rusqlite::Result<()> {
        let mut statement = transaction.prepare("SELECT default_channel FROM package WHERE name = ?1")?;
        let row: Option<Option<String>> = statement.query_row([name], |row| row.get(0)).optional()?;
        self.exists = row.is_some();
        self.default_channel = row.flatten();
        Ok(())
    }

    fn read_members(
        &mut self,
        bundles: &mut Statement<'_>,
        members: &Members,
        deprecated: &BTreeSet<String>,
    ) -> rusqlite::Result<()> {
        for (name, channels) in members {
            // A skipped bundle does not have to exist.
            let Some(bundle) = find(bundles, name)? else {
                continue;
            };
            if !bundle.path.is_empty() {
                self.images.insert(name.clone(), bundle.path.clone());
            }
            let node = bundle.node(
                channels.clone(),
                self.default_channel.clone(),
                deprecated.contains(name),
            );
            self.graph.bundles.insert(name.clone(), node);
        }
        Ok(())
    }
}

impl Bundle {
    fn node(self, channels: BTreeSet<String>, default_channel: Option<String>, deprecated: bool) -> graph::Node {
        graph::Node {
            version: self.version,
            replaces: self.replaces,
            skips: skips::split(&self.skips),
            channels,
            default_channel,
            deprecated,
            substitutes: self.substitutes,
        }
    }
}

impl<'a> Place<'a> {
    /// Returns the names of the bundle and of the bundles that it replaces, skips and substitutes for. All of these
    /// bundles belong to the same package.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let edges = [&self.node.replaces, &self.node.substitutes];
        let edges = edges.into_iter().chain(&self.node.skips).map(String::as_str);
        std::iter::once(self.name).chain(edges).filter(|name| !name.is_empty())
    }
}

fn find(bundles: &mut Statement<'_>, name: &str) -> rusqlite::Result<Option<Bundle>> {
    let text = |row: &Row<'_>, column: usize| row.get(column).map(Option::<String>::unwrap_or_default);
    bundles
        .query_row([name], |row| {
            Ok(Bundle {
                version: text(row, 0)?,
                path: text(row, 1)?,
                replaces: text(row, 2)?,
                skips: text(row, 3)?,
                substitutes: text(row, 4)?,
            })
        })
        .optional()
}

fn json<'a>(names: impl IntoIterator<Item = &'a &'a str>) -> String {
    let names = names.into_iter().map(|name| serde_json::Value::from(*name));
    serde_json::Value::Array(names.collect()).to_string()
}
