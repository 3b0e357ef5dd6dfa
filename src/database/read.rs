//! Opens an index database without changing it or the files next to it.
//!
//! The database is opened as immutable, so SQLite creates no journal or other files next to it. This also works on a
//! read-only file system, and for any user. While the database is open, a separate connection holds SQLite's read lock,
//! so that other programs wait before they write, just as this program waits for them. A program that serves a database
//! for a long time releases the lock, and some file systems do not support locks. Therefore, every reader also checks
//! that the file has not changed since it was opened.
//!
//! A database with an unfinished transaction next to it (`-journal`, `-wal`), or one that another program has locked
//! exclusively, is copied, and the copy is repaired and read. A database whose schema version lacks data that readers
//! need is also read from a copy, after the copy has been migrated. If another program writes to the file while it is
//! being read, the file is read again.

mod error;
mod file;
mod lock;

pub use error::ReadError;
pub(crate) use file::{beside, check_beside, has_log, is_database};

use super::admission::{self, Refused, Unfit};
use super::content_error::{ContentError, invalid_column};
use super::encoding;
use super::guard::{Budget, STEPS, guard};
use super::schema::{self, State};
use crate::files::{Stamp, TemporaryFolder};
use file::{COPY, Head, bring_up_to_date, check_length, has_unfinished_transaction, open_file, private_copy};
use lock::{Locked, ReadLock};
use rusqlite::types::{Type, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, Row};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// The schema versions that can be read.
pub(crate) const READABLE_VERSIONS: RangeInclusive<i64> = schema::FIRST_VERSION..=schema::VERSION;

/// The first schema version that is read in place.
const FIRST_READ_IN_PLACE: i64 = 9;

/// The tables without which a database is not an index.
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

/// The pause before another attempt to read a file that another program is writing.
const PAUSE: Duration = Duration::from_millis(20);

/// Options for reading an index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadOptions {
    /// The maximum time to retry while another program is writing the file.
    pub patience: Duration,
    /// The maximum number of steps that SQLite may take. The limit protects against malicious databases.
    pub steps: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            patience: Duration::from_secs(30),
            steps: STEPS,
        }
    }
}

/// An index database, open for reading.
#[derive(Debug)]
pub struct Database {
    connection: Connection,
    budget: Budget,
    file: Arc<OpenFile>,
}

/// The state shared by all connections to one database.
#[derive(Debug)]
struct OpenFile {
    /// The path as the user named it.
    path: PathBuf,
    /// The file that SQLite opens: `path`, or the path of the private copy.
    database: PathBuf,
    steps: u64,
    // The lock is released before the file is closed, because fields are dropped in this order.
    lock: Option<ReadLock>,
    handle: File,
    stamp: Stamp,
    schema_version: i64,
    // The folder of the private copy, which is deleted when the last connection is closed.
    _private: Option<TemporaryFolder>,
}

impl OpenFile {
    /// Checks that the file is unchanged, and that the path still refers to it.
    fn check_same(&self) -> Result<(), ReadError> {
        match fs::metadata(&self.database) {
            Ok(metadata) if Stamp::from(&metadata) == self.stamp => self.check_unchanged(),
            _ => Err(ReadError::Changed {
                path: self.path.clone(),
            }),
        }
    }

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

/// Checks from any thread whether an open index is unchanged.
#[derive(Debug, Clone)]
pub struct FileWatch(Arc<OpenFile>);

impl FileWatch {
    /// Like [`Database::check_unchanged`].
    ///
    /// # Errors
    /// Returns an error if the file has changed since it was opened.
    pub(crate) fn check_unchanged(&self) -> Result<(), ReadError> {
        self.0.check_unchanged()
    }
}

impl Database {
    /// Opens the database file at `path`, like `Database::open_with` with the default options.
    ///
    /// # Errors
    /// Returns the same errors as `Database::open_with`.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        Self::open_with(path, &ReadOptions::default())
    }

    /// Opens the database file at `path`, and limits the number of steps that SQLite may take for it.
    ///
    /// # Errors
    /// Returns the same errors as [`Database::open_with`].
    pub(crate) fn open_within(path: &Path, steps: u64) -> Result<Self, ReadError> {
        let options = ReadOptions {
            steps,
            ..ReadOptions::default()
        };
        Self::open_with(path, &options)
    }

