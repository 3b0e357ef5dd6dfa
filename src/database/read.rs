//! Opening an index database without changing it, or anything beside it.
//!
//! The database is opened as immutable: no journal, no files beside it, also on a read-only file system and for any
//! user. A connection of its own holds SQLite's lock for readers meanwhile, so that other programs wait before they
//! write, as this one waits for them. Whoever serves a database for long gives the lock up; where there are no locks,
//! there is none. So every reader checks, too, that the file is still the one that was opened.
//!
//! A database with an unfinished transaction beside it (`-journal`, `-wal`), or one that another program holds for
//! itself, is copied, mended there, and read from the copy; so is one of a schema version that lacks what readers look
//! for, after it was brought up to date in the copy. What somebody writes meanwhile is read again.

mod error;
mod file;
mod lock;

pub use error::ReadError;
pub(crate) use file::{beside, check_beside, is_database};

use super::admission::{self, Refused, Unfit};
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

/// How long to wait before a file that somebody writes is read again.
const PAUSE: Duration = Duration::from_millis(20);

/// How an index is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadOptions {
    /// How long to try again while another program writes the file.
    pub patience: Duration,
    /// How many steps the database engine may take: a limit for databases made to keep it busy.
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

/// What all connections to one database share.
#[derive(Debug)]
struct OpenFile {
    /// As the user named it.
    path: PathBuf,
    /// What SQLite opens: the path, or that of the private copy.
    database: PathBuf,
    steps: u64,
    // Given back before the file is closed.
    lock: Option<ReadLock>,
    handle: File,
    stamp: Stamp,
    schema_version: i64,
    // Deleted with the last connection.
    _private: Option<TemporaryFolder>,
}

impl OpenFile {
    /// Makes sure that the path still leads to this file, too.
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

/// Says whether an open index is still what it was, from any thread.
#[derive(Debug, Clone)]
pub struct FileWatch(Arc<OpenFile>);

impl FileWatch {
    /// As [`Database::check_unchanged`].
    ///
    /// # Errors
    /// When the file was written to, or cut, since it was opened.
    pub(crate) fn check_unchanged(&self) -> Result<(), ReadError> {
        self.0.check_unchanged()
    }
}

impl Database {
    /// Opens the database file at `path`, as [`Database::open_with`] does with the usual options.
    ///
    /// # Errors
    /// As [`Database::open_with`].
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        Self::open_with(path, &ReadOptions::default())
    }

    /// Opens the database file at `path`, for which the database engine may take so many steps.
    ///
    /// # Errors
    /// As [`Index::open_with`].
    pub(crate) fn open_within(path: &Path, steps: u64) -> Result<Self, ReadError> {
        let options = ReadOptions {
            steps,
            ..ReadOptions::default()
        };
        Self::open_with(path, &options)
    }

    /// Opens the database file at `path`. While it is open, other programs wait before they write it.
    ///
    /// # Errors
    /// When there is no such file, it is not an index database of a schema version in [`READABLE_VERSIONS`], it is
    /// damaged, an unfinished transaction beside it cannot be undone in a copy, or somebody writes it for longer than
    /// `options` allow.
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
            // The last changes stand in the log.
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
        // A file that is being written looks damaged.
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

    /// Opens the private copy of the database at `path`, which was brought up to date from schema version `from`.
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

    /// Opens the same file once more, for another thread.
    ///
    /// # Errors
    /// When the file at the path is no longer the one that was opened first.
    pub(crate) fn reopen(&self) -> Result<Self, ReadError> {
        let (connection, budget) = connect(&self.file.database, self.file.steps)
            // Opening alone need not touch the file; reading the schema does.
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

    /// Lets other programs write the file, also while this and its other connections stay open. What they read must be
    /// checked from here on, by [`Database::check_unchanged`].
    pub(crate) fn let_others_write(&self) {
        if let Some(lock) = &self.file.lock {
            lock.release();
        }
    }

    /// Begins to count the steps of the engine anew, for another request to an index that stays open.
    pub(crate) fn renew_budget(&self) {
        self.budget.renew();
    }

    /// The file as the user named it.
    pub fn path(&self) -> &Path {
        &self.file.path
    }

    /// The version of the schema of the file, as its table `schema_migrations` says.
    pub(crate) fn schema_version(&self) -> i64 {
        self.file.schema_version
    }

    /// Makes sure that what was read so far came from the file as it was opened. Readers ask at their end.
    ///
    /// # Errors
    /// When the file was written to, or cut, since it was opened.
    pub(crate) fn check_unchanged(&self) -> Result<(), ReadError> {
        self.file.check_unchanged()
    }

    /// A look at the file for those who do not read it.
    pub fn watch(&self) -> FileWatch {
        FileWatch(Arc::clone(&self.file))
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// What to say about an error of SQLite: a file that was changed meanwhile explains everything else.
    pub(crate) fn content_error(&self, what: &'static str, source: rusqlite::Error) -> ReadError {
        match self.check_unchanged() {
            Ok(()) => content(self.path(), what, source),
            Err(changed) => changed,
        }
    }
}

fn content(path: &Path, what: &'static str, source: rusqlite::Error) -> ReadError {
    let path = path.to_owned();
    match source.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => ReadError::NotADatabase { path },
        // Memory has a limit for what a sound index never needs.
        Some(ErrorCode::OperationInterrupted | ErrorCode::OutOfMemory) => ReadError::Steps { path, what },
        // The file was there, so that it is the system that refuses, such as when too many files are open.
        Some(ErrorCode::CannotOpen) => {
            let refused = File::open(&path).err();
            let source = refused.unwrap_or_else(|| io::Error::other("the database engine cannot open it"));
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
    // The system caches the file already. What is sorted are names, never manifests.
    connection.execute_batch("PRAGMA query_only = 1; PRAGMA cache_size = -512; PRAGMA temp_store = MEMORY;")?;
    Ok((connection, budget))
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
            Err(ReadError::NotAnIndex {
                path: path.to_owned(),
                table: "schema_migrations",
            })
        }
    }
}

/// A string column. Indexes hold texts both as TEXT and as BLOB.
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
