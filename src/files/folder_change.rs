//! Changes to several files in an existing folder: all of them take effect, or none.
//!
//! The new files are prepared in a subfolder, `.changes.opmx-…`, laid out like their targets. When this subfolder is
//! renamed to `.opmx-changes`, the change takes effect; each file then moves to its target, and the emptied subfolder
//! is removed. If a process is killed before the rename, nothing has changed. If a process is killed after the rename,
//! the next process that changes the folder first moves the remaining files. Until then, a process that only reads uses
//! the waiting files instead of the files that they replace.
//!
//! Files can also be removed: a record in the subfolder lists these files with the digests of their content. Readers
//! ignore the listed files as soon as the change takes effect.
//!
//! One file outside the folder can be part of the change: it waits next to its target, which the record names.
//!
//! `.opmx-changes` is trusted only where it was written: the record contains the inode of `.opmx-changes`, so that a
//! copy from an archive or a checkout has no effect. The paths of its files come from walking the folder, and no link
//! is followed. Outside the folder, the change moves only a temporary file, identified by its inode, to the name for
//! which the file was created. Target files that another program has changed in the meantime are left unchanged.

mod entries;
mod outside;
pub(super) mod pending;

use super::permissions::InheritedAttributes;
use super::{
    FileError, Replacement, TemporaryFolder, lock_within, read_small, remove_leftovers_beside, sync_below,
    sync_directory,
};
use crate::causes::with_causes;
use entries::{
    Kind, There, below, digest, entries, entry_at, folders_above, inode, kind, leads_to_file, metadata,
    require_writable,
};
use outside::Outside;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder of a change that has taken effect.
const JOURNAL: &str = ".opmx-changes";
/// The base name of the folders of changes that have not yet taken effect.
const STAGING: &str = "changes";
/// The folder of the new files in `JOURNAL` and `STAGING` folders, laid out like their targets.
const FILES: &str = "files";
/// The file with the [`Record`] in `JOURNAL` and `STAGING` folders.
const RECORD: &str = "record.json";
/// The maximum size of a record in bytes.
const RECORD_LIMIT: usize = 64 << 20;

/// The maximum time to wait for a process that is changing the same folder.
const LOCK_WAIT: Duration = Duration::from_secs(30);

/// The data required to finish a change.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    /// The inode of the folder that contains this record.
    inode: u64,
    /// The SHA-256 of the content of each replaced file, in hexadecimal, by its path inside the folder.
    replaced: BTreeMap<String, String>,
    /// The SHA-256 of the content of each removed file, in hexadecimal, by its path inside the folder.
    #[serde(default)]
    removed: BTreeMap<String, String>,
    /// The file outside the folder that also changes.
    #[serde(default)]
    outside: Option<Outside>,
}

/// New content for files in a folder. It becomes visible only when all files are complete.
#[derive(Debug)]
pub(crate) struct FolderChange {
    folder: PathBuf,
    temporary: TemporaryFolder,
    staging: PathBuf,
    files: PathBuf,
    removed: Vec<String>,
    // Dropped after `temporary`, which is inside this folder.
    _made: CreatedFolder,
}

/// A folder that was created for a change. It is removed when dropped, if it is still empty.
#[derive(Debug)]
struct CreatedFolder(Option<PathBuf>);

impl Drop for CreatedFolder {
    fn drop(&mut self) {
        if let Some(folder) = &self.0 {
            let _ = fs::remove_dir(folder);
        }
    }
}

impl FolderChange {
    /// Begins a change in `folder`, which is created if absent. First finishes a change that a killed process left
    /// incomplete.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be written, or an earlier change cannot be finished.
    pub(crate) fn new(folder: &Path) -> Result<Self, FileError> {
        finish_change(folder)?;
        let is_absent = matches!(entry_at(folder)?, There::Nothing);
        let made = CreatedFolder(is_absent.then(|| folder.to_owned()));
        let temporary = TemporaryFolder::beside(&folder.join(STAGING))?;
        let staging = temporary.path().join("complete");
        let files = staging.join(FILES);
        fs::create_dir_all(&files).map_err(|error| FileError::new("create the directory", &files, error))?;
        Ok(Self {
            folder: folder.to_owned(),
            temporary,
            staging,
            files,
            removed: Vec::new(),
            _made: made,
        })
    }

