//! Words that no message may contain.

use crate::common::Outcome;

/// Words of SQL statements, and of messages of SQLite about them.
const STATEMENTS: [&str; 22] = [
    "SELECT ",
    "INSERT ",
    "UPDATE ",
    "DELETE ",
    "CREATE ",
    "DROP ",
    "PRAGMA",
    "VACUUM",
    "BEGIN",
    " WHERE ",
    " VALUES",
    " JOIN ",
    "RECURSIVE",
    "sqlite_master",
    "json_each",
    "no such table",
    "no such column",
    "no such function",
    "onstraint failed",
    "syntax error",
    "SQL logic error",
    "SQL error",
];

/// Asserts that a command did not crash and printed nothing about its internals.
pub(crate) fn assert_clean(outcome: &Outcome, of: &str) {
    assert!(matches!(outcome.status, Some(0..=2)), "{of}: {outcome}");
    for text in [&outcome.stdout, &outcome.stderr] {
        assert!(!text.contains("panicked"), "{of}: {outcome}");
        for word in STATEMENTS {
            assert!(!text.contains(word), "{of}: {word:?} is said: {outcome}");
        }
    }
}
