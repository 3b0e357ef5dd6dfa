//! Bundles of a call that the index already contains.

use super::stored::Stored;
use super::{AddError, Addition, Existing, Policy, rows};
use crate::catalog::graph::{Mode, Node};
use crate::database::error::DatabaseError;
use crate::database::spool::Spool;
use crate::database::{remove, schema};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Transaction};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The differences between a bundle of the call and the bundle of the same name in the index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Differences {
    /// The image of the bundle in the index and the image of the new bundle, if they differ. An empty string stands for
    /// a bundle without an image.
    pub images: Option<(String, String)>,
    /// Whether the manifests differ. Manifests that are only in a bundle image are not compared.
    pub content: bool,
    /// The channels that the new bundle names, but that do not contain the existing bundle. Additional channels of the
    /// existing bundle are ignored, because it may have been promoted.
    pub channels: Vec<String>,
}

impl Differences {
    /// Returns whether there are no differences.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Differences {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return formatter.write_str("with the same image, content and channels");
        }
        let or_none = |image: &str| {
            if image.is_empty() {
                "none".to_owned()
            } else {
                image.to_owned()
            }
        };
        let mut parts = Vec::new();
        if let Some((stored, given)) = &self.images {
            parts.push(format!(
                "a different image ({} in the index, {} in the new bundle)",
                or_none(stored),
                or_none(given)
            ));
        }
        if self.content {
            parts.push("different manifests".to_owned());
        }
        let (with, and) = if parts.is_empty() {
            (String::new(), "but ")
        } else {
            (format!("with {}", parts.join(" and ")), ", and ")
        };
        formatter.write_str(&with)?;
        if self.channels.is_empty() {
            return Ok(());
        }
        write!(formatter, "{and}not in {}", self.channels.join(", "))
    }
}

/// Returns, by name, how the bundles of the call differ from the bundles of the same name in the index.
pub(super) fn differences(
    transaction: &Transaction<'_>,
    bundles: &[Addition],
    stored: &Stored,
    spool: &mut Spool,
    failed: impl Fn(rusqlite::Error) -> DatabaseError,
) -> Result<BTreeMap<String, Differences>, AddError> {
    let mut found = BTreeMap::new();
    let mut manifests = Vec::new();
    for bundle in bundles.iter().filter(|bundle| stored.present.contains(&bundle.name)) {
        spool.read(bundle.manifests, &mut manifests)?;
        let (images, content) = of_row(transaction, bundle, &manifests).map_err(&failed)?;
        let package = stored.packages.get(&bundle.package);
        let node = package.and_then(|package| package.graph.bundles.get(&bundle.name));
        let is_in = |channel: &&String| node.is_some_and(|node| node.channels.contains(*channel));
        // A deprecated bundle is no longer in the channels that it was the head of.
        let channels = bundle.node.channels.iter().filter(|channel| !is_in(channel));
        let channels = channels.filter(|_| !stored.deprecated.contains(&bundle.name));
        let differences = Differences {
            images,
            content,
            channels: channels.cloned().collect(),
        };
        // If a name was specified twice, the differences of both bundles are merged.
        let entry: &mut Differences = found.entry(bundle.name.clone()).or_default();
        entry.images = differences.images.max(entry.images.take());
        entry.content |= differences.content;
        entry.channels.extend(differences.channels);
        entry.channels.sort();
        entry.channels.dedup();
    }
    Ok(found)
}

/// Removes the bundles that do not differ from those in the index, and returns their names.
pub(super) fn leave_out(bundles: &mut Vec<Addition>, differences: &BTreeMap<String, Differences>) -> Vec<String> {
    let is_same = |bundle: &Addition| differences.get(&bundle.name).is_some_and(Differences::is_empty);
    let same: BTreeSet<String> = bundles
        .iter()
        .filter(|bundle| is_same(bundle))
        .map(|bundle| bundle.name.clone())
        .collect();
    bundles.retain(|bundle| !is_same(bundle));
    same.into_iter().collect()
}

/// Returns the images, if they differ, and whether the manifests differ.
fn of_row(
    transaction: &Transaction<'_>,
    bundle: &Addition,
    manifests: &[u8],
) -> rusqlite::Result<(Option<(String, String)>, bool)> {
    let mut statement = transaction.prepare("SELECT bundlepath, csv, bundle FROM operatorbundle WHERE name = ?1")?;
    statement.query_row([&bundle.name], |row| {
        let path = row.get::<_, Option<String>>(0)?.unwrap_or_default();
        let part = |range: &std::ops::Range<usize>| manifests.get(range.clone()).unwrap_or_default();
        let bytes = |column: usize| match row.get_ref(column) {
            Ok(ValueRef::Text(bytes) | ValueRef::Blob(bytes)) => Some(bytes),
            _ => None,
        };
        let (csv, objects) = (bytes(1), bytes(2));
        // A ClusterServiceVersion without the other objects may be made of the metadata in a file-based catalog.
        let only_in_image = !path.is_empty() && objects.is_none();
        let is_same = only_in_image
            || csv.is_none_or(|csv| csv == part(&bundle.csv)) && objects.unwrap_or_default() == part(&bundle.bundle);
        Ok((
            (path != bundle.bundle_path).then(|| (path.clone(), bundle.bundle_path.clone())),
            !is_same,
        ))
    })
}

