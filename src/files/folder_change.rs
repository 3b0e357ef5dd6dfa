//! Files that change inside a folder that stays: all of them, or none.
//!
//! The new files are put together in a folder inside, `.changes.opmx-…`, laid out as they are to stand. Renamed to
//! `.opmx-changes`, they count: each then moves to its place, and the emptied folder goes. Where a process is killed
//! before the rename, nothing has changed; behind it, the next one that changes something here moves the rest first,
//! and who only reads takes the files that still wait for those that they are to replace.
//!
//! Files can go, too: the record says which, and what they held. For who only reads they are gone as soon as the change
//! counts.
//!
//! One file elsewhere can change with them: it waits beside its place, and the record says where.
//!
//! What lies in `.opmx-changes` is believed only where it was written: it names the inode of its folder, so that one
//! that came with an archive or a checkout is an ordinary folder. Its own paths are those of a walk, and no link is
//! followed; outside, it moves nothing but a temporary file, which it knows by its inode, to the name that the file was
//! made for. What somebody has changed in the meantime stays.

mod outside;

use super::permissions::Legacy;
use super::{
    FileError, Replacement, TemporaryFolder, lock_within, open_regular, sync_below, sync_directory, temporary_prefix,
};
use crate::causes::with_causes;
use outside::Outside;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::{self, DirEntry, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder of a change that counts.
const JOURNAL: &str = ".opmx-changes";
/// What the folders of changes that do not count yet are named after.
const STAGING: &str = "changes";
/// In both, the files as they are to stand.
const FILES: &str = "files";
/// In both, the [`Record`].
const RECORD: &str = "record.json";
const RECORD_LIMIT: u64 = 64 << 20;

/// How long to wait for another process that changes the same folder.
const LOCK_WAIT: Duration = Duration::from_secs(30);

/// What is to be known of a change before it is finished.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    /// The inode of the folder that holds this record.
    inode: u64,
    /// The SHA-256 of what each file holds that is replaced, in hexadecimal, by its path inside the folder.
    replaced: BTreeMap<String, String>,
    /// The same of each file that goes.
    #[serde(default)]
    removed: BTreeMap<String, String>,
    /// The file elsewhere that changes, too.
    #[serde(default)]
    outside: Option<Outside>,
}

/// New content for files of a folder, none of which is seen before all are complete.
#[derive(Debug)]
pub(crate) struct FolderChange {
    folder: PathBuf,
    temporary: TemporaryFolder,
    staging: PathBuf,
    files: PathBuf,
    removed: Vec<String>,
    // Goes after the temporary folder in it.
    _made: CreatedFolder,
}

