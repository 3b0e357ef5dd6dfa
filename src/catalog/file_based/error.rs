//! The reasons why a catalog cannot be read.

use crate::files::FileError;
use std::path::PathBuf;

/// The reason why a catalog cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// A file operation failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// The target of a link is a folder outside the catalog.
    #[error("{} is a link to a folder outside the catalog; replace the link with a copy of the folder", link.display())]
    LinkedFolder {
        /// The link.
        link: PathBuf,
    },
    /// The target of a link does not exist.
    #[error(
        "{} is a link to a file that does not exist; correct the link, remove it, or list it in an .indexignore file",
        link.display()
    )]
    BrokenLink {
        /// The link.
        link: PathBuf,
    },
    /// The target of a link is a file outside the catalog.
    #[error("{} is a link to a file outside the catalog; replace the link with a copy of the file", link.display())]
    LinkedFile {
        /// The link.
        link: PathBuf,
    },
    /// A folder cannot be searched.
    #[error("cannot search {}", folder.display())]
    Walk {
        /// The folder of the catalog.
        folder: PathBuf,
        /// The cause.
        source: ignore::Error,
    },
    /// A file contains text that is not a catalog document.
    #[error("{}:{line}: {problem}", file.display())]
    Document {
        /// The file.
        file: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The fault.
        problem: String,
    },
    /// A limit was exceeded.
    #[error("{}: the catalog contains more than {limit} {what}", folder.display())]
    Limit {
        /// The folder of the catalog.
        folder: PathBuf,
        /// The counted items.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// A document contains too many values.
    #[error("{}:{line}: at this line, the document exceeds the limit of {limit} keys and values", file.display())]
    Values {
        /// The file.
        file: PathBuf,
        /// The line at which the limit is exceeded, counted from 1.
        line: usize,
        /// The limit.
        limit: usize,
    },
    /// The data that must be kept in memory for the documents exceeds the limit.
    #[error(
        "{}:{line}: at this line, the names, edges and properties of the catalog exceed the limit of {limit} bytes",
        file.display()
    )]
    TooMuch {
        /// The file.
        file: PathBuf,
        /// The line, counted from 1, of the document at which the limit is exceeded.
        line: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The path of the catalog is not a folder.
    #[error("{} is not a folder; a file-based catalog is a folder of files", file.display())]
    NotAFolder {
        /// The path.
        file: PathBuf,
    },
    /// A single file contains documents, but no catalog documents.
    #[error("{} is not a catalog: its schema is {schema:?}, and it contains no olm.package, olm.channel or olm.bundle", file.display())]
    NotACatalog {
        /// The file.
        file: PathBuf,
        /// The schema of the first document.
        schema: String,
    },
    /// A file name cannot be stored in an image.
    #[error("the name of {} is not UTF-8; rename the file", file.display())]
    Name {
        /// The file.
        file: PathBuf,
    },
    /// A file has changed.
    #[error("{} changed while it was being read; try again", file.display())]
    Changed {
        /// The file.
        file: PathBuf,
    },
}
