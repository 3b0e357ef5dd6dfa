//! The rules for reading and writing, row by row.

#![allow(clippy::format_push_string, clippy::format_collect)]

mod block;
mod hints;
mod places;
mod reading;
mod writing;

use super::*;
use crate::diagnostic::Diagnostic;
use proptest::prelude::ProptestConfig;
use serde_json::Value;

/// Returns the number of cases that a property test tries: a few, or the number set in the environment.
pub(super) fn property(cases: u32) -> ProptestConfig {
    let asked = std::env::var("OPMX_PROPTEST_CASES");
    ProptestConfig {
        cases: asked.ok().and_then(|cases| cases.parse().ok()).unwrap_or(cases),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn reading(text: &str) -> Reading {
    read("a.yaml", text.as_bytes(), &Limits::default())
}

/// Returns the value of the only document of a valid text.
fn value(text: &str) -> Value {
    let reading = reading(text);
    assert_eq!(reading.diagnostics, [], "{text}");
    assert_eq!(reading.documents.len(), 1, "{text}");
    reading.documents[0].value().clone()
}

/// Returns the only finding about a file that has no readable document.
fn fault(text: &str) -> Diagnostic {
    let mut reading = reading(text);
    assert!(reading.documents.is_empty(), "{text}");
    assert_eq!(reading.diagnostics.len(), 1, "{text}: {:?}", reading.diagnostics);
    reading.diagnostics.remove(0)
}
