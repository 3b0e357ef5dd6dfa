//! What is wrong with the content of an index: in a database what SQLite itself cannot see, and what it can; in a
//! file-based catalog what its documents say.
//!
//! Every finding names the rows that it is about, by package, channel and bundle. [`repair`] mends what needs no
//! decision. [`for_cluster`] finds what the clusters of an older OLM cannot use, and [`images`] what registries do not
//! have.

mod catalog;
mod cluster;
mod content;
mod graph;
pub mod images;
mod needs;
pub mod repair;
mod rows;

pub use catalog::check_catalog;
pub use cluster::for_cluster;

use super::capabilities::Cluster;
use super::opened::{OpenError, Opened};
use super::read::{Index, ReadError, text};
use crate::diagnostic::{self, Diagnostic};
use crate::rules;

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

/// Adds what the clusters of an OLM cannot use to the findings about an index.
///
/// # Errors
/// When the index cannot be read, or changes meanwhile.
pub fn add_for_cluster(findings: &mut Vec<Diagnostic>, index: &Opened, cluster: &Cluster) -> Result<(), OpenError> {
    // The clusters say the same, with what it means for them.
    let same = [&rules::INDEX_MESSAGE_SIZE, &rules::CATALOG_MESSAGE_SIZE];
    findings.retain(|finding| !same.contains(&finding.rule));
    findings.extend(for_cluster(index, cluster)?);
    diagnostic::sort(findings);
    Ok(())
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
