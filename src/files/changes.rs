//! Changes to the files of a folder, as plain values.

use super::{FileError, FolderChange, Replacement, finish_change, place, require_content};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

/// The content of a file before and after a change; `None` if the file does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The content before the change.
    pub before: Option<Vec<u8>>,
    /// The content after the change.
    pub after: Option<Vec<u8>>,
}

/// Makes all changes or none. The keys are paths inside the folder.
///
/// # Errors
/// Returns an error if the content of a file differs from [`FileChange::before`], or if an I/O operation fails.
pub(crate) fn write_changes(folder: &Path, files: &BTreeMap<String, FileChange>) -> Result<(), FileError> {
    if files.is_empty() {
        return finish_change(folder);
    }
    let mut change = FolderChange::new(folder)?;
    for (path, file) in files {
        let target = folder.join(path);
        match &file.before {
            Some(before) => require_content(&target, before)?,
            None if target.symlink_metadata().is_ok() => {
                let error = io::Error::other("it already exists");
                return Err(FileError::new("write", target, error));
            }
            None => {}
        }
        if file.after.is_none() {
            change.remove(path);
        }
    }
    let written = files.iter();
    let written = written.filter_map(|(path, file)| Some((path.as_str(), file.after.as_deref()?)));
    place(change.path(), written)?;
    change.commit()
}

/// Changes one existing file.
///
/// # Errors
/// Returns an error if the content of the file differs from [`FileChange::before`], or if an I/O operation fails.
pub(crate) fn write_change(path: &Path, change: &FileChange) -> Result<(), FileError> {
    let (Some(before), Some(after)) = (&change.before, &change.after) else {
        return Ok(());
    };
    // Replace the target of a link, not the link itself.
    let target = path
        .canonicalize()
        .map_err(|error| FileError::new("read", path, error))?;
    require_content(&target, before)?;
    let mut new = Replacement::new(&target)?;
    let written = new.file().write_all(after);
    written.map_err(|error| FileError::new("write", &target, error))?;
    new.commit()
}