    /// Opens the database file at `path`. While it is open, other programs wait before they write to it.
    ///
    /// # Errors
    /// Returns an error if the file does not exist, is damaged, or is not an index database with a schema version in
    /// [`READABLE_VERSIONS`]. Also returns an error if an unfinished transaction next to the file cannot be undone in a
    /// copy, or if another program keeps writing to the file for longer than `options` permits.
    pub(crate) fn open_with(path: &Path, options: &ReadOptions) -> Result<Self, ReadError> {
        let began = Instant::now();
        loop {
            match Self::attempt(path, options) {
                Err(ReadError::Changed { .. }) if began.elapsed() < options.patience => thread::sleep(PAUSE),
                result => return result,
            }
        }
    }

    fn attempt(path: &Path, options: &ReadOptions) -> Result<Self, ReadError> {
        let (handle, _) = open_file(path)?;
        check_beside(path).map_err(ReadError::Beside)?;
        let head = Head::read(path, &handle)?;
        let (lock, private) = if head.has_log() {
            // The latest changes are in the write-ahead log.
            (None, has_unfinished_transaction(path))
        } else {
            match lock::acquire(path, options.steps) {
                Ok(Locked::Held(lock)) => (Some(lock), false),
                Ok(Locked::Refused) => (None, true),
                Ok(Locked::Unknown) => (None, has_unfinished_transaction(path)),
                Err(error) => {
                    check_length(path, &handle)?;
                    return Err(content(path, "the database", error));
                }
            }
        };
        if private {
            let copy = private_copy(path, &handle, options.steps)?;
            return Self::in_copy(path, copy, None, options);
        }
        let stamp = check_length(path, &handle)?;
        let (connection, budget) =
            connect(path, options.steps).map_err(|error| content(path, "the database", error))?;
        let schema_version = schema_version(path, &connection, &budget);
        if let Ok(version) = schema_version
            && version < FIRST_READ_IN_PLACE
        {
            drop(connection);
            let copy = private_copy(path, &handle, options.steps)?;
            bring_up_to_date(path, &copy, version, options.steps)?;
            return Self::in_copy(path, copy, Some(version), options);
        }
        let file = OpenFile {
            path: path.to_owned(),
            database: path.to_owned(),
            steps: options.steps,
            lock,
            handle,
            stamp,
            schema_version: 0,
            _private: None,
        };
        // A file that another program is writing may appear damaged.
        file.check_same()?;
        Ok(Self {
            connection,
            budget,
            file: Arc::new(OpenFile {
                schema_version: schema_version?,
                ..file
            }),
        })
    }

    /// Opens the private copy of the database at `path`. `from` is the original schema version if the copy was
    /// migrated.
    fn in_copy(
        path: &Path,
        copy: TemporaryFolder,
        from: Option<i64>,
        options: &ReadOptions,
    ) -> Result<Self, ReadError> {
        let database = copy.path().join(COPY);
        let (handle, stamp) = open_file(&database)?;
        let failed = |error| content(path, "the database", error);
        let (connection, budget) = connect(&database, options.steps).map_err(failed)?;
        let version = schema_version(path, &connection, &budget)?;
        if version < FIRST_READ_IN_PLACE {
            drop(connection);
            bring_up_to_date(path, &copy, version, options.steps)?;
            return Self::in_copy(path, copy, Some(version), options);
        }
        Ok(Self {
            connection,
            budget,
            file: Arc::new(OpenFile {
                path: path.to_owned(),
                database,
                steps: options.steps,
                lock: None,
                handle,
                stamp,
                schema_version: from.unwrap_or(version),
                _private: Some(copy),
            }),
        })
    }

    /// Opens the same file again, for another thread.
    ///
    /// # Errors
    /// Returns an error if the path no longer refers to the file that was opened first.
    pub(crate) fn reopen(&self) -> Result<Self, ReadError> {
        let (connection, budget) = connect(&self.file.database, self.file.steps)
            // Opening does not necessarily access the file, but reading the schema does.
            .and_then(|(connection, budget)| {
                connection.query_row("SELECT count(type) FROM sqlite_master", [], |_| Ok(()))?;
                Ok((connection, budget))
            })
            .map_err(|source| content(self.path(), "the database", source))?;
        self.file.check_same()?;
        Ok(Self {
            connection,
            budget,
            file: Arc::clone(&self.file),
        })
    }

