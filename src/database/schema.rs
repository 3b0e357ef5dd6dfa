//! The tables of an index database, schema version 13, exactly as existing index readers expect them.
//!
//! Names, order, column types, keys and triggers are part of the format. There are no other tables or indexes.

use rusqlite::{Connection, OptionalExtension};

/// The schema version that this program writes.
pub const VERSION: i64 = 13;

/// The schema version of a database whose tables do not specify a version.
pub(crate) const FIRST_VERSION: i64 = -1;

/// The first schema version with a table of deprecated bundles.
pub(crate) const DEPRECATED_SINCE: i64 = 12;

/// The first schema version in which bundles have the column `substitutesfor`.
pub(crate) const SUBSTITUTES_SINCE: i64 = 11;

/// All statements in the order of creation, which is the order of `sqlite_master`.
const STATEMENTS: &[&str] = &[
    "CREATE TABLE schema_migrations (
        version bigint NOT NULL,
        timestamp DATETIME DEFAULT CURRENT_TIMESTAMP
    )",
    "CREATE TABLE api (
        group_name TEXT,
        version TEXT,
        kind TEXT,
        plural TEXT NOT NULL,
        PRIMARY KEY(group_name, version, kind)
    )",
    "CREATE TABLE operatorbundle (
        name TEXT PRIMARY KEY,
        csv TEXT,
        bundle TEXT,
        bundlepath TEXT,
        skiprange TEXT,
        version TEXT,
        replaces TEXT,
        skips TEXT,
        substitutesfor TEXT
    )",
    "CREATE TABLE package (
        name TEXT PRIMARY KEY,
        default_channel TEXT,
        FOREIGN KEY(name, default_channel) REFERENCES channel(package_name, name) ON DELETE CASCADE
    )",
    "CREATE TABLE channel (
        name TEXT,
        package_name TEXT,
        head_operatorbundle_name TEXT,
        PRIMARY KEY(name, package_name),
        FOREIGN KEY(head_operatorbundle_name) REFERENCES operatorbundle(name) ON DELETE CASCADE
    )",
    "CREATE TABLE channel_entry (
        entry_id INTEGER PRIMARY KEY,
        channel_name TEXT,
        package_name TEXT,
        operatorbundle_name TEXT,
        replaces INTEGER,
        depth INTEGER,
        FOREIGN KEY(replaces) REFERENCES channel_entry(entry_id) DEFERRABLE INITIALLY DEFERRED,
        FOREIGN KEY(channel_name, package_name) REFERENCES channel(name, package_name) ON DELETE CASCADE
    )",
    "CREATE TABLE related_image (
        image TEXT,
        operatorbundle_name TEXT,
        FOREIGN KEY(operatorbundle_name) REFERENCES operatorbundle(name) ON DELETE CASCADE
    )",
    "CREATE TABLE api_provider (
        group_name TEXT,
        version TEXT,
        kind TEXT,
        operatorbundle_name TEXT,
        operatorbundle_version TEXT,
        operatorbundle_path TEXT,
        FOREIGN KEY(operatorbundle_name, operatorbundle_version, operatorbundle_path)
            REFERENCES operatorbundle(name, version, bundlepath) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
        FOREIGN KEY(group_name, version, kind) REFERENCES api(group_name, version, kind) ON DELETE CASCADE
    )",
    "CREATE TABLE api_requirer (
        group_name TEXT,
        version TEXT,
        kind TEXT,
        operatorbundle_name TEXT,
        operatorbundle_version TEXT,
        operatorbundle_path TEXT,
        FOREIGN KEY(operatorbundle_name, operatorbundle_version, operatorbundle_path)
            REFERENCES operatorbundle(name, version, bundlepath) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
        FOREIGN KEY(group_name, version, kind) REFERENCES api(group_name, version, kind) ON DELETE CASCADE
    )",
    "CREATE UNIQUE INDEX pk ON operatorbundle(name, version, bundlepath)",
    "CREATE TRIGGER api_provider_cleanup
        AFTER DELETE ON api_provider
        WHEN NOT EXISTS (SELECT 1 FROM api_provider JOIN api_requirer WHERE
            (api_provider.group_name = OLD.group_name AND api_provider.version = OLD.version
                AND api_provider.kind = OLD.kind) OR
            (api_requirer.group_name = OLD.group_name AND api_requirer.version = OLD.version
                AND api_requirer.kind = OLD.kind))
        BEGIN
            DELETE FROM api WHERE group_name = OLD.group_name AND version = OLD.version AND kind = OLD.kind;
        END",
    "CREATE TRIGGER api_requirer_cleanup
        AFTER DELETE ON api_requirer
        WHEN NOT EXISTS (SELECT 1 FROM api_provider JOIN api_requirer WHERE
            (api_provider.group_name = OLD.group_name AND api_provider.version = OLD.version
                AND api_provider.kind = OLD.kind) OR
            (api_requirer.group_name = OLD.group_name AND api_requirer.version = OLD.version
                AND api_requirer.kind = OLD.kind))
        BEGIN
            DELETE FROM api WHERE group_name = OLD.group_name AND version = OLD.version AND kind = OLD.kind;
        END",
    "CREATE TABLE dependencies (
        type TEXT,
        value TEXT,
        operatorbundle_name TEXT,
        operatorbundle_version TEXT,
        operatorbundle_path TEXT,
        FOREIGN KEY(operatorbundle_name, operatorbundle_version, operatorbundle_path)
            REFERENCES operatorbundle(name, version, bundlepath) ON DELETE CASCADE
    )",
    "CREATE TABLE properties (
        type TEXT,
        value TEXT,
        operatorbundle_name TEXT,
        operatorbundle_version TEXT,
        operatorbundle_path TEXT,
        FOREIGN KEY(operatorbundle_name, operatorbundle_version, operatorbundle_path)
            REFERENCES operatorbundle(name, version, bundlepath) ON DELETE CASCADE
    )",
    DEPRECATED,
];

