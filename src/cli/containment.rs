//! Refuses outputs inside the input that a command reads: the next command would read them as a part of the input.

use super::error::CommandError;
use crate::image::Reference;
use std::path::Path;

/// Makes sure that an output is not inside a catalog.
pub(super) fn require_outside(output: &Path, catalog: &Path) -> Result<(), CommandError> {
    if !is_inside(output, catalog) {
        return Ok(());
    }
    let error = CommandError::usage(format!(
        "{} is inside the catalog {}, which would then contain it",
        output.display(),
        catalog.display()
    ));
    Err(error.hint("choose a location outside the catalog"))
}

/// Like [`require_outside`], for an image.
pub(super) fn require_image_outside(image: &Reference, catalog: &Path) -> Result<(), CommandError> {
    match image {
        Reference::Registry(_) => Ok(()),
        Reference::Layout { directory, .. } => require_outside(directory, catalog),
        Reference::Archive { file, .. } => require_outside(file, catalog),
    }
}

/// Returns whether a path, which need not exist, is inside a folder.
pub(super) fn is_inside(path: &Path, folder: &Path) -> bool {
    let (Ok(path), Ok(folder)) = (std::path::absolute(path), folder.canonicalize()) else {
        return false;
    };
    if !folder.is_dir() {
        return false;
    }
    let mut existing = path.ancestors().filter_map(|path| path.canonicalize().ok());
    existing.next().is_some_and(|path| path.starts_with(folder))
}
