//! A folder that is complete or absent.

use super::{FileError, TemporaryFolder, directory_of, sync_below, sync_directory};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A folder that appears at its place when it is complete, or not at all.
#[derive(Debug)]
pub(crate) struct NewFolder {
    temporary: TemporaryFolder,
    content: PathBuf,
    target: PathBuf,
}

/// Why a folder cannot be made where it should be.
#[derive(Debug, thiserror::Error)]
pub enum NewFolderError {
    /// There is something of this name already.
    #[error("{} already exists and is not an empty folder", directory.display())]
    Taken {
        /// The folder.
        directory: PathBuf,
    },
    /// The system refused.
    #[error(transparent)]
    File(#[from] FileError),
}

impl NewFolder {
    /// Begins a folder that is to stand at `target`, where nothing is yet, or an empty folder.
    ///
    /// # Errors
    /// When something is there, or the system refuses.
    pub(crate) fn new(target: &Path) -> Result<Self, NewFolderError> {
        if let Err(taken) = Self::require_free(target) {
            // A process that was killed can have left its empty folder when it had done its work.
            TemporaryFolder::remove_left_beside(target);
            return Err(taken);
        }
        let temporary = TemporaryFolder::beside(target)?;
        let content = temporary.path().join("complete");
        fs::create_dir(&content).map_err(|error| FileError::new("create the directory", &content, error))?;
        Ok(Self {
            temporary,
            content,
            target: target.to_owned(),
        })
    }

    /// Whether a new folder could begin.
    ///
    /// # Errors
    /// When something is there.
    pub(crate) fn require_free(target: &Path) -> Result<(), NewFolderError> {
        let there = fs::symlink_metadata(target).is_ok();
        if there && !is_empty_folder(target) {
            let directory = target.to_owned();
            return Err(NewFolderError::Taken { directory });
        }
        Ok(())
    }

    /// Where its content is put together. The folder is empty at first; nothing in it needs to be synced.
    pub(crate) fn path(&self) -> &Path {
        &self.content
    }

    /// Makes the content durable and puts it into its place. An empty folder there hands its permissions on.
    ///
    /// # Errors
    /// When something is there by now, or the system refuses.
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

/// Whether there is a folder, or a link to one, with nothing in it.
pub(super) fn is_empty_folder(path: &Path) -> bool {
    fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}
