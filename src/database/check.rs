//! Finds problems in the content of a database, including problems that SQLite cannot detect.
//!
//! Every finding names the affected rows by package, channel and bundle. [`repair`] fixes the problems that can be
//! fixed without a decision by the user.

mod content;
mod graph;
mod identity;
pub mod repair;
mod rows;
mod tables;

use super::read::{Database, ReadError, text};
use crate::diagnostic::{self, Diagnostic};
use crate::rules;

/// Returns all findings about an index, in a fixed order. The database is only read.
///
/// # Errors
/// Returns an error if the database cannot be read or changes while it is being read.
pub fn check(index: &Database) -> Result<Vec<Diagnostic>, ReadError> {
    let mut findings = Vec::new();
    rows::damage(index, &mut findings)?;
    match the_rest(index, &mut findings) {
        Err(ReadError::Content { .. }) if is_obstructed(&findings) => {}
        result => result?,
    }
    index.check_unchanged()?;
    diagnostic::sort(&mut findings);
    Ok(findings)
}

fn the_rest(index: &Database, findings: &mut Vec<Diagnostic>) -> Result<(), ReadError> {
    tables::check(index, findings)?;
    rows::encoding(index, findings)?;
    rows::check(index, findings)?;
    graph::check(index, findings)?;
    content::check(index, findings)?;
    identity::check(index, findings)
}

/// Returns whether the findings include a problem because of which parts of the database may be unreadable. Readers of
/// these parts fail, and further findings may be missing.
pub fn is_obstructed(findings: &[Diagnostic]) -> bool {
    let obstructing = [
        &rules::INDEX_DATABASE_DAMAGED,
        &rules::INDEX_TABLE_SHAPE,
        &rules::INDEX_TEXT_ENCODING,
    ];
    findings.iter().any(|finding| obstructing.contains(&finding.rule))
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
