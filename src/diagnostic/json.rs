//! A finding in machine-readable form, with stable field names.

use super::Diagnostic;
use crate::rules::Severity;
use crate::source::Place;
use serde::{Serialize, Serializer};
use std::borrow::Cow;

/// One finding, in machine-readable form. A field that does not apply is null.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DiagnosticJson<'a> {
    rule: &'a str,
    severity: Severity,
    message: &'a str,
    #[serde(flatten)]
    location: Location<'a>,
    object: Option<&'a str>,
    path: Option<&'a str>,
    help: Cow<'a, str>,
    related: Vec<Related<'a>>,
}

/// A second position of a finding.
#[derive(Debug, Serialize)]
struct Related<'a> {
    message: &'a str,
    #[serde(flatten)]
    location: Location<'a>,
}

/// A position, in machine-readable form. Lines and columns start at 1, columns count characters, and the end is one
/// past the last character.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Location<'a> {
    file: Option<&'a str>,
    line: Option<usize>,
    column: Option<usize>,
    end_line: Option<usize>,
    end_column: Option<usize>,
}

impl<'a> DiagnosticJson<'a> {
    /// Returns the form of a finding with this advice.
    pub(crate) fn new(diagnostic: &'a Diagnostic, help: Cow<'a, str>) -> Self {
        let related = diagnostic.related.iter().map(|(place, label)| Related {
            message: label,
            location: Location::of(place),
        });
        Self {
            rule: diagnostic.rule.id,
            severity: diagnostic.severity,
            message: &diagnostic.message,
            location: diagnostic.place.as_ref().map(Location::of).unwrap_or_default(),
            object: diagnostic.object.as_deref(),
            path: diagnostic.path.as_deref(),
            help,
            related: related.collect(),
        }
    }
}

impl<'a> Location<'a> {
    fn of(place: &'a Place) -> Self {
        let (start, end) = (place.start(), place.end());
        Self {
            file: Some(place.source.name()),
            line: Some(start.line),
            column: Some(start.column),
            end_line: Some(end.line),
            end_column: Some(end.column),
        }
    }
}

impl Serialize for Diagnostic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        DiagnosticJson::new(self, Cow::Borrowed(self.advice())).serialize(serializer)
    }
}
