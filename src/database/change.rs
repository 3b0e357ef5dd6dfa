//! Opens a database for a change, and makes the change visible in one step.
//!
//! A database is changed in place, in one transaction, or as a private copy that replaces the target when the copy is
//! complete. A file that does not exist yet is always written privately, so that an incomplete file is never visible. A
//! database with an older schema version is migrated in the same transaction. If a change fails at any point, the
//! target remains unchanged.

use super::admission::{self, Refused, Unfit};
use super::error::DatabaseError;
use super::guard::{self, Budget, guard};
use super::migrate;
use super::read::{Database, ReadError, ReadOptions, beside, check_beside};
use super::schema::{self, State};
use crate::files::{FileError, Replacement, require_regular};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior, ffi};
use std::fs;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The target of a change.
#[derive(Debug, Clone, Copy)]
pub enum Target<'a> {
    /// The database itself is changed, or created if absent.
    InPlace(&'a Path),
    /// A changed copy of `from` is written to `to`; without `from`, the change starts with an empty index.
    Copy {
        /// The original database, which is only read.
        from: Option<&'a Path>,
        /// The file to write; replaced if it exists.
        to: &'a Path,
    },
}

impl Target<'_> {
    /// Returns the file that is written.
    pub fn path(&self) -> &Path {
        match self {
            Self::InPlace(path) => path,
            Self::Copy { to, .. } => to,
        }
    }

    /// Returns the file that provides the original content; if there is none, the file that is written.
    pub(super) fn origin(&self) -> &Path {
        match self {
            Self::Copy { from: Some(from), .. } => from,
            other => other.path(),
        }
    }

    /// Converts an error from SQLite. The error names the original file if the copy is damaged, because the damage was
    /// already in the original.
    pub(super) fn failed(&self, options: &ChangeOptions, error: &rusqlite::Error) -> DatabaseError {
        match (DatabaseError::new(self.path(), options.busy_timeout, error), self) {
            (DatabaseError::Damaged { source, .. }, Self::Copy { from: Some(from), .. }) => {
                let path = (*from).to_owned();
                DatabaseError::Damaged { path, source }
            }
            (DatabaseError::Steps { .. }, Self::Copy { from: Some(from), .. }) => {
                let path = (*from).to_owned();
                DatabaseError::Steps { path }
            }
            (other, _) => other,
        }
    }
}

/// The settings of a change other than its target.
#[derive(Debug, Clone, Copy)]
pub struct ChangeOptions {
    /// The maximum time to wait for another writer.
    pub busy_timeout: Duration,
    /// The creation time that a new database records, in seconds since 1970: `SOURCE_DATE_EPOCH` or 0, never the
    /// current time.
    pub epoch: i64,
    /// Whether to discard the result: the change can be reported, but nothing is written.
    pub dry_run: bool,
    /// The maximum number of steps that SQLite may take for the change. The limit protects against malicious databases.
    pub steps: u64,
}

impl Default for ChangeOptions {
    fn default() -> Self {
        Self {
            busy_timeout: Duration::from_secs(30),
            epoch: 0,
            dry_run: false,
            steps: guard::STEPS,
        }
    }
}

