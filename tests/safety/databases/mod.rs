//! The database of an index when changes to it go wrong: killed processes, full disks, unwritable folders, concurrent
//! writers, and damaged files.

mod damage;
mod faults;
mod kills;
mod sequences;
mod words;
mod writers;

use crate::common::Sandbox;
use rusqlite::{Connection, OpenFlags};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Runs a command that must succeed, and returns its standard output.
fn succeed(sandbox: &Sandbox, line: &str) -> String {
    let outcome = sandbox.run(line.split_whitespace());
    assert_eq!(outcome.status, Some(0), "{line}: {outcome}");
    outcome.stdout
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The names of all bundles of a database.
fn bundle_names(database: &Path) -> BTreeSet<String> {
    let connection = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let mut statement = connection.prepare("SELECT name FROM operatorbundle").unwrap();
    let names = statement.query_map([], |row| row.get(0)).unwrap();
    names.map(Result::unwrap).collect()
}
