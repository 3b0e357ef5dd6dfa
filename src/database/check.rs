//! What is wrong with the content of a database: what SQLite itself cannot see, and what it can.
//!
//! Every finding names the rows that it is about, by package, channel and bundle. [`repair`] mends what needs no
//! decision.

mod content;
mod graph;
pub mod repair;
mod rows;

use super::read::{Database, ReadError, text};
use crate::diagnostic::{self, Diagnostic};

/// All findings about an index, in a fixed order. The database is only read.
///
/// # Errors
/// When the database cannot be read at all, or changes meanwhile.
pub fn check(index: &Database) -> Result<Vec<Diagnostic>, ReadError> {
    let mut findings = Vec::new();
    rows::check(index, &mut findings)?;
    graph::check(index, &mut findings)?;
    content::check(index, &mut findings)?;
    index.check_unchanged()?;
    diagnostic::sort(&mut findings);
    Ok(findings)
}

/// All rows of a query whose columns are texts.
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

/// A name as a message shows it.
fn quoted(name: Option<&str>) -> String {
    name.map_or_else(|| "without a name".to_owned(), |name| format!("{name:?}"))
}

#[cfg(test)]
pub(crate) mod tests;