/// Runs `work` in one transaction on the database and makes its changes visible if it succeeds.
///
/// An empty file that is changed in place becomes an empty index first. If two programs create the same file at once,
/// the second one repeats its work on the file that the first one created.
///
/// # Errors
/// Returns an error if `work` fails, or if the database cannot be opened, locked, written or published. In this case,
/// nothing is changed.
pub fn adding<T, E, W>(target: &Target<'_>, options: &ChangeOptions, work: W) -> Result<T, E>
where
    E: From<DatabaseError>,
    W: FnMut(&Transaction<'_>) -> Result<T, E>,
{
    run(target, options, Purpose::Add, work)
}

/// Like [`adding`], but for work that removes rows together with all dependent rows. The cascades of the schema, which
/// scan whole tables for every row, are suspended during the work. Afterwards, the free pages are removed from the
/// file.
///
/// # Errors
/// Returns an error if `work` fails, if there is no database, or if it cannot be locked, written or published. In this
/// case, nothing is changed.
pub fn removing<T, E, W>(target: &Target<'_>, options: &ChangeOptions, work: W) -> Result<T, E>
where
    E: From<DatabaseError>,
    W: FnMut(&Transaction<'_>) -> Result<T, E>,
{
    require_there(target)?;
    run(target, options, Purpose::Remove, work)
}

/// Like [`adding`], but for work on existing content: a file without a database is an error.
///
/// # Errors
/// Returns an error if `work` fails, if there is no database, or if it cannot be locked, written or published. In this
/// case, nothing is changed.
pub fn changing<T, E, W>(target: &Target<'_>, options: &ChangeOptions, work: W) -> Result<T, E>
where
    E: From<DatabaseError>,
    W: FnMut(&Transaction<'_>) -> Result<T, E>,
{
    require_there(target)?;
    run(target, options, Purpose::Add, work)
}

/// Checks that the database to be changed exists.
fn require_there(target: &Target<'_>) -> Result<(), DatabaseError> {
    if let Target::InPlace(path) = *target {
        fs::metadata(path).map_err(|error| FileError::new("read", path, error))?;
        require_content(path)?;
    }
    Ok(())
}

/// The purpose for which a database is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Add,
    Remove,
}

/// The number of free pages that may always remain in a file after an addition. More free pages may remain only if at
/// least as many pages are used.
const FREE_PAGES: i64 = 256;

fn run<T, E, W>(target: &Target<'_>, options: &ChangeOptions, purpose: Purpose, mut work: W) -> Result<T, E>
where
    E: From<DatabaseError>,
    W: FnMut(&Transaction<'_>) -> Result<T, E>,
{
    loop {
        let mut database = Draft::open(target, options)?;
        if purpose == Purpose::Remove {
            database.suspend_cascades(options)?;
        }
        let before = database.connection.total_changes();
        let result = database.run(options, &mut work)?;
        if options.dry_run {
            return Ok(result);
        }
        // A change without effect leaves every page in its place.
        let is_changed = database.connection.total_changes() != before;
        if is_changed && (purpose == Purpose::Remove || database.is_mostly_free(options)?) {
            database.compact(options)?;
        }
        if database.publish()? {
            return Ok(result);
        }
    }
}

/// Checks whether a change to `target` can begin, as far as the files show. Called before bundles are fetched, so that
/// a call that cannot succeed fails at once. Writes nothing, and does not wait for other programs.
///
/// # Errors
/// Returns the error that [`adding`] would report about the original file, or about the folder of the target file.
pub fn check(target: &Target<'_>, options: &ChangeOptions) -> Result<(), DatabaseError> {
    require_folder(target.path())?;
    let from = match *target {
        Target::InPlace(path) if exists(path)? => path,
        Target::Copy { from: Some(from), .. } => from,
        _ => return Ok(()),
    };
    require_database(from)?;
    if let Target::Copy { .. } = target {
        require_content(from)?;
    }
    let options = ChangeOptions {
        busy_timeout: Duration::ZERO,
        ..*options
    };
    let admitted = open(from, OpenFlags::SQLITE_OPEN_READ_ONLY, &options)
        .map_err(Refused::from)
        .and_then(|(connection, budget)| {
            connection.execute_batch(BEGIN_READING)?;
            admission::admit(&connection, &budget)
        });
    match admitted {
        Ok(state) => check_state(state, from).map(drop),
        Err(refused) => match DatabaseError::refused(from, options.busy_timeout, refused) {
            // By the time of the change, the current writer may have finished. The transaction of a killed writer is
            // rolled back during the change.
            DatabaseError::Locked { .. } | DatabaseError::ReadOnly { .. } => Ok(()),
            other => Err(other),
        },
    }
}

/// Begins a read transaction without parsing the schema. The transaction keeps writers out until it ends.
const BEGIN_READING: &str = "BEGIN; PRAGMA schema_version";

struct Draft {
    connection: Connection,
    budget: Budget,
    /// The file to write, as the user named it.
    path: PathBuf,
    /// The file that provided the original content.
    origin: PathBuf,
    private: Option<Private>,
}

struct Private {
    replacement: Replacement,
    /// Whether the target is to be changed in place but did not exist yet. If it exists when the change is published,
    /// another program created it.
    create: bool,
}

impl Draft {
    fn open(target: &Target<'_>, options: &ChangeOptions) -> Result<Self, DatabaseError> {
        let path = target.path();
        let (from, create) = match *target {
            Target::InPlace(_) if exists(path)? => {
                require_database(path)?;
                let (connection, budget) = open_for_writing(path, path, options)?;
                if !options.dry_run {
                    remove_leftovers(&connection, path, options);
                }
                return Ok(Self {
                    connection,
                    budget,
                    path: path.to_owned(),
                    origin: path.to_owned(),
                    private: None,
                });
            }
            Target::InPlace(_) => (None, true),
            Target::Copy { from, .. } => (from, false),
        };
        require_folder(path)?;
        let replacement = Replacement::new(path)?;
        if let Some(from) = from {
            copy(from, replacement.path(), options)?;
        }
        let (connection, budget) = open_for_writing(replacement.path(), path, options)?;
        without_safety(&connection)
            .map_err(|error| DatabaseError::new(from.unwrap_or(path), options.busy_timeout, &error))?;
        Ok(Self {
            connection,
            budget,
            path: path.to_owned(),
            origin: from.unwrap_or(path).to_owned(),
            private: Some(Private { replacement, create }),
        })
    }

    fn run<T, E, W>(&mut self, options: &ChangeOptions, work: &mut W) -> Result<T, E>
    where
        E: From<DatabaseError>,
        W: FnMut(&Transaction<'_>) -> Result<T, E>,
    {
        let result = self.try_run(options, work);
        if result.is_err() && self.private.is_none() {
            // After an I/O error, SQLite leaves its journal to the next reader, who undoes the transaction. Until then, a
            // copy of another database to this path would be damaged by the journal.
            let _ = self
                .connection
                .query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
        }
        result
    }

    fn try_run<T, E, W>(&mut self, options: &ChangeOptions, work: &mut W) -> Result<T, E>
    where
        E: From<DatabaseError>,
        W: FnMut(&Transaction<'_>) -> Result<T, E>,
    {
        let failed = |error: &rusqlite::Error| DatabaseError::new(&self.path, options.busy_timeout, error);
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|error| failed(&error))?;
        if self.private.is_none() {
            check_length(&transaction, &self.path, options)?;
        }
        let admitted = admission::admit(&transaction, &self.budget);
        match admitted.map_err(|refused| DatabaseError::refused(&self.origin, options.busy_timeout, refused))? {
            State::Empty => schema::create(&transaction, options.epoch).map_err(|error| failed(&error))?,
            state => {
                let version = check_state(state, &self.origin)?;
                if version < schema::VERSION {
                    migrate::migrate(&transaction, version, options.epoch).map_err(|error| failed(&error))?;
                }
            }
        }
        let result = work(&transaction)?;
        // A private copy is not rolled back: it has no journal, and it is discarded anyway.
        let ended = if options.dry_run && self.private.is_none() {
            transaction.rollback()
        } else {
            transaction.commit()
        };
        ended.map_err(|error| failed(&error))?;
        Ok(result)
    }

    fn suspend_cascades(&self, options: &ChangeOptions) -> Result<(), DatabaseError> {
        self.connection
            .pragma_update(None, "foreign_keys", false)
            .map_err(|error| DatabaseError::new(&self.path, options.busy_timeout, &error))
    }

    /// Returns whether most pages of the file are free, as they can be after an addition that removes stored manifests.
    fn is_mostly_free(&self, options: &ChangeOptions) -> Result<bool, DatabaseError> {
        let number = |name: &str| {
            self.connection
                .pragma_query_value(None, name, |row| row.get::<_, i64>(0))
        };
        let failed = |error| DatabaseError::new(&self.path, options.busy_timeout, &error);
        let (free, pages) = (
            number("freelist_count").map_err(failed)?,
            number("page_count").map_err(failed)?,
        );
        Ok(free > FREE_PAGES && free > pages - free)
    }

    /// Removes the free pages from the file. This can fail if another program is reading the file, or if the disk is
    /// full. Such errors are ignored for a file that is changed in place, because it already contains the complete
    /// change.
    fn compact(&self, options: &ChangeOptions) -> Result<(), DatabaseError> {
        match self.connection.execute_batch("VACUUM") {
            Err(error) if self.private.is_some() => Err(DatabaseError::new(&self.path, options.busy_timeout, &error)),
            _ => Ok(()),
        }
    }

    /// Makes the change visible. Returns `false` if another program created the file first.
    fn publish(self) -> Result<bool, DatabaseError> {
        let Self {
            connection,
            path,
            private,
            ..
        } = self;
        connection
            .close()
            .map_err(|(_, error)| DatabaseError::new(&path, Duration::ZERO, &error))?;
        if let Some(Private { replacement, .. }) = &private {
            without_counters(replacement.path())?;
        }
        match private {
            None => Ok(true),
            Some(Private { replacement, create }) if create => create_from(replacement),
            Some(Private { replacement, .. }) => {
                replacement.commit()?;
                Ok(true)
            }
        }
    }
}

/// Returns the schema version of a database in this state, or an error if the database cannot be changed.
fn check_state(state: State, path: &Path) -> Result<i64, DatabaseError> {
    let path = path.to_owned();
    match state {
        State::Empty => Ok(schema::VERSION),
        State::Index(version) if version > schema::VERSION => Err(DatabaseError::Newer { path, version }),
        State::Index(version) => Ok(version),
        State::Foreign => Err(DatabaseError::NotAnIndex { path }),
    }
}

fn exists(path: &Path) -> Result<bool, FileError> {
    match path.symlink_metadata() {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(FileError::new("read", path, error)),
    }
}

fn require_folder(path: &Path) -> Result<(), DatabaseError> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !exists(folder)? => {
            Err(DatabaseError::NoFolder { path: path.to_owned() })
        }
        _ => Ok(()),
    }
}

/// Checks that the file exists, and that all paths next to it that SQLite would open are regular files.
fn require_database(path: &Path) -> Result<(), DatabaseError> {
    match require_regular(path) {
        Ok(_) => Ok(check_beside(path)?),
        // A folder or a dangling link.
        Err(error)
            if error.kind() == io::ErrorKind::IsADirectory
                || error.kind() == io::ErrorKind::NotFound && exists(path)? =>
        {
            Err(DatabaseError::CannotOpen { path: path.to_owned() })
        }
        Err(error) => Err(FileError::new("read", path, error).into()),
    }
}

/// Checks that a file that must already contain an index is not empty.
fn require_content(path: &Path) -> Result<(), DatabaseError> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() && metadata.len() == 0 => Err(Unfit::Empty { path: path.to_owned() }.into()),
        _ => Ok(()),
    }
}

/// `shown` is the file as the user named it, for messages.
fn open_for_writing(file: &Path, shown: &Path, options: &ChangeOptions) -> Result<(Connection, Budget), DatabaseError> {
    open(file, OpenFlags::SQLITE_OPEN_READ_WRITE, options)
        .and_then(|(connection, budget)| {
            connection.pragma_update(None, "foreign_keys", true)?;
            Ok((connection, budget))
        })
        .map_err(|error| DatabaseError::new(shown, options.busy_timeout, &error))
}

/// Removes, as far as possible, the files that killed processes left next to a database while they created or changed
/// it. Errors are ignored, because they recur when the database is changed.
fn remove_leftovers(connection: &Connection, path: &Path, options: &ChangeOptions) {
    Replacement::remove_left_beside(path);
    if fs::symlink_metadata(beside(path, "-journal")).is_err() {
        return;
    }
    // An unfinished transaction is undone by the next transaction, which then removes the journal. A journal without
    // content would remain until the next write. Switching to the mode that keeps journals, and back, removes an empty
    // journal unless another process is writing.
    let remove = || -> rusqlite::Result<()> {
        connection.busy_timeout(Duration::ZERO)?;
        let mode: String = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0))?;
        if mode == "delete" {
            connection.query_row("PRAGMA journal_mode = PERSIST", [], |_| Ok(()))?;
            connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
        }
        Ok(())
    };
    let _ = remove();
    let _ = connection.busy_timeout(options.busy_timeout);
}

fn open(file: &Path, access: OpenFlags, options: &ChangeOptions) -> rusqlite::Result<(Connection, Budget)> {
    // The path is made absolute because some relative names, such as `:memory:`, have a special meaning in SQLite.
    let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let mut connection = Connection::open_with_flags(file, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(options.busy_timeout)?;
    let budget = guard(&mut connection, options.steps)?;
    Ok((connection, budget))
}

/// Copies the last committed state of a database. A transaction that a killed program left unfinished is undone in the
/// copy; `from` is only read.
fn copy(from: &Path, to: &Path, options: &ChangeOptions) -> Result<(), DatabaseError> {
    fs::metadata(from).map_err(|error| FileError::new("read", from, error))?;
    require_database(from)?;
    require_content(from)?;
    let failed = |error: &rusqlite::Error| DatabaseError::new(from, options.busy_timeout, error);
    let (source, _) = open(from, OpenFlags::SQLITE_OPEN_READ_ONLY, options).map_err(|error| failed(&error))?;
    match source.execute_batch(BEGIN_READING) {
        Ok(()) => {
            check_length(&source, from, options)?;
            back_up(&source, to, options).map_err(|error| failed(&error))
        }
        Err(error) if cannot_begin(&error) => {
            let reading = ReadOptions {
                steps: options.steps,
                ..ReadOptions::default()
            };
            let source = Database::open_with(from, &reading)?;
            back_up(source.connection(), to, options).map_err(|error| failed(&error))?;
            Ok(source.check_unchanged()?)
        }
        Err(error) => Err(failed(&error)),
    }
}

/// Checks that all pages of a database exist, including the last one, which SQLite accepts even if it is truncated. The
/// caller holds a lock, so no other program can be writing a page. The check does not open the file, because closing it
/// would release that lock.
fn check_length(connection: &Connection, path: &Path, options: &ChangeOptions) -> Result<(), DatabaseError> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let pages = number("page_count").and_then(|count| Ok(count.saturating_mul(number("page_size")?)));
    let journal = connection.pragma_query_value(None, "journal_mode", |row| row.get::<_, String>(0));
    let failed = |error| DatabaseError::new(path, options.busy_timeout, &error);
    let (pages, journal) = (pages.map_err(failed)?, journal.map_err(failed)?);
    // The last pages may be in the write-ahead log.
    if journal == "wal" {
        return Ok(());
    }
    let found = fs::metadata(path).map_err(|error| FileError::new("read", path, error))?;
    let (expected, found) = (u64::try_from(pages).unwrap_or_default(), found.len());
    // An empty file is a database without tables.
    if found >= expected || found == 0 {
        return Ok(());
    }
    let path = path.to_owned();
    Err(DatabaseError::Read(ReadError::Truncated { path, expected, found }))
}

/// Returns whether a file next to the database must be written before the database can be read normally.
fn cannot_begin(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen)
    )
}

