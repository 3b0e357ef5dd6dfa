//! What keeps a database from being read or changed, in words that name the file and say what to do.

use super::read::ReadError;
use super::schema;
use crate::files::FileError;
use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A database that cannot be opened, read or changed. The statement that failed is never part of the message.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// The file is something else.
    #[error("{} is not a database; name an index database, or a file that does not exist yet", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// A database of another program.
    #[error("{} is a database, but no operator index: nothing in it says its schema version", path.display())]
    NotAnIndex {
        /// The file.
        path: PathBuf,
    },
    /// Made by a newer program.
    #[error(
        "{} has schema version {version}, newer than {}, the newest that this program knows; use a newer opmx",
        path.display(), schema::VERSION
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        version: i64,
    },
    /// The folder that should hold it is absent.
    #[error("the folder of {} does not exist; create it first", path.display())]
    NoFolder {
        /// The file.
        path: PathBuf,
    },
    /// Somebody else writes it, or reads it while this program wants to write.
    #[error(
        "{} is in use by another program, and did not become free within {} seconds; try again when that is done",
        path.display(), waited.as_secs_f64()
    )]
    Locked {
        /// The file.
        path: PathBuf,
        /// How long was waited.
        waited: Duration,
    },
    /// The file cannot be written, or the journal cannot be made beside it.
    #[error("{} cannot be changed: the file, or the folder that it is in, is read-only", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// The file or its journal cannot be opened.
    #[error(
        "{} cannot be opened: check that it is a file, and that it and its folder may be read and written",
        path.display()
    )]
    CannotOpen {
        /// The file.
        path: PathBuf,
    },
    /// No room left.
    #[error("no space is left to write {}; nothing was changed", path.display())]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// The system failed to read or write.
    #[error(
        "the system failed to read or write {}; check the disk, free space, quota and limits on file sizes",
        path.display()
    )]
    Io {
        /// The file.
        path: PathBuf,
        /// The code of the database library.
        source: rusqlite::ffi::Error,
    },
    /// What is in the file contradicts itself.
    #[error("{} is damaged; restore it from a copy", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The code of the database library, where it is one that says more.
        source: Option<rusqlite::ffi::Error>,
    },
    /// Anything else that the database library reports.
    #[error("{} cannot be used: {source}", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// The code of the database library.
        source: rusqlite::ffi::Error,
    },
    /// The database to begin with cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file beside the database.
    #[error(transparent)]
    File(#[from] FileError),
}

impl DatabaseError {
    /// Puts an error of the database library into words. `waited` is the time-out of the connection.
    pub fn new(path: &Path, waited: Duration, error: &rusqlite::Error) -> Self {
        let path = path.to_owned();
        let source = match error {
            rusqlite::Error::SqliteFailure(source, _) | rusqlite::Error::SqlInputError { error: source, .. } => *source,
            // A column with a value of another type, or a row too few: only a damaged file has these.
            _ => return Self::Damaged { path, source: None },
        };
        match source.code {
            ErrorCode::NotADatabase => Self::NotADatabase { path },
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Locked { path, waited },
            ErrorCode::ReadOnly | ErrorCode::PermissionDenied => Self::ReadOnly { path },
            ErrorCode::CannotOpen => Self::CannotOpen { path },
            ErrorCode::DiskFull => Self::Full { path },
            ErrorCode::SystemIoFailure => Self::Io { path, source },
            ErrorCode::DatabaseCorrupt | ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch => Self::Damaged {
                path,
                source: Some(source),
            },
            _ => Self::Other { path, source },
        }
    }
}