    /// Removes a file from the folder as part of the change, and removes folders that become empty. `path` is relative
    /// to the folder and must not lead out of it.
    pub(crate) fn remove(&mut self, path: &str) {
        self.removed.push(path.to_owned());
    }

    /// Returns the folder in which the new files must be created, laid out as in the target folder. The caller need not
    /// sync the files.
    pub(crate) fn path(&self) -> &Path {
        &self.files
    }

    /// Makes the new files durable and moves them to their targets. Each new file gets the permissions of the file that
    /// it replaces.
    ///
    /// # Errors
    /// Returns an error, and changes nothing, if a target is a folder or a link, if a folder cannot be written, or if
    /// an I/O operation fails. If only the move of a complete file fails, the next change to the folder moves the file.
    pub(crate) fn commit(self) -> Result<(), FileError> {
        self.put(None, || Ok(()))
    }

    /// Like [`FolderChange::commit`], but only if `check` succeeds while no other process can change the folder.
    ///
    /// # Errors
    /// Returns an error if [`FolderChange::commit`] or `check` does.
    pub(crate) fn commit_if(self, check: impl FnOnce() -> Result<(), FileError>) -> Result<(), FileError> {
        self.put(None, check)
    }

    /// Like [`FolderChange::commit`], but also changes a file outside the folder.
    ///
    /// # Errors
    /// Returns an error if [`FolderChange::commit`] does, or if the file outside the folder cannot be moved to its
    /// target.
    pub(crate) fn commit_with(self, other: Replacement) -> Result<(), FileError> {
        self.put(Some(other), || Ok(()))
    }

    fn put(
        self,
        mut other: Option<Replacement>,
        check: impl FnOnce() -> Result<(), FileError>,
    ) -> Result<(), FileError> {
        let _lock = lock(&self.folder)?;
        finish(&self.folder)?;
        check()?;
        let mut record = Record {
            inode: inode(&metadata(&self.staging)?),
            replaced: BTreeMap::new(),
            removed: BTreeMap::new(),
            outside: other.as_ref().map(Outside::new).transpose()?,
        };
        record.look(&self.files, &self.folder, "")?;
        record.look_at_removed(&self.removed, &self.folder)?;
        let path = self.staging.join(RECORD);
        record
            .write(&path)
            .map_err(|error| FileError::new("write", &path, error))?;
        sync_below(&self.staging)?;
        let journal = self.folder.join(JOURNAL);
        fs::rename(&self.staging, &journal).map_err(|error| match error.kind() {
            io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotADirectory => {
                let error = io::Error::other(format!(
                    "{JOURNAL} in this folder was not created by opmx; move it away"
                ));
                FileError::new("change files in", &self.folder, error)
            }
            _ => FileError::new("change files in", &self.folder, error),
        })?;
        if let Some(other) = &mut other {
            other.keep();
        }
        sync_directory(&self.folder)?;
        settle(&journal, &self.folder, &record, &self.temporary)
    }
}

impl Record {
    fn write(&self, path: &Path) -> io::Result<()> {
        let content = serde_json::to_vec(self)?;
        // A larger record could not be read after the change has taken effect.
        if content.len() > RECORD_LIMIT {
            return Err(io::Error::other(
                "the change has too many files; make several smaller changes",
            ));
        }
        fs::write(path, content)
    }

    /// Examines the targets of the files in `staged` before any file is replaced.
    fn look(&mut self, staged: &Path, target: &Path, relative: &str) -> Result<(), FileError> {
        require_writable(target)?;
        for entry in entries(staged)? {
            let (target, relative) = below(target, relative, &entry);
            let refuse = |expected: &str, found: &str| {
                let error = io::Error::other(format!("expected {expected}, but found {found}"));
                Err(FileError::new("replace", &target, error))
            };
            let staged = kind(&entry)?;
            let expected = match staged {
                Kind::Folder => "a folder",
                Kind::File | Kind::Other => "a file",
            };
            match (staged, entry_at(&target)?) {
                (_, There::Nothing) => {}
                (Kind::Folder, There::Folder) => self.look(&entry.path(), &target, &relative)?,
                (Kind::File, There::File) => {
                    self.replaced.insert(relative, digest(&target)?);
                    InheritedAttributes::of(&target)
                        .and_then(|inherited| inherited.apply_to(&File::open(entry.path())?))
                        .map_err(|error| FileError::new("write", entry.path(), error))?;
                }
                (_, There::File) => return refuse(expected, "a file"),
                (_, There::Folder) => return refuse(expected, "a folder"),
                (_, There::Other(found)) => return refuse(expected, found),
            }
        }
        Ok(())
    }

