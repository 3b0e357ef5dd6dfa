//! Errors that occur when a database is read or changed. Messages name the file and, where possible, a fix.

use super::admission::{Refused, Unfit};
use super::content_error::ContentError;
use super::guard::LONGEST_VALUE;
use super::read::ReadError;
use super::schema;
use crate::files::FileError;
use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// An error that occurs when a database is opened, read or changed. The message never includes the failed statement.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatabaseError {
    /// The file is not a database.
    #[error("{} is not a database; specify an index database or a file that does not exist yet", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// The file is a database of another program.
    #[error("{} is a database, but not an operator index: it has no schema version", path.display())]
    NotAnIndex {
        /// The file.
        path: PathBuf,
    },
    /// The file is not accepted as an index.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// The change takes more steps than are needed for any valid index.
    #[error(
        "{} cannot be changed because the database engine would need more steps than any valid index requires; the \
        file is damaged or malicious",
        path.display()
    )]
    Steps {
        /// The file.
        path: PathBuf,
    },
    /// A value in the file, or a value to be written to it, is too large.
    #[error(
        "a value in {}, or a value to be written to it, is larger than the maximum of {} MiB",
        path.display(), LONGEST_VALUE >> 20
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by a newer program.
    #[error(
        "{} has schema version {version}, but this program supports versions up to {}; use a newer release of opmx",
        path.display(), schema::VERSION
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// The schema version of the file.
        version: i64,
    },
    /// The file must be migrated, but contains parts that the migration would drop.
    #[error(
        "{} has schema version {version}, and migrating it to version {} would remove parts that no index contains: {}",
        path.display(), schema::VERSION, parts.join(", ")
    )]
    ForeignParts {
        /// The file.
        path: PathBuf,
        /// The schema version of the file.
        version: i64,
        /// The parts: columns and indexes, with their tables.
        parts: Vec<String>,
    },
    /// The folder of the file does not exist.
    #[error("the folder of {} does not exist; create it first", path.display())]
    NoFolder {
        /// The file.
        path: PathBuf,
    },
    /// The file is a symbolic link to a file that does not exist.
    #[error("{} is a link to {}, which does not exist; correct or remove the link", path.display(), target.display())]
    NoTarget {
        /// The link.
        path: PathBuf,
        /// The target as stored in the link.
        target: PathBuf,
    },
    /// Another program is writing the file, or is reading it while this program needs to write.
    #[error(
        "{} is in use by another program and was not released within {} seconds; try again when that program has \
        finished",
        path.display(), waited.as_secs_f64()
    )]
    Locked {
        /// The file.
        path: PathBuf,
        /// The time that this program waited.
        waited: Duration,
    },
    /// The file cannot be written, or the journal cannot be created next to it.
    #[error("{} cannot be changed because the file or its folder is read-only", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// The file or its journal cannot be opened.
    #[error(
        "{} cannot be opened; check that it is a file, and that the file and its folder are readable and writable",
        path.display()
    )]
    CannotOpen {
        /// The file.
        path: PathBuf,
    },
    /// There is no space left to write the file.
    #[error("no space is left to write {}, so nothing was changed; free some space and try again", path.display())]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// An I/O operation failed.
    #[error("an I/O operation on {} failed", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error code of SQLite.
        source: rusqlite::ffi::Error,
    },
    /// The content of the file is inconsistent, or is not that of an index.
    #[error("{} is damaged", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The problem with the content.
        source: ContentError,
    },
    /// Any other error that SQLite reports.
    #[error("{} cannot be used", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// The error code of SQLite.
        source: rusqlite::ffi::Error,
    },
    /// The original database cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl DatabaseError {
    /// Converts an error from SQLite. `waited` is the timeout of the connection.
    pub fn new(path: &Path, waited: Duration, error: &rusqlite::Error) -> Self {
        let path = path.to_owned();
        let damaged = |path| Self::Damaged {
            path,
            source: error.into(),
        };
        let source = match error {
            rusqlite::Error::SqliteFailure(source, _) | rusqlite::Error::SqlInputError { error: source, .. } => *source,
            // A column value of the wrong type, or a missing row: these occur only in a damaged file.
            _ => return damaged(path),
        };
        match source.code {
            ErrorCode::NotADatabase => Self::NotADatabase { path },
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Locked { path, waited },
            ErrorCode::ReadOnly | ErrorCode::PermissionDenied => Self::ReadOnly { path },
            ErrorCode::CannotOpen => Self::CannotOpen { path },
            ErrorCode::DiskFull => Self::Full { path },
            ErrorCode::SystemIoFailure => Self::Io { path, source },
            // A valid index never reaches the memory limit.
            ErrorCode::OperationInterrupted | ErrorCode::OutOfMemory => Self::Steps { path },
            ErrorCode::TooBig => Self::TooLarge { path },
            // All statements of this program are valid for the tables of an index.
            ErrorCode::DatabaseCorrupt
            | ErrorCode::ConstraintViolation
            | ErrorCode::TypeMismatch
            | ErrorCode::Unknown => damaged(path),
            _ => Self::Other { path, source },
        }
    }

    /// Converts the reason for refusing a database.
    pub(super) fn refused(path: &Path, waited: Duration, refused: Refused) -> Self {
        match refused {
            Refused::NotPlain(source) => Unfit::not_plain(path, source).into(),
            Refused::Engine(error) => Self::new(path, waited, &error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::causes::with_causes;
    use rusqlite::Connection;

    #[test]
    fn messages_contain_no_sql() {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch(
                "CREATE TABLE t (x TEXT PRIMARY KEY); CREATE VIEW v AS SELECT x FROM t; INSERT INTO t VALUES ('a')",
            )
            .unwrap();
        let cases = [
            (
                "SELECT x FROM main.channel",
                "it has no table channel, which every index with its schema version contains",
            ),
            (
                "SELECT t.depth FROM t",
                "it has no column depth, which every index with its schema version contains",
            ),
            (
                "DELETE FROM v",
                "its tables differ from those of an index with its schema version",
            ),
            (
                "INSERT INTO t VALUES (1, 2)",
                "its tables differ from those of an index with its schema version",
            ),
            ("INSERT INTO t VALUES ('a')", "its rows are inconsistent"),
        ];
        for (statement, expected) in cases {
            let error = connection
                .prepare(statement)
                .and_then(|mut statement| statement.execute([]))
                .unwrap_err();
            assert_eq!(ContentError::from(&error).to_string(), expected, "{statement}");
            let said = DatabaseError::new(Path::new("index.db"), Duration::ZERO, &error);
            assert_eq!(with_causes(&said), format!("index.db is damaged: {expected}"));
        }
        let number = connection
            .query_row("SELECT x FROM t", [], |row| row.get::<_, i64>(0))
            .unwrap_err();
        let expected = "column 0 of a row contains a value of the wrong type";
        assert_eq!(ContentError::from(&number).to_string(), expected);
    }
}
