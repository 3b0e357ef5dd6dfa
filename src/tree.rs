//! The files of a bundle in memory, whatever their source: a map from paths to contents, in the order of the paths.

use crate::counted::counted;
use crate::files::{self, FileError, FolderOutput, NewFolder, NewFolderError, open_regular};
use crate::limit::Limit;
use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The file that marks a folder as an OCI image layout.
pub(crate) const LAYOUT_FILE: &str = "oci-layout";

/// The kind of a file in an image whose holes are left out.
pub(crate) const SPARSE: &str = "sparse file";

/// Limits on a tree. Errors name the limit that the input exceeds.
#[derive(Debug, Clone, Copy)]
pub struct TreeLimits {
    /// The maximum number of files.
    pub files: usize,
    /// The maximum number of bytes in one file.
    pub file_bytes: u64,
    /// The maximum number of bytes in all files together.
    pub total_bytes: u64,
}

impl TreeLimits {
    /// No limits, for files that have already been read under the user's limits.
    pub(crate) const UNLIMITED: Self = Self {
        files: usize::MAX,
        file_bytes: u64::MAX,
        total_bytes: u64::MAX,
    };
}

impl Default for TreeLimits {
    fn default() -> Self {
        Self {
            files: 10_000,
            file_bytes: 16 << 20,
            total_bytes: 64 << 20,
        }
    }
}

/// An error while reading files into a tree.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// A path that is absolute, or leads outside the folder with `..`.
    #[error("{origin}: the path {path:?} leads outside the folder")]
    PathEscape {
        /// The directory or image.
        origin: String,
        /// The offending path.
        path: String,
    },
    /// The name of a file or folder that is not UTF-8.
    #[error("{origin}: the name of {path} is not UTF-8")]
    Name {
        /// The directory or image.
        origin: String,
        /// The path, with a replacement character for each invalid byte.
        path: String,
    },
    /// The folder is an image layout.
    #[error("{} is an OCI image layout, not a bundle folder", directory.display())]
    Layout {
        /// The folder.
        directory: PathBuf,
    },
    /// A symbolic link, device, pipe or socket.
    #[error("{origin}: {path} is a {kind}; only files and folders are supported")]
    EntryType {
        /// The directory or image.
        origin: String,
        /// The path of the entry.
        path: String,
        /// The kind of the entry.
        kind: &'static str,
    },
    /// A limit was exceeded.
    #[error("{origin}: {what} exceeds the limit of {limit}")]
    Limit {
        /// The directory or image.
        origin: String,
        /// The quantity that exceeds the limit, with its path.
        what: String,
        /// The limit, with its unit.
        limit: String,
        /// The limit that can be raised, if any.
        raised_by: Option<Limit>,
    },
    /// A file operation failed.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Files by relative path (`manifests/deployment.yaml`), and their origin.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    origin: String,
    files: BTreeMap<String, Vec<u8>>,
}

impl Tree {
    /// Creates an empty tree; `origin` is the directory or image to name in messages.
    pub fn new(origin: impl Into<String>) -> Self {
        Self {
            origin: origin.into(),
            files: BTreeMap::new(),
        }
    }

