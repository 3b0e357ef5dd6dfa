//! Errors that occur when a catalog is edited.

use super::Conflict;
use super::template::TemplateEditError;
use crate::catalog::file_based::Subject;
use crate::catalog::file_based::draft::DraftError;
use crate::catalog::file_based::error::CatalogError;
use crate::catalog::file_based::load::LoadError;
use crate::diagnostic::Diagnostic;
use crate::files::{FileError, NewFolderError};
use crate::text::ReviseError;
use std::path::PathBuf;

/// The reason why a catalog cannot be edited. Nothing has changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogEditError {
    /// The catalog cannot be read.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// A file operation failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// The documents are inconsistent.
    #[error(transparent)]
    Load(Box<LoadError>),
    /// The form of a document does not allow the change.
    #[error(transparent)]
    Revise(#[from] ReviseError),
    /// The package cannot be changed as requested.
    #[error(transparent)]
    Draft(#[from] DraftError),
    /// The template does not allow the change.
    #[error(transparent)]
    Template(#[from] TemplateEditError),
    /// The package does not exist.
    #[error("{} has no package {package:?}", folder.display())]
    Package {
        /// The folder.
        folder: PathBuf,
        /// The name.
        package: String,
        /// The most similar name in the catalog.
        nearest: Option<String>,
    },
    /// An editor changes each package only once.
    #[error("the package {package:?} has been changed already; make all changes of a package together")]
    Again {
        /// The package.
        package: String,
    },
    /// Two documents have the same schema, package and name.
    #[error("{}:{line}: a second document for {subject}; the first is at {}:{other_line}", file.display(), other.display())]
    Twice {
        /// The file of the second document.
        file: PathBuf,
        /// The line of the second document, counted from 1.
        line: usize,
        /// The file of the first document.
        other: PathBuf,
        /// The line of the first document, counted from 1.
        other_line: usize,
        /// The subject of both documents.
        subject: Subject,
    },
    /// The name of a new package is not suitable for a folder.
    #[error(
        "the package name {package:?} must consist of at most 63 lowercase letters, digits and hyphens, with a letter or \
         digit at both ends"
    )]
    Name {
        /// The name.
        package: String,
    },
    /// A document contains a value that JSON cannot represent.
    #[error("a document cannot be written")]
    Write(#[source] serde_json::Error),
    /// The catalogs to merge contradict each other.
    #[error("the catalogs differ:\n{}", lines(conflicts))]
    Conflicts {
        /// The differences between the catalogs.
        conflicts: Vec<Conflict>,
    },
    /// Something already exists at the path of a new catalog.
    #[error(transparent)]
    Folder(#[from] NewFolderError),
    /// The change would introduce errors in the catalog.
    #[error("the change would introduce errors in {} (lines are counted after the change)", folder.display())]
    Findings {
        /// The folder.
        folder: PathBuf,
        /// The errors.
        findings: Vec<Diagnostic>,
    },
}

fn lines(conflicts: &[Conflict]) -> String {
    let lines: Vec<String> = conflicts.iter().map(Conflict::to_string).collect();
    lines.join("\n")
}

impl From<LoadError> for CatalogEditError {
    fn from(error: LoadError) -> Self {
        Self::Load(Box::new(error))
    }
}
