//! What is wrong with the rows and pages of a database.

use rusqlite::ErrorCode;

/// What is wrong with the content of a database. The statement that met it is never part of the message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContentError {
    /// A table is not there, or a column of one.
    #[error("it has no {0}, which every index of its schema version has")]
    Missing(String),
    /// Something else is wrong with a table: it is a view, or has other columns.
    #[error("its tables are not those of an index of its schema version")]
    Tables,
    /// Two rows have one key, or one refers to another that is not there.
    #[error("its rows do not fit together")]
    Rows,
    /// A value is not what its column is for.
    #[error("column {column} of a row holds what is no {expected}")]
    Value {
        /// The number of the column, as it was asked for.
        column: usize,
        /// What it should hold.
        expected: &'static str,
    },
    /// A value is larger than any that an index holds.
    #[error("a value in it is too large")]
    TooLarge,
    /// The pages of the file do not fit together.
    #[error("its pages do not fit together")]
    Pages,
    /// Anything else that the database library reports.
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
        let (source, message) = match error {
            rusqlite::Error::SqliteFailure(source, message) => (*source, message.as_deref().unwrap_or_default()),
            rusqlite::Error::SqlInputError { error, msg, .. } => (*error, msg.as_str()),
            rusqlite::Error::InvalidColumnType(column, ..) | rusqlite::Error::FromSqlConversionFailure(column, ..) => {
                let (column, expected) = (*column, "value of its kind");
                return Self::Value { column, expected };
            }
            rusqlite::Error::IntegralValueOutOfRange(column, _) => {
                let (column, expected) = (*column, "number that can be");
                return Self::Value { column, expected };
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

/// The table or column that the sentence of the database library misses.
fn missing(message: &str) -> Option<String> {
    let (kind, name) = message.strip_prefix("no such ")?.split_once(": ")?;
    let name = name.rsplit('.').next()?;
    ["table", "column"].contains(&kind).then(|| format!("{kind} {name}"))
}