fn back_up(source: &Connection, to: &Path, options: &ChangeOptions) -> rusqlite::Result<()> {
    let (mut target, _) = open(to, OpenFlags::SQLITE_OPEN_READ_WRITE, options)?;
    without_safety(&target)?;
    match Backup::new(source, &mut target)?.step(-1)? {
        StepResult::Done => Ok(()),
        _ => Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_BUSY), None)),
    }
}

/// Turns off the journal and syncing for a file that no other program uses and that is discarded on failure.
fn without_safety(connection: &Connection) -> rusqlite::Result<()> {
    // A connection in defensive mode cannot turn off its journal.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, false)?;
    connection.pragma_update(None, "journal_mode", "OFF")?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.pragma_update(None, "synchronous", "OFF")
}

/// Resets the counters in the header of a file to the values of a new file. No other program may have the file open.
/// The counters depend on the number of changes to a file, but the digest of an index must depend on its content alone.
fn without_counters(file: &Path) -> Result<(), FileError> {
    /// The offsets of the file change counter, of the schema cookie, and of the change counter for which the size in
    /// the header is valid.
    const COUNTERS: [u64; 3] = [24, 40, 92];
    let failed = |error| FileError::new("write", file, error);
    let mut opened = fs::OpenOptions::new().write(true).open(file).map_err(failed)?;
    if opened.metadata().map_err(failed)?.len() < 100 {
        return Ok(());
    }
    for place in COUNTERS {
        opened.seek(SeekFrom::Start(place)).map_err(failed)?;
        opened.write_all(&1_u32.to_be_bytes()).map_err(failed)?;
    }
    Ok(())
}

/// Gives the finished file its final name, unless another program has created a file with this name.
fn create_from(replacement: Replacement) -> Result<bool, DatabaseError> {
    match replacement.commit_new() {
        Ok(()) => Ok(true),
        Err(error) if error.source.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests;
