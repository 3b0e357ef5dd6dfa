//! Makes written data durable.

use super::FileError;
use std::fs::File;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// The minimum number of files and folders for which syncing the whole file system is cheaper than syncing each entry.
/// For fewer entries, syncing each one avoids waiting until the data of other programs is written.
const MANY: usize = 32;

/// Makes the entries of a directory durable.
///
/// # Errors
/// Returns an error if the directory cannot be opened or synced.
pub(crate) fn sync_directory(directory: &Path) -> Result<(), FileError> {
    sync(directory)
}

/// Makes a folder and everything below it durable.
///
/// # Errors
/// Returns an error if an entry cannot be opened or synced.
pub(super) fn sync_below(folder: &Path) -> Result<(), FileError> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in WalkDir::new(folder) {
        let entry = entry.map_err(|error| {
            let path = error.path().unwrap_or(folder).to_owned();
            FileError::new("sync", path, error.into())
        })?;
        paths.push(entry.into_path());
        if paths.len() >= MANY && sync_file_system(folder)? {
            return Ok(());
        }
    }
    // Syncs the content of a folder before the folder.
    paths.iter().rev().try_for_each(|path| sync(path))
}

fn sync(path: &Path) -> Result<(), FileError> {
    File::open(path)
        .and_then(|file| file.sync_all())
        .map_err(|error| FileError::new("sync", path, error))
}

/// Syncs the file system of a folder. Returns whether the system supports this.
#[cfg(target_os = "linux")]
fn sync_file_system(folder: &Path) -> Result<bool, FileError> {
    let synced = File::open(folder).and_then(|folder| Ok(rustix::fs::syncfs(folder)?));
    synced
        .map(|()| true)
        .map_err(|error| FileError::new("sync", folder, error))
}

#[cfg(not(target_os = "linux"))]
fn sync_file_system(_: &Path) -> Result<bool, FileError> {
    Ok(false)
}
