//! Writes files so that a killed process leaves either the old state or the complete new state. New content goes to a
//! temporary file, which is synced and then renamed.
//!
//! `Replacement` writes a file. `NewFolder` writes a folder that does not exist yet, and `FolderChange` writes to an
//! existing folder; `FolderOutput` chooses between these two.

mod changes;
mod folder_change;
mod folder_output;
mod leftover;
mod lock;
mod new_folder;
mod permissions;
mod regular;
mod rename;
mod replacement;
mod sync;
mod temporary;

pub use changes::FileChange;
pub(crate) use changes::{write_change, write_changes};
pub(crate) use folder_change::pending::{Pending, pending_change, pending_changes};
pub(crate) use folder_change::{FolderChange, finish_change, finish_changes_above};
pub(crate) use folder_output::{FolderOutput, place};
pub(crate) use leftover::{
    create_temporary, is_temporary_name, remove as remove_leftovers, remove_beside as remove_leftovers_beside,
};
pub(crate) use lock::{lock_within, open_locked};
pub(crate) use new_folder::NewFolder;
pub use new_folder::NewFolderError;
pub(crate) use permissions::{create_private, create_private_folders};
pub(crate) use regular::{open_or_create, open_regular, open_to_change, require_regular};
pub(crate) use replacement::Replacement;
pub(crate) use sync::sync_directory;
pub(crate) use temporary::{TemporaryFolder, is_temporary, nameless_file, temporary_directory};

use rename::rename_new;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use sync::sync_below;

/// A failed file operation, with its path.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}", path.display())]
pub struct FileError {
    /// The attempted action, as in "cannot read".
    pub action: &'static str,
    /// The file or directory.
    pub path: PathBuf,
    /// The error from the system.
    pub source: io::Error,
}

impl FileError {
    /// Creates an error about `path`.
    pub(crate) fn new(action: &'static str, path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self {
            action,
            path: path.into(),
            source,
        }
    }
}

/// The state of a file, for detecting changes to the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
    inode: u64,
}

impl Stamp {
    /// Returns the length of the file in bytes.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }
}

impl From<&Metadata> for Stamp {
    fn from(metadata: &Metadata) -> Self {
        Self {
            length: metadata.len(),
            modified: metadata.modified().ok(),
            #[cfg(unix)]
            inode: std::os::unix::fs::MetadataExt::ino(metadata),
            #[cfg(not(unix))]
            inode: 0,
        }
    }
}

/// Reads a whole file of at most `limit` bytes.
///
/// # Errors
/// Returns an error if the file cannot be read, is not a regular file, or is larger than `limit`.
pub(crate) fn read_small(path: &Path, limit: usize) -> Result<Vec<u8>, FileError> {
    open_regular(path)
        .and_then(|file| read_at_most(file, limit as u64))
        .map_err(|error| FileError::new("read", path, error))
}

/// Reads content of at most `limit` bytes to its end.
///
/// # Errors
/// Returns an error if the content cannot be read, or is larger than `limit`.
pub(crate) fn read_at_most(content: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    content.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::other(format!("the content is larger than {limit} bytes")));
    }
    Ok(bytes)
}

/// Writes `content` to `target`. At any time, `target` contains either the old bytes or all of the new bytes.
///
/// # Errors
/// Returns an error if the directory cannot be created or the file cannot be written. After an error, `target` is
/// unchanged, except if the directory could not be synced: then `target` already has the new content.
pub(crate) fn write(target: &Path, content: &[u8]) -> Result<(), FileError> {
    prepare(target, content)?.commit()
}

/// Writes `content` next to `target` and makes it durable, so that only the move to the target remains.
///
/// # Errors
/// Returns an error if the directory cannot be created or the file cannot be written.
pub(crate) fn prepare(target: &Path, content: &[u8]) -> Result<Replacement, FileError> {
    let mut replacement = Replacement::new(target)?;
    let file = replacement.file();
    file.write_all(content)
        .and_then(|()| file.sync_all())
        .map_err(|error| FileError::new("write", target, error))?;
    Ok(replacement)
}

