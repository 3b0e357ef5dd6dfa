//! Finds problems in the content of a database, including problems that SQLite cannot detect.
//!
//! Every finding names the affected rows by package, channel and bundle. [`repair`] fixes the problems that can be
//! fixed without a decision by the user.

mod content;
mod graph;
pub mod repair;
mod rows;

use super::read::{Database, ReadError, text};
use crate::diagnostic::{self, Diagnostic};

/// Returns all findings about an index, in a fixed order. The database is only read.
///
/// # Errors
/// Returns an error if the database cannot be read or changes while it is being read.
pub fn check(index: &Database) -> Result<Vec<Diagnostic>, ReadError> {
    let mut findings = Vec::new();
    rows::check(index, &mut findings)?;
    graph::check(index, &mut findings)?;
    content::check(index, &mut findings)?;
    index.check_unchanged()?;
    diagnostic::sort(&mut findings);
    Ok(findings)
}

/// Returns all rows of a query whose columns are strings.
fn texts<const COLUMNS: usize>(
    index: &Database,
    what: &'static str,
    query: &str,
) -> Result<Vec<[Option<String>; COLUMNS]>, ReadError> {
    let read = || -> rusqlite::Result<Vec<[Option<String>; COLUMNS]>> {
        let mut statement = index.connection().prepare(query)?;
        let mut rows = statement.query([])?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            let mut columns = [const { None }; COLUMNS];
            for (number, column) in columns.iter_mut().enumerate() {
                *column = text(row, number)?.map(str::to_owned);
            }
            all.push(columns);
        }
        Ok(all)
    };
    read().map_err(|error| index.content_error(what, error))
}

/// Formats a name for a message.
fn quoted(name: Option<&str>) -> String {
    name.map_or_else(|| "without a name".to_owned(), |name| format!("{name:?}"))
}

#[cfg(test)]
pub(crate) mod tests;