    /// Reads a directory recursively. If a killed process left a change incomplete, the new files are read.
    ///
    /// # Errors
    /// Returns an error for links, devices and pipes, for names that are not UTF-8, and if a limit is exceeded.
    pub fn from_directory(directory: &Path, limits: &TreeLimits) -> Result<Self, TreeError> {
        if directory.join(LAYOUT_FILE).is_file() {
            let directory = directory.to_owned();
            return Err(TreeError::Layout { directory });
        }
        if directory.is_file() {
            let error = std::io::ErrorKind::NotADirectory.into();
            return Err(FileError::new("read", directory, error).into());
        }
        let mut tree = Self::new(directory.display().to_string());
        let mut total = 0;
        let pending = files::pending_change(directory)?;
        for (path, waiting) in pending.files() {
            match tree.read_file(waiting, path, limits, &mut total) {
                Ok(content) => tree.insert(path, content, limits)?,
                Err(TreeError::File(error)) if error.source.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        let walk = walkdir::WalkDir::new(directory)
            .follow_root_links(true)
            .sort_by_file_name()
            .into_iter()
            .filter_entry(|entry| entry.depth() != 1 || !pending.hides(entry.file_name()));
        for entry in walk {
            let entry = entry.map_err(|error| {
                let path = error.path().unwrap_or(directory).to_owned();
                let source = error
                    .into_io_error()
                    .unwrap_or_else(|| std::io::ErrorKind::Other.into());
                FileError::new("read", path, source)
            })?;
            let relative = entry.path().strip_prefix(directory).unwrap_or(entry.path());
            if entry.depth() == 0 {
                if !entry.path().is_dir() {
                    let error = std::io::ErrorKind::NotADirectory.into();
                    return Err(FileError::new("read", entry.path(), error).into());
                }
                continue;
            }
            let Some(relative) = relative.to_str() else {
                return Err(TreeError::Name {
                    origin: tree.origin,
                    path: relative.to_string_lossy().into_owned(),
                });
            };
            if entry.file_type().is_dir() {
                continue;
            }
            if !entry.file_type().is_file() {
                return Err(TreeError::EntryType {
                    origin: tree.origin,
                    path: relative.to_owned(),
                    kind: kind_of(entry.file_type()),
                });
            }
            if tree.get(relative).is_none() && !pending.removes(relative) {
                let content = tree.read_file(entry.path(), relative, limits, &mut total)?;
                tree.insert(relative, content, limits)?;
            }
        }
        Ok(tree)
    }

    fn read_file(
        &self,
        path: &Path,
        relative: &str,
        limits: &TreeLimits,
        total: &mut u64,
    ) -> Result<Vec<u8>, TreeError> {
        let fail = |error| FileError::new("read", path, error);
        let file = open_regular(path).map_err(fail)?;
        let mut content = Vec::new();
        // The size is only a hint, to avoid many small reads: the file may be growing, or might not fit into memory.
        let size = file.metadata().map_err(fail)?.len().min(limits.file_bytes);
        let _ = content.try_reserve_exact(usize::try_from(size).unwrap_or_default());
        file.take(limits.file_bytes.saturating_add(1))
            .read_to_end(&mut content)
            .map_err(fail)?;
        *total += content.len() as u64;
        if *total > limits.total_bytes {
            return Err(self.over_total(relative, limits));
        }
        Ok(content)
    }

    /// Adds a file. If the path exists, its content is replaced, as it would be by a later layer of an image.
    ///
    /// # Errors
    /// Returns an error if the path is not a plain relative path, if the file is too large, or if there are too many
    /// files. The total size is not checked.
    pub fn insert(&mut self, path: &str, content: Vec<u8>, limits: &TreeLimits) -> Result<(), TreeError> {
        let plain =
            !path.is_empty() && path.split('/').all(|part| !matches!(part, "" | "." | "..")) && !path.contains('\0');
        if !plain {
            return Err(TreeError::PathEscape {
                origin: self.origin.clone(),
                path: path.to_owned(),
            });
        }
        if content.len() as u64 > limits.file_bytes {
            return Err(TreeError::Limit {
                origin: self.origin.clone(),
                what: format!("the size of {path}"),
                limit: counted(limits.file_bytes, "byte"),
                raised_by: Some(Limit::FileBytes),
            });
        }
        if self.files.len() >= limits.files && !self.files.contains_key(path) {
            return Err(TreeError::Limit {
                origin: self.origin.clone(),
                what: "the number of files".to_owned(),
                limit: limits.files.to_string(),
                raised_by: Some(Limit::Files),
            });
        }
        self.files.insert(path.to_owned(), content);
        Ok(())
    }

    fn over_total(&self, path: &str, limits: &TreeLimits) -> TreeError {
        TreeError::Limit {
            origin: self.origin.clone(),
            what: format!("the total size of the files (counted up to {path})"),
            limit: counted(limits.total_bytes, "byte"),
            raised_by: Some(Limit::TotalBytes),
        }
    }

    /// Removes a file, as a whiteout in a later layer does.
    pub fn remove(&mut self, path: &str) {
        self.files.remove(path);
    }

    /// Returns the directory or image that the files came from.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Returns the content of one file.
    pub fn get(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path).map(Vec::as_slice)
    }

    /// Returns all files in byte order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files
            .iter()
            .map(|(path, content)| (path.as_str(), content.as_slice()))
    }

