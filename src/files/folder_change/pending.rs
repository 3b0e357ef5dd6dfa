//! Shows readers of a folder the new content of files that a change has not moved to their targets yet.

use super::{FILES, JOURNAL, STAGING, record_of};
use crate::files::{FileError, temporary_prefix};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The pending part of a change in a folder.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    files: BTreeMap<String, PathBuf>,
    leaving: BTreeSet<String>,
    is_ours: bool,
}

impl Pending {
    /// Returns the files whose new content has already taken effect: their paths inside the folder, and the paths of
    /// the waiting files. A waiting file that no longer exists has been moved in the meantime.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, &Path)> {
        self.files
            .iter()
            .map(|(path, staged)| (path.as_str(), staged.as_path()))
    }

    /// Whether new content waits for the file at this path inside the folder.
    pub(crate) fn replaces(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// Returns the path that `file` has inside `folder`, or will have once it has been moved to its target. The file
    /// may still be waiting in a change to that folder or to a folder above.
    pub(crate) fn inside<'p>(folder: &Path, file: &'p Path) -> Option<&'p Path> {
        if let Ok(inside) = file.strip_prefix(folder) {
            return Some(inside.strip_prefix(Path::new(JOURNAL).join(FILES)).unwrap_or(inside));
        }
        let mut journals = file.ancestors();
        let journal = journals.find(|path| path.file_name().is_some_and(|name| name == JOURNAL))?;
        let inside = file.strip_prefix(journal.join(FILES)).ok()?;
        let real = folder.canonicalize().ok()?;
        inside.strip_prefix(real.strip_prefix(journal.parent()?).ok()?).ok()
    }

    /// Whether the file at this path inside the folder is to be removed. Readers must ignore the file.
    pub(crate) fn removes(&self, path: &str) -> bool {
        self.leaving.contains(path)
    }

    /// Whether the entry with this name belongs to a change, and not to the content of the folder.
    pub(crate) fn hides(&self, name: &OsStr) -> bool {
        let staging = temporary_prefix(Path::new(STAGING));
        self.is_ours && name == JOURNAL || name.to_string_lossy().starts_with(&staging)
    }
}

/// Returns the pending part of a change in `folder`, for readers.
///
/// # Errors
/// Returns an error if the change cannot be read.
pub(crate) fn pending_change(folder: &Path) -> Result<Pending, FileError> {
    let journal = folder.join(JOURNAL);
    let Some(record) = record_of(&journal)? else {
        return Ok(Pending::default());
    };
    let mut files = BTreeMap::new();
    let pending = record.pending(&journal.join(FILES), folder, "", &mut files);
    match pending.and_then(|()| record.leaving(folder)) {
        // The change was finished in the meantime.
        Err(error) if error.source.kind() == io::ErrorKind::NotFound => Ok(Pending::default()),
        leaving => Ok(Pending {
            files,
            leaving: leaving?.into_iter().map(str::to_owned).collect(),
            is_ours: true,
        }),
    }
}

/// Like [`pending_change`], but includes changes to up to `levels` folders above, if they affect files in `folder`.
///
/// # Errors
/// Returns an error if a change cannot be read.
pub(crate) fn pending_changes(folder: &Path, levels: usize) -> Result<Pending, FileError> {
    let mut pending = pending_change(folder)?;
    let Ok(real) = folder.canonicalize() else {
        return Ok(pending);
    };
    for above in real.ancestors().skip(1).take(levels) {
        if fs::symlink_metadata(above.join(JOURNAL)).is_err() {
            continue;
        }
        let change = pending_change(above)?;
        let inside = |path: &str| {
            let inside = Path::new(path).strip_prefix(real.strip_prefix(above).ok()?).ok()?;
            inside.to_str().map(str::to_owned)
        };
        let files = change.files.into_iter();
        for (path, waiting) in files.filter_map(|(path, waiting)| Some((inside(&path)?, waiting))) {
            pending.files.entry(path).or_insert(waiting);
        }
        pending
            .leaving
            .extend(change.leaving.iter().filter_map(|path| inside(path)));
    }
    Ok(pending)
}
