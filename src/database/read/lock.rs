//! The lock that readers of a database share, which no writer passes: held by a connection that reads nothing.

use super::super::guard::guard;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long to wait for a writer before its file is copied: longer than most changes take to become visible.
const WAIT: Duration = Duration::from_millis(250);

/// The lock, until it is released or dropped.
#[derive(Debug)]
pub(super) struct ReadLock(Mutex<Option<Connection>>);

impl ReadLock {
    /// Gives the lock back.
    pub(super) fn release(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// What came of asking for the lock.
#[derive(Debug)]
pub(super) enum Locked {
    /// Nobody writes the file now.
    Held(ReadLock),
    /// Another program holds the file for itself, or one was killed while it wrote.
    Refused,
    /// The file system has no locks.
    Unknown,
}

/// Asks for the lock on a database in a file. Nothing is written, nor read but the head of the file.
pub(super) fn acquire(path: &Path, steps: u64) -> rusqlite::Result<Locked> {
    // Absolute, because some relative names, such as `:memory:`, mean something else to the library.
    let file = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let locked = Connection::open_with_flags(file, flags).and_then(|mut connection| {
        guard(&mut connection, steps)?;
        connection.busy_timeout(WAIT)?;
        connection.execute_batch("BEGIN; PRAGMA schema_version")?;
        Ok(connection)
    });
    match locked {
        Ok(connection) => Ok(Locked::Held(ReadLock(Mutex::new(Some(connection))))),
        Err(error) => match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::ReadOnly | ErrorCode::CannotOpen) => Ok(Locked::Refused),
            Some(ErrorCode::SystemIoFailure | ErrorCode::FileLockingProtocolFailed) => Ok(Locked::Unknown),
            _ => Err(error),
        },
    }
}
