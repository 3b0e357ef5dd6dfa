//! A file in another folder that changes together with a folder.

use super::{digest, inode, metadata};
use crate::files::{FileError, Replacement, directory_of, leftover, sync_directory, temporary_prefix};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// Where the new file waits and what it replaces, as a journal knows it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Outside {
    /// The whole path of its place.
    target: OsString,
    /// The name beside it under which it waits, complete.
    waiting: String,
    /// The inode of the file that waits.
    inode: u64,
    /// The SHA-256 of what is replaced, in hexadecimal; none where nothing is there.
    replaced: Option<String>,
}

impl Outside {
    /// Makes the new file durable, name and all, so that only its place is left to be taken.
    ///
    /// # Errors
    /// When the system refuses.
    pub(super) fn new(replacement: &Replacement) -> Result<Self, FileError> {
        replacement.finish()?;
        let (target, waiting) = (replacement.target(), replacement.path());
        sync_directory(&directory_of(target))?;
        Ok(Self {
            replaced: there(target)?,
            target: std::path::absolute(target)
                .map_err(|error| FileError::new("replace", target, error))?
                .into_os_string(),
            inode: inode(&metadata(waiting)?),
            waiting: waiting.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        })
    }

    /// Moves the file to its place, where it still waits. Where somebody has changed what it was to replace, that stays
    /// and the file goes.
    ///
    /// # Errors
    /// When the system refuses.
    pub(super) fn place(&self) -> Result<(), FileError> {
        let target = Path::new(&self.target);
        let Some(waiting) = self.waiting(target) else {
            return Ok(());
        };
        let now = there(target)?;
        let fail = |error| FileError::new("replace", target, error);
        if now.is_some() && now != self.replaced {
            return fs::remove_file(waiting).map_err(fail);
        }
        fs::rename(waiting, target).map_err(fail)?;
        sync_directory(&directory_of(target))
    }

    /// The file that waits; none where it has been moved, or is not a temporary file that was made for the target.
    fn waiting(&self, target: &Path) -> Option<PathBuf> {
        leftover::process_of(&self.waiting, &temporary_prefix(target))?;
        let waiting = directory_of(target).join(&self.waiting);
        let is_ours = |waiting: Metadata| waiting.is_file() && inode(&waiting) == self.inode;
        let is_ours = fs::symlink_metadata(&waiting).is_ok_and(is_ours);
        is_ours.then_some(waiting)
    }
}

/// The digest of the file at a path, if there is one.
fn there(path: &Path) -> Result<Option<String>, FileError> {
    match digest(path) {
        Ok(digest) => Ok(Some(digest)),
        Err(error) if error.source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
