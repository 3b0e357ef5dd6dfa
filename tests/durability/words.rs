//! What no message may say.

use crate::common::Outcome;

/// Words of statements, and of sentences of the database library about them.
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

/// A command ended in an orderly way and said nothing of the inside of the program.
pub(crate) fn assert_clean(outcome: &Outcome, of: &str) {
    assert!(matches!(outcome.status, Some(0..=2)), "{of}: {outcome}");
    for text in [&outcome.stdout, &outcome.stderr] {
        assert!(!text.contains("panicked"), "{of}: {outcome}");
        for word in STATEMENTS {
            assert!(!text.contains(word), "{of}: {word:?} is said: {outcome}");
        }
    }
}
