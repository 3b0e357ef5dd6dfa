//! The folders of a community repository.

use super::error::ReleaseError;
use crate::files::FileError;
use std::path::{Path, PathBuf};

/// Returns the folder of the repository, and the name of the operator.
pub(super) fn repository(operator: &Path) -> Result<(PathBuf, String), ReleaseError> {
    let real = operator
        .canonicalize()
        .map_err(|error| FileError::new("read", operator, error))?;
    let package = real.file_name().map(|name| name.to_string_lossy().into_owned());
    // The root is taken from the path as the user wrote it, unless this path leads to another folder, for example
    // through a link.
    let written = operator.parent().and_then(Path::parent).map(|root| match root {
        root if root.as_os_str().is_empty() => Path::new("."),
        root => root,
    });
    let real = real.parent().and_then(Path::parent);
    let is_plain = |root: &&Path| root.canonicalize().ok().as_deref() == real;
    let root = written.filter(is_plain).or(real);
    match (root, package) {
        (Some(root), Some(package)) => Ok((root.to_owned(), package)),
        _ => Err(ReleaseError::Folder {
            folder: operator.to_owned(),
        }),
    }
}

/// Returns the path of a file relative to the repository.
pub(super) fn inside(root: &Path, path: &Path) -> Result<String, ReleaseError> {
    let root = match root.to_str() {
        Some(".") => Path::new(""),
        _ => root,
    };
    let inside = path.strip_prefix(root).map_err(|_| ReleaseError::Folder {
        folder: path.to_owned(),
    })?;
    Ok(inside.to_string_lossy().into_owned())
}
