//! Changes to the files of a folder, as plain values.

use super::folder_change::lock;
use super::{FileError, FolderChange, Replacement, directory_of, finish_change, place, require_content};
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
    for (path, _) in files.iter().filter(|(_, file)| file.after.is_none()) {
        change.remove(path);
    }
    let written = files.iter();
    let written = written.filter_map(|(path, file)| Some((path.as_str(), file.after.as_deref()?)));
    place(change.path(), written)?;
    change.commit_if(|| {
        files
            .iter()
            .try_for_each(|(path, file)| require_before(&folder.join(path), file))
    })
}

/// Checks that a file is still as it was before the change.
fn require_before(target: &Path, change: &FileChange) -> Result<(), FileError> {
    match &change.before {
        Some(before) => require_content(target, before),
        None if target.symlink_metadata().is_ok() => {
            let error = io::Error::other("it already exists");
            Err(FileError::new("write", target, error))
        }
        None => Ok(()),
    }
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
    let _lock = lock(&directory_of(&target))?;
    require_content(&target, before)?;
    let mut new = Replacement::new(&target)?;
    let written = new.file().write_all(after);
    written.map_err(|error| FileError::new("write", &target, error))?;
    new.commit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::thread;

    /// Lets several writers make the same change at once, and returns how many of them succeed.
    fn succeed(write: impl Fn(&FileChange) -> Result<(), FileError> + Sync) -> usize {
        let writers = |number: u8| FileChange {
            before: Some(b"old".to_vec()),
            after: Some(vec![b'0' + number; 3]),
        };
        thread::scope(|scope| {
            let write = &write;
            let writers: Vec<_> = (0..4)
                .map(|number| scope.spawn(move || write(&writers(number))))
                .collect();
            let results = writers.into_iter().map(|writer| writer.join().unwrap());
            results.flatten().count()
        })
    }

    #[test]
    fn of_concurrent_changes_to_the_same_content_one_succeeds() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        for _ in 0..50 {
            fs::write(&file, "old").unwrap();
            let one =
                |change: &FileChange| write_changes(folder.path(), &BTreeMap::from([("a".to_owned(), change.clone())]));
            assert_eq!(succeed(one), 1);
            fs::write(&file, "old").unwrap();
            assert_eq!(succeed(|change| write_change(&file, change)), 1);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
