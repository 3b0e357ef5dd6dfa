//! Errors in the rows and pages of a database.

use rusqlite::ErrorCode;
use std::str::Utf8Error;

/// An error in the content of a database. The message never includes the failed statement.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ContentError {
    /// A table or a column is missing.
    #[error("it has no {0}, which every index with its schema version contains")]
    Missing(String),
    /// A table is wrong in another way: it is a view, or its columns differ.
    #[error("its tables differ from those of an index with its schema version")]
    Tables,
    /// Two rows have the same key, or a row refers to a missing row.
    #[error("its rows are inconsistent")]
    Rows,
    /// The type or range of a value does not match its column.
    #[error("column {column} of a row contains {problem}")]
    Value {
        /// The number of the column in the query.
        column: usize,
        /// The problem with the value.
        problem: &'static str,
    },
    /// A string is not valid UTF-8.
    #[error("{place} is not valid UTF-8")]
    Encoding {
        /// The column, and the row if it is known.
        place: String,
    },
    /// A value is larger than the maximum size in an index.
    #[error("it contains a value that is too large")]
    TooLarge,
    /// The pages of the file are inconsistent.
    #[error("its pages are inconsistent")]
    Pages,
    /// Any other error that SQLite reports.
    #[error(transparent)]
    Other(#[from] rusqlite::ffi::Error),
}

impl From<rusqlite::Error> for ContentError {
    fn from(error: rusqlite::Error) -> Self {
        (&error).into()
    }
}

impl From<&rusqlite::Error> for ContentError {
    fn from(error: &rusqlite::Error) -> Self {
        if let Some(column) = invalid_column(error) {
            let place = format!("column {column} of a row");
            return Self::Encoding { place };
        }
        let (source, message) = match error {
            rusqlite::Error::SqliteFailure(source, message) => (*source, message.as_deref().unwrap_or_default()),
            rusqlite::Error::SqlInputError { error, msg, .. } => (*error, msg.as_str()),
            rusqlite::Error::InvalidColumnType(column, ..) | rusqlite::Error::FromSqlConversionFailure(column, ..) => {
                let (column, problem) = (*column, "a value of the wrong type");
                return Self::Value { column, problem };
            }
            rusqlite::Error::IntegralValueOutOfRange(column, _) => {
                let (column, problem) = (*column, "a number out of range");
                return Self::Value { column, problem };
            }
            _ => return Self::Rows,
        };
        match source.code {
            ErrorCode::DatabaseCorrupt => Self::Pages,
            ErrorCode::ConstraintViolation => Self::Rows,
            ErrorCode::TooBig => Self::TooLarge,
            ErrorCode::TypeMismatch => Self::Tables,
            ErrorCode::Unknown => missing(message).map_or(Self::Tables, Self::Missing),
            _ => Self::Other(source),
        }
    }
}

/// Returns the number of the column whose string is not valid UTF-8, if this is the error.
pub(super) fn invalid_column(error: &rusqlite::Error) -> Option<usize> {
    match error {
        rusqlite::Error::Utf8Error(column, _) => Some(*column),
        rusqlite::Error::FromSqlConversionFailure(column, _, cause) if cause.is::<Utf8Error>() => Some(*column),
        _ => None,
    }
}

/// Returns the table or column that a message of SQLite reports as missing.
fn missing(message: &str) -> Option<String> {
    let (kind, name) = message.strip_prefix("no such ")?.split_once(": ")?;
    let name = name.rsplit('.').next()?;
    ["table", "column"].contains(&kind).then(|| format!("{kind} {name}"))
}
