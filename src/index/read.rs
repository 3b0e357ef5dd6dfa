//! Opening an index database without changing it, or anything beside it.
//!
//! The database is opened as immutable: no locks, no journal, no files beside it, also on a read-only file system and
//! for any user. In exchange every reader checks that the file is still the one that was opened. A database with an
//! unfinished transaction beside it (`-journal`, `-wal`) is copied, mended there, and read from the copy; so is one of
//! a schema version that lacks what readers look for, after it was brought up to date in the copy.

mod file;

pub(super) use file::{beside, is_database};

use super::error::ContentError;
use super::schema::{self, State};
use crate::files::{Stamp, TemporaryFolder};
use file::{COPY, bring_up_to_date, check_header, has_unfinished_transaction, open_file, private_copy};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::types::{Type, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, Row};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The schema versions that can be read.
pub const READABLE_VERSIONS: RangeInclusive<i64> = schema::FIRST_VERSION..=schema::VERSION;

/// The first schema version that is read from the file as it is.
const FIRST_READ_IN_PLACE: i64 = 9;

/// The tables without which a database is no index.
const TABLES: [&str; 8] = [
    "operatorbundle",
    "api",
    "package",
    "channel",
    "channel_entry",
    "properties",
    "dependencies",
    "related_image",
];

/// No text of an index is longer: a limit for databases made to exhaust memory.
const LONGEST_VALUE: i32 = 64 * 1024 * 1024;

/// Why an index cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// No such file.
    #[error("there is no index database at {}", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be opened or read.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A folder is no index.
    #[error("{} is a folder, and an index is a database file or an image", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("{} is not a SQLite database", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// The file ends too early.
    #[error("{} is cut short: it should hold {expected} bytes and holds {found}; restore it from a copy", path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Bytes that its header promises.
        expected: u64,
        /// Bytes that it has.
        found: u64,
    },
    /// A database of something else.
    #[error("{} is a SQLite database, but no operator index: it has no table {table}", path.display())]
    NotAnIndex {
        /// The file.
        path: PathBuf,
        /// The first table that is not there.
        table: &'static str,
    },
    /// An index of a schema after the last that is known.
    #[error(
        "{} has schema version {version}; this program knows versions up to {}. Use a newer release",
        path.display(), READABLE_VERSIONS.end()
    )]
    TooNew {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        version: i64,
    },
    /// Another program wrote the file while it was being read.
    #[error("{} was changed while it was being read; try again", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The file can only be read from a copy, and that cannot be made.
    #[error(
        "{} has an older schema or an unfinished transaction beside it, so that it can only be read from a copy, and \
         it cannot be copied to {}: {source}",
        path.display(), directory.display()
    )]
    Copy {
        /// The file.
        path: PathBuf,
        /// The directory for temporary files.
        directory: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The content is damaged, or not what an index holds.
    #[error("cannot read {what} from {}: {source}; restore it from a copy", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What was being read.
        what: &'static str,
        /// What is wrong with it.
        source: ContentError,
    },
    /// A bundle whose stored manifests are no JSON.
    #[error("the manifests of {bundle} in {} are not JSON: {source}", path.display())]
    Manifests {
        /// The file.
        path: PathBuf,
        /// The bundle.
        bundle: String,
        /// What is wrong with them.
        source: serde_json::Error,
    },
}

/// An index database, open for reading.
#[derive(Debug)]
pub struct Index {
    connection: Connection,
    file: Arc<OpenFile>,
}

/// What all connections to one database share.
#[derive(Debug)]
struct OpenFile {
    /// As the user named it.
    path: PathBuf,
    /// What SQLite opens: the path, or that of the private copy.
    database: PathBuf,
    handle: File,
    stamp: Stamp,
    schema_version: i64,
    // Deleted with the last connection.
    _private: Option<TemporaryFolder>,
}

impl OpenFile {
    fn check_unchanged(&self) -> Result<(), ReadError> {
        let now = self.handle.metadata().map_err(|source| ReadError::File {
            path: self.path.clone(),
            source,
        })?;
        if Stamp::from(&now) == self.stamp {
            return Ok(());
        }
        Err(ReadError::Changed {
            path: self.path.clone(),
        })
    }
}

/// Says whether an open index is still what it was, from any thread.
#[derive(Debug, Clone)]
pub struct FileWatch(Arc<OpenFile>);

impl FileWatch {
    /// As [`Index::check_unchanged`].
    ///
    /// # Errors
    /// When the file was written to, or cut, since it was opened.
    pub fn check_unchanged(&self) -> Result<(), ReadError> {
        self.0.check_unchanged()
    }
}

