//! What keeps a database from being read or changed, in words that name the file and say what to do.

use super::admission::{Refused, Unfit};
use super::content_error::ContentError;
use super::guard::LONGEST_VALUE;
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
    /// The file is not taken for an index.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// A change that takes longer than that of any index.
    #[error(
        "{} cannot be changed: that takes the database engine more steps than any index needs, so the file is damaged, \
         or made to keep it busy",
        path.display()
    )]
    Steps {
        /// The file.
        path: PathBuf,
    },
    /// A value that no index may hold, in the file or on its way to it.
    #[error(
        "a value in {}, or to be written to it, is larger than {} MiB, the most that an index may hold",
        path.display(), LONGEST_VALUE >> 20
    )]
    TooLarge {
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
    #[error("no space is left to write {}, and nothing was changed; make room there and try again", path.display())]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// The system failed to read or write.
    #[error("the system failed to read or write {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The code of the database library.
        source: rusqlite::ffi::Error,
    },
    /// What is in the file contradicts itself, or is not what an index holds.
    #[error("{} is damaged", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: ContentError,
    },
    /// Anything else that the database library reports.
    #[error("{} cannot be used", path.display())]
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
        let damaged = |path| Self::Damaged {
            path,
            source: error.into(),
        };
        let source = match error {
            rusqlite::Error::SqliteFailure(source, _) | rusqlite::Error::SqlInputError { error: source, .. } => *source,
            // A column with a value of another type, or a row too few: only a damaged file has these.
            _ => return damaged(path),
        };
        match source.code {
            ErrorCode::NotADatabase => Self::NotADatabase { path },
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Locked { path, waited },
            ErrorCode::ReadOnly | ErrorCode::PermissionDenied => Self::ReadOnly { path },
            ErrorCode::CannotOpen => Self::CannotOpen { path },
            ErrorCode::DiskFull => Self::Full { path },
            ErrorCode::SystemIoFailure => Self::Io { path, source },
            // Memory has a limit for what a sound index never needs.
            ErrorCode::OperationInterrupted | ErrorCode::OutOfMemory => Self::Steps { path },
            ErrorCode::TooBig => Self::TooLarge { path },
            // All statements of this program are right for the tables of an index.
            ErrorCode::DatabaseCorrupt
            | ErrorCode::ConstraintViolation
            | ErrorCode::TypeMismatch
            | ErrorCode::Unknown => damaged(path),
            _ => Self::Other { path, source },
        }
    }

    /// Says why the gate refused a database.
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
    fn no_word_of_a_statement_is_said() {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch(
                "CREATE TABLE t (x TEXT PRIMARY KEY); CREATE VIEW v AS SELECT x FROM t; INSERT INTO t VALUES ('a')",
            )
            .unwrap();
        let cases = [
            (
                "SELECT x FROM main.channel",
                "it has no table channel, which every index of its schema version has",
            ),
            (
                "SELECT t.depth FROM t",
                "it has no column depth, which every index of its schema version has",
            ),
            (
                "DELETE FROM v",
                "its tables are not those of an index of its schema version",
            ),
            (
                "INSERT INTO t VALUES (1, 2)",
                "its tables are not those of an index of its schema version",
            ),
            ("INSERT INTO t VALUES ('a')", "its rows do not fit together"),
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
        let expected = "column 0 of a row holds what is no value of its kind";
        assert_eq!(ContentError::from(&number).to_string(), expected);
    }
}
