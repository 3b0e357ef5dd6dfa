//! Errors that occur when an index is read.

use super::READABLE_VERSIONS;
use crate::database::admission::Unfit;
use crate::database::content_error::ContentError;
use crate::files::FileError;
use std::io;
use std::path::PathBuf;

/// An error that occurs when an index is read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file does not exist.
    #[error("there is no index database at {}", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be opened or read.
    #[error("cannot read {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The I/O error.
        source: io::Error,
    },
    /// The path is a folder, not an index.
    #[error("{} is a folder, but an index is a database file or an image", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
    },
    /// The file is not a database.
    #[error("{} is not a SQLite database", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// The file is not accepted as an index.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// Reading takes more steps than are needed for any valid index.
    #[error(
        "cannot read {what} from {} because the database engine would need more steps than any valid index requires; \
        the file is damaged or malicious",
        path.display()
    )]
    Steps {
        /// The file.
        path: PathBuf,
        /// The part that was being read.
        what: &'static str,
    },
    /// SQLite reserves a path next to the database for its own files, but the path is not a regular file.
    #[error(transparent)]
    Beside(FileError),
    /// The file is truncated.
    #[error(
        "{} is truncated: its size should be {expected} bytes, but is {found} bytes; restore it from a copy",
        path.display()
    )]
    Truncated {
        /// The file.
        path: PathBuf,
        /// The size in bytes that the header of the file states.
        expected: u64,
        /// The actual size of the file in bytes.
        found: u64,
    },
    /// The database is not an index.
    #[error("{} is a SQLite database, but not an operator index: it has no table {table}", path.display())]
    NotAnIndex {
        /// The file.
        path: PathBuf,
        /// The first missing table.
        table: &'static str,
    },
    /// The database does not state a schema version, or one that no index has.
    #[error(
        "{} is a SQLite database, but not an operator index: its table schema_migrations contains no schema version",
        path.display()
    )]
    NoVersion {
        /// The file.
        path: PathBuf,
    },
    /// The schema version of the index is newer than the versions that this program supports.
    #[error(
        "{} has schema version {version}, but this program supports versions up to {}; use a newer release of opmx",
        path.display(), READABLE_VERSIONS.end()
    )]
    TooNew {
        /// The file.
        path: PathBuf,
        /// The schema version of the file.
        version: i64,
    },
    /// Another program wrote to the file while it was being read.
    #[error("{} was changed while it was being read; try again", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The file can be read only from a copy, but the copy cannot be made.
    #[error(
        "{} has an older schema or an unfinished transaction, so it can be read only from a copy, but it cannot be \
        copied to {}",
        path.display(), directory.display()
    )]
    Copy {
        /// The file.
        path: PathBuf,
        /// The folder for temporary files.
        directory: PathBuf,
        /// The I/O error.
        source: io::Error,
    },
    /// The content is damaged, or is not that of an index.
    #[error("cannot read {what} from {}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The part that was being read.
        what: &'static str,
        /// The problem with the content.
        source: ContentError,
    },
    /// The stored manifests of a bundle are not JSON.
    #[error("the manifests of {bundle} in {} are not JSON", path.display())]
    Manifests {
        /// The file.
        path: PathBuf,
        /// The bundle.
        bundle: String,
        /// The problem with the manifests.
        source: serde_json::Error,
    },
}
