//! Why an index cannot be read.

use super::READABLE_VERSIONS;
use crate::database::admission::Unfit;
use crate::database::content_error::ContentError;
use crate::files::FileError;
use std::io;
use std::path::PathBuf;

/// Why an index cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// No such file.
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
        /// What the system said.
        source: io::Error,
    },
    /// A folder is no index.
    #[error("{} is a folder, and an index is a database file or an image", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("{} is not a SQLite database", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// The file is not taken for an index.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// Reading takes longer than that of any index.
    #[error(
        "cannot read {what} from {}: that takes the database engine more steps than any index needs, so the file is \
         damaged, or made to keep it busy",
        path.display()
    )]
    Steps {
        /// The file.
        path: PathBuf,
        /// What was being read.
        what: &'static str,
    },
    /// What stands beside the file under a name that belongs to it.
    #[error(transparent)]
    Beside(FileError),
    /// The file ends too early.
    #[error("{} is cut short: it should hold {expected} bytes and holds {found}; restore it from a copy", path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Bytes that its header promises.
        expected: u64,
        /// Bytes that it has.
        found: u64,
    },
    /// A database of something else.
    #[error("{} is a SQLite database, but no operator index: it has no table {table}", path.display())]
    NotAnIndex {
        /// The file.
        path: PathBuf,
        /// The first table that is not there.
        table: &'static str,
    },
    /// An index of a schema after the last that is known.
    #[error(
        "{} has schema version {version}; this program knows versions up to {}. Use a newer release",
        path.display(), READABLE_VERSIONS.end()
    )]
    TooNew {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        version: i64,
    },
    /// Another program wrote the file while it was being read.
    #[error("{} was changed while it was being read; try again", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The file can only be read from a copy, and that cannot be made.
    #[error(
        "{} has an older schema or an unfinished transaction beside it, so that it can only be read from a copy, and \
         it cannot be copied to {}",
        path.display(), directory.display()
    )]
    Copy {
        /// The file.
        path: PathBuf,
        /// The directory for temporary files.
        directory: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The content is damaged, or not what an index holds.
    #[error("cannot read {what} from {}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What was being read.
        what: &'static str,
        /// What is wrong with it.
        source: ContentError,
    },
    /// A bundle whose stored manifests are no JSON.
    #[error("the manifests of {bundle} in {} are not JSON", path.display())]
    Manifests {
        /// The file.
        path: PathBuf,
        /// The bundle.
        bundle: String,
        /// What is wrong with them.
        source: serde_json::Error,
    },
}
