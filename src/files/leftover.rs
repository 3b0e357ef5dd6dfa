//! Leftovers of killed processes, distinguished from everything else by name, owner and lock.

use super::{create_private, directory_of, is_mine, is_still, open_regular, temporary_prefix};
use std::ffi::OsStr;
use std::fs::{self, DirEntry, File, Metadata, TryLockError};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

/// The name of the content folder inside a temporary folder.
pub(super) const CONTENT: &str = "content";

/// The end of the prefix of names next to a target.
pub(super) const MARK: &str = ".opmx-";

/// The number of hexadecimal digits at the end of a name.
const DIGITS: usize = 16;

/// Returns a unique name: the prefix, the ID of this process and random digits.
pub(super) fn new_name(prefix: &str) -> String {
    let chance = RandomState::new().build_hasher().finish();
    format!("{prefix}{}-{chance:0DIGITS$x}", std::process::id())
}

/// Creates a private file in a folder, with a unique name that starts with the prefix. Locks the file, so that
/// [`remove`](crate::files::remove_leftovers) does not treat it as a leftover. The caller must remove the file.
///
/// # Errors
/// Returns an error if the file cannot be created.
pub(crate) fn create_temporary(folder: &Path, prefix: &str) -> io::Result<(PathBuf, File)> {
    create_locked(folder, prefix, create_private)
}

/// Like [`create_temporary`], but calls `create` to create the file.
pub(super) fn create_locked(
    folder: &Path,
    prefix: &str,
    create: impl Fn(&Path) -> io::Result<File>,
) -> io::Result<(PathBuf, File)> {
    for _ in 0..1000_u32 {
        let path = folder.join(new_name(prefix));
        let file = match create(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            created => created?,
        };
        if lock_new(&path, &file) {
            return Ok((path, file));
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Locks a file that was just created. Returns whether the file still exists: until it is locked, other processes can
/// treat it as a leftover and remove it.
pub(super) fn lock_new(path: &Path, file: &File) -> bool {
    // On a file system without locks, leftovers are never removed; everything else works.
    let taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
    !taken && is_still(path, file)
}

/// Returns the name of the marker file in a temporary folder, which is locked while the folder is in use. Only the name
/// matters, so the file is complete as soon as it exists.
pub(super) fn marker_of(process: &str) -> String {
    format!("opmx-{process}.lock")
}

/// Returns the process ID in a name that [`new_name`] created with this prefix.
pub(super) fn process_of<'name>(name: &'name str, prefix: &str) -> Option<&'name str> {
    let (process, digits) = name.strip_prefix(prefix)?.split_once('-')?;
    let is_process = process
        .parse::<u32>()
        .is_ok_and(|number| number > 0 && number.to_string() == process);
    let is_chance = digits.len() == DIGITS && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    (is_process && is_chance).then_some(process)
}

/// Returns whether a name is one that opmx gives to temporary files and folders next to their targets. They belong to a
/// running process, or a killed process has left them behind; in both cases their content may be incomplete.
pub(crate) fn is_temporary_name(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let prefix = name.rfind(MARK).and_then(|at| name.get(..at + MARK.len()));
    prefix.is_some_and(|prefix| prefix.starts_with('.') && process_of(&name, prefix).is_some())
}

/// Removes leftovers of killed processes next to `target`.
pub(crate) fn remove_beside(target: &Path) {
    remove(&directory_of(target), &temporary_prefix(target));
}

/// Removes the files and folders with this prefix that were created by processes that no longer exist. Everything that
/// might not be a leftover stays: entries with a different name or owner, links, pipes, and folders with content but
/// without the marker.
pub(crate) fn remove(folder: &Path, prefix: &str) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if let Some(process) = name.to_str().and_then(|name| process_of(name, prefix)) {
            remove_entry(&entry, process);
        }
    }
}

fn remove_entry(entry: &DirEntry, process: &str) {
    let path = entry.path();
    // The metadata of a link itself, not of its target.
    match entry.metadata() {
        Ok(metadata) if !is_mine(&metadata) => {}
        Ok(metadata) if metadata.is_file() => {
            let _ = if_dead(&path, || fs::remove_file(&path));
        }
        // The creator of an empty folder was killed right after creating it, or has only just created it. In the latter
        // case, the creator creates another folder.
        Ok(metadata) if metadata.is_dir() && fs::remove_dir(&path).is_err() => {
            let marker = path.join(marker_of(process));
            let is_marked = |metadata: Metadata| metadata.is_file() && is_mine(&metadata);
            if fs::symlink_metadata(&marker).is_ok_and(is_marked) {
                let _ = if_dead(&marker, || remove_folder(&path, &marker));
            }
        }
        _ => {}
    }
}

/// Removes a temporary folder. The marker is removed after the content, so that a second process can continue after an
/// interruption.
pub(super) fn remove_folder(folder: &Path, marker: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder.join(CONTENT)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::remove_file(marker)?;
    fs::remove_dir(folder)
}

/// Calls `remove` if a file can be locked and still has its name. In this case, its creator has exited, or sees the
/// lock and backs off.
fn if_dead<T>(path: &Path, remove: impl FnOnce() -> T) -> Option<T> {
    let file = open_regular(path).ok()?;
    (file.try_lock().is_ok() && is_still(path, &file)).then(remove)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_created_by_opmx_are_leftovers() {
        let prefix = ".index.db.opmx-";
        let made = new_name(prefix);
        assert_eq!(
            process_of(&made, prefix),
            Some(std::process::id().to_string().as_str()),
            "{made}"
        );
        assert_eq!(process_of(".index.db.opmx-1-0123456789abcdef", prefix), Some("1"));
        for name in [
            ".index.db.opmx-notes",
            ".index.db.opmx-1",
            ".index.db.opmx-1-0",
            ".index.db.opmx-2024-11-22",
            ".index.db.opmx-1-0123456789ABCDEF",
            ".index.db.opmx-1-0123456789abcdef.bak",
            ".index.db.opmx-0-0123456789abcdef",
            ".index.db.opmx-01-0123456789abcdef",
            ".index.db.opmx-+1-0123456789abcdef",
            ".index.db.opmx--0123456789abcdef",
            ".other.db.opmx-1-0123456789abcdef",
            "index.db.opmx-1-0123456789abcdef",
        ] {
            assert_eq!(process_of(name, prefix), None, "{name}");
        }
        assert!(is_temporary_name(made.as_ref()));
        for name in [".index.db.opmx-1", ".opmx-1-x", "a.opmx-1-0123456789abcdef", ".hidden"] {
            assert!(!is_temporary_name(name.as_ref()), "{name}");
        }
    }
}
