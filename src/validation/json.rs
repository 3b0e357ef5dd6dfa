//! The findings about bundles in machine-readable form, with stable field names.

use super::bundle_checks::Validation;
use super::stages::Finding;
use crate::bundle::MediaType;
use crate::diagnostic::Diagnostic;
use crate::rules::Severity;
use crate::source::Place;
use serde::{Serialize, Serializer};
use std::borrow::Cow;

/// The findings about one bundle, in machine-readable form.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ValidationJson<'a> {
    bundle: &'a str,
    media_type: Option<&'static str>,
    findings: Vec<FindingJson<'a>>,
    errors: usize,
    warnings: usize,
}

/// One finding, in machine-readable form. A field that does not apply is null.
#[derive(Debug, Serialize)]
struct FindingJson<'a> {
    rule: &'a str,
    severity: Severity,
    validator: Option<&'a str>,
    message: &'a str,
    file: Option<&'a str>,
    line: Option<usize>,
    column: Option<usize>,
    help: Cow<'a, str>,
    fixable: bool,
}

impl<'a> ValidationJson<'a> {
    /// Returns the form of a validation. `help` returns the advice for each finding.
    pub(crate) fn new(validation: &'a Validation, help: fn(&'a Diagnostic) -> Cow<'a, str>) -> Self {
        let findings = validation.findings.iter();
        Self {
            bundle: &validation.bundle,
            media_type: validation.media_type.map(MediaType::as_str),
            findings: findings
                .map(|finding| FindingJson::new(finding, help(&finding.diagnostic)))
                .collect(),
            errors: validation.count(Severity::Error),
            warnings: validation.count(Severity::Warning),
        }
    }
}

impl<'a> FindingJson<'a> {
    fn new(finding: &'a Finding, help: Cow<'a, str>) -> Self {
        let diagnostic = &finding.diagnostic;
        let start = diagnostic.place.as_ref().map(Place::start);
        Self {
            rule: diagnostic.rule.id,
            severity: diagnostic.severity,
            validator: finding.validator,
            message: &diagnostic.message,
            file: diagnostic.place.as_ref().map(|place| place.source.name()),
            line: start.map(|start| start.line),
            column: start.map(|start| start.column),
            help,
            fixable: diagnostic.is_fixable(),
        }
    }
}

fn advice(diagnostic: &Diagnostic) -> Cow<'_, str> {
    Cow::Borrowed(diagnostic.advice())
}

impl Serialize for Validation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ValidationJson::new(self, advice).serialize(serializer)
    }
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        FindingJson::new(self, advice(&self.diagnostic)).serialize(serializer)
    }
}
