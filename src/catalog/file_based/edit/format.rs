//! Bringing all files of a catalog into canonical form.

use super::{CatalogEditError, Edited, Editor};
use crate::catalog::file_based::format::format;
use crate::files::{FileChange, FileError};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A document that keeps its layout, because another layout would change its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The file of the document.
    pub file: PathBuf,
    /// The line on which the document begins, counted from 1.
    pub line: usize,
}

impl Editor {
    /// Brings the files into canonical form. Also returns the documents that keep their layout. Earlier edits are lost.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read.
    pub fn format(self) -> Result<(Edited, Vec<Kept>), CatalogEditError> {
        let (mut files, mut kept) = (BTreeMap::new(), Vec::new());
        for path in self.catalog.paths() {
            let before = std::fs::read(path).map_err(|error| FileError::new("read", path, error))?;
            let formatted = format(&before, self.limits);
            let lines = formatted
                .as_ref()
                .map_or_else(|| vec![1], |formatted| formatted.kept.clone());
            kept.extend(lines.into_iter().map(|line| Kept {
                file: path.to_owned(),
                line,
            }));
            let Some(formatted) = formatted.filter(|formatted| formatted.content != before) else {
                continue;
            };
            let change = FileChange {
                before: Some(before),
                after: Some(formatted.content),
            };
            files.insert(self.inside(path), change);
        }
        self.catalog.check_unchanged()?;
        Ok((Edited::new(self.folder, files), kept))
    }
}
