//! A file that replaces an existing file in one step.

use super::permissions::InheritedAttributes;
use super::{FileError, directory_of, leftover, rename_new, sync_directory, temporary_prefix};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// A new file next to its target. It replaces the target in one step when it is complete.
///
/// The new file gets the mode of the file that it replaces, and its owner and group where the system allows this.
///
/// If a replacement is dropped before [`Replacement::commit`], its file is removed. A killed process leaves the file
/// behind; the next replacement of the same target removes it, unless its lock shows that it is still in use.
#[derive(Debug)]
pub(crate) struct Replacement {
    target: PathBuf,
    temporary: PathBuf,
    file: File,
    inherited: InheritedAttributes,
    committed: bool,
}

impl Replacement {
    /// Creates a temporary file next to `target`, and the parent directory if absent.
    ///
    /// # Errors
    /// Returns an error if `target` exists and is not a file, or if the directory or the file cannot be created.
    pub(crate) fn new(target: &Path) -> Result<Self, FileError> {
        let directory = directory_of(target);
        fs::create_dir_all(&directory).map_err(|error| FileError::new("create the directory", &directory, error))?;
        let inherited = InheritedAttributes::of(target).map_err(|error| FileError::new("replace", target, error))?;
        let prefix = temporary_prefix(target);
        leftover::remove(&directory, &prefix);
        let (temporary, file) = leftover::create_locked(&directory, &prefix, |path| inherited.create(path))
            .map_err(|error| FileError::new(if inherited.exists() { "replace" } else { "create" }, target, error))?;
        Ok(Self {
            target: target.to_owned(),
            temporary,
            file,
            inherited,
            committed: false,
        })
    }

    /// Returns the path of the temporary file that contains the new content.
    pub(crate) fn path(&self) -> &Path {
        &self.temporary
    }

    /// Returns the path of the target.
    pub(super) fn target(&self) -> &Path {
        &self.target
    }

    /// Keeps the temporary file when this value is dropped, because the record of a change now refers to it.
    pub(super) fn keep(&mut self) {
        self.committed = true;
    }

    /// Returns the open temporary file.
    pub(crate) fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Makes the new content durable and moves it to the target.
    ///
    /// # Errors
    /// Returns an error if syncing or renaming fails. The target is unchanged, unless only syncing its directory
    /// failed.
    pub(crate) fn commit(mut self) -> Result<(), FileError> {
        self.finish()?;
        fs::rename(&self.temporary, &self.target).map_err(|error| FileError::new("replace", &self.target, error))?;
        self.committed = true;
        sync_directory(&directory_of(&self.target))
    }

    /// Makes the new content durable and moves it to the target, unless the target already exists.
    ///
    /// # Errors
    /// Returns an error if the target already exists ([`AlreadyExists`](std::io::ErrorKind::AlreadyExists)), in which
    /// case it stays unchanged, or if syncing or renaming fails.
    pub(crate) fn commit_new(mut self) -> Result<(), FileError> {
        self.finish()?;
        rename_new(&self.temporary, &self.target).map_err(|error| FileError::new("create", &self.target, error))?;
        self.committed = true;
        sync_directory(&directory_of(&self.target))
    }

    /// Makes the new content durable, with its final mode and owner.
    ///
    /// # Errors
    /// Returns an error if an I/O operation fails.
    pub(super) fn finish(&self) -> Result<(), FileError> {
        let finished = self.inherited.apply_to(&self.file).and_then(|()| self.file.sync_all());
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