const DEPRECATED: &str = "CREATE TABLE deprecated (
        operatorbundle_name TEXT PRIMARY KEY
    )";

/// Returns the statements that create the triggers.
pub(crate) fn triggers() -> impl Iterator<Item = &'static str> {
    let statements = STATEMENTS.iter().copied();
    statements.filter(|statement| statement.starts_with("CREATE TRIGGER"))
}

/// The kind of a database, which is determined before other data is read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// A new file, without tables.
    Empty,
    /// An index of this schema version; the oldest indexes have `FIRST_VERSION`.
    Index(i64),
    /// A database with tables that do not identify it as an index.
    Foreign,
}

/// Determines the state of the open database.
///
/// # Errors
/// Returns the error that SQLite reports, for example if the file is not a database.
pub fn state(connection: &Connection) -> rusqlite::Result<State> {
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    if tables == 0 {
        return Ok(State::Empty);
    }
    let known = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_migrations'";
    let known = connection.query_row(known, [], |_| Ok(())).optional()?.is_some();
    if known {
        let version = connection
            .query_row("SELECT version FROM schema_migrations", [], |row| row.get(0))
            .optional()?;
        if let Some(version) = version {
            let stated = (FIRST_VERSION..).contains(&version);
            return Ok(if stated { State::Index(version) } else { State::Foreign });
        }
    }
    let first = if known && tables == 1 {
        true
    } else {
        is_first_version(connection)?
    };
    Ok(if first {
        State::Index(FIRST_VERSION)
    } else {
        State::Foreign
    })
}

/// Returns whether the tables are from before schema versions were introduced: bundles have manifests and no image, and
/// APIs belong to channel entries.
fn is_first_version(connection: &Connection) -> rusqlite::Result<bool> {
    let count = |query: &str| connection.query_row(query, [], |row| row.get::<_, i64>(0));
    let tables = count(
        "SELECT count(*) FROM sqlite_master WHERE type = 'table'
         AND name IN ('operatorbundle', 'package', 'channel', 'channel_entry', 'api', 'api_provider')",
    )?;
    let of_entries = count("SELECT count(*) FROM pragma_table_info('api_provider') WHERE name = 'channel_entry_id'")?;
    let images = count("SELECT count(*) FROM pragma_table_info('operatorbundle') WHERE name = 'bundlepath'")?;
    Ok((tables, of_entries, images) == (6, 1, 0))
}

