//! Compares the columns and keys of the tables with the schema.

use super::texts;
use crate::database::read::{Database, ReadError};
use crate::database::schema;
use crate::diagnostic::Diagnostic;
use crate::rules;
use rusqlite::Connection;
use std::collections::BTreeSet;

/// Selects all tables with their columns.
const COLUMNS: &str = "SELECT tables.name, columns.name FROM sqlite_master AS tables, pragma_table_info(tables.name) AS \
    columns WHERE tables.type = 'table' ORDER BY tables.rowid, columns.cid";

/// Selects all tables with the columns of their unique keys, except for integer keys, which need no index.
const KEYS: &str = "SELECT name, group_concat(part, ', ') FROM (
        SELECT tables.name, keys.name AS key, parts.name AS part
        FROM sqlite_master AS tables, pragma_index_list(tables.name) AS keys, pragma_index_info(keys.name) AS parts
        WHERE tables.type = 'table' AND keys.\"unique\" ORDER BY 1, 2, parts.seqno)
    GROUP BY name, key ORDER BY name, key";

/// Reports what no statement of a change can do without.
pub(super) fn check(index: &Database, findings: &mut Vec<Diagnostic>) -> Result<(), ReadError> {
    let is_newer = |table: &str, column: &str| {
        let version = index.schema_version();
        version < schema::DEPRECATED_SINCE && table == "deprecated"
            || version < schema::SUBSTITUTES_SINCE && column == "substitutesfor"
    };
    let expected = expected().map_err(|error| index.content_error("the schema", error))?;
    for (query, expected, what) in [(COLUMNS, expected.0, "column"), (KEYS, expected.1, "unique key")] {
        let found = texts::<2>(index, "the schema", query)?;
        let found: BTreeSet<(String, String)> = found.into_iter().map(pair).collect();
        for (table, part) in expected {
            if !is_newer(&table, &part) && !found.contains(&(table.clone(), part.clone())) {
                let message = format!("table {table} has no {what} {part}, so commands that change the index fail");
                findings.push(Diagnostic::new(&rules::INDEX_TABLE_SHAPE, message));
            }
        }
    }
    Ok(())
}

/// Parts of tables, each with the name of its table.
type Parts = Vec<(String, String)>;

/// Returns the columns and the keys of an index.
fn expected() -> rusqlite::Result<(Parts, Parts)> {
    let connection = Connection::open_in_memory()?;
    schema::create(&connection, 0)?;
    let rows = |query: &str| -> rusqlite::Result<Parts> {
        let mut query = connection.prepare(query)?;
        let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect()
    };
    Ok((rows(COLUMNS)?, rows(KEYS)?))
}

fn pair([table, part]: [Option<String>; 2]) -> (String, String) {
    (table.unwrap_or_default(), part.unwrap_or_default())
}
