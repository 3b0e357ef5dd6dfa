//! Temporary files and folders.

use super::permissions::{create_private, create_private_folder};
use super::{FileError, directory_of, is_mine, leftover, temporary_prefix};
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// Returns the system directory for temporary files: `$TMPDIR`, or `/tmp`.
pub(crate) fn temporary_directory() -> PathBuf {
    std::env::temp_dir()
}

/// Returns whether a file is in a [`TemporaryFolder`] in the system directory for temporary files.
pub(crate) fn is_temporary(file: &Path) -> bool {
    file.starts_with(temporary_directory().join(users_folder()))
}

/// Creates an unnamed file in the directory for temporary files. The file is deleted when closed.
///
/// # Errors
/// Returns an error if the file cannot be created.
pub(crate) fn nameless_file() -> Result<File, FileError> {
    let fail = |error| FileError::new("create a temporary file in", temporary_directory(), error);
    tempfile::tempfile().map_err(fail)
}

/// A folder for temporary files that need names. Other users cannot enter the folder.
///
/// The folder is removed when dropped. A killed process leaves the folder behind; the next process that creates such a
/// folder removes the leftover.
#[derive(Debug)]
pub(crate) struct TemporaryFolder {
    folder: PathBuf,
    content: PathBuf,
    /// The file that is locked while the folder is in use; `None` if leftovers are never removed from the parent
    /// folder.
    marker: Option<(PathBuf, File)>,
    /// The enclosing folder, which is removed when empty.
    around: Option<PathBuf>,
}

impl TemporaryFolder {
    /// Creates a folder in the system directory for temporary files.
    ///
    /// The folder is inside a folder that belongs to this user alone. If another user has created that enclosing
    /// folder, opmx uses a folder with a random name instead. If the process is killed, the folder with the random name
    /// is never removed.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created.
    pub(crate) fn new() -> Result<Self, FileError> {
        let directory = temporary_directory();
        let made = Self::of_user(&directory, &directory.join(users_folder()));
        made.map_err(|error| FileError::new("create a folder in", directory, error))
    }

    /// Creates a folder next to `target`, and thus on the same file system. The parent folder is created if absent.
    ///
    /// # Errors
    /// Returns an error if one of the two folders cannot be created.
    pub(crate) fn beside(target: &Path) -> Result<Self, FileError> {
        let directory = directory_of(target);
        fs::create_dir_all(&directory).map_err(|error| FileError::new("create the directory", &directory, error))?;
        let made = Self::within(&directory, &temporary_prefix(target));
        made.map_err(|error| FileError::new("create a folder in", directory, error))
    }

    fn of_user(directory: &Path, own: &Path) -> io::Result<Self> {
        for _ in 0..1000_u32 {
            match create_private_folder(own) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
            if fs::symlink_metadata(own).is_ok_and(|metadata| !is_private(&metadata)) {
                return Self::unshared(directory);
            }
            match Self::within(own, "") {
                // Another process has just removed the empty folder.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                made => {
                    let mut made = made?;
                    made.around = Some(own.to_owned());
                    return Ok(made);
                }
            }
        }
        Err(io::ErrorKind::NotFound.into())
    }

    fn unshared(directory: &Path) -> io::Result<Self> {
        let folder = directory.join(leftover::new_name("opmx-"));
        create_private_folder(&folder)?;
        Ok(Self {
            content: folder.clone(),
            folder,
            marker: None,
            around: None,
        })
    }

    fn within(directory: &Path, prefix: &str) -> io::Result<Self> {
        leftover::remove(directory, prefix);
        for _ in 0..1000_u32 {
            let folder = directory.join(leftover::new_name(prefix));
            match create_private_folder(&folder) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                made => made?,
            }
            if let Some(marker) = mark(&folder)? {
                let made = Self {
                    content: folder.join(leftover::CONTENT),
                    folder,
                    marker: Some(marker),
                    around: None,
                };
                create_private_folder(&made.content)?;
                return Ok(made);
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Returns the path of the folder.
    pub(crate) fn path(&self) -> &Path {
        &self.content
    }

    /// Creates an empty, private file in the folder. A file that replaces it is also private.
    ///
    /// # Errors
    /// Returns an error if the file cannot be created.
    pub(crate) fn file(&self, name: &str) -> Result<PathBuf, FileError> {
        let path = self.content.join(name);
        create_private(&path).map_err(|error| FileError::new("create", &path, error))?;
        Ok(path)
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = match &self.marker {
            Some((marker, _)) => leftover::remove_folder(&self.folder, marker),
            None => fs::remove_dir_all(&self.folder),
        };
        if let Some(around) = &self.around {
            let _ = fs::remove_dir(around);
        }
    }
}

/// Creates and locks the marker of a folder; `None` if the folder was removed as a leftover in the meantime.
fn mark(folder: &Path) -> io::Result<Option<(PathBuf, File)>> {
    let path = folder.join(leftover::marker_of(&std::process::id().to_string()));
    let file = match create_private(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            let _ = fs::remove_dir(folder);
            return Err(error);
        }
        Ok(file) => file,
    };
    Ok(leftover::lock_new(&path, &file).then_some((path, file)))
}

