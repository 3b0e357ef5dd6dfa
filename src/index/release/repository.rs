//! The folders of a community repository.

use super::error::ReleaseError;
use crate::files::FileError;
use std::path::{Path, PathBuf};

/// The folders of an operator in a repository.
pub(super) struct Repository {
    /// The folder of the repository.
    pub(super) root: PathBuf,
    /// The same folder as messages name it.
    pub(super) shown: PathBuf,
    /// The folder of the operator, below `root`.
    pub(super) operator: PathBuf,
    /// The name of the operator.
    pub(super) package: String,
}

/// Returns the repository that contains the folder of an operator.
pub(super) fn repository(operator: &Path) -> Result<Repository, ReleaseError> {
    let real = operator
        .canonicalize()
        .map_err(|error| FileError::new("read", operator, error))?;
    let missing = || ReleaseError::Folder {
        folder: operator.to_owned(),
    };
    let package = real.file_name().ok_or_else(missing)?;
    let package = package.to_string_lossy().into_owned();
    let real_root = real.parent().and_then(Path::parent).ok_or_else(missing)?;
    // The root is taken from the path as the user wrote it, unless this path leads to another folder, for example
    // through a link or `..`.
    let shown = operator.parent().and_then(Path::parent);
    let written = shown.map(|root| match root {
        root if root.as_os_str().is_empty() => Path::new("."),
        root => root,
    });
    let is_root = |root: &&Path| root.canonicalize().is_ok_and(|root| root == real_root);
    if let (Some(root), Some(shown)) = (written.filter(is_root), shown) {
        return Ok(Repository {
            root: root.to_owned(),
            shown: shown.to_owned(),
            operator: operator.to_owned(),
            package,
        });
    }
    let above = if operator == Path::new(".") {
        PathBuf::from("../..")
    } else {
        operator.join("../..")
    };
    let root = if is_root(&above.as_path()) {
        above
    } else {
        real_root.to_owned()
    };
    let inside = real.strip_prefix(real_root).map_err(|_| missing())?;
    Ok(Repository {
        operator: root.join(inside),
        shown: root.clone(),
        root,
        package,
    })
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