/// A folder that was made for a change, and is removed if nothing has come into it.
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
    /// Begins a change of what is in `folder`, which is made where it is absent. A change that a killed process has
    /// left half done is finished first.
    ///
    /// # Errors
    /// When the folder cannot be written, or the change that was left cannot be finished.
    pub(crate) fn new(folder: &Path) -> Result<Self, FileError> {
        finish_change(folder)?;
        let is_absent = matches!(there(folder)?, There::Nothing);
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

    /// Lets a file of the folder go with the change; folders that are empty then go, too. The path is one inside the
    /// folder, of steps that lead down.
    pub(crate) fn remove(&mut self, path: &str) {
        self.removed.push(path.to_owned());
    }

    /// Where the new files are put together, under their paths inside the folder. Nothing in it needs to be synced.
    pub(crate) fn path(&self) -> &Path {
        &self.files
    }

    /// Makes the new files durable and puts them into their places. A file that is replaced hands its permissions on.
    ///
    /// # Errors
    /// When a folder or a link stands where a file goes, a folder cannot be written, or the system refuses; nothing has
    /// changed then. Where the system refuses to move a complete file, the next change of the folder moves it.
    pub(crate) fn commit(self) -> Result<(), FileError> {
        self.put(None)
    }

    /// As [`FolderChange::commit`], with a file elsewhere that changes together with those of the folder.
    ///
    /// # Errors
    /// As [`FolderChange::commit`], and when the file cannot take its place.
    pub(crate) fn commit_with(self, other: Replacement) -> Result<(), FileError> {
        self.put(Some(other))
    }

    fn put(self, mut other: Option<Replacement>) -> Result<(), FileError> {
        let _lock = lock(&self.folder)?;
        finish(&self.folder)?;
        let mut record = Record {
            inode: inode(&metadata(&self.staging)?),
            replaced: BTreeMap::new(),
            removed: BTreeMap::new(),
            outside: other.as_ref().map(Outside::new).transpose()?,
        };
        record.look(&self.files, &self.folder, "")?;
        record.look_at_removed(&self.removed, &self.folder)?;
        let path = self.staging.join(RECORD);
        let written = serde_json::to_vec(&record).map_err(io::Error::from);
        written
            .and_then(|content| fs::write(&path, content))
            .map_err(|error| FileError::new("write", &path, error))?;
        sync_below(&self.staging)?;
        let journal = self.folder.join(JOURNAL);
        fs::rename(&self.staging, &journal).map_err(|error| match error.kind() {
            io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotADirectory => {
                let error = io::Error::other(format!("{JOURNAL} in it was not made by opmx; remove it"));
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
    /// Looks at what the files in `staged` replace, before anything is replaced.
    fn look(&mut self, staged: &Path, target: &Path, relative: &str) -> Result<(), FileError> {
        require_writable(target)?;
        for entry in entries(staged)? {
            let (target, relative) = below(target, relative, &entry);
            let refuse = |what: &str| Err(FileError::new("replace", &target, io::Error::other(what)));
            match (kind(&entry)?, there(&target)?) {
                (_, There::Nothing) => {}
                (Kind::Folder, There::Folder) => self.look(&entry.path(), &target, &relative)?,
                (Kind::File, There::File) => {
                    self.replaced.insert(relative, digest(&target)?);
                    Legacy::of(&target)
                        .and_then(|legacy| legacy.pass_on(&File::open(entry.path())?))
                        .map_err(|error| FileError::new("write", entry.path(), error))?;
                }
                (Kind::Folder, _) => return refuse("it is not a folder, and a folder belongs there"),
                (_, There::Folder) => return refuse("it is a folder, and a file belongs there"),
                _ => return refuse("it is not a regular file"),
            }
        }
        Ok(())
    }

    /// Looks at the files that go.
    fn look_at_removed(&mut self, paths: &[String], folder: &Path) -> Result<(), FileError> {
        for path in paths {
            let target = folder.join(path);
            if !leads_to_file(folder, path)? {
                let error = io::Error::other("it is not a regular file");
                return Err(FileError::new("remove", target, error));
            }
            require_writable(target.parent().unwrap_or(folder))?;
            self.removed.insert(path.clone(), digest(&target)?);
        }
        Ok(())
    }

    /// The files that are still to go: those that hold what they held when it was decided.
    fn leaving(&self, folder: &Path) -> Result<Vec<&str>, FileError> {
        let mut leaving = Vec::new();
        for (path, before) in &self.removed {
            if leads_to_file(folder, path)? && *before == digest(&folder.join(path))? {
                leaving.push(path.as_str());
            }
        }
        Ok(leaving)
    }

    /// Removes the files that are to go, and the folders that are empty then.
    fn clear(&self, folder: &Path, changed: &mut Vec<PathBuf>) -> Result<(), FileError> {
        for path in self.leaving(folder)? {
            let target = folder.join(path);
            fs::remove_file(&target).map_err(|error| FileError::new("remove", &target, error))?;
            let mut parents = target.ancestors().skip(1).take_while(|parent| *parent != folder);
            let kept = parents.find(|parent| fs::remove_dir(parent).is_err());
            changed.push(kept.unwrap_or(folder).to_owned());
        }
        Ok(())
    }

    /// Whether a file still waits to be moved to its place, where there is what was to be replaced.
    fn awaits(&self, relative: &str, target: &Path) -> Result<bool, FileError> {
        Ok(match there(target)? {
            There::Nothing => true,
            There::File => match self.replaced.get(relative) {
                Some(before) => *before == digest(target)?,
                None => false,
            },
            There::Folder | There::Other => false,
        })
    }

    /// Moves what is in `staged` to its place, and collects the folders that change by it.
    fn place(&self, staged: &Path, target: &Path, relative: &str, changed: &mut Vec<PathBuf>) -> Result<(), FileError> {
        let mut moved = false;
        for entry in entries(staged)? {
            let (to, relative) = below(target, relative, &entry);
            let moves = match (kind(&entry)?, there(&to)?) {
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

    /// The files in `staged` that still wait.
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
                Kind::Folder if !matches!(there(&target)?, There::File | There::Other) => {
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

/// Finishes a change of `folder` that a killed process has left half done, and removes what others have left of theirs,
/// inside and beside it.
///
/// # Errors
/// When the change cannot be finished: another process is at it for too long, or the system refuses.
pub(crate) fn finish_change(folder: &Path) -> Result<(), FileError> {
    if fs::symlink_metadata(folder.join(JOURNAL)).is_ok() {
        let _lock = lock(folder)?;
        finish(folder)?;
    }
    TemporaryFolder::remove_left_beside(&folder.join(STAGING));
    // A process that made this very folder can have been killed before its temporary one was gone.
    TemporaryFolder::remove_left_beside(folder);
    Ok(())
}

/// The same for changes of the folders above `folder`, so many levels up: they may be about files in it.
///
/// # Errors
/// As [`finish_change`].
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

/// What waits in a folder to be moved to its place.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    files: BTreeMap<String, PathBuf>,
    leaving: BTreeSet<String>,
    is_ours: bool,
}

impl Pending {
    /// The files whose content counts already, by their paths inside the folder, with the places where they wait. One
    /// that is gone from there has been moved meanwhile.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, &Path)> {
        self.files
            .iter()
            .map(|(path, staged)| (path.as_str(), staged.as_path()))
    }

    /// Whether other content waits for the file at this path inside the folder.
    pub(crate) fn replaces(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// Where a file stands, or is to stand, inside the folder of the change.
    pub(crate) fn inside<'p>(folder: &Path, file: &'p Path) -> Option<&'p Path> {
        let inside = file.strip_prefix(folder).ok()?;
        Some(inside.strip_prefix(Path::new(JOURNAL).join(FILES)).unwrap_or(inside))
    }

    /// Whether the file at this path inside the folder is to go, and counts no longer.
    pub(crate) fn removes(&self, path: &str) -> bool {
        self.leaving.contains(path)
    }

    /// Whether what the folder holds under this name belongs to a change and is none of its content.
    pub(crate) fn hides(&self, name: &OsStr) -> bool {
        let staging = temporary_prefix(Path::new(STAGING));
        self.is_ours && name == JOURNAL || name.to_string_lossy().starts_with(&staging)
    }
}

/// What waits in `folder`, for those who only read it.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn pending_change(folder: &Path) -> Result<Pending, FileError> {
    let journal = folder.join(JOURNAL);
    let Some(record) = record_of(&journal)? else {
        return Ok(Pending::default());
    };
    let mut files = BTreeMap::new();
    let pending = record.pending(&journal.join(FILES), folder, "", &mut files);
    match pending.and_then(|()| record.leaving(folder)) {
        // It was finished while this looked at it.
        Err(error) if error.source.kind() == io::ErrorKind::NotFound => Ok(Pending::default()),
        leaving => Ok(Pending {
            files,
            leaving: leaving?.into_iter().map(str::to_owned).collect(),
            is_ours: true,
        }),
    }
}

/// As [`finish_change`], for who has the lock.
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

/// Moves the files of a change that counts to their places; its folder goes with the temporary one.
fn settle(journal: &Path, folder: &Path, record: &Record, temporary: &TemporaryFolder) -> Result<(), FileError> {
    let mut changed = Vec::new();
    let placed = record.place(&journal.join(FILES), folder, "", &mut changed);
    let placed = placed.and_then(|()| record.outside.iter().try_for_each(Outside::place));
    let placed = placed.and_then(|()| record.clear(folder, &mut changed));
    placed.map_err(|error| unfinished(journal, &error))?;
    // Those that have gone are remembered by the folder above.
    changed.retain(|folder| folder.is_dir());
    changed.iter().try_for_each(|folder| sync_directory(folder))?;
    let done = temporary.path().join("complete");
    fs::rename(journal, done).map_err(|error| FileError::new("remove", journal, error))
}

fn unfinished(journal: &Path, error: &FileError) -> FileError {
    let message = format!(
        "{}; the files are complete there, and the next command that changes the folder moves them",
        with_causes(error)
    );
    FileError::new(
        "finish the change in",
        journal,
        io::Error::new(error.source.kind(), message),
    )
}

/// The record of a change that counts; none where there is no change, or something that was not made here.
fn record_of(journal: &Path) -> Result<Option<Record>, FileError> {
    let metadata = match fs::symlink_metadata(journal) {
        Ok(metadata) if metadata.is_dir() => metadata,
        Ok(_) => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(FileError::new("read", journal, error)),
    };
    let path = journal.join(RECORD);
    let mut content = Vec::new();
    let read = open_regular(&path).and_then(|file| file.take(RECORD_LIMIT).read_to_end(&mut content));
    match read {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            return Err(FileError::new("read", path, error));
        }
        Err(_) => return Ok(None),
    }
    let record: Option<Record> = serde_json::from_slice(&content).ok();
    let is_folder = fs::symlink_metadata(journal.join(FILES)).is_ok_and(|files| files.is_dir());
    Ok(record.filter(|record| is_folder && record.inode == inode(&metadata)))
}

/// Keeps other processes from changing the folder, until what is returned goes.
fn lock(folder: &Path) -> Result<File, FileError> {
    let file = File::open(folder).map_err(|error| FileError::new("open", folder, error))?;
    if lock_within(&file, LOCK_WAIT) {
        return Ok(file);
    }
    let error = io::Error::other("another process has been changing it for too long; try again");
    Err(FileError::new("change files in", folder, error))
}

enum Kind {
    File,
    Folder,
    Other,
}

enum There {
    Nothing,
    File,
    Folder,
    Other,
}

fn kind(entry: &DirEntry) -> Result<Kind, FileError> {
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

fn there(path: &Path) -> Result<There, FileError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => Ok(There::Folder),
        Ok(metadata) if metadata.is_file() => Ok(There::File),
        Ok(_) => Ok(There::Other),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(There::Nothing),
        Err(error) => Err(FileError::new("read", path, error)),
    }
}

fn entries(folder: &Path) -> Result<Vec<DirEntry>, FileError> {
    let fail = |error| FileError::new("read", folder, error);
    let mut entries: Vec<DirEntry> = fs::read_dir(folder).and_then(Iterator::collect).map_err(fail)?;
    entries.sort_by_key(DirEntry::file_name);
    Ok(entries)
}

/// Whether a path leads to a regular file, down from a folder and through no link.
fn leads_to_file(folder: &Path, path: &str) -> Result<bool, FileError> {
    let mut steps: Vec<&str> = path.split('/').collect();
    let plain = |step: &&str| !matches!(*step, "" | "." | "..");
    let (true, Some(name)) = (steps.iter().all(plain), steps.pop()) else {
        return Ok(false);
    };
    let mut place = folder.to_owned();
    for step in steps {
        place.push(step);
        if !matches!(there(&place)?, There::Folder) {
            return Ok(false);
        }
    }
    Ok(matches!(there(&place.join(name))?, There::File))
}

/// An entry's place in the target, and its path inside the folder.
fn below(target: &Path, relative: &str, entry: &DirEntry) -> (PathBuf, String) {
    let name = entry.file_name();
    let inside = match relative {
        "" => name.to_string_lossy().into_owned(),
        relative => format!("{relative}/{}", name.to_string_lossy()),
    };
    (target.join(name), inside)
}

fn metadata(path: &Path) -> Result<Metadata, FileError> {
    fs::symlink_metadata(path).map_err(|error| FileError::new("read", path, error))
}

fn digest(path: &Path) -> Result<String, FileError> {
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
fn inode(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> u64 {
    0
}

/// Whether files can be moved into a folder, asked before the first one is.
#[cfg(unix)]
fn require_writable(folder: &Path) -> Result<(), FileError> {
    use rustix::fs::{Access, access};
    access(folder, Access::WRITE_OK | Access::EXEC_OK).map_err(|error| FileError::new("write to", folder, error.into()))
}

#[cfg(not(unix))]
fn require_writable(_: &Path) -> Result<(), FileError> {
    Ok(())
}

#[cfg(test)]
mod tests;
