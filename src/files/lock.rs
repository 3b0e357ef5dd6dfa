//! Waiting for others that write to the same place.

use std::fs::{File, TryLockError};
use std::thread;
use std::time::Duration;

const PAUSE: Duration = Duration::from_millis(20);

/// Waits for the lock on a file or folder, and tells whether it came in time. The lock goes with the file.
///
/// On a file system without locks there is nothing to wait for.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_another_holds_is_waited_for_and_then_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let open = || File::open(folder.path()).unwrap();
        let (held, other) = (open(), open());
        assert!(lock_within(&held, Duration::ZERO));
        assert!(!lock_within(&other, PAUSE));
        drop(held);
        assert!(lock_within(&other, Duration::ZERO));
    }
}
