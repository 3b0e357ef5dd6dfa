//! Migrates a database from an older schema version to the version that this program writes, inside the transaction of
//! a change.
//!
//! First, the rows are copied into temporary tables that have the columns of all schema versions. Then the tables of
//! [`schema`] replace the old tables, and each bundle is written as if it were newly added. Data that the old schema
//! version could not store is derived from the stored manifests and the channel entries. Data that was only in files
//! next to the manifests (dependencies before version 8, properties before version 9) was never stored.
//!
//! Entries keep their numbers. Rows that belong to a missing bundle, channel or API are dropped.

mod bundle;

use super::schema::{self, FIRST_VERSION};
use bundle::Writer;
use rusqlite::{Connection, OptionalExtension};
use std::collections::BTreeSet;

/// The tables of all schema versions, children before parents, with their columns.
const TABLES: [(&str, &[&str]); 11] = [
    ("api_requirer", LINK),
    ("api_provider", LINK),
    ("dependencies", TYPED),
    ("properties", TYPED),
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
            "substitutesfor",
        ],
    ),
    ("api", &["group_name", "version", "kind", "plural"]),
    ("deprecated", &["operatorbundle_name"]),
];

/// Up to version 5, an API belongs to a channel entry; in later versions, it belongs to a bundle.
const LINK: &[&str] = &[
    "group_name",
    "version",
    "kind",
    "operatorbundle_name",
    "channel_entry_id",
];

const TYPED: &[&str] = &["type", "value", "operatorbundle_name"];

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
    CREATE INDEX temp.old_property ON old_properties (operatorbundle_name);
    CREATE INDEX temp.old_image ON old_related_image (operatorbundle_name);
";

/// Writes the unchanged graph. Entries get their targets only after all entries exist: as long as any entry refers to a
/// missing entry, the database scans all entries on every insert.
const GRAPH: &str = "
    INSERT INTO channel SELECT name, package_name,
            CASE WHEN head_operatorbundle_name IN (SELECT name FROM operatorbundle) THEN head_operatorbundle_name END
        FROM temp.old_channel ORDER BY rowid;
    INSERT INTO package SELECT name,
            CASE WHEN EXISTS (SELECT 1 FROM channel
                WHERE channel.package_name = old.name AND channel.name = old.default_channel) THEN default_channel END
        FROM temp.old_package AS old ORDER BY rowid;
    INSERT INTO channel_entry SELECT entry_id, channel_name, package_name, operatorbundle_name, NULL, depth
        FROM temp.old_channel_entry AS old WHERE EXISTS (SELECT 1 FROM channel
            WHERE channel.name = old.channel_name AND channel.package_name = old.package_name)
        ORDER BY entry_id;
    UPDATE channel_entry SET replaces = (SELECT replaces FROM temp.old_channel_entry AS old
        WHERE old.entry_id = channel_entry.entry_id AND old.replaces IN (SELECT entry_id FROM channel_entry));
    INSERT OR IGNORE INTO deprecated SELECT operatorbundle_name FROM temp.old_deprecated
        WHERE operatorbundle_name IN (SELECT name FROM operatorbundle) ORDER BY rowid;
";

/// Fills the table of deprecated bundles for versions without this table.
const DEPRECATED: &str = "
    INSERT OR IGNORE INTO deprecated SELECT operatorbundle_name FROM properties WHERE type = 'olm.deprecated';
";

/// Migrates the open database from `version` to [`schema::VERSION`]; the caller has begun a transaction. `epoch` has
/// the same meaning as in [`schema::create`].
///
/// # Errors
/// Returns the error that SQLite reports.
pub(super) fn migrate(connection: &Connection, version: i64, epoch: i64) -> rusqlite::Result<()> {
    debug_assert!((FIRST_VERSION..schema::VERSION).contains(&version));
    // References are broken while tables are dropped and created one after the other, but all references are valid
    // again at the end.
    connection.pragma_update(None, "defer_foreign_keys", true)?;
    set_aside(connection)?;
    remove_tables(connection)?;
    schema::create(connection, epoch)?;
    connection.execute_batch("INSERT OR IGNORE INTO api SELECT * FROM temp.old_api ORDER BY rowid")?;
    Writer::new(connection, version)?.write_all()?;
    connection.execute_batch(GRAPH)?;
    if version < schema::DEPRECATED_SINCE {
        connection.execute_batch(DEPRECATED)?;
    }
    for (table, _) in TABLES {
        connection.execute_batch(&format!("DROP TABLE temp.old_{table}"))?;
    }
    connection.pragma_update(None, "defer_foreign_keys", false)
}

/// Copies all rows into temporary tables `old_…`, which have the columns of all schema versions.
fn set_aside(connection: &Connection) -> rusqlite::Result<()> {
    for (table, columns) in TABLES {
        connection.execute_batch(&format!("CREATE TEMP TABLE old_{table} ({})", columns.join(", ")))?;
        let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1, 'main')")?;
        let there: BTreeSet<String> = statement
            .query_map([table], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
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

fn remove_tables(connection: &Connection) -> rusqlite::Result<()> {
    let entries = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'channel_entry'";
    if connection.query_row(entries, [], |_| Ok(())).optional()?.is_some() {
        // For every deleted entry, the database looks for entries that refer to it.
        connection.execute_batch("CREATE INDEX entries_by_target ON channel_entry (replaces)")?;
    }
    for table in TABLES.iter().map(|(table, _)| *table).chain(["schema_migrations"]) {
        connection.execute_batch(&format!("DROP TABLE IF EXISTS main.{table}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
