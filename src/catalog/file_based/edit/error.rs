//! Why a catalog is not edited.

use super::Conflict;
use super::template::TemplateEditError;
use crate::catalog::file_based::draft::DraftError;
use crate::catalog::file_based::load::{LoadError, Subject};
use crate::catalog::file_based::read::CatalogError;
use crate::diagnostic::Diagnostic;
use crate::files::{FileError, NewFolderError};
use crate::text::ReviseError;
use std::path::PathBuf;

/// Why a catalog is not edited. Nothing has changed then.
#[derive(Debug, thiserror::Error)]
pub enum CatalogEditError {
    /// It cannot be read.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// The system refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// Its documents do not fit together.
    #[error(transparent)]
    Load(Box<LoadError>),
    /// The form of a document does not allow the change.
    #[error(transparent)]
    Revise(#[from] ReviseError),
    /// The package cannot become what is asked for.
    #[error(transparent)]
    Draft(#[from] DraftError),
    /// The template does not allow the change.
    #[error(transparent)]
    Template(#[from] TemplateEditError),
    /// There is no such package.
    #[error("{} has no package {package:?}", folder.display())]
    Package {
        /// The folder.
        folder: PathBuf,
        /// The name.
        package: String,
        /// The name in the catalog that is most like it.
        nearest: Option<String>,
    },
    /// Two documents of one schema, package and name.
    #[error("{}:{line}: {subject} stands in {}:{other_line}, too", file.display(), other.display())]
    Twice {
        /// The file of the second one.
        file: PathBuf,
        /// Its line, from 1.
        line: usize,
        /// The file of the first one.
        other: PathBuf,
        /// Its line, from 1.
        other_line: usize,
        /// What both are about.
        subject: Subject,
    },
    /// A new package whose name no folder is to have.
    #[error("the package name {package:?} is not made of at most 63 lower-case letters, digits and dashes")]
    Name {
        /// The name.
        package: String,
    },
    /// A document holds what JSON cannot.
    #[error("a document cannot be written")]
    Write(#[source] serde_json::Error),
    /// A link leads to a file elsewhere, which is none of the catalog's.
    #[error("{} is a link to a file outside the catalog", link.display())]
    Outside {
        /// The link.
        link: PathBuf,
    },
    /// Catalogs that are to be one say something differently.
    #[error("the catalogs differ:\n{}", lines(conflicts))]
    Conflicts {
        /// What they say differently.
        conflicts: Vec<Conflict>,
    },
    /// There is something already where a new catalog is to be.
    #[error(transparent)]
    Folder(#[from] NewFolderError),
    /// The catalog would have errors that it has not now.
    #[error("the change would leave errors in {}", folder.display())]
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
