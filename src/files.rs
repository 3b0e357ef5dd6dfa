//! Writing files so that a killed process leaves the old state: temporary file, sync, rename.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A file operation that failed, with the path it was about.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}: {source}", path.display())]
pub struct FileError {
    /// What was tried, as in "cannot read".
    pub action: &'static str,
    /// The file or directory.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

impl FileError {
    /// Says which path `source` is about.
    pub fn new(action: &'static str, path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self {
            action,
            path: path.into(),
            source,
        }
    }
}

/// Tells whether a file is still what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
    inode: u64,
}

impl Stamp {
    /// How long the file was, in bytes.
    pub fn length(&self) -> u64 {
        self.length
    }
}

impl From<&Metadata> for Stamp {
    fn from(metadata: &Metadata) -> Self {
        Self {
            length: metadata.len(),
            modified: metadata.modified().ok(),
            #[cfg(unix)]
            inode: std::os::unix::fs::MetadataExt::ino(metadata),
            #[cfg(not(unix))]
            inode: 0,
        }
    }
}

/// A new file beside its target, which takes the target's place in one step when it is complete.
///
/// Dropped before [`Replacement::commit`], it vanishes. A process that is killed leaves it behind;
/// the next replacement of the same target removes it (the lock on it tells a dead one from one in use).
#[derive(Debug)]
pub struct Replacement {
    target: PathBuf,
    temporary: PathBuf,
    file: File,
    committed: bool,
}