    /// Returns the files below a folder with their full paths, in byte order of these paths.
    pub fn below(&self, folder: &str) -> impl Iterator<Item = (&str, &[u8])> {
        let prefix = format!("{}/", folder.trim_end_matches('/'));
        self.iter().filter(move |(path, _)| path.starts_with(&prefix))
    }

    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there are no files.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Writes all files below `directory`, which may contain other files. Either all files are written or none.
    ///
    /// # Errors
    /// Returns an error if a folder or file cannot be written.
    pub fn write_to(&self, directory: &Path) -> Result<(), FileError> {
        let output = FolderOutput::new(directory)?;
        self.place_in(output.path())?;
        output.commit()
    }

    /// Writes all files into a folder, which must be absent or empty. The folder appears with all files or not at all.
    ///
    /// # Errors
    /// Returns an error if the folder is not empty or cannot be written.
    pub(crate) fn write_new(&self, directory: &Path) -> Result<(), NewFolderError> {
        let folder = NewFolder::new(directory)?;
        self.place_in(folder.path())?;
        folder.commit()
    }

    /// Writes all files below `directory`, which is not yet visible; the code that publishes the directory syncs them.
    ///
    /// # Errors
    /// Returns an error if a folder or file cannot be written, or one of the files already exists.
    pub(crate) fn place_in(&self, directory: &Path) -> Result<(), FileError> {
        files::place(directory, self.iter())
    }
}

fn kind_of(file_type: fs::FileType) -> &'static str {
    if file_type.is_symlink() {
        "symbolic link"
    } else {
        "device, pipe or socket"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_outside_the_folder_are_rejected() {
        let mut tree = Tree::new("image");
        for path in ["../x", "/etc/passwd", "a/../b", "", "a//b", "./a", "a\0b"] {
            let refused = tree.insert(path, Vec::new(), &TreeLimits::default());
            assert!(matches!(refused, Err(TreeError::PathEscape { .. })), "{path:?}");
        }
    }

    #[test]
    fn a_directory_is_read_in_path_order() {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir_all(directory.path().join("manifests/b")).unwrap();
        fs::write(directory.path().join("manifests/b/1.yaml"), "1").unwrap();
        fs::write(directory.path().join("manifests/a.yaml"), "2").unwrap();
        let tree = Tree::from_directory(directory.path(), &TreeLimits::default()).unwrap();
        let paths: Vec<_> = tree.iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["manifests/a.yaml", "manifests/b/1.yaml"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_folder_is_rejected() {
        let directory = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc/passwd", directory.path().join("link.yaml")).unwrap();
        let error = Tree::from_directory(directory.path(), &TreeLimits::default()).unwrap_err();
        assert!(error.to_string().contains("link.yaml is a symbolic link"), "{error}");
    }

    #[test]
    fn a_new_folder_is_complete_or_absent() {
        let directory = tempfile::tempdir().unwrap();
        let mut tree = Tree::new("bundle");
        let limits = TreeLimits::default();
        tree.insert("manifests/a.yaml", b"a".to_vec(), &limits).unwrap();
        let out = directory.path().join("out");
        tree.write_new(&out).unwrap();
        assert_eq!(fs::read(out.join("manifests/a.yaml")).unwrap(), b"a");
        let error = tree.write_new(&out).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("out already exists and is not an empty folder"),
            "{error}"
        );
        fs::create_dir(directory.path().join("empty")).unwrap();
        tree.write_new(&directory.path().join("empty")).unwrap();
        tree.insert("manifests/a.yaml/b", b"b".to_vec(), &limits).unwrap();
        assert!(tree.write_new(&directory.path().join("half")).is_err());
        let mut names: Vec<_> = fs::read_dir(directory.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["empty", "out"]);
    }

    #[test]
    fn exceeded_limits_are_named() {
        let limits = TreeLimits {
            files: 1,
            file_bytes: 4,
            total_bytes: 8,
        };
        let mut tree = Tree::new("image");
        let error = tree.insert("big", vec![0; 5], &limits).unwrap_err();
        assert!(
            matches!(
                error,
                TreeError::Limit {
                    raised_by: Some(Limit::FileBytes),
                    ..
                }
            ),
            "{error}"
        );
        tree.insert("one", vec![0; 4], &limits).unwrap();
        let error = tree.insert("two", vec![0; 4], &limits).unwrap_err();
        assert!(
            matches!(
                error,
                TreeError::Limit {
                    raised_by: Some(Limit::Files),
                    ..
                }
            ),
            "{error}"
        );
    }
}
