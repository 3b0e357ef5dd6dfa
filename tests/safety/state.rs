//! The content of a database, for comparing two of them.

use opmx::image::Digest;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The number of rows of each table and a digest of them in order, and the definitions of the tables.
pub(crate) type State = BTreeMap<String, (usize, String)>;

/// The state of a database that has no writer.
pub(crate) fn state(database: &Path) -> State {
    let connection = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
    let texts = |query: &str| -> Vec<String> {
        let mut statement = connection.prepare(query).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let schema = texts("SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_master ORDER BY name");
    let mut state = State::from([(
        "the schema".to_owned(),
        (schema.len(), Digest::of(schema.join("\n").as_bytes()).to_string()),
    )]);
    for table in texts("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name") {
        let (rows, content) = content(&connection, &table);
        state.insert(table, (rows, Digest::of(&content).to_string()));
    }
    state
}

fn content(connection: &Connection, table: &str) -> (usize, Vec<u8>) {
    let mut statement = connection
        .prepare(&format!("SELECT * FROM {table} ORDER BY rowid"))
        .unwrap();
    let columns = statement.column_count();
    let mut rows = statement.query([]).unwrap();
    let (mut count, mut content) = (0, Vec::new());
    while let Some(row) = rows.next().unwrap() {
        count += 1;
        for column in 0..columns {
            let (kind, bytes) = match row.get_ref(column).unwrap() {
                ValueRef::Null => (b'n', Vec::new()),
                ValueRef::Integer(number) => (b'i', number.to_le_bytes().to_vec()),
                ValueRef::Real(number) => (b'r', number.to_le_bytes().to_vec()),
                ValueRef::Text(text) => (b't', text.to_vec()),
                ValueRef::Blob(bytes) => (b'b', bytes.to_vec()),
            };
            content.push(kind);
            content.extend(bytes.len().to_le_bytes());
            content.extend(bytes);
        }
    }
    (count, content)
}

/// The state of a database as seen by the next program that opens it. Nothing in its folder changes.
pub(crate) fn state_of_copy(database: &Path) -> State {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("index.db");
    fs::copy(database, &copy).unwrap();
    if journal(database).exists() {
        fs::copy(journal(database), journal(&copy)).unwrap();
    }
    state(&copy)
}

/// The journal of a database.
pub(crate) fn journal(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push("-journal");
    PathBuf::from(name)
}

/// The file next to a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Journal {
    /// Nothing, or an empty file.
    None,
    /// A journal that was never completed, so nothing of the database can have been overwritten.
    Begun,
    /// A journal that the next writer has to roll back.
    Hot,
}

impl Journal {
    pub(crate) fn of(database: &Path) -> Self {
        let Ok(file) = fs::File::open(journal(database)) else {
            return Self::None;
        };
        let mut head = Vec::new();
        file.take(8).read_to_end(&mut head).unwrap();
        if head.is_empty() {
            Self::None
        } else if head.iter().all(|byte| *byte == 0) {
            Self::Begun
        } else {
            Self::Hot
        }
    }
}

/// Asserts that the pages of a database are consistent.
pub(crate) fn assert_whole(database: &Path) {
    let connection = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
    let integrity: String = connection
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(integrity, "ok");
}

/// Asserts that SQLite finds no errors in a database.
pub(crate) fn assert_sound(database: &Path) {
    assert_whole(database);
    let connection = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
    let mut statement = connection.prepare("PRAGMA foreign_key_check").unwrap();
    assert!(statement.query([]).unwrap().next().unwrap().is_none());
}
