//! Migrates a database from an older schema version to the version that this program writes, inside the transaction of
//! a change.
//!
//! From version [`IN_PLACE_SINCE`] on, the tables have their final form, except for one column and one table. The
//! missing parts are added, and everything else in the file stays as it is.
//!
//! Before that, the rows are copied into temporary tables that have the columns of all these schema versions. Then the
//! tables of [`schema`] replace the old tables, and each bundle is written as if it were newly added. Data that the old
//! schema version could not store is derived from the stored manifests and the channel entries. Data that was only in
//! files next to the manifests (dependencies before version 8, properties before version 9) was never stored.
//!
//! Channels and entries stay as they are, also if they refer to missing rows: it is up to the user to decide what to do
//! about damage. Only rows with data about a missing bundle are dropped, and links to APIs that are not in the table of
//! APIs.

mod bundle;

use super::schema::{self, FIRST_VERSION};
use bundle::Writer;
use rusqlite::Connection;
use std::collections::BTreeSet;

/// The first schema version that stores each kind of data; for older versions, the data is derived.
mod since {
    pub(super) const IMAGES: i64 = 1;
    /// The APIs of bundles, as opposed to those of channel entries.
    pub(super) const APIS: i64 = 6;
    pub(super) const DEPENDENCIES: i64 = 8;
    /// Properties that repeat the image of their bundle.
    pub(super) const PROPERTY_PATHS: i64 = 10;
}

/// The tables of the schema versions that are rebuilt, children before parents, with their columns.
const TABLES: [(&str, &[&str]); 9] = [
    ("api_requirer", LINK),
    ("api_provider", LINK),
    ("dependencies", &["type", "value", "operatorbundle_name"]),
    ("related_image", &["image", "operatorbundle_name"]),
    (
        "channel_entry",
        &[
            "entry_id",
            "channel_name",
            "package_name",
            "operatorbundle_name",
            "replaces",
            "depth",
        ],
    ),
    ("package", &["name", "default_channel"]),
    ("channel", &["name", "package_name", "head_operatorbundle_name"]),
    (
        "operatorbundle",
        &[
            "name",
            "csv",
            "bundle",
            "bundlepath",
            "skiprange",
            "version",
            "replaces",
            "skips",
        ],
    ),
    ("api", &["group_name", "version", "kind", "plural"]),
];

/// Up to version 5, an API belongs to a channel entry; in later versions, it belongs to a bundle.
const LINK: &[&str] = &[
    "group_name",
    "version",
    "kind",
    "operatorbundle_name",
    "channel_entry_id",
];

/// Columns that are not copied, because they repeat columns of the bundle.
const OWNER: [&str; 2] = ["operatorbundle_version", "operatorbundle_path"];

/// The indexes for looking up rows in the temporary tables.
const INDEXES: &str = "
    CREATE INDEX temp.old_entry ON old_channel_entry (entry_id);
    CREATE INDEX temp.old_entry_bundle ON old_channel_entry (operatorbundle_name);
    CREATE INDEX temp.old_entry_target ON old_channel_entry (replaces);
    CREATE INDEX temp.old_requirer ON old_api_requirer (operatorbundle_name);
    CREATE INDEX temp.old_requirer_entry ON old_api_requirer (channel_entry_id);
    CREATE INDEX temp.old_provider ON old_api_provider (operatorbundle_name);
    CREATE INDEX temp.old_provider_entry ON old_api_provider (channel_entry_id);
    CREATE INDEX temp.old_dependency ON old_dependencies (operatorbundle_name);
    CREATE INDEX temp.old_image ON old_related_image (operatorbundle_name);
";

/// Writes the unchanged graph.
const GRAPH: &str = "
    INSERT INTO channel (name, package_name, head_operatorbundle_name)
        SELECT name, package_name, head_operatorbundle_name FROM temp.old_channel ORDER BY rowid;
    INSERT INTO package (name, default_channel) SELECT name, default_channel FROM temp.old_package ORDER BY rowid;
    INSERT INTO channel_entry (entry_id, channel_name, package_name, operatorbundle_name, replaces, depth)
        SELECT entry_id, channel_name, package_name, operatorbundle_name, replaces, depth
        FROM temp.old_channel_entry ORDER BY entry_id;
";

/// Fills the table of deprecated bundles for versions without this table.
const DEPRECATED: &str = "
    INSERT OR IGNORE INTO deprecated (operatorbundle_name)
        SELECT operatorbundle_name FROM properties WHERE type = 'olm.deprecated';
";

/// The first schema version whose tables are not rebuilt.
const IN_PLACE_SINCE: i64 = 9;

/// Returns whether a migration from `version` rebuilds all tables. Foreign keys must then be off before the transaction
/// begins: otherwise, dropping a table deletes the rows that refer to it, and rows that refer to missing rows cannot be
/// written.
pub(super) fn rebuilds(version: i64) -> bool {
    version < IN_PLACE_SINCE
}

