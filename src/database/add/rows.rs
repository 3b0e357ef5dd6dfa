//! Writing the rows of one bundle.

use super::Addition;
use crate::catalog::graph::Node;
use crate::database::record::{Api, Rows};
use crate::database::skips;
use crate::olm::property::DEPRECATED;
use rusqlite::{Statement, Transaction};
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;

/// The small rows of a bundle as bytes, to wait in a spool.
pub(super) fn encode(rows: &Rows) -> io::Result<Vec<u8>> {
    Ok(serde_json::to_vec(rows)?)
}

/// What [`encode`] made bytes of.
pub(super) fn decode(rows: &[u8]) -> io::Result<Rows> {
    Ok(serde_json::from_slice(rows)?)
}

/// Inserts bundles; each kind of row has its statement.
pub(super) struct Writer<'t> {
    bundle: Statement<'t>,
    image: Statement<'t>,
    api: Statement<'t>,
    provider: Statement<'t>,
    requirer: Statement<'t>,
    dependency: Statement<'t>,
    property: Statement<'t>,
}

/// The name, version and path of a bundle as its small rows carry them: NULL where empty.
type Owner<'a> = (&'a str, Option<&'a str>, Option<&'a str>);

impl<'t> Writer<'t> {
    pub(super) fn new(transaction: &'t Transaction<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            bundle: transaction.prepare(
                "INSERT INTO operatorbundle
                 (name, csv, bundle, bundlepath, skiprange, version, replaces, skips, substitutesfor)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
                 ON CONFLICT (name) DO UPDATE SET
                    csv = excluded.csv, bundle = excluded.bundle, bundlepath = excluded.bundlepath,
                    skiprange = excluded.skiprange, version = excluded.version, replaces = excluded.replaces,
                    skips = excluded.skips, substitutesfor = excluded.substitutesfor",
            )?,
            image: transaction.prepare("INSERT INTO related_image (image, operatorbundle_name) VALUES (?1, ?2)")?,
            // The plural name that the index learned first stays.
            api: transaction.prepare("INSERT OR IGNORE INTO api VALUES (?1, ?2, ?3, ?4)")?,
            provider: transaction.prepare("INSERT INTO api_provider VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?,
            requirer: transaction.prepare("INSERT INTO api_requirer VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?,
            dependency: transaction.prepare("INSERT INTO dependencies VALUES (?1, ?2, ?3, ?4, ?5)")?,
            property: transaction.prepare("INSERT INTO properties VALUES (?1, ?2, ?3, ?4, ?5)")?,
        })
    }

    /// Inserts all rows of a bundle but those of the graph, in place of a row with its name.
    pub(super) fn insert(
        &mut self,
        bundle: &Addition,
        manifests: &[u8],
        rows: &Rows,
        deprecated: bool,
    ) -> rusqlite::Result<()> {
        // Manifests that the index is not to hold are NULL.
        let part = |range: &Range<usize>| manifests.get(range.clone()).filter(|part| !part.is_empty());
        let Node {
            version,
            replaces,
            skips,
            substitutes,
            ..
        } = &bundle.node;
        let path = &bundle.bundle_path;
        self.bundle.execute((
            &bundle.name,
            part(&bundle.csv),
            part(&bundle.bundle),
            path,
            &rows.skip_range,
            version,
            replaces,
            skips::join(skips),
            substitutes,
        ))?;
        for image in &rows.related_images {
            self.image.execute((image, &bundle.name))?;
        }
        let owner = (&*bundle.name, filled(version), filled(path));
        for (apis, link) in [
            (&rows.provided, &mut self.provider),
            (&rows.required, &mut self.requirer),
        ] {
            for api in apis {
                insert_api(&mut self.api, link, api, owner)?;
            }
        }
        let (name, version, path) = owner;
        for (kind, value) in &rows.dependencies {
            self.dependency.execute((kind, value.as_bytes(), name, version, path))?;
        }
        let deprecation = deprecated.then(|| (DEPRECATED.to_owned(), "{}".to_owned()));
        let further = deprecation.filter(|property| !rows.properties.contains(property));
        for (kind, value) in rows.properties.iter().chain(&further) {
            self.property.execute((kind, value, name, version, path))?;
        }
        Ok(())
    }
}

/// Writes the edges of bundles that change because one stands in for another. Their manifests stay as they are.
pub(super) fn rewrite(transaction: &Transaction<'_>, rewritten: &BTreeMap<String, Node>) -> rusqlite::Result<()> {
    let mut update = transaction
        .prepare("UPDATE operatorbundle SET replaces = ?2, skips = ?3, substitutesfor = ?4 WHERE name = ?1")?;
    for (name, node) in rewritten {
        update.execute((name, &node.replaces, skips::join(&node.skips), &node.substitutes))?;
    }
    Ok(())
}

/// Takes the manifests of the bundles of some packages out of the index, where a bundle has an image to read them from
/// and is the head of no channel.
pub(super) fn leave_to_images<'a>(
    transaction: &Transaction<'_>,
    packages: impl Iterator<Item = &'a str>,
) -> rusqlite::Result<()> {
    let mut update = transaction.prepare(
        "UPDATE operatorbundle SET csv = NULL, bundle = NULL
         WHERE bundlepath != '' AND bundle IS NOT NULL
           AND name IN (SELECT operatorbundle_name FROM channel_entry WHERE package_name = ?1)
           AND name NOT IN (SELECT head_operatorbundle_name FROM channel WHERE package_name = ?1)",
    )?;
    for package in packages {
        update.execute([package])?;
    }
    Ok(())
}

fn insert_api(apis: &mut Statement<'_>, link: &mut Statement<'_>, api: &Api, owner: Owner<'_>) -> rusqlite::Result<()> {
    let Api {
        group,
        version,
        kind,
        plural,
    } = api;
    apis.execute((group, version, kind, plural))?;
    link.execute((group, version, kind, owner.0, owner.1, owner.2))?;
    Ok(())
}

fn filled(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}
