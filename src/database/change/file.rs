//! Database files as a change finds, opens and copies them.

use super::target::ChangeOptions;
use crate::database::admission::Unfit;
use crate::database::error::DatabaseError;
use crate::database::guard::{Budget, guard};
use crate::database::read::{Database, ReadError, ReadOptions, beside, check_beside, has_log};
use crate::files::{FileError, remove_leftovers_beside, require_regular};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, ffi};
use std::fs;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;

/// Begins a read transaction without parsing the schema. The transaction keeps writers out until it ends.
pub(super) const BEGIN_READING: &str = "BEGIN; PRAGMA schema_version";

pub(super) fn exists(path: &Path) -> Result<bool, FileError> {
    match path.symlink_metadata() {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(FileError::new("read", path, error)),
    }
}

pub(super) fn require_folder(path: &Path) -> Result<(), DatabaseError> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !exists(folder)? => {
            Err(DatabaseError::NoFolder { path: path.to_owned() })
        }
        _ => Ok(()),
    }
}

/// Checks that the file exists, and that all paths next to it that SQLite would open are regular files.
pub(super) fn require_database(path: &Path) -> Result<(), DatabaseError> {
    match require_regular(path) {
        Ok(_) => Ok(check_beside(path)?),
        Err(error) if error.kind() == io::ErrorKind::IsADirectory => {
            Err(DatabaseError::CannotOpen { path: path.to_owned() })
        }
        Err(error) => match fs::read_link(path) {
            Ok(target) if error.kind() == io::ErrorKind::NotFound => {
                let path = path.to_owned();
                Err(DatabaseError::NoTarget { path, target })
            }
            _ => Err(FileError::new("read", path, error).into()),
        },
    }
}

/// Checks that a file that must already contain an index is not empty.
pub(super) fn require_content(path: &Path) -> Result<(), DatabaseError> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() && metadata.len() == 0 => Err(Unfit::Empty { path: path.to_owned() }.into()),
        _ => Ok(()),
    }
}

/// `shown` is the file as the user named it, for messages.
pub(super) fn open_for_writing(
    file: &Path,
    shown: &Path,
    options: &ChangeOptions,
) -> Result<(Connection, Budget), DatabaseError> {
    open(file, OpenFlags::SQLITE_OPEN_READ_WRITE, options)
        .and_then(|(connection, budget)| {
            connection.pragma_update(None, "foreign_keys", true)?;
            Ok((connection, budget))
        })
        .map_err(|error| DatabaseError::new(shown, options.busy_timeout, &error))
}

/// Removes, as far as possible, the files that killed processes left next to a database while they created or changed
/// it. Errors are ignored, because they recur when the database is changed.
pub(super) fn remove_leftovers(connection: &Connection, path: &Path, options: &ChangeOptions) {
    remove_leftovers_beside(path);
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

pub(super) fn open(file: &Path, access: OpenFlags, options: &ChangeOptions) -> rusqlite::Result<(Connection, Budget)> {
    // The path is made absolute because some relative names, such as `:memory:`, have a special meaning in SQLite.
    let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let mut connection = Connection::open_with_flags(file, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(options.busy_timeout)?;
    let budget = guard(&mut connection, options.steps)?;
    Ok((connection, budget))
}

/// Copies the last committed state of a database. A transaction that a killed program left unfinished is undone in the
/// copy; `from` is only read. Errors name the copy by its second path.
pub(super) fn copy(from: &Path, to: (&Path, &Path), options: &ChangeOptions) -> Result<(), DatabaseError> {
    fs::metadata(from).map_err(|error| FileError::new("read", from, error))?;
    require_database(from)?;
    require_content(from)?;
    let failed = |error: &rusqlite::Error| DatabaseError::new(from, options.busy_timeout, error);
    // SQLite would write the files next to a database with a write-ahead log even to read it.
    if has_log(from) {
        return copy_as_reader(from, to, options);
    }
    let (source, _) = open(from, OpenFlags::SQLITE_OPEN_READ_ONLY, options).map_err(|error| failed(&error))?;
    match source.execute_batch(BEGIN_READING) {
        Ok(()) => {
            check_length(&source, from, options)?;
            back_up(&source, from, to, options)
        }
        Err(error) if cannot_begin(&error) => copy_as_reader(from, to, options),
        Err(error) => Err(failed(&error)),
    }
}

fn copy_as_reader(from: &Path, to: (&Path, &Path), options: &ChangeOptions) -> Result<(), DatabaseError> {
    let reading = ReadOptions {
        steps: options.steps,
        ..ReadOptions::default()
    };
    let source = Database::open_with(from, &reading)?;
    back_up(source.connection(), from, to, options)?;
    Ok(source.check_unchanged()?)
}

/// Checks that all pages of a database exist, including the last one, which SQLite accepts even if it is truncated. The
/// caller holds a lock, so no other program can be writing a page. The check does not open the file, because closing it
/// would release that lock.
pub(super) fn check_length(connection: &Connection, path: &Path, options: &ChangeOptions) -> Result<(), DatabaseError> {
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

fn back_up(
    source: &Connection,
    from: &Path,
    (to, shown): (&Path, &Path),
    options: &ChangeOptions,
) -> Result<(), DatabaseError> {
    let of_source = |error| DatabaseError::new(from, options.busy_timeout, &error);
    let of_target = |error| DatabaseError::new(shown, options.busy_timeout, &error);
    let (mut target, _) = open(to, OpenFlags::SQLITE_OPEN_READ_WRITE, options).map_err(of_target)?;
    without_safety(&target).map_err(of_target)?;
    let copied = Backup::new(source, &mut target).and_then(|backup| backup.step(-1));
    match copied {
        Ok(StepResult::Done) => Ok(()),
        Ok(_) => {
            let busy = ffi::Error::new(ffi::SQLITE_BUSY);
            Err(of_source(rusqlite::Error::SqliteFailure(busy, None)))
        }
        Err(error) if is_of_writing(&error) => Err(of_target(error)),
        Err(error) => Err(of_source(error)),
    }
}

/// Whether writing failed. Copying reads one file and writes another, and SQLite does not tell which one an error is
/// about.
fn is_of_writing(error: &rusqlite::Error) -> bool {
    const WRITING: [std::ffi::c_int; 4] = [
        ffi::SQLITE_FULL,
        ffi::SQLITE_IOERR_WRITE,
        ffi::SQLITE_IOERR_TRUNCATE,
        ffi::SQLITE_IOERR_FSYNC,
    ];
    matches!(error, rusqlite::Error::SqliteFailure(error, _) if WRITING.contains(&error.extended_code))
}

/// Turns off the journal and syncing for a file that no other program uses and that is discarded on failure.
pub(super) fn without_safety(connection: &Connection) -> rusqlite::Result<()> {
    // A connection in defensive mode cannot turn off its journal.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, false)?;
    connection.pragma_update(None, "journal_mode", "OFF")?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.pragma_update(None, "synchronous", "OFF")
}

/// Resets the counters in the header of a file to the values of a new file. No other program may have the file open.
/// The counters depend on the number of changes to a file, but the digest of an index must depend on its content alone.
pub(super) fn without_counters(file: &Path) -> Result<(), FileError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_missing_target_of_a_link_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("index.db");
        std::os::unix::fs::symlink("absent.db", &link).unwrap();
        let error = require_database(&link).unwrap_err().to_string();
        let expected = format!(
            "{} is a link to absent.db, which does not exist; correct or remove the link",
            link.display()
        );
        assert_eq!(error, expected);
    }
}
