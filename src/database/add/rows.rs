//! Writes the rows of one bundle.

use super::Addition;
use crate::catalog::graph::Node;
use crate::database::record::Rows;
use crate::database::rows::{INSERT_BUNDLE, Inserts, Owner};
use crate::database::skips;
use crate::olm::property::DEPRECATED;
use rusqlite::{Statement, Transaction};
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;

/// Encodes [`Rows`] as bytes, for a spool.
pub(super) fn encode(rows: &Rows) -> io::Result<Vec<u8>> {
    Ok(serde_json::to_vec(rows)?)
}

/// Decodes the output of [`encode`].
pub(super) fn decode(rows: &[u8]) -> io::Result<Rows> {
    Ok(serde_json::from_slice(rows)?)
}

/// Inserts bundles.
pub(super) struct Writer<'t> {
    bundle: Statement<'t>,
    rows: Inserts<'t>,
}

impl<'t> Writer<'t> {
    pub(super) fn new(transaction: &'t Transaction<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            bundle: transaction.prepare(&format!(
                "{INSERT_BUNDLE} VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
                 ON CONFLICT (name) DO UPDATE SET
                    csv = excluded.csv, bundle = excluded.bundle, bundlepath = excluded.bundlepath,
                    skiprange = excluded.skiprange, version = excluded.version, replaces = excluded.replaces,
                    skips = excluded.skips, substitutesfor = excluded.substitutesfor"
            ))?,
            rows: Inserts::new(transaction)?,
        })
    }

    /// Inserts all rows of a bundle except the rows of the graph, replacing an existing bundle row with the same name.
    pub(super) fn insert(
        &mut self,
        bundle: &Addition,
        manifests: &[u8],
        rows: &Rows,
        deprecated: bool,
    ) -> rusqlite::Result<()> {
        // Manifests that the index must not contain have an empty range here, and are NULL in the database.
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
            self.rows.image(image, &bundle.name)?;
        }
        let owner = Owner::new(&bundle.name, version, path);
        for api in &rows.provided {
            self.rows.api(api.identity(), &api.plural)?;
            self.rows.provided(api.identity(), owner)?;
        }
        for api in &rows.required {
            self.rows.api(api.identity(), &api.plural)?;
            self.rows.required(api.identity(), owner)?;
        }
        for (kind, value) in &rows.dependencies {
            self.rows.dependency(kind, value.as_bytes(), owner)?;
        }
        let deprecation = deprecated.then(|| (DEPRECATED.to_owned(), "{}".to_owned()));
        let further = deprecation.filter(|property| !rows.properties.contains(property));
        for (kind, value) in rows.properties.iter().chain(&further) {
            self.rows.property(kind, value, owner)?;
        }
        Ok(())
    }
}

/// Updates the edges that a substitution changes. The manifests of the bundles remain unchanged.
pub(super) fn rewrite(transaction: &Transaction<'_>, rewritten: &BTreeMap<String, Node>) -> rusqlite::Result<()> {
    let mut update = transaction
        .prepare("UPDATE operatorbundle SET replaces = ?2, skips = ?3, substitutesfor = ?4 WHERE name = ?1")?;
    for (name, node) in rewritten {
        update.execute((name, &node.replaces, skips::join(&node.skips), &node.substitutes))?;
    }
    Ok(())
}

/// Removes manifests of the given packages from the index: a bundle loses its manifests if it has an image and is not
/// the head of a channel.
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
