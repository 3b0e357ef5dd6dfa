//! Opens a database for a change, and makes the change visible in one step.
//!
//! A database is changed in place, in one transaction, or as a private copy that replaces the target when the copy is
//! complete. A file that does not exist yet is always written privately, so that an incomplete file is never visible. A
//! database with an older schema version is migrated in the same transaction. If a change fails at any point, the
//! target remains unchanged.

mod file;
mod target;

use super::admission::{self, Refused};
use super::error::DatabaseError;
use super::guard::Budget;
use super::migrate;
use super::read::{ReadError, has_log};
use super::schema::{self, State};
use crate::files::{FileError, Replacement, TemporaryFolder, create_private};
use file::{
    BEGIN_READING, check_length, copy, exists, open, open_for_writing, remove_leftovers, require_content,
    require_database, require_folder, without_counters, without_safety,
};
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
pub use target::{ChangeOptions, Target};

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
        if !exists(path)? {
            return Err(ReadError::Missing { path: path.to_owned() }.into());
        }
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
        if purpose == Purpose::Remove || database.is_rebuilt(options)? {
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
    // SQLite would write the files next to the database even to read it.
    if has_log(from) {
        return Ok(());
    }
    let options = ChangeOptions {
        busy_timeout: Duration::ZERO,
        ..*options
    };
    let admitted = open(from, OpenFlags::SQLITE_OPEN_READ_ONLY, &options)
        .map_err(Refused::from)
        .and_then(|(connection, budget)| {
            connection.execute_batch(BEGIN_READING)?;
            let state = admission::admit(&connection, &budget)?;
            Ok((connection, state))
        });
    match admitted {
        Ok((connection, state)) => check_parts(&connection, check_state(state, from)?, from, &options),
        Err(refused) => match DatabaseError::refused(from, options.busy_timeout, refused) {
            // By the time of the change, the current writer may have finished. The transaction of a killed writer is
            // rolled back during the change.
            DatabaseError::Locked { .. } | DatabaseError::ReadOnly { .. } => Ok(()),
            other => Err(other),
        },
    }
}

struct Draft {
    connection: Connection,
    budget: Budget,
    /// The file to write, as the user named it.
    path: PathBuf,
    /// The file that provided the original content.
    origin: PathBuf,
    written: Written,
}

/// The file that a change writes.
enum Written {
    InPlace,
    Private {
        replacement: Replacement,
        /// Whether the target is to be changed in place but did not exist yet. If it exists when the change is
        /// published, another program created it.
        create: bool,
    },
    /// A private copy in this folder, which is discarded.
    Discarded {
        _folder: TemporaryFolder,
    },
}

impl Draft {
    fn open(target: &Target<'_>, options: &ChangeOptions) -> Result<Self, DatabaseError> {
        let path = target.path();
        let (from, create) = match *target {
            Target::InPlace(_) if exists(path)? => {
                require_database(path)?;
                if !options.dry_run {
                    let (connection, budget) = open_for_writing(path, path, options)?;
                    remove_leftovers(&connection, path, options);
                    return Ok(Self {
                        connection,
                        budget,
                        path: path.to_owned(),
                        origin: path.to_owned(),
                        written: Written::InPlace,
                    });
                }
                // Opening an unfinished transaction for writing undoes it, so a dry run works on a copy.
                (Some(path).filter(|path| require_content(path).is_ok()), false)
            }
            Target::InPlace(_) => (None, true),
            Target::Copy { from, .. } => (from, false),
        };
        require_folder(path)?;
        let (file, written) = if options.dry_run {
            let folder = TemporaryFolder::new()?;
            let file = folder.path().join("index.db");
            create_private(&file).map_err(|error| FileError::new("write", &file, error))?;
            (file, Written::Discarded { _folder: folder })
        } else {
            let replacement = Replacement::new(path)?;
            let file = replacement.path().to_owned();
            (file, Written::Private { replacement, create })
        };
        if let Some(from) = from {
            let shown = if options.dry_run {
                &file
            } else {
                target.path_in_messages()
            };
            copy(from, (&file, shown), options)?;
        }
        let (connection, budget) = open_for_writing(&file, target.path_in_messages(), options)?;
        without_safety(&connection).map_err(|error| target.failed(options, &error))?;
        Ok(Self {
            connection,
            budget,
            path: target.path_in_messages().to_owned(),
            origin: target.origin().to_owned(),
            written,
        })
    }

    fn is_in_place(&self) -> bool {
        matches!(self.written, Written::InPlace)
    }

    fn run<T, E, W>(&mut self, options: &ChangeOptions, work: &mut W) -> Result<T, E>
    where
        E: From<DatabaseError>,
        W: FnMut(&Transaction<'_>) -> Result<T, E>,
    {
        let result = self.try_run(options, work);
        if result.is_err() && self.is_in_place() {
            // After an I/O error, SQLite leaves its journal to the next reader, who undoes the transaction. Until then,
            // a copy of another database to this path would be damaged by the journal.
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
        if matches!(self.written, Written::InPlace) {
            check_length(&transaction, &self.path, options)?;
        }
        let admitted = admission::admit(&transaction, &self.budget);
        match admitted.map_err(|refused| DatabaseError::refused(&self.origin, options.busy_timeout, refused))? {
            State::Empty => schema::create(&transaction, options.epoch).map_err(|error| failed(&error))?,
            state => {
                let version = check_state(state, &self.origin)?;
                check_parts(&transaction, version, &self.origin, options)?;
                if version < schema::VERSION {
                    migrate::migrate(&transaction, version, options.epoch).map_err(|error| failed(&error))?;
                }
            }
        }
        let result = work(&transaction)?;
        transaction.commit().map_err(|error| failed(&error))?;
        Ok(result)
    }

    /// Returns whether the change rebuilds all tables, as far as the file shows before the transaction.
    fn is_rebuilt(&self, options: &ChangeOptions) -> Result<bool, DatabaseError> {
        match schema::state(&self.connection) {
            Ok(State::Index(version)) => Ok(migrate::rebuilds(version)),
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                Err(DatabaseError::new(&self.path, options.busy_timeout, &error))
            }
            // Every other problem is reported when the transaction begins.
            _ => Ok(false),
        }
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
            Err(error) if !self.is_in_place() => Err(DatabaseError::new(&self.path, options.busy_timeout, &error)),
            _ => Ok(()),
        }
    }

    /// Makes the change visible. Returns `false` if another program created the file first.
    fn publish(self) -> Result<bool, DatabaseError> {
        let Self {
            connection,
            path,
            written,
            ..
        } = self;
        connection
            .close()
            .map_err(|(_, error)| DatabaseError::new(&path, Duration::ZERO, &error))?;
        match written {
            Written::InPlace | Written::Discarded { .. } => Ok(true),
            Written::Private { replacement, create } => {
                without_counters(replacement.path())?;
                if create {
                    return create_from(replacement);
                }
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

/// Checks that a migration drops nothing that somebody has added to the tables.
fn check_parts(
    connection: &Connection,
    version: i64,
    path: &Path,
    options: &ChangeOptions,
) -> Result<(), DatabaseError> {
    let path = path.to_owned();
    match migrate::foreign_parts(connection, version) {
        Ok(parts) if parts.is_empty() => Ok(()),
        Ok(parts) => Err(DatabaseError::ForeignParts { path, version, parts }),
        Err(error) => Err(DatabaseError::new(&path, options.busy_timeout, &error)),
    }
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