/// Migrates the open database from `version` to [`schema::VERSION`]; the caller has begun a transaction. `epoch` has
/// the same meaning as in [`schema::create`].
///
/// # Errors
/// Returns the error that SQLite reports.
pub(super) fn migrate(connection: &Connection, version: i64, epoch: i64) -> rusqlite::Result<()> {
    debug_assert!((FIRST_VERSION..schema::VERSION).contains(&version));
    if rebuilds(version) {
        rebuild(connection, version, epoch)
    } else {
        add_missing(connection, version, epoch)
    }
}

/// Adds what the tables of `version` lack.
fn add_missing(connection: &Connection, version: i64, epoch: i64) -> rusqlite::Result<()> {
    if version < since::PROPERTY_PATHS {
        connection.execute_batch(
            "UPDATE properties SET operatorbundle_path =
                (SELECT nullif(bundlepath, '') FROM operatorbundle WHERE name = operatorbundle_name
                    AND (operatorbundle_version IS NULL OR operatorbundle_version = version))
             WHERE operatorbundle_path IS NULL",
        )?;
    }
    if !columns(connection, "operatorbundle")?.contains("substitutesfor") {
        connection.execute_batch("ALTER TABLE operatorbundle ADD COLUMN substitutesfor TEXT")?;
    }
    connection.execute_batch("UPDATE operatorbundle SET substitutesfor = '' WHERE substitutesfor IS NULL")?;
    if version < schema::DEPRECATED_SINCE {
        schema::create_deprecated(connection)?;
        connection.execute_batch(DEPRECATED)?;
    }
    connection.execute_batch(
        "DELETE FROM deprecated
            WHERE operatorbundle_name NOT IN (SELECT name FROM operatorbundle WHERE name IS NOT NULL);
         DELETE FROM schema_migrations;",
    )?;
    schema::state_version(connection, epoch)
}

fn rebuild(connection: &Connection, version: i64, epoch: i64) -> rusqlite::Result<()> {
    set_aside(connection)?;
    for table in TABLES.iter().map(|(table, _)| *table).chain(["schema_migrations"]) {
        connection.execute_batch(&format!("DROP TABLE IF EXISTS main.{table}"))?;
    }
    schema::create(connection, epoch)?;
    connection.execute_batch(
        "INSERT OR IGNORE INTO api (group_name, version, kind, plural)
            SELECT group_name, version, kind, plural FROM temp.old_api ORDER BY rowid",
    )?;
    Writer::new(connection, version)?.write_all()?;
    connection.execute_batch(GRAPH)?;
    connection.execute_batch(DEPRECATED)?;
    for (table, _) in TABLES {
        connection.execute_batch(&format!("DROP TABLE temp.old_{table}"))?;
    }
    Ok(())
}

/// Returns the columns and indexes that a migration from `version` would drop, because no index of this version has
/// them, each with the word for what it is.
///
/// # Errors
/// Returns the error that SQLite reports.
pub(super) fn foreign_parts(connection: &Connection, version: i64) -> rusqlite::Result<Vec<String>> {
    if !rebuilds(version) {
        return Ok(Vec::new());
    }
    let mut parts = Vec::new();
    let mut indexes = connection.prepare(
        "SELECT name FROM main.sqlite_master WHERE type = 'index' AND tbl_name = ?1 AND sql IS NOT NULL AND name != 'pk'
         ORDER BY name",
    )?;
    for (table, known) in TABLES {
        let is_known = |column: &String| known.contains(&column.as_str()) || OWNER.contains(&column.as_str());
        let columns = columns(connection, table)?;
        let unknown = columns.iter().filter(|column| !is_known(column));
        parts.extend(unknown.map(|column| format!("column {column:?} of table {table}")));
        let names = indexes.query_map([table], |row| row.get::<_, String>(0))?;
        for name in names {
            parts.push(format!("index {:?}", name?));
        }
    }
    Ok(parts)
}

/// Returns the names of the columns of a table; none if there is no such table.
fn columns(connection: &Connection, table: &str) -> rusqlite::Result<BTreeSet<String>> {
    let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1, 'main')")?;
    statement.query_map([table], |row| row.get(0))?.collect()
}

/// Copies all rows into temporary tables `old_…`, which have the columns of [`TABLES`].
fn set_aside(connection: &Connection) -> rusqlite::Result<()> {
    for (table, columns) in TABLES {
        connection.execute_batch(&format!("CREATE TEMP TABLE old_{table} ({})", columns.join(", ")))?;
        let there = self::columns(connection, table)?;
        if there.is_empty() {
            continue;
        }
        let common: Vec<&str> = columns
            .iter()
            .copied()
            .filter(|column| there.contains(*column))
            .collect();
        let common = common.join(", ");
        connection.execute_batch(&format!(
            "INSERT INTO temp.old_{table} ({common}) SELECT {common} FROM main.{table} ORDER BY rowid"
        ))?;
    }
    connection.execute_batch(INDEXES)
}

#[cfg(test)]
mod tests;
