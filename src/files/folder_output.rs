//! Files that appear in a folder all at once, whether or not the folder exists.

use super::new_folder::is_empty_folder;
use super::{FileError, FolderChange, NewFolder, NewFolderError, directory_of};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Output to a new or empty folder, which appears only when it is complete, or to an existing folder, whose files all
/// change at once.
#[derive(Debug)]
pub(crate) enum FolderOutput {
    /// A folder prepared next to its target.
    New(NewFolder),
    /// A change prepared inside the folder.
    Change(FolderChange),
}

impl FolderOutput {
    /// Begins to write to `folder`. First finishes a change that a killed process left incomplete.
    ///
    /// # Errors
    /// Returns an error if an I/O operation fails, or an earlier change cannot be finished.
    pub(crate) fn new(folder: &Path) -> Result<Self, FileError> {
        if can_be_replaced(folder) {
            match NewFolder::new(folder) {
                Ok(new) => return Ok(Self::New(new)),
                // The folder is no longer empty, or is writable although its parent folder is not.
                Err(NewFolderError::Taken { .. }) => {}
                Err(NewFolderError::File(error)) if is_refusal(&error) && folder.is_dir() => {}
                Err(NewFolderError::File(error)) => return Err(error),
            }
        }
        Ok(Self::Change(FolderChange::new(folder)?))
    }

    /// Returns the folder in which the files must be created, laid out as in the target folder. The caller need not
    /// sync the files.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::New(new) => new.path(),
            Self::Change(change) => change.path(),
        }
    }

    /// Removes a file from an existing folder as part of the change.
    pub(crate) fn remove(&mut self, path: &str) {
        match self {
            Self::New(_) => {}
            Self::Change(change) => change.remove(path),
        }
    }

    /// Makes the files durable and moves them to their targets.
    ///
    /// # Errors
    /// Returns an error if [`NewFolder::commit`] or [`FolderChange::commit`] does.
    pub(crate) fn commit(self) -> Result<(), FileError> {
        match self {
            Self::Change(change) => change.commit(),
            Self::New(new) => new.commit().map_err(|error| match error {
                NewFolderError::File(error) => error,
                NewFolderError::Taken { directory } => {
                    let error = io::Error::other("another program has written to this path in the meantime");
                    FileError::new("write", directory, error)
                }
            }),
        }
    }
}

/// Writes files into a folder that is not yet visible; the code that publishes the folder syncs them. Each file is
/// specified with its path inside the folder.
///
/// # Errors
/// Returns an error if a folder or file cannot be written, or one of the files already exists.
pub(crate) fn place<'c>(folder: &Path, files: impl IntoIterator<Item = (&'c str, &'c [u8])>) -> Result<(), FileError> {
    let make = |folder: &Path| {
        fs::create_dir_all(folder).map_err(|error| FileError::new("create the directory", folder, error))
    };
    make(folder)?;
    let mut made = folder.to_owned();
    for (path, content) in files {
        let file = folder.join(path);
        if let Some(parent) = file.parent()
            && parent != made
        {
            make(parent)?;
            parent.clone_into(&mut made);
        }
        File::create_new(&file)
            .and_then(|mut created| created.write_all(content))
            .map_err(|error| FileError::new("write", &file, error))?;
    }
    Ok(())
}

/// Whether a new folder can replace `folder`: it must be absent, or be an empty folder that is not a link, the working
/// directory or a mount point.
fn can_be_replaced(folder: &Path) -> bool {
    match fs::symlink_metadata(folder) {
        Ok(metadata) => {
            metadata.is_dir()
                && folder.file_name().is_some()
                && is_empty_folder(folder)
                && !is_worked_in(folder)
                && !is_mounted(folder)
        }
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// Whether the folder is the working directory of this process, and thus probably of the shell that started it.
fn is_worked_in(folder: &Path) -> bool {
    match (fs::canonicalize("."), fs::canonicalize(folder)) {
        (Ok(here), Ok(folder)) => here.starts_with(folder),
        _ => true,
    }
}

#[cfg(unix)]
fn is_mounted(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let device = |path: &Path| fs::metadata(path).map(|metadata| metadata.dev()).ok();
    is_mount_root(folder) || device(folder) != device(&directory_of(folder))
}

#[cfg(not(unix))]
fn is_mounted(_: &Path) -> bool {
    false
}

/// Whether the folder is a mount point. This also detects mounts from the same file system, which the device number
/// does not show.
#[cfg(target_os = "linux")]
fn is_mount_root(folder: &Path) -> bool {
    use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags, statx};
    statx(CWD, folder, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::empty())
        .is_ok_and(|status| status.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
}

#[cfg(all(unix, not(target_os = "linux")))]
fn is_mount_root(_: &Path) -> bool {
    false
}

fn is_refusal(error: &FileError) -> bool {
    matches!(
        error.source.kind(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
    )
}
