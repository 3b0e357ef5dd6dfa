//! Files that come into a folder all together, whether it is there or not.

use super::new_folder::is_empty_folder;
use super::{FileError, FolderChange, NewFolder, NewFolderError, directory_of};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// A folder that is absent or empty and appears complete, or a folder that stays and whose files change together.
#[derive(Debug)]
pub(crate) enum FolderOutput {
    /// Put together beside its place.
    New(NewFolder),
    /// Put together inside.
    Change(FolderChange),
}

impl FolderOutput {
    /// Begins to write to `folder`. A change that a killed process has left half done is finished first.
    ///
    /// # Errors
    /// When the system refuses, or the change that was left cannot be finished.
    pub(crate) fn new(folder: &Path) -> Result<Self, FileError> {
        if can_be_replaced(folder) {
            match NewFolder::new(folder) {
                Ok(new) => return Ok(Self::New(new)),
                // Somebody has put something there, or one may write into the folder but not beside it.
                Err(NewFolderError::Taken { .. }) => {}
                Err(NewFolderError::File(error)) if is_refusal(&error) && folder.is_dir() => {}
                Err(NewFolderError::File(error)) => return Err(error),
            }
        }
        Ok(Self::Change(FolderChange::new(folder)?))
    }

    /// Where the files are put together, under their paths inside the folder. Nothing in it needs to be synced.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::New(new) => new.path(),
            Self::Change(change) => change.path(),
        }
    }

    /// Removes a file of the folder together with the change, where it stays.
    pub(crate) fn remove(&mut self, path: &str) {
        match self {
            Self::New(_) => {}
            Self::Change(change) => change.remove(path),
        }
    }

    /// Makes the files durable and puts them into their places.
    ///
    /// # Errors
    /// As [`NewFolder::commit`] and [`FolderChange::commit`].
    pub(crate) fn commit(self) -> Result<(), FileError> {
        match self {
            Self::Change(change) => change.commit(),
            Self::New(new) => new.commit().map_err(|error| match error {
                NewFolderError::File(error) => error,
                NewFolderError::Taken { directory } => {
                    let error = io::Error::other("another program has put something there in the meantime");
                    FileError::new("write", directory, error)
                }
            }),
        }
    }
}

/// Writes files into a folder that nobody else looks at yet: whoever publishes it syncs them. Each comes with its path
/// inside the folder.
///
/// # Errors
/// When a folder or file cannot be written, or one of the files is there already.
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

/// Whether another folder can take the place of `folder`: it is absent, or empty and neither a link, nor where somebody
/// works, nor where another file system begins.
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

/// Whether this process works in it, as the shell that began it then does.
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

/// Tells what the number of the device does not: a folder that is mounted from the same file system.
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
