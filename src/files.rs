//! Writing files so that a killed process leaves the old state: temporary file, sync, rename.
//!
//! A file is a [`Replacement`]. A folder is a [`NewFolder`] where none is yet, and a [`FolderChange`] where one stays;
//! [`FolderOutput`] is whichever of them fits.

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
pub(crate) use folder_change::{FolderChange, Pending, finish_change, finish_changes_above, pending_change};
pub(crate) use folder_output::{FolderOutput, place};
pub(crate) use leftover::{create_temporary, remove as remove_leftovers};
pub(crate) use lock::lock_within;
pub(crate) use new_folder::NewFolder;
pub use new_folder::NewFolderError;
pub(crate) use permissions::{create_private, create_private_folders};
pub(crate) use regular::{open_regular, require_regular};
pub(crate) use replacement::Replacement;
pub(crate) use sync::sync_directory;
pub(crate) use temporary::{TemporaryFolder, nameless_file, temporary_directory};

use rename::rename_new;
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use sync::sync_below;

/// A file operation that failed, with the path it was about.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}", path.display())]
pub struct FileError {
    /// What was tried, as in "cannot read".
    pub action: &'static str,
    /// The file or directory.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

impl FileError {
    /// Says which path `source` is about.
    pub(crate) fn new(action: &'static str, path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self {
            action,
            path: path.into(),
            source,
        }
    }
}

/// Tells whether a file is still what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
    inode: u64,
}

impl Stamp {
    /// How long the file was, in bytes.
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

/// Writes `content` to `target`, which then holds either the old bytes or all of the new ones.
///
/// # Errors
/// When the directory cannot be made or the file cannot be written; the target is then as it was.
pub(crate) fn write(target: &Path, content: &[u8]) -> Result<(), FileError> {
    prepare(target, content)?.commit()
}

/// Writes `content` beside `target` and makes it durable, so that nothing but a name is left to give.
///
/// # Errors
/// When the directory cannot be made or the file cannot be written.
pub(crate) fn prepare(target: &Path, content: &[u8]) -> Result<Replacement, FileError> {
    let mut replacement = Replacement::new(target)?;
    let file = replacement.file();
    file.write_all(content)
        .and_then(|()| file.sync_all())
        .map_err(|error| FileError::new("write", target, error))?;
    Ok(replacement)
}

/// Writes `content` to `target`, where nothing is yet; the file appears there when it is complete.
///
/// # Errors
/// When something is there, the directory cannot be made or the file cannot be written.
pub(crate) fn write_new(target: &Path, content: &[u8]) -> Result<(), FileError> {
    let mut replacement = Replacement::new(target)?;
    replacement
        .file()
        .write_all(content)
        .map_err(|error| FileError::new("create", target, error))?;
    replacement.commit_new()
}

/// Makes sure that a file is still what it was when it was read, before it is replaced.
///
/// # Errors
/// When it no longer holds `known`, is a link, or cannot be read.
pub(crate) fn require_content(target: &Path, known: &[u8]) -> Result<(), FileError> {
    let fail = |error| FileError::new("change", target, error);
    if !fs::symlink_metadata(target).map_err(fail)?.is_file() {
        return Err(fail(io::Error::other("it is no longer a file")));
    }
    if fs::read(target).map_err(fail)? != known {
        return Err(fail(io::Error::other("another program has changed it in the meantime")));
    }
    Ok(())
}

/// Where a path leads: a link is followed to its end, where a file may be or not. For an output that is named on the
/// command line, so that a link to it stays and the file behind it is replaced. A name that opmx chooses itself, or
/// finds in a folder, is replaced as it is: whoever made a link there must not choose what is written.
///
/// # Errors
/// When the links go in a circle.
pub(crate) fn behind_links(path: &Path) -> Result<PathBuf, FileError> {
    /// As many as Linux follows.
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

/// The folder that a path is in.
pub(crate) fn directory_of(target: &Path) -> PathBuf {
    match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Bytes of a file's name in that of a temporary one, which may not be longer than the system allows either.
const NAME: usize = 200;

/// How the names of temporary files and folders beside a target begin.
fn temporary_prefix(target: &Path) -> String {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let name = name.get(..name.floor_char_boundary(NAME)).unwrap_or_default();
    format!(".{name}.opmx-")
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

/// Whether a file belongs to the user that runs this process.
#[cfg(unix)]
fn is_mine(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(metadata) == rustix::process::geteuid().as_raw()
}

/// Elsewhere the folders for temporary files belong to one user.
#[cfg(not(unix))]
fn is_mine(_: &Metadata) -> bool {
    true
}

/// Elsewhere an open file keeps its name.
#[cfg(not(unix))]
fn same_file(_: &Metadata, _: &Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests;
