//! The differences between two index databases.

use super::read::{Database, ReadError};
use rusqlite::types::ValueRef;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::path::Path;

/// Returns the names of the bundles in the database `after` that are missing from `before` or have different content
/// there.
///
/// # Errors
/// Returns an error if either database cannot be read.
pub fn changed_bundles(before: &Path, after: &Path) -> Result<BTreeSet<String>, ReadError> {
    let (before, after) = (Database::open(before)?, Database::open(after)?);
    let before = contents(&before)?;
    let after = contents(&after)?;
    Ok(after.difference(&before).map(|(name, _)| name.clone()).collect())
}

/// Returns the name and a hash of the content of every bundle.
fn contents(database: &Database) -> Result<BTreeSet<(String, [u8; 32])>, ReadError> {
    const SQL: &str = "
        SELECT name, csv, bundle, bundlepath, version,
            (SELECT group_concat(type || char(10) || value, char(10)) FROM
                (SELECT type, value FROM properties WHERE operatorbundle_name = name ORDER BY type, value)),
            (SELECT group_concat(type || char(10) || value, char(10)) FROM
                (SELECT type, value FROM dependencies WHERE operatorbundle_name = name ORDER BY type, value)),
            (SELECT group_concat(image, char(10)) FROM
                (SELECT image FROM related_image WHERE operatorbundle_name = name ORDER BY image))
        FROM operatorbundle WHERE name IS NOT NULL";
    let read = || {
        let mut statement = database.connection().prepare(SQL)?;
        let rows = statement.query_map([], |row| {
            let mut hash = Sha256::new();
            for column in 1..8 {
                let bytes = match row.get_ref(column)? {
                    ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes,
                    _ => &[],
                };
                hash.update(bytes.len().to_le_bytes());
                hash.update(bytes);
            }
            Ok((row.get(0)?, hash.finalize().into()))
        })?;
        rows.collect::<Result<_, _>>()
    };
    read().map_err(|error| database.content_error("the bundles", error))
}
