//! The folder of a catalog: the files that belong to the catalog, and changes that a killed process left unfinished.

use super::error::CatalogError;
use super::limits::CatalogLimits;
use crate::concurrent;
use crate::files::{self, FileError, Pending, is_temporary_name, require_regular};
use ignore::WalkBuilder;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The name of files that, like `.gitignore`, list files that do not belong to the catalog.
const IGNORE: &str = ".indexignore";

/// The number of levels above a catalog at which a pending change to several catalogs may be stored.
pub(super) const LEVELS: usize = 3;

/// Completes the changes to a catalog that a killed process left unfinished: those stored in its folder, and those
/// stored in the folders above it.
///
/// # Errors
/// Returns an error if a change cannot be completed.
pub(crate) fn finish_changes(folder: &Path) -> Result<(), FileError> {
    files::finish_changes_above(folder, LEVELS)?;
    files::finish_change(folder)
}

/// Returns the files of a catalog with their paths relative to its folder. A catalog in a single file has the name of
/// that file.
pub(crate) fn files_inside(folder: &Path, limits: CatalogLimits) -> Result<Vec<(String, PathBuf)>, CatalogError> {
    let is_file = folder.is_file();
    let inside = |file: &Path| {
        let inside = if is_file {
            file.file_name().and_then(OsStr::to_str)
        } else {
            Pending::inside(folder, file).and_then(Path::to_str)
        };
        inside.map(str::to_owned)
    };
    let files = files(folder, limits)?.into_iter();
    files
        .map(|file| match inside(&file) {
            Some(inside) => Ok((inside, file)),
            None => Err(CatalogError::Name { file }),
        })
        .collect()
}

/// Returns the files of a catalog, sorted by path, with the files of a pending change last. Temporary files of opmx,
/// whose content may be incomplete, do not belong to the catalog.
pub(crate) fn files(folder: &Path, limits: CatalogLimits) -> Result<Vec<PathBuf>, CatalogError> {
    let mut found = Vec::new();
    let require_few = |count: usize| {
        (count <= limits.files)
            .then_some(())
            .ok_or_else(|| CatalogError::Limit {
                folder: folder.to_owned(),
                what: "files",
                limit: limits.files,
            })
    };
    check_ignore(folder)?;
    let pending = if folder.is_dir() {
        files::pending_changes(folder, LEVELS)?
    } else {
        Pending::default()
    };
    let pending = Arc::new(pending);
    let refused = Arc::new(Mutex::new(None));
    let walk = WalkBuilder::new(folder)
        .standard_filters(false)
        .add_custom_ignore_filename(IGNORE)
        .sort_by_file_name(Ord::cmp)
        .filter_entry({
            let refused = Arc::clone(&refused);
            let pending = Arc::clone(&pending);
            move |entry| match entry.file_type() {
                _ if entry.depth() == 1 && pending.hides(entry.file_name()) => false,
                _ if entry.depth() > 0 && is_temporary_name(entry.file_name()) => false,
                Some(kind) if kind.is_dir() => check_ignore(entry.path())
                    .map_err(|error| *concurrent::lock(&refused) = Some(error))
                    .is_ok(),
                _ => true,
            }
        })
        .build();
    for entry in walk {
        let fail = |source| CatalogError::Walk {
            folder: folder.to_owned(),
            source,
        };
        let entry = entry.map_err(fail)?;
        // A link is treated as its target file.
        let metadata = fs::metadata(entry.path());
        if metadata.is_ok_and(|metadata| metadata.is_dir()) {
            // A link to a folder inside the catalog, as in a ConfigMap mount, is not followed, because that folder is
            // read anyway.
            if entry.path_is_symlink() && entry.depth() > 0 && !leads_into(entry.path(), folder) {
                let link = entry.into_path();
                return Err(CatalogError::LinkedFolder { link });
            }
            continue;
        }
        if entry.file_name() == IGNORE {
            continue;
        }
        let inside = entry.path().strip_prefix(folder).unwrap_or(entry.path());
        let Some(inside) = inside.to_str() else {
            // An image of the catalog could not contain the file.
            let file = entry.into_path();
            return Err(CatalogError::Name { file });
        };
        if pending.replaces(inside) || pending.removes(inside) {
            continue;
        }
        match require_regular(entry.path()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // A file may have been removed since its folder was listed, but the package behind a broken link is
                // missing by mistake.
                if entry.path_is_symlink() && entry.path().is_symlink() {
                    let link = entry.into_path();
                    return Err(CatalogError::BrokenLink { link });
                }
                continue;
            }
            regular => regular.map_err(|error| FileError::new("read", entry.path(), error))?,
        };
        // A ConfigMap mount consists of links to files inside the mount.
        if entry.path_is_symlink() && entry.depth() > 0 && !leads_into(entry.path(), folder) {
            let link = entry.into_path();
            return Err(CatalogError::LinkedFile { link });
        }
        found.push(entry.into_path());
        require_few(found.len())?;
    }
    // Files that have not yet been moved to their final places already belong to the catalog.
    found.extend(pending.files().map(|(_, waiting)| waiting.to_owned()));
    require_few(found.len())?;
    let refused = concurrent::lock(&refused).take();
    refused.map_or(Ok(found), |error| Err(error.into()))
}

/// Returns whether the target of a link is inside a folder.
fn leads_into(link: &Path, folder: &Path) -> bool {
    match (fs::canonicalize(link), fs::canonicalize(folder)) {
        (Ok(target), Ok(folder)) => target.starts_with(folder),
        _ => false,
    }
}

/// Makes sure that a folder's ignore file, if any, can be read without blocking.
fn check_ignore(folder: &Path) -> Result<(), FileError> {
    let path = folder.join(IGNORE);
    match require_regular(&path) {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Err(FileError::new("read", path, error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_files_and_folders_of_opmx_are_ignored() {
        let catalog = tempfile::tempdir().unwrap();
        let left = ".a.opmx-7-0123456789abcdef";
        for folder in [left, "a", &format!("a/{left}")] {
            fs::create_dir(catalog.path().join(folder)).unwrap();
        }
        let own = ["a/c.yaml", "a/.notes.opmx-x.yaml"];
        for file in [
            own[0],
            own[1],
            &format!("{left}/c.yaml"),
            &format!("a/{left}/c.yaml"),
            ".c.yaml.opmx-7-0123456789abcdef",
        ] {
            fs::write(catalog.path().join(file), "").unwrap();
        }
        let files = files_inside(catalog.path(), CatalogLimits::default()).unwrap();
        let files: Vec<_> = files.iter().map(|(inside, _)| inside.as_str()).collect();
        assert_eq!(files, [own[1], own[0]]);
        assert_eq!(
            files_inside(&catalog.path().join(left), CatalogLimits::default())
                .unwrap()
                .len(),
            1
        );
    }
}
