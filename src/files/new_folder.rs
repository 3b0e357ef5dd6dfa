//! A folder that is complete or absent.

use super::{
    FileError, TemporaryFolder, behind_links, directory_of, remove_leftovers_beside, sync_below, sync_directory,
};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A folder that appears at its target when complete, or not at all.
#[derive(Debug)]
pub(crate) struct NewFolder {
    temporary: TemporaryFolder,
    content: PathBuf,
    target: PathBuf,
}

/// An error while creating a folder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NewFolderError {
    /// Something with this name already exists.
    #[error("{} already exists and is not an empty folder", directory.display())]
    Taken {
        /// The folder.
        directory: PathBuf,
    },
    /// A file operation failed.
    #[error(transparent)]
    File(#[from] FileError),
}

impl NewFolder {
    /// Begins a folder for `target`, which must be absent or an empty folder, or a link to either. A link stays.
    ///
    /// # Errors
    /// Returns an error if `target` already exists and is not an empty folder, or if an I/O operation fails.
    pub(crate) fn new(target: &Path) -> Result<Self, NewFolderError> {
        let target = behind_links(target)?;
        if let Err(taken) = Self::require_free(&target) {
            // A process that was killed just after it had created the target may have left its temporary folder behind.
            remove_leftovers_beside(&target);
            return Err(taken);
        }
        let temporary = TemporaryFolder::beside(&target)?;
        let content = temporary.path().join("complete");
        fs::create_dir(&content).map_err(|error| FileError::new("create the directory", &content, error))?;
        Ok(Self {
            temporary,
            content,
            target,
        })
    }

    /// Checks that `target` is absent or an empty folder.
    ///
    /// # Errors
    /// Returns an error if `target` already exists and is not an empty folder.
    pub(crate) fn require_free(target: &Path) -> Result<(), NewFolderError> {
        let there = fs::symlink_metadata(target).is_ok();
        if there && !is_empty_folder(target) {
            let directory = target.to_owned();
            return Err(NewFolderError::Taken { directory });
        }
        Ok(())
    }

    /// Returns the path of the folder for the content, which is empty at first. The caller need not sync the content.
    pub(crate) fn path(&self) -> &Path {
        &self.content
    }

    /// Makes the content durable and moves it to the target. If the target is an empty folder, its permissions are
    /// kept.
    ///
    /// # Errors
    /// Returns an error if the target has been created in the meantime, or if an I/O operation fails.
    pub(crate) fn commit(self) -> Result<(), NewFolderError> {
        let Self {
            temporary,
            content,
            target,
        } = self;
        let fail = |error| FileError::new("create the directory", &target, error);
        if let Ok(before) = fs::metadata(&target) {
            fs::set_permissions(&content, before.permissions()).map_err(fail)?;
        }
        sync_below(&content)?;
        fs::rename(&content, &target).map_err(|error| match error.kind() {
            io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotADirectory => NewFolderError::Taken {
                directory: target.clone(),
            },
            _ => fail(error).into(),
        })?;
        drop(temporary);
        Ok(sync_directory(&directory_of(&target))?)
    }
}

/// Whether the path leads to an empty folder, possibly through a link.
pub(super) fn is_empty_folder(path: &Path) -> bool {
    fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}
