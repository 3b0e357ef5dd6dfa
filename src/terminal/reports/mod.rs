//! Findings about bundles, in the formats for people and programs. Each format is a function from the findings to
//! text.

mod github;
mod json;
mod junit;
mod patch;
mod sarif;
mod text;

pub use json::json_schema;
pub use patch::{are_similar, patch, renamed, unified};
pub use text::summary;

use crate::rules::Severity;
use crate::validation::Validation;
use clap::ValueEnum;
use serde_json::{Value, json};
use std::fmt;

/// The format of a report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// Human-readable text: each finding with the affected line
    #[default]
    Text,
    /// JSON, with stable field names
    Json,
    /// YAML, with the same fields
    Yaml,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of a GitHub workflow
    Github,
    /// JUnit XML, for test reports
    Junit,
}

/// Returns the whole report, with a final newline. `command` is the title, in formats with a title; `color` affects
/// only the text format.
pub fn report(command: &str, validations: &[Validation], format: ReportFormat, color: bool) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(command, validations, format, color, &mut text);
    text
}

/// Like [`report`], but writes the report to `out`. SARIF, annotations and JUnit are written finding by finding.
///
/// # Errors
/// Returns an error if `out` does.
pub fn write(
    command: &str,
    validations: &[Validation],
    format: ReportFormat,
    color: bool,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    match format {
        ReportFormat::Text => out.write_str(&text::write(validations, false, color)),
        ReportFormat::Json => out.write_str(&crate::text::to_json(&json::Report::of(validations))),
        ReportFormat::Yaml => out.write_str(&crate::text::to_yaml(&json!(json::Report::of(validations)))),
        ReportFormat::Sarif => sarif::write(validations, out),
        ReportFormat::Github => github::write(validations, out),
        ReportFormat::Junit => junit::write(command, validations, out),
    }
}

/// Returns the text report with only the errors; other findings are counted.
pub fn errors(validations: &[Validation], color: bool) -> String {
    text::write(validations, true, color)
}

/// Returns the number of errors and the number of warnings.
fn counts(validation: &Validation) -> (usize, usize) {
    (validation.count(Severity::Error), validation.count(Severity::Warning))
}

/// Returns a list of values as JSON.
fn list(values: impl IntoIterator<Item = Value>) -> Value {
    Value::Array(values.into_iter().collect())
}

#[cfg(test)]
mod tests;
