//! A file outside a folder that changes together with the folder.

use super::entries::{digest, inode, metadata};
use crate::files::{FileError, Replacement, directory_of, leftover, sync_directory, temporary_prefix};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// The waiting file and the file that it replaces, as stored in the record of a change.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Outside {
    /// The absolute path of the target.
    target: OsString,
    /// The name of the complete file, which waits next to the target.
    waiting: String,
    /// The inode of the waiting file.
    inode: u64,
    /// The SHA-256 of the replaced file, in hexadecimal; `None` if no file is replaced.
    replaced: Option<String>,
}

impl Outside {
    /// Makes the new file and its name durable, so that only the move to the target remains.
    ///
    /// # Errors
    /// Returns an error if an I/O operation fails.
    pub(super) fn new(replacement: &Replacement) -> Result<Self, FileError> {
        replacement.finish()?;
        let (target, waiting) = (replacement.target(), replacement.path());
        sync_directory(&directory_of(target))?;
        Ok(Self {
            replaced: digest_at(target)?,
            target: std::path::absolute(target)
                .map_err(|error| FileError::new("replace", target, error))?
                .into_os_string(),
            inode: inode(&metadata(waiting)?),
            waiting: waiting.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        })
    }

    /// Moves the file to its target, if it is still waiting. If the file to be replaced has been changed in the
    /// meantime, it stays, and the new file is removed.
    ///
    /// # Errors
    /// Returns an error if an I/O operation fails.
    pub(super) fn place(&self) -> Result<(), FileError> {
        let target = Path::new(&self.target);
        let Some(waiting) = self.waiting(target) else {
            return Ok(());
        };
        let now = digest_at(target)?;
        let fail = |error| FileError::new("replace", target, error);
        if now.is_some() && now != self.replaced {
            return fs::remove_file(waiting).map_err(fail);
        }
        fs::rename(waiting, target).map_err(fail)?;
        sync_directory(&directory_of(target))
    }

    /// Returns the waiting file; `None` if the file has been moved, or is not a temporary file created for the target.
    fn waiting(&self, target: &Path) -> Option<PathBuf> {
        leftover::process_of(&self.waiting, &temporary_prefix(target))?;
        let waiting = directory_of(target).join(&self.waiting);
        let is_ours = |waiting: Metadata| waiting.is_file() && inode(&waiting) == self.inode;
        let is_ours = fs::symlink_metadata(&waiting).is_ok_and(is_ours);
        is_ours.then_some(waiting)
    }
}

/// Returns the digest of the file at a path, if the file exists.
fn digest_at(path: &Path) -> Result<Option<String>, FileError> {
    match digest(path) {
        Ok(digest) => Ok(Some(digest)),
        Err(error) if error.source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