impl Index {
    /// Opens the database file at `path`.
    ///
    /// # Errors
    /// When there is no such file, it is not an index database of a schema version in [`READABLE_VERSIONS`], it is
    /// damaged, or an unfinished transaction beside it cannot be undone in a copy.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let (handle, stamp) = open_file(path)?;
        let mut private = None;
        if has_unfinished_transaction(path) {
            let copy = private_copy(path, &handle, stamp)?;
            // In the file itself the header may promise pages that the transaction had not written yet.
            let (handle, stamp) = open_file(&copy.path().join(COPY))?;
            check_header(path, &handle, stamp)?;
            private = Some(copy);
        } else {
            check_header(path, &handle, stamp)?;
        }
        let database = |private: &Option<TemporaryFolder>| match private {
            Some(directory) => directory.path().join(COPY),
            None => path.to_owned(),
        };
        let failed = |source| content(path, "the database", source);
        let mut connection = connect(&database(&private)).map_err(failed)?;
        let schema_version = schema_version(path, &connection)?;
        if schema_version < FIRST_READ_IN_PLACE {
            drop(connection);
            let directory = match private {
                Some(directory) => directory,
                None => private_copy(path, &handle, stamp)?,
            };
            bring_up_to_date(path, &directory, schema_version)?;
            private = Some(directory);
            connection = connect(&database(&private)).map_err(failed)?;
        }
        let database = database(&private);
        let (handle, stamp) = if private.is_some() {
            open_file(&database)?
        } else {
            (handle, stamp)
        };
        let index = Self {
            connection,
            file: Arc::new(OpenFile {
                path: path.to_owned(),
                database,
                handle,
                stamp,
                schema_version,
                _private: private,
            }),
        };
        index.check_same_file()?;
        Ok(index)
    }

    /// Opens the same file once more, for another thread.
    ///
    /// # Errors
    /// When the file at the path is no longer the one that was opened first.
    pub fn reopen(&self) -> Result<Self, ReadError> {
        let connection = connect(&self.file.database)
            // Opening alone need not touch the file; reading the schema does.
            .and_then(|connection| {
                connection.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(()))?;
                Ok(connection)
            })
            .map_err(|source| content(self.path(), "the database", source))?;
        let index = Self {
            connection,
            file: Arc::clone(&self.file),
        };
        index.check_same_file()?;
        Ok(index)
    }

    /// The file as the user named it.
    pub fn path(&self) -> &Path {
        &self.file.path
    }

    /// The version of the schema of the file, as its table `schema_migrations` says.
    pub fn schema_version(&self) -> i64 {
        self.file.schema_version
    }

    /// Makes sure that what was read so far came from the file as it was opened. Readers ask at their end.
    ///
    /// # Errors
    /// When the file was written to, or cut, since it was opened.
    pub fn check_unchanged(&self) -> Result<(), ReadError> {
        self.file.check_unchanged()
    }

    /// A look at the file for those who do not read it.
    pub fn watch(&self) -> FileWatch {
        FileWatch(Arc::clone(&self.file))
    }

    fn check_same_file(&self) -> Result<(), ReadError> {
        match fs::metadata(&self.file.database) {
            Ok(metadata) if Stamp::from(&metadata) == self.file.stamp => self.check_unchanged(),
            _ => Err(ReadError::Changed {
                path: self.path().to_owned(),
            }),
        }
    }

    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// What to say about an error of SQLite: a file that was changed meanwhile explains everything else.
    pub(super) fn content_error(&self, what: &'static str, source: rusqlite::Error) -> ReadError {
        match self.check_unchanged() {
            Ok(()) => content(self.path(), what, source),
            Err(changed) => changed,
        }
    }
}

fn content(path: &Path, what: &'static str, source: rusqlite::Error) -> ReadError {
    if source.sqlite_error_code() == Some(ErrorCode::NotADatabase) {
        return ReadError::NotADatabase { path: path.to_owned() };
    }
    ReadError::Content {
        path: path.to_owned(),
        what,
        source: source.into(),
    }
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(immutable_uri(path), flags)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_VALUE)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    // The system caches the file already. What is sorted are names, never manifests.
    connection.execute_batch("PRAGMA query_only = 1; PRAGMA cache_size = -512; PRAGMA temp_store = MEMORY;")?;
    Ok(connection)
}

fn immutable_uri(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut uri = String::from("file://");
    for byte in absolute.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri.push_str("?immutable=1");
    uri
}

fn schema_version(path: &Path, connection: &Connection) -> Result<i64, ReadError> {
    let failed = |source| content(path, "the schema", source);
    let tables = || -> rusqlite::Result<HashSet<String>> {
        let mut query = connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table'")?;
        query.query_map([], |row| row.get(0))?.collect()
    };
    let tables = tables().map_err(failed)?;
    let demand = |wanted: &[&'static str]| match wanted.iter().find(|table| !tables.contains(**table)) {
        Some(table) => Err(ReadError::NotAnIndex {
            path: path.to_owned(),
            table,
        }),
        None => Ok(()),
    };
    match schema::state(connection).map_err(failed)? {
        State::Index(version) if version > schema::VERSION => Err(ReadError::TooNew {
            path: path.to_owned(),
            version,
        }),
        State::Index(version) => {
            if version >= FIRST_READ_IN_PLACE {
                demand(&TABLES)?;
            }
            Ok(version)
        }
        State::Empty | State::Foreign => {
            demand(&["operatorbundle", "schema_migrations"])?;
            Err(ReadError::NotAnIndex {
                path: path.to_owned(),
                table: "schema_migrations",
            })
        }
    }
}

/// A text column. Indexes hold texts both as TEXT and as BLOB.
pub(super) fn text<'row>(row: &'row Row<'_>, column: usize) -> rusqlite::Result<Option<&'row str>> {
    match row.get_ref(column)? {
        ValueRef::Null => Ok(None),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => std::str::from_utf8(bytes)
            .map(Some)
            .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))),
        other => Err(rusqlite::Error::InvalidColumnType(
            column,
            "text".to_owned(),
            other.data_type(),
        )),
    }
}

#[cfg(test)]
mod tests;
