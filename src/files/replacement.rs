//! A file that takes the place of another in one step.

use super::{FileError, directory_of, is_still, rename_new, sync_directory, temporary_prefix};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// A new file beside its target, which takes the target's place in one step when it is complete.
///
/// Dropped before [`Replacement::commit`], it vanishes. A process that is killed leaves it behind;
/// the next replacement of the same target removes it (the lock on it tells a dead one from one in use).
#[derive(Debug)]
pub struct Replacement {
    target: PathBuf,
    temporary: PathBuf,
    file: File,
    committed: bool,
}

impl Replacement {
    /// Opens a temporary file beside `target`, making its directory where that is absent.
    ///
    /// # Errors
    /// When the directory or the file cannot be made.
    pub fn new(target: &Path) -> Result<Self, FileError> {
        let directory = directory_of(target);
        fs::create_dir_all(&directory).map_err(|error| FileError::new("create the directory", &directory, error))?;
        let prefix = temporary_prefix(target);
        remove_leftovers(&directory, &prefix);
        for attempt in 0..1000_u32 {
            let temporary = directory.join(format!("{prefix}{}-{attempt}", std::process::id()));
            match OpenOptions::new()
                .read(true)
                .write(true)
                .create_new(true)
                .open(&temporary)
            {
                Ok(file) => {
                    // Until it is locked, another process can take it for a leftover and remove it. A file system
                    // without locks costs the clean-up of leftovers, nothing else.
                    let taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
                    if taken || !is_still(&temporary, &file) {
                        continue;
                    }
                    return Ok(Self {
                        target: target.to_owned(),
                        temporary,
                        file,
                        committed: false,
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(FileError::new("create", temporary, error)),
            }
        }
        Err(FileError::new(
            "create a temporary file beside",
            target,
            io::ErrorKind::AlreadyExists.into(),
        ))
    }

    /// Where the new content stands until it is committed.
    pub fn path(&self) -> &Path {
        &self.temporary
    }

    /// The open temporary file.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Makes the new content durable and puts it in the place of the target.
    ///
    /// # Errors
    /// When syncing or renaming fails; the target is then as it was.
    pub fn commit(mut self) -> Result<(), FileError> {
        self.file
            .sync_all()
            .map_err(|error| FileError::new("write", &self.target, error))?;
        fs::rename(&self.temporary, &self.target).map_err(|error| FileError::new("replace", &self.target, error))?;
        self.committed = true;
        sync_directory(&directory_of(&self.target))
    }

    /// Makes the new content durable and gives it the name of the target, if nothing has that name yet.
    ///
    /// # Errors
    /// When something is there ([`io::ErrorKind::AlreadyExists`]), which stays as it is; when syncing or renaming fails.
    pub fn commit_new(mut self) -> Result<(), FileError> {
        let fail = |error| FileError::new("create", &self.target, error);
        self.file.sync_all().map_err(fail)?;
        rename_new(&self.temporary, &self.target).map_err(fail)?;
        self.committed = true;
        sync_directory(&directory_of(&self.target))
    }

    /// Removes what killed processes left of their replacements of `target`.
    pub fn remove_left_beside(target: &Path) {
        remove_leftovers(&directory_of(target), &temporary_prefix(target));
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if !self.committed {
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

fn remove_leftovers(directory: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        if !entry.file_name().to_string_lossy().starts_with(prefix) {
            continue;
        }
        // A file that has its lock and its name still is nobody's: who made it is gone, or sees the lock and turns away.
        if let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
            && is_still(&entry.path(), &file)
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}
