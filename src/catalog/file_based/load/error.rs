//! Errors for documents that do not form a catalog.

use crate::catalog::file_based::error::CatalogError;
use crate::catalog::file_based::{Schema, Subject};
use std::fmt;
use std::path::PathBuf;

/// The start position of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct At {
    /// The file.
    pub file: PathBuf,
    /// The line, counted from 1.
    pub line: usize,
}

impl fmt::Display for At {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.file.display(), self.line)
    }
}

/// The reason why documents do not form a catalog.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The documents cannot be read.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// A document has a fault.
    #[error("{}{problem}", .at.as_ref().map(|at| format!("{at}: ")).unwrap_or_default())]
    Document {
        /// The position of the document, if it is in a file.
        at: Option<At>,
        /// The fault.
        problem: LoadProblem,
    },
}

/// A fault in a document.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadProblem {
    /// The type of a field is not the one that its schema requires.
    #[error("{field} of {subject}: {reason}")]
    Shape {
        /// The subject of the document.
        subject: Subject,
        /// The field.
        field: &'static str,
        /// The fault in the field.
        reason: serde_json::Error,
    },
    /// The document has no name.
    #[error("the {schema} has no name")]
    Nameless {
        /// The schema.
        schema: Schema,
    },
    /// Two documents have the same subject.
    #[error("{subject} already exists")]
    Duplicate {
        /// The subject of both documents.
        subject: Subject,
    },
    /// The document belongs to a package that does not exist.
    #[error("{subject} belongs to a package that is not in the catalog")]
    NoPackage {
        /// The subject of the document.
        subject: Subject,
    },
    /// A channel has an entry without a bundle.
    #[error("{subject} has an entry for bundle {bundle:?}, which is not in the catalog")]
    NoBundle {
        /// The channel.
        subject: Subject,
        /// The bundle.
        bundle: String,
    },
    /// A channel has two entries with the same name.
    #[error("{subject} has two entries for bundle {bundle:?}")]
    DuplicateEntry {
        /// The channel.
        subject: Subject,
        /// The bundle.
        bundle: String,
    },
}
