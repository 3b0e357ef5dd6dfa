//! The read lock of a database, which keeps writers out. It is held by a connection that reads no data.

use super::super::guard::guard;
use crate::concurrent;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

/// The time to wait for a writer before copying its file: longer than most changes take to become visible.
const WAIT: Duration = Duration::from_millis(250);

/// A lock that is held until it is released or dropped.
#[derive(Debug)]
pub(super) struct ReadLock(Mutex<Option<Connection>>);

impl ReadLock {
    /// Releases the lock.
    pub(super) fn release(&self) {
        concurrent::lock(&self.0).take();
    }
}

/// The result of requesting the lock.
#[derive(Debug)]
pub(super) enum Locked {
    /// The lock is held: no other program can write the file now.
    Held(ReadLock),
    /// Another program has locked the file exclusively, or was killed while writing it.
    Refused,
    /// The file system does not support locks.
    Unknown,
}

/// Requests the lock on a database file. Writes nothing, and reads only the header of the file.
pub(super) fn acquire(path: &Path, steps: u64) -> rusqlite::Result<Locked> {
    // The path is made absolute because some relative names, such as `:memory:`, have a special meaning in SQLite.
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