    /// Examines the files to remove.
    fn look_at_removed(&mut self, paths: &[String], folder: &Path) -> Result<(), FileError> {
        for path in paths {
            let target = folder.join(path);
            if !leads_to_file(folder, path)? {
                let error = match entry_at(&target)? {
                    There::Nothing => "it does not exist".to_owned(),
                    There::File => {
                        "its folder is reached through a symbolic link, which is not followed here".to_owned()
                    }
                    There::Folder => "expected a file, but found a folder".to_owned(),
                    There::Other(found) => format!("expected a file, but found {found}"),
                };
                return Err(FileError::new("remove", target, io::Error::other(error)));
            }
            require_writable(target.parent().unwrap_or(folder))?;
            self.removed.insert(path.clone(), digest(&target)?);
        }
        Ok(())
    }

    /// Returns the files that still have to be removed: those whose content matches the record.
    fn leaving(&self, folder: &Path) -> Result<Vec<&str>, FileError> {
        let mut leaving = Vec::new();
        for (path, before) in &self.removed {
            if leads_to_file(folder, path)? && *before == digest(&folder.join(path))? {
                leaving.push(path.as_str());
            }
        }
        Ok(leaving)
    }

    /// Removes the files that still have to be removed, and the folders that become empty. The process that began the
    /// change may have removed a file, but not yet its folder.
    fn clear(&self, folder: &Path, changed: &mut Vec<PathBuf>) -> Result<(), FileError> {
        for path in self.leaving(folder)? {
            let target = folder.join(path);
            fs::remove_file(&target).map_err(|error| FileError::new("remove", &target, error))?;
            changed.extend(target.parent().map(Path::to_owned));
        }
        for path in self.removed.keys() {
            let mut parents = folders_above(folder, path)?;
            while let Some(parent) = parents.pop()
                && fs::remove_dir(&parent).is_ok()
            {
                changed.push(parents.last().map_or(folder, PathBuf::as_path).to_owned());
            }
        }
        Ok(())
    }

    /// Whether a file is still waiting to be moved to its target: the target is absent, or is the file to be replaced.
    fn awaits(&self, relative: &str, target: &Path) -> Result<bool, FileError> {
        Ok(match entry_at(target)? {
            There::Nothing => true,
            There::File => match self.replaced.get(relative) {
                Some(before) => *before == digest(target)?,
                None => false,
            },
            There::Folder | There::Other(_) => false,
        })
    }

    /// Moves the files in `staged` to their targets, and collects the folders that change.
    fn place(&self, staged: &Path, target: &Path, relative: &str, changed: &mut Vec<PathBuf>) -> Result<(), FileError> {
        let mut moved = false;
        for entry in entries(staged)? {
            let (to, relative) = below(target, relative, &entry);
            let moves = match (kind(&entry)?, entry_at(&to)?) {
                (Kind::Folder, There::Folder) => {
                    self.place(&entry.path(), &to, &relative, changed)?;
                    false
                }
                (Kind::Folder, There::Nothing) => true,
                (Kind::File, _) => self.awaits(&relative, &to)?,
                _ => false,
            };
            if moves {
                fs::rename(entry.path(), &to).map_err(|error| FileError::new("replace", &to, error))?;
                moved = true;
            }
        }
        if moved {
            changed.push(target.to_owned());
        }
        Ok(())
    }

