//! Why documents make no catalog.

use crate::catalog::file_based::Schema;
use crate::catalog::file_based::read::CatalogError;
use std::fmt;
use std::path::PathBuf;

/// Where a document begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct At {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
}

impl fmt::Display for At {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.file.display(), self.line)
    }
}

/// Why documents make no catalog.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// They cannot be read.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// One of them is wrong.
    #[error("{}{problem}", .at.as_ref().map(|at| format!("{at}: ")).unwrap_or_default())]
    Document {
        /// Where it is, if in a file.
        at: Option<At>,
        /// What is wrong with it.
        problem: LoadProblem,
    },
}

/// What is wrong with a document.
#[derive(Debug, thiserror::Error)]
pub enum LoadProblem {
    /// A field has another shape than its schema says.
    #[error("{field} of {subject}: {reason}")]
    Shape {
        /// What the document is about.
        subject: Subject,
        /// The field.
        field: &'static str,
        /// What is wrong with it.
        reason: serde_json::Error,
    },
    /// It has no name.
    #[error("the {schema} has no name")]
    Nameless {
        /// The schema.
        schema: Schema,
    },
    /// There is another of the name.
    #[error("there is {subject} already")]
    Duplicate {
        /// What stands twice.
        subject: Subject,
    },
    /// It belongs to a package that is not there.
    #[error("{subject} belongs to a package that is not in the catalog")]
    NoPackage {
        /// What belongs to it.
        subject: Subject,
    },
    /// A channel has an entry for which there is no bundle.
    #[error("{subject} has an entry of bundle {bundle:?}, which is not in the catalog")]
    NoBundle {
        /// The channel.
        subject: Subject,
        /// The bundle.
        bundle: String,
    },
    /// A channel has two entries of a name.
    #[error("{subject} has two entries of bundle {bundle:?}")]
    DuplicateEntry {
        /// The channel.
        subject: Subject,
        /// The bundle.
        bundle: String,
    },
}

/// What a document is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A package.
    Package(String),
    /// A channel, behind its package.
    Channel(String, String),
    /// A bundle, behind its package.
    Bundle(String, String),
    /// The deprecations of a package.
    Deprecations(String),
}

impl fmt::Display for Subject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Package(name) => write!(formatter, "package {name:?}"),
            Self::Channel(package, name) => write!(formatter, "channel {name:?} of package {package:?}"),
            Self::Bundle(package, name) => write!(formatter, "bundle {name:?} of package {package:?}"),
            Self::Deprecations(package) => write!(formatter, "the deprecations of package {package:?}"),
        }
    }
}
