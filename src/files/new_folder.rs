//! A folder that is complete or absent.

use super::{FileError, TemporaryFolder, directory_of, sync_directory};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A folder that appears at its place when it is complete, or not at all.
#[derive(Debug)]
pub struct NewFolder {
    temporary: TemporaryFolder,
    target: PathBuf,
}

/// Why a folder cannot be made where it should be.
#[derive(Debug, thiserror::Error)]
pub enum NewFolderError {
    /// There is something of this name already.
    #[error("{} is there already, and not an empty folder", directory.display())]
    Taken {
        /// The folder.
        directory: PathBuf,
    },
    /// The system refused.
    #[error("{0}")]
    File(#[from] FileError),
}

impl NewFolder {
    /// Begins a folder that is to stand at `target`, where nothing is yet, or an empty folder.
    ///
    /// # Errors
    /// When something is there, or the system refuses.
    pub fn new(target: &Path) -> Result<Self, NewFolderError> {
        Self::require_free(target)?;
        let temporary = TemporaryFolder::beside(target)?;
        Ok(Self {
            temporary,
            target: target.to_owned(),
        })
    }

    /// Whether a new folder could begin.
    ///
    /// # Errors
    /// When something is there.
    pub fn require_free(target: &Path) -> Result<(), NewFolderError> {
        let there = fs::symlink_metadata(target).is_ok();
        let empty = || fs::read_dir(target).is_ok_and(|mut entries| entries.next().is_none());
        if there && !empty() {
            let directory = target.to_owned();
            return Err(NewFolderError::Taken { directory });
        }
        Ok(())
    }

    /// Where its content is put together. Nothing is there at first.
    pub fn path(&self) -> PathBuf {
        self.temporary.path().join("complete")
    }

    /// Puts the content into its place.
    ///
    /// # Errors
    /// When something is there by now, or the system refuses.
    pub fn commit(self) -> Result<(), NewFolderError> {
        fs::rename(self.path(), &self.target).map_err(|error| match error.kind() {
            io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotADirectory => NewFolderError::Taken {
                directory: self.target.clone(),
            },
            _ => FileError::new("create the directory", &self.target, error).into(),
        })?;
        Ok(sync_directory(&directory_of(&self.target))?)
    }
}
