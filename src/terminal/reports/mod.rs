//! Findings about bundles, in the formats for people and programs. Each format is a function from the findings to a
//! string.

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
use serde_json::Value;

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
    match format {
        ReportFormat::Text => text::write(validations, false, color),
        ReportFormat::Json => crate::text::to_json(&json::write(validations)),
        ReportFormat::Yaml => crate::text::to_yaml(&json::write(validations)),
        ReportFormat::Sarif => crate::text::to_json(&sarif::write(validations)),
        ReportFormat::Github => github::write(validations),
        ReportFormat::Junit => junit::write(command, validations),
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
