//! Writing the changes to several catalogs and templates as one change.

use super::Edited;
use crate::catalog::file_based::folder::LEVELS;
use crate::files::{self, FileChange, FileError};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

impl Edited {
    /// Writes several changes: either all of them or none. The record of the change is kept in the deepest folder that
    /// contains all catalogs and templates. That folder must be at most three levels above each of them, and on the
    /// same file system.
    ///
    /// # Errors
    /// Returns an error, and changes nothing, if no folder can keep the record, or if [`Edited::write`] would fail.
    pub fn write_all(changes: &[&Self]) -> Result<(), FileError> {
        let changed: Vec<&Self> = changes
            .iter()
            .filter(|change| !change.files.is_empty())
            .copied()
            .collect();
        if let [] | [_] = *changed {
            return changed.iter().try_for_each(|change| change.write());
        }
        let mut all: BTreeMap<PathBuf, &FileChange> = BTreeMap::new();
        let mut folders: Vec<PathBuf> = Vec::new();
        for change in changed {
            let real = |path: &Path| path.canonicalize().map_err(|error| FileError::new("read", path, error));
            for (path, file) in &change.files {
                // A link to a template stays a link.
                let target = if change.is_template {
                    real(&change.folder.join(path))?
                } else {
                    real(&change.folder)?.join(path)
                };
                let folder = if change.is_template {
                    target.parent().unwrap_or(&target).to_owned()
                } else {
                    real(&change.folder)?
                };
                folders.push(folder);
                all.insert(target, file);
            }
        }
        let common = common(&folders);
        for folder in &folders {
            let levels = folder
                .strip_prefix(&common)
                .map_or(usize::MAX, |inside| inside.components().count());
            let why = if levels > LEVELS {
                format!(
                    "it is more than {LEVELS} folders above {}; change them one at a time",
                    folder.display()
                )
            } else if !is_same_file_system(&common, folder) {
                format!(
                    "{} is on a different file system; change them one at a time",
                    folder.display()
                )
            } else {
                continue;
            };
            return Err(FileError::new(
                "change several catalogs in",
                common,
                io::Error::other(why),
            ));
        }
        let inside = |path: &Path| {
            let inside = path.strip_prefix(&common).unwrap_or(path);
            inside.to_string_lossy().into_owned()
        };
        let all = all.into_iter().map(|(path, file)| (inside(&path), file.clone()));
        files::write_changes(&common, &all.collect())
    }
}

/// Returns the deepest folder that contains all folders.
fn common(folders: &[PathBuf]) -> PathBuf {
    let mut above = folders.first().into_iter().flat_map(|folder| folder.ancestors());
    let common = above.find(|above| folders.iter().all(|folder| folder.starts_with(above)));
    common.map(Path::to_owned).unwrap_or_default()
}

#[cfg(unix)]
fn is_same_file_system(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let device = |path: &Path| path.metadata().map(|metadata| metadata.dev()).ok();
    device(one) == device(other)
}

#[cfg(not(unix))]
fn is_same_file_system(_: &Path, _: &Path) -> bool {
    true
}
