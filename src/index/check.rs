//! What is wrong with the content of a database: what SQLite itself cannot see, and what it can.
//!
//! Every finding names the rows that it is about, by package, channel and bundle. [`repair`] mends what needs no
//! decision. [`for_cluster`] finds what the clusters of an older OLM cannot use, and [`images`] what registries do not
//! have.

mod cluster;
mod content;
mod graph;
pub mod images;
mod needs;
pub mod repair;
mod rows;

pub use cluster::for_cluster;

use super::capabilities::Cluster;

use super::read::{Index, ReadError, text};
use crate::diagnostic::{self, Diagnostic};

/// All findings about an index, in a fixed order. The database is only read.
///
/// # Errors
/// When the database cannot be read at all, or changes meanwhile.
pub fn check(index: &Index) -> Result<Vec<Diagnostic>, ReadError> {
    let mut findings = Vec::new();
    rows::check(index, &mut findings)?;
    graph::check(index, &mut findings)?;
    content::check(index, &mut findings)?;
    index.check_unchanged()?;
    diagnostic::sort(&mut findings);
    Ok(findings)
}

/// All findings about an index, with those about what the clusters of an OLM cannot use.
///
/// # Errors
/// When the database cannot be read at all, or changes meanwhile.
pub fn check_for(index: &Index, cluster: &Cluster) -> Result<Vec<Diagnostic>, ReadError> {
    let mut findings = check(index)?;
    // The clusters say the same, with what it means for them.
    findings.retain(|finding| finding.rule != &crate::rules::INDEX_MESSAGE_SIZE);
    findings.extend(for_cluster(index, cluster)?);
    diagnostic::sort(&mut findings);
    Ok(findings)
}

/// All rows of a query whose columns are texts.
fn texts<const COLUMNS: usize>(
    index: &Index,
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

/// Texts that one finding names.
const LISTED: usize = 3;

/// Several texts as a message shows them, the rest of many by their number.
fn listed(texts: &[impl AsRef<str>]) -> String {
    let mut shown: Vec<String> = texts.iter().take(LISTED).map(|text| text.as_ref().to_owned()).collect();
    if texts.len() > LISTED {
        shown.push(format!("{} more", texts.len() - LISTED));
    }
    match shown.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => shown.concat(),
    }
}

#[cfg(test)]
mod tests;
