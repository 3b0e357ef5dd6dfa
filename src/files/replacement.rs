//! A file that takes the place of another in one step.

use super::permissions::Legacy;
use super::{FileError, directory_of, leftover, rename_new, sync_directory, temporary_prefix};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// A new file beside its target, which takes the target's place in one step when it is complete.
///
/// It gets the mode of the file that it replaces, and its owner and group where the system allows it.
///
/// Dropped before [`Replacement::commit`], it vanishes. A process that is killed leaves it behind;
/// the next replacement of the same target removes it (the lock on it tells a dead one from one in use).
#[derive(Debug)]
pub(crate) struct Replacement {
    target: PathBuf,
    temporary: PathBuf,
    file: File,
    legacy: Legacy,
    committed: bool,
}

impl Replacement {
    /// Opens a temporary file beside `target`, making its directory where that is absent.
    ///
    /// # Errors
    /// When something else than a file stands there, or the directory or the file cannot be made.
    pub(crate) fn new(target: &Path) -> Result<Self, FileError> {
        let directory = directory_of(target);
        fs::create_dir_all(&directory).map_err(|error| FileError::new("create the directory", &directory, error))?;
        let legacy = Legacy::of(target).map_err(|error| FileError::new("replace", target, error))?;
        let prefix = temporary_prefix(target);
        leftover::remove(&directory, &prefix);
        let (temporary, file) = leftover::create_locked(&directory, &prefix, |path| legacy.create(path))
            .map_err(|error| FileError::new(if legacy.is_any() { "replace" } else { "create" }, target, error))?;
        Ok(Self {
            target: target.to_owned(),
            temporary,
            file,
            legacy,
            committed: false,
        })
    }

    /// Where the new content stands until it is committed.
    pub(crate) fn path(&self) -> &Path {
        &self.temporary
    }

    /// What it takes the place of.
    pub(super) fn target(&self) -> &Path {
        &self.target
    }

    /// Leaves the new content where it stands: what counts says where it goes.
    pub(super) fn keep(&mut self) {
        self.committed = true;
    }

    /// The open temporary file.
    pub(crate) fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Makes the new content durable and puts it in the place of the target.
    ///
    /// # Errors
    /// When syncing or renaming fails; the target is then as it was.
    pub(crate) fn commit(mut self) -> Result<(), FileError> {
        self.finish()?;
        fs::rename(&self.temporary, &self.target).map_err(|error| FileError::new("replace", &self.target, error))?;
        self.committed = true;
        sync_directory(&directory_of(&self.target))
    }

    /// Makes the new content durable and gives it the name of the target, if nothing has that name yet.
    ///
    /// # Errors
    /// When something is there ([`AlreadyExists`](std::io::ErrorKind::AlreadyExists)), which stays as it is; when syncing or renaming fails.
    pub(crate) fn commit_new(mut self) -> Result<(), FileError> {
        self.finish()?;
        rename_new(&self.temporary, &self.target).map_err(|error| FileError::new("create", &self.target, error))?;
        self.committed = true;
        sync_directory(&directory_of(&self.target))
    }

    /// Removes what killed processes left beside `target`.
    pub(crate) fn remove_left_beside(target: &Path) {
        leftover::remove(&directory_of(target), &temporary_prefix(target));
    }

    /// Makes the new content durable, with the mode and the owner that it is to have.
    ///
    /// # Errors
    /// When the system refuses.
    pub(super) fn finish(&self) -> Result<(), FileError> {
        let finished = self.legacy.pass_on(&self.file).and_then(|()| self.file.sync_all());
        finished.map_err(|error| FileError::new("write", &self.target, error))
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if !self.committed {
            let _ = fs::remove_file(&self.temporary);
        }
    }
}
