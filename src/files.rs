//! Writing files so that a killed process leaves the old state: temporary file, sync, rename.

mod new_folder;
mod regular;
mod replacement;
mod temporary;

pub use new_folder::{NewFolder, NewFolderError};
pub use regular::{open_regular, require_regular};
pub use replacement::Replacement;
pub use temporary::TemporaryFolder;

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A file operation that failed, with the path it was about.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}: {source}", path.display())]
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
    pub fn new(action: &'static str, path: impl Into<PathBuf>, source: io::Error) -> Self {
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
    pub fn length(&self) -> u64 {
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
pub fn write(target: &Path, content: &[u8]) -> Result<(), FileError> {
    let mut replacement = Replacement::new(target)?;
    replacement
        .file()
        .write_all(content)
        .map_err(|error| FileError::new("write", target, error))?;
    replacement.commit()
}

/// Writes `content` to `target`, where nothing is yet; the file appears there when it is complete.
///
/// # Errors
/// When something is there, the directory cannot be made or the file cannot be written.
pub fn write_new(target: &Path, content: &[u8]) -> Result<(), FileError> {
    let fail = |error| FileError::new("create", target, error);
    let mut replacement = Replacement::new(target)?;
    replacement.file().write_all(content).map_err(fail)?;
    replacement.file().sync_all().map_err(fail)?;
    // A second name is refused where something has the name already; renaming would replace it.
    match fs::hard_link(replacement.path(), target) {
        Ok(()) => sync_directory(&directory_of(target)),
        // Some file systems know no second names.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists && fs::symlink_metadata(target).is_err() => {
            replacement.commit()
        }
        Err(error) => Err(fail(error)),
    }
}

/// Makes `content` ready to take the place of what a file of the user holds, with its permissions. Nothing changes before
/// it is committed, so that several files can be made ready before the first one changes.
///
/// # Errors
/// When the file no longer holds `known`, is a link, or cannot be written beside.
pub fn rewriting(target: &Path, known: &[u8], content: &[u8]) -> Result<Replacement, FileError> {
    let fail = |error| FileError::new("change", target, error);
    let metadata = fs::symlink_metadata(target).map_err(fail)?;
    if !metadata.is_file() {
        return Err(fail(io::Error::other("it is no longer a file")));
    }
    if fs::read(target).map_err(fail)? != known {
        return Err(fail(io::Error::other("somebody else has changed it meanwhile")));
    }
    let mut replacement = Replacement::new(target)?;
    replacement
        .file()
        .write_all(content)
        .and_then(|()| replacement.file().set_permissions(metadata.permissions()))
        .map_err(fail)?;
    Ok(replacement)
}

/// Makes the entries of a directory durable.
///
/// # Errors
/// When the directory cannot be opened or synced.
pub fn sync_directory(directory: &Path) -> Result<(), FileError> {
    File::open(directory)
        .and_then(|directory| directory.sync_all())
        .map_err(|error| FileError::new("sync", directory, error))
}

/// The folder that a path is in.
fn directory_of(target: &Path) -> PathBuf {
    match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn temporary_prefix(target: &Path) -> String {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
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

/// Elsewhere an open file keeps its name.
#[cfg(not(unix))]
fn same_file(_: &Metadata, _: &Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests;