    /// Lets other programs write to the file, even while this connection and the other connections to it stay open.
    /// From then on, all data that is read must be checked with [`Database::check_unchanged`].
    pub(crate) fn let_others_write(&self) {
        if let Some(lock) = &self.file.lock {
            lock.release();
        }
    }

    /// Resets the number of remaining steps, for another request to an index that stays open.
    pub(crate) fn renew_budget(&self) {
        self.budget.renew();
    }

    /// Returns the path of the file as the user named it.
    pub fn path(&self) -> &Path {
        &self.file.path
    }

    /// Returns the schema version of the file, according to its table `schema_migrations`.
    pub(crate) fn schema_version(&self) -> i64 {
        self.file.schema_version
    }

    /// Checks that all data read so far came from the file in the state in which it was opened. Readers call this at
    /// the end.
    ///
    /// # Errors
    /// Returns an error if the file has changed since it was opened.
    pub(crate) fn check_unchanged(&self) -> Result<(), ReadError> {
        self.file.check_unchanged()
    }

    /// Returns a watch on the file, for callers that do not read it.
    pub fn watch(&self) -> FileWatch {
        FileWatch(Arc::clone(&self.file))
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Returns the places of at most `limit` strings that are not valid UTF-8.
    pub(super) fn invalid_text(&self, limit: usize) -> rusqlite::Result<Vec<String>> {
        let with_deprecated = self.schema_version() >= schema::DEPRECATED_SINCE;
        encoding::invalid(&self.connection, limit, with_deprecated)
    }

    /// Converts an error of SQLite. If the file has changed since it was opened, returns [`ReadError::Changed`]
    /// instead, because the change might be the cause of the error.
    pub(crate) fn content_error(&self, what: &'static str, source: rusqlite::Error) -> ReadError {
        match self.check_unchanged() {
            Ok(()) => {
                let place = invalid_column(&source).and_then(|_| self.invalid_text(1).ok()?.pop());
                let mut error = content(self.path(), what, source);
                if let (ReadError::Content { source, .. }, Some(place)) = (&mut error, place) {
                    *source = ContentError::Encoding { place };
                }
                error
            }
            Err(changed) => changed,
        }
    }
}

fn content(path: &Path, what: &'static str, source: rusqlite::Error) -> ReadError {
    let path = path.to_owned();
    match source.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => ReadError::NotADatabase { path },
        // A valid index never reaches the memory limit.
        Some(ErrorCode::OperationInterrupted | ErrorCode::OutOfMemory) => ReadError::Steps { path, what },
        // The file existed, so the operating system refused to open it, for example because too many files are open.
        Some(ErrorCode::CannotOpen) => {
            let refused = File::open(&path).err();
            let source = refused.unwrap_or_else(|| io::Error::other("the database engine cannot open the file"));
            ReadError::File { path, source }
        }
        _ => ReadError::Content {
            path,
            what,
            source: source.into(),
        },
    }
}

fn connect(path: &Path, steps: u64) -> rusqlite::Result<(Connection, Budget)> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(immutable_uri(path), flags)?;
    let budget = guard(&mut connection, steps)?;
    // The operating system already caches the file. Only names are sorted, never manifests.
    connection.execute_batch("PRAGMA query_only = 1; PRAGMA cache_size = -512; PRAGMA temp_store = MEMORY;")?;
    Ok((connection, budget))
}

/// Returns the schema version that a database states, without checking the database or files next to it; `None` if the
/// version cannot be read.
pub(crate) fn stated_version(path: &Path) -> Option<i64> {
    open_file(path).ok()?;
    let (connection, _) = connect(path, STEPS).ok()?;
    match schema::state(&connection) {
        Ok(State::Index(version)) => Some(version),
        _ => None,
    }
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

fn schema_version(path: &Path, connection: &Connection, budget: &Budget) -> Result<i64, ReadError> {
    let failed = |source| content(path, "the schema", source);
    let state = admission::admit(connection, budget).map_err(|refused| match refused {
        Refused::NotPlain(source) => Unfit::not_plain(path, source).into(),
        Refused::Engine(error) => failed(error),
    })?;
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
    match state {
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
            Err(ReadError::NoVersion { path: path.to_owned() })
        }
    }
}

/// Returns a string column. Indexes store strings both as TEXT and as BLOB.
pub(crate) fn text<'row>(row: &'row Row<'_>, column: usize) -> rusqlite::Result<Option<&'row str>> {
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
