//! Folders that the files of a bundle are written to: they must not contain another bundle.

use crate::cli::error::CommandError;
use crate::files::{self, FileError};
use crate::tree::Tree;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Makes sure that the folders of the bundle below `out` contain no other files. First finishes a change that a killed
/// process left incomplete.
pub(super) fn require_unmixed(tree: &Tree, out: &Path) -> Result<(), CommandError> {
    files::finish_change(out)?;
    let Some(file) = foreign_file(tree, out)? else {
        return Ok(());
    };
    let error = CommandError::failure(format!("{} is not a file of the bundle", out.join(file).display()));
    Err(error.hint("choose another folder, or remove the files of the other bundle"))
}

/// Returns the path of a file that is in a folder of the bundle below `out`, but not in the bundle. Together with it,
/// the files of the bundle would be another bundle.
fn foreign_file(tree: &Tree, out: &Path) -> Result<Option<String>, FileError> {
    let folders = tree.iter().filter_map(|(path, _)| path.split_once('/'));
    let folders: BTreeSet<&str> = folders.map(|(folder, _)| folder).collect();
    let mut pending: Vec<String> = folders.into_iter().map(str::to_owned).collect();
    while let Some(folder) = pending.pop() {
        let directory = out.join(&folder);
        // A link is refused when the files are written.
        if !fs::symlink_metadata(&directory).is_ok_and(|metadata| metadata.is_dir()) {
            continue;
        }
        let fail = |error| FileError::new("read", &directory, error);
        for entry in fs::read_dir(&directory).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            let name = entry.file_name();
            let path = format!("{folder}/{}", name.to_string_lossy());
            if name.to_str().is_some() && entry.file_type().map_err(fail)?.is_dir() {
                pending.push(path);
            } else if tree.get(&path).is_none() {
                return Ok(Some(path));
            }
        }
    }
    Ok(None)
}
