//! The entries of a folder that is being changed, and of the folders in which its new files wait. No link is followed.

use crate::files::{FileError, open_regular};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs::{self, DirEntry, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

pub(super) enum Kind {
    File,
    Folder,
    Other,
}

pub(super) enum There {
    Nothing,
    File,
    Folder,
    /// A description of anything else, such as `a named pipe`.
    Other(&'static str),
}

pub(super) fn kind(entry: &DirEntry) -> Result<Kind, FileError> {
    let kind = entry.file_type();
    let kind = kind.map_err(|error| FileError::new("read", entry.path(), error))?;
    Ok(if kind.is_dir() {
        Kind::Folder
    } else if kind.is_file() {
        Kind::File
    } else {
        Kind::Other
    })
}

pub(super) fn entry_at(path: &Path) -> Result<There, FileError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => Ok(There::Folder),
        Ok(metadata) if metadata.is_file() => Ok(There::File),
        Ok(metadata) if metadata.is_symlink() => Ok(There::Other("a symbolic link, which is not followed here")),
        Ok(_) => Ok(There::Other("a special file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(There::Nothing),
        Err(error) => Err(FileError::new("read", path, error)),
    }
}

pub(super) fn entries(folder: &Path) -> Result<Vec<DirEntry>, FileError> {
    let fail = |error| FileError::new("read", folder, error);
    let mut entries: Vec<DirEntry> = fs::read_dir(folder).and_then(Iterator::collect).map_err(fail)?;
    entries.sort_by_key(DirEntry::file_name);
    Ok(entries)
}

/// Whether a path leads down from a folder to a regular file without passing through a link.
pub(super) fn leads_to_file(folder: &Path, path: &str) -> Result<bool, FileError> {
    let folders = folders_above(folder, path)?;
    let is_whole = folders.len() == path.matches('/').count();
    Ok(is_whole && is_plain(path) && matches!(entry_at(&folder.join(path))?, There::File))
}

/// Returns the folders through which a path leads down from a folder, the topmost first, up to the first that does not
/// exist or is a link.
pub(super) fn folders_above(folder: &Path, path: &str) -> Result<Vec<PathBuf>, FileError> {
    let mut folders = Vec::new();
    if !is_plain(path) {
        return Ok(folders);
    }
    for (end, _) in path.match_indices('/') {
        let place = folder.join(&path[..end]);
        if !matches!(entry_at(&place)?, There::Folder) {
            break;
        }
        folders.push(place);
    }
    Ok(folders)
}

/// Whether a path only leads downwards.
fn is_plain(path: &str) -> bool {
    path.split('/').all(|step| !matches!(step, "" | "." | ".."))
}

/// Returns the target of an entry, and its path inside the folder.
pub(super) fn below(target: &Path, relative: &str, entry: &DirEntry) -> (PathBuf, String) {
    let name = entry.file_name();
    let inside = match relative {
        "" => name.to_string_lossy().into_owned(),
        relative => format!("{relative}/{}", name.to_string_lossy()),
    };
    (target.join(name), inside)
}

pub(super) fn metadata(path: &Path) -> Result<Metadata, FileError> {
    fs::symlink_metadata(path).map_err(|error| FileError::new("read", path, error))
}

pub(super) fn digest(path: &Path) -> Result<String, FileError> {
    let fail = |error| FileError::new("read", path, error);
    let mut file = open_regular(path).map_err(fail)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        let read = file.read(&mut buffer).map_err(fail)?;
        match buffer.get(..read) {
            Some(bytes) if !bytes.is_empty() => hasher.update(bytes),
            _ => break,
        }
    }
    let mut text = String::new();
    for byte in hasher.finalize() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}

#[cfg(unix)]
pub(super) fn inode(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
pub(super) fn inode(_: &Metadata) -> u64 {
    0
}

/// Checks that files can be moved into a folder, before the first file is moved.
#[cfg(unix)]
pub(super) fn require_writable(folder: &Path) -> Result<(), FileError> {
    use rustix::fs::{Access, access};
    access(folder, Access::WRITE_OK | Access::EXEC_OK).map_err(|error| FileError::new("write to", folder, error.into()))
}

#[cfg(not(unix))]
pub(super) fn require_writable(_: &Path) -> Result<(), FileError> {
    Ok(())
}