/// Creates all tables in an empty database. `epoch` is the creation time that the file records, in seconds since 1970.
/// It does not come from the clock, so that the same content produces the same file.
///
/// # Errors
/// Returns the error that SQLite reports.
pub fn create(connection: &Connection, epoch: i64) -> rusqlite::Result<()> {
    for statement in STATEMENTS {
        connection.execute_batch(statement)?;
    }
    state_version(connection, epoch)
}

/// Records the schema version that this program writes, and the time of [`create`].
pub(super) fn state_version(connection: &Connection, epoch: i64) -> rusqlite::Result<()> {
    connection.execute(
        "INSERT INTO schema_migrations (version, timestamp) VALUES (?1, datetime(?2, 'unixepoch'))",
        (VERSION, epoch),
    )?;
    Ok(())
}

/// Creates the table of deprecated bundles.
pub(super) fn create_deprecated(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(DEPRECATED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn created(epoch: i64) -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        create(&connection, epoch).unwrap();
        connection
    }

    /// Returns all rows of a query, one line each.
    fn rows(connection: &Connection, query: &str) -> Vec<String> {
        let mut statement = connection.prepare(query).unwrap();
        let columns = statement.column_count();
        let rows = statement
            .query_map([], |row| {
                let values: rusqlite::Result<Vec<rusqlite::types::Value>> =
                    (0..columns).map(|column| row.get(column)).collect();
                Ok(format!("{:?}", values?))
            })
            .unwrap();
        rows.map(Result::unwrap).collect()
    }

    fn names(connection: &Connection, kind: &str) -> Vec<String> {
        let query = format!("SELECT name FROM sqlite_master WHERE type = '{kind}'");
        let mut statement = connection.prepare(&query).unwrap();
        let names = statement.query_map([], |row| row.get(0)).unwrap();
        names.map(Result::unwrap).collect()
    }

    /// Returns the statements that created the objects, without white space and quotes.
    fn statements(connection: &Connection) -> Vec<String> {
        rows(connection, "SELECT type, name, tbl_name, sql FROM sqlite_master")
            .into_iter()
            .map(|line| line.replace("\\n", "").replace("\\t", "").replace([' ', '"', '\\'], ""))
            .collect()
    }

    #[test]
    fn the_schema_equals_that_of_a_recorded_version_13_database() {
        let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/goldens/index-versions/v13.db");
        if !recorded.exists() {
            assert!(
                std::env::var_os("OPMX_REQUIRE_SHARED").is_none(),
                "../shared is not here"
            );
            println!("not run: ../shared is not here");
            return;
        }
        let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
        let recorded = Connection::open_with_flags(recorded, flags).unwrap();
        let ours = created(0);
        assert_eq!(statements(&ours), statements(&recorded));
        let mut compared = 0;
        for table in names(&recorded, "table") {
            for pragma in ["table_xinfo", "foreign_key_list", "index_list"] {
                let query = format!("PRAGMA {pragma}({table})");
                assert_eq!(rows(&ours, &query), rows(&recorded, &query), "{query}");
                compared += 1;
            }
        }
        for index in names(&recorded, "index") {
            let query = format!("PRAGMA index_xinfo({index})");
            assert_eq!(rows(&ours, &query), rows(&recorded, &query), "{query}");
        }
        assert_eq!(compared, 36);
    }

    #[test]
    fn the_creation_time_is_the_given_one() {
        let shown = |epoch| rows(&created(epoch), "SELECT version, timestamp FROM schema_migrations");
        assert_eq!(shown(0), [r#"[Integer(13), Text("1970-01-01 00:00:00")]"#]);
        assert_eq!(shown(1_700_000_000), [r#"[Integer(13), Text("2023-11-14 22:13:20")]"#]);
    }

    #[test]
    fn the_state_distinguishes_empty_foreign_and_versioned_databases() {
        let connection = Connection::open_in_memory().unwrap();
        assert_eq!(state(&connection).unwrap(), State::Empty);
        connection.execute_batch("CREATE TABLE t (x)").unwrap();
        assert_eq!(state(&connection).unwrap(), State::Foreign);
        let index = created(0);
        assert_eq!(state(&index).unwrap(), State::Index(13));
        index
            .execute_batch("UPDATE schema_migrations SET version = 14")
            .unwrap();
        assert_eq!(state(&index).unwrap(), State::Index(14));
    }
}