/// Writes `content` to `target`, which must not exist yet. The file appears there when it is complete.
///
/// # Errors
/// Returns an error if `target` already exists, or if the directory cannot be created or the file cannot be written.
pub(crate) fn write_new(target: &Path, content: &[u8]) -> Result<(), FileError> {
    let mut replacement = Replacement::new(target)?;
    replacement
        .file()
        .write_all(content)
        .map_err(|error| FileError::new("create", target, error))?;
    replacement.commit_new()
}

/// Checks that a file still has the content that was read, before the file is replaced.
///
/// # Errors
/// Returns an error if the file no longer contains `known`, is a link, or cannot be read.
pub(crate) fn require_content(target: &Path, known: &[u8]) -> Result<(), FileError> {
    let fail = |error| FileError::new("change", target, error);
    if !fs::symlink_metadata(target).map_err(fail)?.is_file() {
        return Err(fail(io::Error::other("the path is no longer a regular file")));
    }
    if fs::read(target).map_err(fail)? != known {
        return Err(fail(io::Error::other(
            "another program has changed the file in the meantime; try again",
        )));
    }
    Ok(())
}

/// Follows the links at a path to their end, where a file may or may not exist. Use this for an output that is named on
/// the command line: if the path is a link, the link stays, and the file behind it is replaced. A name that opmx
/// chooses itself, or finds in a folder, is replaced without following links, because a link created by an attacker
/// must not determine which file is written.
///
/// # Errors
/// Returns an error if the links form a cycle.
pub(crate) fn behind_links(path: &Path) -> Result<PathBuf, FileError> {
    /// The maximum number of links that Linux follows.
    const MOST_LINKS: usize = 40;
    let mut end = path.to_owned();
    for _ in 0..=MOST_LINKS {
        match fs::read_link(&end) {
            Ok(next) => end = directory_of(&end).join(next),
            Err(_) => return Ok(end),
        }
    }
    let error = io::Error::other("too many levels of symbolic links");
    Err(FileError::new("replace", path, error))
}

/// Like [`behind_links`], for an option with the default `usual`. A link with the default name is not followed, because
/// it may be unintended.
///
/// # Errors
/// Returns an error if the links form a cycle.
pub(crate) fn behind_links_unless(usual: &str, path: &Path) -> Result<PathBuf, FileError> {
    if path == Path::new(usual) {
        return Ok(path.to_owned());
    }
    behind_links(path)
}

/// Returns the folder that contains a path.
pub(crate) fn directory_of(target: &Path) -> PathBuf {
    match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// The name of a temporary file contains at most this many bytes of the name of its target. Longer names could exceed
/// the limit of the system.
const NAME: usize = 200;

/// Returns the prefix of the names of temporary files and folders next to a target.
fn temporary_prefix(target: &Path) -> String {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let name = name.get(..name.floor_char_boundary(NAME)).unwrap_or_default();
    format!(".{name}{}", leftover::MARK)
}

/// Whether the path still leads to the open file.
fn is_still(path: &Path, file: &File) -> bool {
    match (fs::symlink_metadata(path), file.metadata()) {
        (Ok(named), Ok(open)) => same_file(&named, &open),
        _ => false,
    }
}

#[cfg(unix)]
fn same_file(left: &Metadata, right: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (left.dev(), left.ino()) == (right.dev(), right.ino())
}

/// Whether a file belongs to the user who runs this process.
#[cfg(unix)]
fn is_mine(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(metadata) == rustix::process::geteuid().as_raw()
}

/// On other systems, the folders for temporary files belong to one user.
#[cfg(not(unix))]
fn is_mine(_: &Metadata) -> bool {
    true
}

/// On other systems, an open file keeps its name.
#[cfg(not(unix))]
fn same_file(_: &Metadata, _: &Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests;
