//! Folders for temporary files.

use super::{FileError, directory_of, is_still, temporary_prefix};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

const FOLDER_PREFIX: &str = "opmx-index-";

/// A folder for temporary files with names, where files without a name will not do.
///
/// It goes with the value. A process that is killed leaves it behind; the next one that makes such a folder removes it.
#[derive(Debug)]
pub struct TemporaryFolder {
    path: PathBuf,
    // Locked for as long as the folder is in use.
    _folder: File,
}

impl TemporaryFolder {
    /// A new folder in the directory of the system for temporary files, which nobody else may enter.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new() -> Result<Self, FileError> {
        Self::within(&std::env::temp_dir(), FOLDER_PREFIX)
    }

    /// A new folder on the file system of `target`, whose folder is made where it is absent.
    ///
    /// # Errors
    /// When one of the two folders cannot be made.
    pub fn beside(target: &Path) -> Result<Self, FileError> {
        let directory = directory_of(target);
        fs::create_dir_all(&directory).map_err(|error| FileError::new("create the directory", &directory, error))?;
        Self::within(&directory, &temporary_prefix(target))
    }

    fn within(directory: &Path, prefix: &str) -> Result<Self, FileError> {
        remove_left_folders(directory, prefix);
        let fail = |error| FileError::new("create a folder in", directory, error);
        for _ in 0..1000_u32 {
            let folder = tempfile::Builder::new().prefix(prefix).tempdir_in(directory);
            let path = folder.map_err(fail)?.keep();
            // As for a replacement: until it is locked, another process can take it for a leftover.
            match File::open(&path) {
                Ok(folder)
                    if !matches!(folder.try_lock(), Err(TryLockError::WouldBlock)) && is_still(&path, &folder) =>
                {
                    return Ok(Self { path, _folder: folder });
                }
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(fail(error)),
                _ => {}
            }
        }
        Err(fail(io::ErrorKind::AlreadyExists.into()))
    }

    /// Removes what killed processes left of their folders beside `target`.
    pub fn remove_left_beside(target: &Path) {
        remove_left_folders(&directory_of(target), &temporary_prefix(target));
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn remove_left_folders(directory: &Path, prefix: &str) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(prefix)
            && entry.file_type().is_ok_and(|kind| kind.is_dir());
        if ours
            && let Ok(folder) = File::open(entry.path())
            && folder.try_lock().is_ok()
            && is_still(&entry.path(), &folder)
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::names;
    use super::*;

    #[test]
    fn folders_of_a_dead_process_go_and_those_in_use_stay() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["opmx-index-dead", "somebody-elses"] {
            fs::create_dir(directory.path().join(name)).unwrap();
            fs::write(directory.path().join(name).join("index.db"), "half").unwrap();
        }
        std::os::unix::fs::symlink("somebody-elses", directory.path().join("opmx-index-link")).unwrap();
        let in_use = TemporaryFolder::within(directory.path(), FOLDER_PREFIX).unwrap();
        fs::write(in_use.path().join("index.db"), "").unwrap();
        let second = TemporaryFolder::within(directory.path(), FOLDER_PREFIX).unwrap();
        assert!(in_use.path().join("index.db").exists() && second.path().exists());
        drop((in_use, second));
        assert_eq!(names(directory.path()), ["opmx-index-link", "somebody-elses"]);
        assert!(directory.path().join("somebody-elses/index.db").exists());
    }
}