/// Returns the bundles of the index that the call overwrites.
pub(super) fn overwritten(bundles: &[Addition], stored: &Stored, policy: Policy) -> BTreeSet<String> {
    if policy.existing != Existing::Overwrite || policy.mode != Mode::Replaces {
        return BTreeSet::new();
    }
    let names = bundles.iter().map(|bundle| &bundle.name);
    names.filter(|name| stored.present.contains(*name)).cloned().collect()
}

/// Returns the overwritten bundles whose rows would be the same as before. Writing them would only move rows, which
/// changes the digest of an index without changing its content.
pub(super) fn unchanged(
    transaction: &Transaction<'_>,
    bundles: &[Addition],
    overwritten: &BTreeSet<String>,
    stored: &Stored,
    spool: &mut Spool,
    failed: impl Fn(rusqlite::Error) -> DatabaseError,
) -> Result<BTreeSet<String>, AddError> {
    let mut same = BTreeSet::new();
    let (mut manifests, mut encoded) = (Vec::new(), Vec::new());
    for bundle in bundles.iter().filter(|bundle| overwritten.contains(&bundle.name)) {
        if !is_in_place(bundle, stored) {
            continue;
        }
        spool.read(bundle.manifests, &mut manifests)?;
        spool.read(bundle.rows, &mut encoded)?;
        let rows = rows::decode(&encoded).map_err(|error| spool.failed("read", error))?;
        let written = || {
            let mut memory = Connection::open_in_memory()?;
            schema::create(&memory, 0)?;
            let draft = memory.transaction()?;
            rows::Writer::new(&draft)?.insert(bundle, &manifests, &rows, false)?;
            content(&draft, &bundle.name)
        };
        if written().map_err(&failed)? == content(transaction, &bundle.name).map_err(&failed)? {
            same.insert(bundle.name.clone());
        }
    }
    Ok(same)
}

/// Returns whether the stored bundle has the position in the graph that the new bundle asks for. It may be in
/// additional channels, because it may have been promoted.
fn is_in_place(bundle: &Addition, stored: &Stored) -> bool {
    let Some(package) = stored.packages.get(&bundle.package) else {
        return false;
    };
    let Some(present) = package.graph.bundles.get(&bundle.name) else {
        return false;
    };
    let default_channel = bundle
        .node
        .default_channel
        .as_ref()
        .or(package.default_channel.as_ref());
    let mut node = Node {
        default_channel: package.default_channel.clone(),
        ..bundle.node.clone()
    };
    node.channels.extend(present.channels.iter().cloned());
    default_channel == package.default_channel.as_ref() && *present == node
}

/// Returns all rows of a bundle except the rows of the graph, regardless of their order.
fn content(connection: &Connection, name: &str) -> rusqlite::Result<Vec<Vec<Value>>> {
    let mut content = Vec::new();
    for (table, owner, order) in [
        ("operatorbundle", "name", "name"),
        ("related_image", "operatorbundle_name", "image"),
        ("api_provider", "operatorbundle_name", "group_name, version, kind"),
        ("api_requirer", "operatorbundle_name", "group_name, version, kind"),
        ("dependencies", "operatorbundle_name", "type, value"),
        ("properties", "operatorbundle_name", "type, value"),
    ] {
        let mut statement =
            connection.prepare(&format!("SELECT * FROM {table} WHERE {owner} = ?1 ORDER BY {order}"))?;
        let columns = statement.column_count();
        let sorted = statement.query_map([name], |row| (0..columns).map(|column| row.get(column)).collect())?;
        content.push(vec![Value::from(table.to_owned())]);
        content.extend(sorted.collect::<rusqlite::Result<Vec<_>>>()?);
    }
    Ok(content)
}

/// Removes the dependent rows of overwritten bundles; the bundle rows are overwritten later.
pub(super) fn clear(transaction: &Transaction<'_>, overwritten: &BTreeSet<String>) -> rusqlite::Result<()> {
    if overwritten.is_empty() {
        return Ok(());
    }
    remove::remove_small_rows(transaction, overwritten)?;
    remove::remove_orphan_apis(transaction)
}
