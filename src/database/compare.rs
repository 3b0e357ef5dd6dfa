//! The differences between two index databases.

use super::read::{Database, ReadError};
use rusqlite::types::ValueRef;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
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

/// The content of the bundles: the name of a bundle, and what belongs to it, in a fixed order. Each table is read once,
/// because OLM's schema has no index of the rows of a bundle.
const CONTENTS: [&str; 4] = [
    "SELECT name, csv, bundle, bundlepath, version FROM operatorbundle WHERE name IS NOT NULL",
    "SELECT operatorbundle_name, type, value FROM properties ORDER BY type, value",
    "SELECT operatorbundle_name, type, value FROM dependencies ORDER BY type, value",
    "SELECT operatorbundle_name, image FROM related_image ORDER BY image",
];

/// Returns the name and a hash of the content of every bundle.
fn contents(database: &Database) -> Result<BTreeSet<(String, [u8; 32])>, ReadError> {
    let read = || {
        let mut hashes: BTreeMap<String, Sha256> = BTreeMap::new();
        for (table, sql) in CONTENTS.into_iter().enumerate() {
            let mut statement = database.connection().prepare(sql)?;
            let columns = statement.column_count();
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let name: Option<String> = row.get(0)?;
                let hash = match name {
                    Some(name) if table == 0 => hashes.entry(name).or_default(),
                    // Rows of missing bundles are not content.
                    name => match name.and_then(|name| hashes.get_mut(&name)) {
                        Some(hash) => hash,
                        None => continue,
                    },
                };
                hash.update(table.to_le_bytes());
                for column in 1..columns {
                    let bytes = match row.get_ref(column)? {
                        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes,
                        _ => &[],
                    };
                    hash.update(bytes.len().to_le_bytes());
                    hash.update(bytes);
                }
            }
        }
        let hashes = hashes.into_iter();
        Ok(hashes.map(|(name, hash)| (name, hash.finalize().into())).collect())
    };
    read().map_err(|error| database.content_error("the bundles", error))
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;
    use rusqlite::Connection;

    const BUNDLES: &str = "
        WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000)
        INSERT INTO operatorbundle(name, csv) SELECT 'b' || n, '{}' FROM numbers;
        INSERT INTO properties(type, value, operatorbundle_name) SELECT 't', name, name FROM operatorbundle;";

    fn written(path: &Path, statements: &str) {
        sample::write(path);
        Connection::open(path).unwrap().execute_batch(statements).unwrap();
    }

    #[test]
    fn bundles_with_different_rows_in_any_table_are_changed() {
        let folder = tempfile::tempdir().unwrap();
        let (before, after) = (folder.path().join("before.db"), folder.path().join("after.db"));
        written(&before, BUNDLES);
        written(
            &after,
            &format!(
                "{BUNDLES}
                UPDATE operatorbundle SET csv = '{{\"a\":1}}' WHERE name = 'b1';
                UPDATE properties SET value = 'new' WHERE operatorbundle_name = 'b2';
                INSERT INTO dependencies(type, value, operatorbundle_name) VALUES ('t', 'b3', 'b3'), ('t', 'v', 'none');
                INSERT INTO related_image VALUES ('i', 'b4');
                INSERT INTO operatorbundle(name) VALUES ('new');
                DELETE FROM operatorbundle WHERE name = 'b5';"
            ),
        );
        let changed = changed_bundles(&before, &after).unwrap();
        assert_eq!(changed.iter().collect::<Vec<_>>(), ["b1", "b2", "b3", "b4", "new"]);
    }

    #[test]
    fn the_rows_of_many_bundles_are_read_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.db");
        written(&path, BUNDLES);
        let database = Database::open_within(&path, 500_000).unwrap();
        assert!(contents(&database).unwrap().len() > 1000);
    }
}
