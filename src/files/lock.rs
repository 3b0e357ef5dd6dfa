//! Waits for other processes that are writing to the same place.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

const PAUSE: Duration = Duration::from_millis(20);

/// Waits for the lock on a file or folder. Returns whether the lock was acquired in time. Closing the file releases the
/// lock.
///
/// On a file system without locks, returns `true` at once.
pub(crate) fn lock_within(file: &File, limit: Duration) -> bool {
    let mut waited = Duration::ZERO;
    loop {
        match file.try_lock() {
            Ok(()) | Err(TryLockError::Error(_)) => return true,
            Err(TryLockError::WouldBlock) if waited >= limit => return false,
            Err(TryLockError::WouldBlock) => {
                thread::sleep(PAUSE);
                waited += PAUSE;
            }
        }
    }
}

/// Opens the file at `path` with `open`, and locks it. Returns `None` if another process holds the lock.
///
/// # Errors
/// Returns an error if the file cannot be opened.
pub(crate) fn open_locked(path: &Path, open: impl Fn() -> io::Result<File>) -> io::Result<Option<File>> {
    loop {
        let file = open()?;
        if !lock_within(&file, Duration::ZERO) {
            return Ok(None);
        }
        // The process that held the lock may have removed the file in the meantime.
        match fs::metadata(path) {
            Ok(named) if super::same_file(&named, &file.metadata()?) => return Ok(Some(file)),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_lock_is_waited_for_until_the_timeout() {
        let folder = tempfile::tempdir().unwrap();
        let open = || File::open(folder.path()).unwrap();
        let (held, other) = (open(), open());
        assert!(lock_within(&held, Duration::ZERO));
        assert!(!lock_within(&other, PAUSE));
        drop(held);
        assert!(lock_within(&other, Duration::ZERO));
    }
}