impl Replacement {
    /// Opens a temporary file beside `target`, making its directory where that is absent.
    ///
    /// # Errors
    /// When the directory or the file cannot be made.
    pub fn new(target: &Path) -> Result<Self, FileError> {
        let directory = directory_of(target);
        fs::create_dir_all(&directory).map_err(|error| FileError::new("create the directory", &directory, error))?;
        let prefix = temporary_prefix(target);
        remove_leftovers(&directory, &prefix);
        for attempt in 0..1000_u32 {
            let temporary = directory.join(format!("{prefix}{}-{attempt}", std::process::id()));
            match OpenOptions::new()
                .read(true)
                .write(true)
                .create_new(true)
                .open(&temporary)
            {
                Ok(file) => {
                    // Until it is locked, another process can take it for a leftover and remove it. A file system
                    // without locks costs the clean-up of leftovers, nothing else.
                    let taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
                    if taken || !is_still(&temporary, &file) {
                        continue;
                    }
                    return Ok(Self {
                        target: target.to_owned(),
                        temporary,
                        file,
                        committed: false,
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(FileError::new("create", temporary, error)),
            }
        }
        Err(FileError::new(
            "create a temporary file beside",
            target,
            io::ErrorKind::AlreadyExists.into(),
        ))
    }

    /// Where the new content stands until it is committed.
    pub fn path(&self) -> &Path {
        &self.temporary
    }

    /// The open temporary file.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Makes the new content durable and puts it in the place of the target.
    ///
    /// # Errors
    /// When syncing or renaming fails; the target is then as it was.
    pub fn commit(mut self) -> Result<(), FileError> {
        self.file
            .sync_all()
            .map_err(|error| FileError::new("write", &self.target, error))?;
        fs::rename(&self.temporary, &self.target).map_err(|error| FileError::new("replace", &self.target, error))?;
        self.committed = true;
        sync_directory(&directory_of(&self.target))
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if !self.committed {
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

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

/// A folder that appears at its place when it is complete, or not at all.
#[derive(Debug)]
pub struct NewFolder {
    temporary: TemporaryFolder,
    target: PathBuf,
}

/// Why a folder cannot be made where it should be.
#[derive(Debug, thiserror::Error)]
pub enum NewFolderError {
    /// There is something of this name already.
    #[error("{} is there already, and not an empty folder", directory.display())]
    Taken {
        /// The folder.
        directory: PathBuf,
    },
    /// The system refused.
    #[error("{0}")]
    File(#[from] FileError),
}

impl NewFolder {
    /// Begins a folder that is to stand at `target`, where nothing is yet, or an empty folder.
    ///
    /// # Errors
    /// When something is there, or the system refuses.
    pub fn new(target: &Path) -> Result<Self, NewFolderError> {
        Self::require_free(target)?;
        let temporary = TemporaryFolder::beside(target)?;
        Ok(Self {
            temporary,
            target: target.to_owned(),
        })
    }

    /// Whether a new folder could begin.
    ///
    /// # Errors
    /// When something is there.
    pub fn require_free(target: &Path) -> Result<(), NewFolderError> {
        let there = fs::symlink_metadata(target).is_ok();
        let empty = || fs::read_dir(target).is_ok_and(|mut entries| entries.next().is_none());
        if there && !empty() {
            let directory = target.to_owned();
            return Err(NewFolderError::Taken { directory });
        }
        Ok(())
    }

    /// Where its content is put together. Nothing is there at first.
    pub fn path(&self) -> PathBuf {
        self.temporary.path().join("complete")
    }

    /// Puts the content into its place.
    ///
    /// # Errors
    /// When something is there by now, or the system refuses.
    pub fn commit(self) -> Result<(), NewFolderError> {
        fs::rename(self.path(), &self.target).map_err(|error| match error.kind() {
            io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotADirectory => NewFolderError::Taken {
                directory: self.target.clone(),
            },
            _ => FileError::new("create the directory", &self.target, error).into(),
        })?;
        Ok(sync_directory(&directory_of(&self.target))?)
    }
}

const FOLDER_PREFIX: &str = "opmx-index-";

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

/// Writes `content` to `target`, which then holds either the old bytes or all of the new ones.
///
/// # Errors
/// When the directory cannot be made or the file cannot be written; the target is then as it was.
pub fn write(target: &Path, content: &[u8]) -> Result<(), FileError> {
    let mut replacement = Replacement::new(target)?;
    replacement
        .file()
        .write_all(content)
        .map_err(|error| FileError::new("write", target, error))?;
    replacement.commit()
}

/// Writes `content` to `target`, where nothing is yet; the file appears there when it is complete.
///
/// # Errors
/// When something is there, the directory cannot be made or the file cannot be written.
pub fn write_new(target: &Path, content: &[u8]) -> Result<(), FileError> {
    let fail = |error| FileError::new("create", target, error);
    let mut replacement = Replacement::new(target)?;
    replacement.file().write_all(content).map_err(fail)?;
    replacement.file().sync_all().map_err(fail)?;
    // A second name is refused where something has the name already; renaming would replace it.
    match fs::hard_link(replacement.path(), target) {
        Ok(()) => sync_directory(&directory_of(target)),
        // Some file systems know no second names.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists && fs::symlink_metadata(target).is_err() => {
            replacement.commit()
        }
        Err(error) => Err(fail(error)),
    }
}

/// Makes `content` ready to take the place of what a file of the user holds, with its permissions. Nothing changes before
/// it is committed, so that several files can be made ready before the first one changes.
///
/// # Errors
/// When the file no longer holds `known`, is a link, or cannot be written beside.
pub fn rewriting(target: &Path, known: &[u8], content: &[u8]) -> Result<Replacement, FileError> {
    let fail = |error| FileError::new("change", target, error);
    let metadata = fs::symlink_metadata(target).map_err(fail)?;
    if !metadata.is_file() {
        return Err(fail(io::Error::other("it is no longer a file")));
    }
    if fs::read(target).map_err(fail)? != known {
        return Err(fail(io::Error::other("somebody else has changed it meanwhile")));
    }
    let mut replacement = Replacement::new(target)?;
    replacement
        .file()
        .write_all(content)
        .and_then(|()| replacement.file().set_permissions(metadata.permissions()))
        .map_err(fail)?;
    Ok(replacement)
}

/// Makes the entries of a directory durable.
///
/// # Errors
/// When the directory cannot be opened or synced.
pub fn sync_directory(directory: &Path) -> Result<(), FileError> {
    File::open(directory)
        .and_then(|directory| directory.sync_all())
        .map_err(|error| FileError::new("sync", directory, error))
}

/// The folder that a path is in.
fn directory_of(target: &Path) -> PathBuf {
    match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn temporary_prefix(target: &Path) -> String {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    format!(".{name}.opmx-")
}

fn remove_leftovers(directory: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        if !entry.file_name().to_string_lossy().starts_with(prefix) {
            continue;
        }
        // A file that has its lock and its name still is nobody's: who made it is gone, or sees the lock and turns away.
        if let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
            && is_still(&entry.path(), &file)
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether the path still leads to the open file.
fn is_still(path: &Path, file: &File) -> bool {
    match (fs::symlink_metadata(path), file.metadata()) {
        (Ok(named), Ok(open)) => same_file(&named, &open),
        _ => false,
    }
}

#[cfg(unix)]
fn same_file(left: &Metadata, right: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (left.dev(), left.ino()) == (right.dev(), right.ino())
}

/// Elsewhere an open file keeps its name.
#[cfg(not(unix))]
fn same_file(_: &Metadata, _: &Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_replacement_that_is_dropped_leaves_the_old_file() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("index.db");
        write(&target, b"old").unwrap();
        let mut replacement = Replacement::new(&target).unwrap();
        replacement.file().write_all(b"half").unwrap();
        drop(replacement);
        assert_eq!(fs::read(&target).unwrap(), b"old");
        assert_eq!(names(directory.path()), ["index.db"]);
    }

    #[test]
    fn a_new_file_replaces_none() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("a");
        write_new(&target, b"1").unwrap();
        assert!(write_new(&target, b"2").is_err());
        assert_eq!(fs::read(&target).unwrap(), b"1");
        assert_eq!(names(directory.path()), ["a"]);
    }

    #[test]
    fn replacements_that_are_made_at_once_keep_their_own_files() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("index.db");
        std::thread::scope(|scope| {
            for number in 0..4 {
                let target = &target;
                scope.spawn(move || {
                    for round in 0..200 {
                        let content = format!("{number} {round}");
                        let mut replacement = Replacement::new(target).unwrap();
                        replacement.file().write_all(content.as_bytes()).unwrap();
                        assert_eq!(fs::read_to_string(replacement.path()).unwrap(), content);
                        if round % 2 == 0 {
                            replacement.commit().unwrap();
                        }
                    }
                });
            }
        });
        assert_eq!(names(directory.path()), ["index.db"]);
    }

    #[test]
    fn a_rewritten_file_keeps_its_permissions_and_is_never_another_one() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let (target, link) = (directory.path().join("a.yaml"), directory.path().join("b.yaml"));
        fs::write(&target, "old").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink("a.yaml", &link).unwrap();
        let ready = rewriting(&target, b"old", b"new").unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "old");
        ready.commit().unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
        assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(rewriting(&target, b"old", b"other").is_err());
        assert!(rewriting(&link, b"new", b"other").is_err());
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
        assert_eq!(names(directory.path()), ["a.yaml", "b.yaml"]);
    }

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

    #[test]
    fn leftovers_of_a_dead_process_go_and_files_in_use_stay() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("index.db");
        fs::write(directory.path().join(".index.db.opmx-1-0"), "dead").unwrap();
        let in_use = Replacement::new(&target).unwrap();
        write(&target, b"new").unwrap();
        assert!(in_use.path().exists());
        assert_eq!(names(directory.path()).len(), 2);
        drop(in_use);
        assert_eq!(names(directory.path()), ["index.db"]);
    }
}