    /// Collects the files in `staged` that are still waiting to be moved to their targets.
    fn pending(
        &self,
        staged: &Path,
        target: &Path,
        relative: &str,
        files: &mut BTreeMap<String, PathBuf>,
    ) -> Result<(), FileError> {
        for entry in entries(staged)? {
            let (target, relative) = below(target, relative, &entry);
            match kind(&entry)? {
                Kind::Folder if !matches!(entry_at(&target)?, There::File | There::Other(_)) => {
                    self.pending(&entry.path(), &target, &relative, files)?;
                }
                Kind::File if self.awaits(&relative, &target)? => {
                    files.insert(relative, entry.path());
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Finishes a change to `folder` that a killed process left incomplete, and removes leftovers of other processes inside
/// and next to the folder.
///
/// # Errors
/// Returns an error if the change cannot be finished, because another process holds the lock for too long or an I/O
/// operation fails.
pub(crate) fn finish_change(folder: &Path) -> Result<(), FileError> {
    if fs::symlink_metadata(folder.join(JOURNAL)).is_ok() {
        let _lock = lock(folder)?;
        finish(folder)?;
    }
    remove_leftovers_beside(&folder.join(STAGING));
    // A killed process may have created this folder and left its temporary folder next to it.
    remove_leftovers_beside(folder);
    Ok(())
}

/// Finishes the changes to up to `levels` folders above `folder`. These changes may affect files in `folder`.
///
/// # Errors
/// Returns an error if [`finish_change`] does.
pub(crate) fn finish_changes_above(folder: &Path, levels: usize) -> Result<(), FileError> {
    let Ok(real) = folder.canonicalize() else {
        return Ok(());
    };
    for above in real.ancestors().skip(1).take(levels) {
        if fs::symlink_metadata(above.join(JOURNAL)).is_ok() {
            let _lock = lock(above)?;
            finish(above)?;
        }
    }
    Ok(())
}

/// Like [`finish_change`], for a caller that holds the lock.
fn finish(folder: &Path) -> Result<(), FileError> {
    let journal = folder.join(JOURNAL);
    match record_of(&journal)? {
        Some(record) => {
            let temporary = TemporaryFolder::beside(&folder.join(STAGING))?;
            settle(&journal, folder, &record, &temporary)
        }
        None => Ok(()),
    }
}

/// Finishes a change that has taken effect: moves its files to their targets, and its folder into `temporary`, which is
/// then removed.
fn settle(journal: &Path, folder: &Path, record: &Record, temporary: &TemporaryFolder) -> Result<(), FileError> {
    let mut changed = Vec::new();
    let placed = record.place(&journal.join(FILES), folder, "", &mut changed);
    let placed = placed.and_then(|()| record.outside.iter().try_for_each(Outside::place));
    let placed = placed.and_then(|()| record.clear(folder, &mut changed));
    placed.map_err(|error| unfinished(journal, &error))?;
    // A removed folder cannot be synced; its removal is recorded in its parent folder.
    changed.retain(|folder| folder.is_dir());
    changed.iter().try_for_each(|folder| sync_directory(folder))?;
    let done = temporary.path().join("complete");
    fs::rename(journal, done).map_err(|error| FileError::new("remove", journal, error))
}

fn unfinished(journal: &Path, error: &FileError) -> FileError {
    let message = format!(
        "{}; the new files are complete, and the next command that changes the folder moves them to their targets",
        with_causes(error)
    );
    FileError::new(
        "finish the change in",
        journal,
        io::Error::new(error.source.kind(), message),
    )
}

/// Returns the record of a change that has taken effect; `None` if there is no change, or if opmx did not create its
/// folder in this place.
fn record_of(journal: &Path) -> Result<Option<Record>, FileError> {
    let path = journal.join(RECORD);
    let is_complete = matches!(entry_at(journal)?, There::Folder)
        && matches!(entry_at(&path)?, There::File)
        && matches!(entry_at(&journal.join(FILES))?, There::Folder);
    if !is_complete {
        return Ok(None);
    }
    let read = || Ok::<_, FileError>((inode(&metadata(journal)?), read_small(&path, RECORD_LIMIT)?));
    match read() {
        Ok((found, content)) => {
            let record: Option<Record> = serde_json::from_slice(&content).ok();
            Ok(record.filter(|record| record.inode == found))
        }
        // Another process has finished the change in the meantime.
        Err(error) if error.source.kind() == io::ErrorKind::NotFound => Ok(None),
        // Other errors do not show that this is not a change of opmx.
        Err(error) => Err(error),
    }
}

/// Prevents other processes from changing the folder until the returned file is dropped.
pub(super) fn lock(folder: &Path) -> Result<File, FileError> {
    let file = File::open(folder).map_err(|error| FileError::new("open", folder, error))?;
    if lock_within(&file, LOCK_WAIT) {
        return Ok(file);
    }
    let error = io::Error::other("another process has been changing the folder for too long; try again");
    Err(FileError::new("change files in", folder, error))
}

#[cfg(test)]
mod tests;