/// Returns the name of the folder that contains the temporary folders of this user.
#[cfg(unix)]
fn users_folder() -> String {
    format!("opmx-{}", rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn users_folder() -> String {
    "opmx".to_owned()
}

/// Whether this is a folder (not a link) that belongs to this user and that other users cannot enter.
#[cfg(unix)]
fn is_private(metadata: &Metadata) -> bool {
    metadata.is_dir() && is_mine(metadata) && std::os::unix::fs::MetadataExt::mode(metadata) & 0o777 == 0o700
}

#[cfg(not(unix))]
fn is_private(metadata: &Metadata) -> bool {
    metadata.is_dir() && is_mine(metadata)
}

#[cfg(test)]
mod tests {
    use super::super::tests::names;
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
    }

    /// Leaves a folder behind, as a killed process does.
    fn leave(made: TemporaryFolder) -> PathBuf {
        let left = made.folder.clone();
        let (_, lock) = std::mem::ManuallyDrop::new(made).marker.take().unwrap();
        drop(lock);
        left
    }

    #[test]
    fn folders_of_a_dead_process_are_removed_and_those_in_use_kept() {
        let directory = tempfile::tempdir().unwrap();
        let own = directory.path().join("own");
        let new = || TemporaryFolder::of_user(directory.path(), &own).unwrap();
        let left = leave(new());
        fs::create_dir(left.join("content/deep")).unwrap();
        let (only_marked, empty) = (leave(new()), own.join("1-0123456789abcdef"));
        fs::remove_dir_all(only_marked.join("content")).unwrap();
        fs::create_dir(&empty).unwrap();
        let in_use = new();
        fs::write(in_use.path().join("index.db"), "").unwrap();
        let second = new();
        assert_eq!(names(&own).len(), 2);
        assert!(in_use.path().join("index.db").exists() && second.path().exists());
        drop((in_use, second));
        assert_eq!(names(directory.path()), [""; 0]);
    }

    #[test]
    fn unmarked_folders_are_kept() {
        let directory = tempfile::tempdir().unwrap();
        let own = directory.path().join("own");
        create_private_folder(&own).unwrap();
        for (name, inside) in [
            ("1-0123456789abcdef", "opmx-2.lock"),
            ("1-0123456789abcdee", "notes"),
            ("opmx-index-dead", "opmx-1.lock"),
            ("notes", "opmx-1.lock"),
        ] {
            fs::create_dir(own.join(name)).unwrap();
            fs::write(own.join(name).join(inside), "").unwrap();
        }
        symlink("notes", own.join("1-0123456789abcded")).unwrap();
        let before = names(&own);
        drop(TemporaryFolder::of_user(directory.path(), &own).unwrap());
        assert_eq!(names(&own), before);
        assert!(
            before
                .iter()
                .all(|name| fs::read_dir(own.join(name)).unwrap().count() == 1)
        );
    }

    #[test]
    fn the_folder_and_its_files_are_private() {
        let directory = tempfile::tempdir().unwrap();
        let made = TemporaryFolder::of_user(directory.path(), &directory.path().join("own")).unwrap();
        let file = made.file("index.db").unwrap();
        for (path, expected) in [
            (directory.path().join("own").as_path(), 0o700),
            (&made.folder, 0o700),
            (made.path(), 0o700),
            (&file, 0o600),
        ] {
            assert_eq!(mode(path), expected, "{path:?}");
        }
        super::super::write(&file, b"rows").unwrap();
        assert_eq!(mode(&file), 0o600);
    }

    #[test]
    fn a_folder_possibly_owned_by_another_user_is_not_used() {
        let directory = tempfile::tempdir().unwrap();
        let (open, link, file) = ("open", "link", "file");
        let at = |name: &str| directory.path().join(name);
        fs::create_dir(at(open)).unwrap();
        fs::set_permissions(at(open), fs::Permissions::from_mode(0o755)).unwrap();
        symlink("open", at(link)).unwrap();
        fs::write(at(file), "").unwrap();
        let before = names(directory.path());
        for name in [open, link, file] {
            let made = TemporaryFolder::of_user(directory.path(), &at(name)).unwrap();
            assert_eq!(mode(made.path()), 0o700, "{name}");
            assert_eq!(names(&at(open)), [""; 0], "{name}");
            drop(made);
            assert_eq!(names(directory.path()), before, "{name}");
        }
    }

    #[test]
    fn folders_next_to_a_target_leave_similar_names_alone() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("out");
        let left = leave(TemporaryFolder::beside(&target).unwrap());
        let notes = directory.path().join(".out.opmx-notes");
        fs::create_dir(&notes).unwrap();
        drop(TemporaryFolder::beside(&target).unwrap());
        assert!(!left.exists() && notes.exists());
    }
}
