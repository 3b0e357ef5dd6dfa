//! What is found about bundles, in the forms that people and programs read. Each form is a function from the findings
//! to a string.

mod github;
mod json;
mod junit;
mod patch;
mod sarif;
mod text;

pub use json::json_schema;
pub use patch::{patch, unified};
pub use text::summary;

use crate::validation::Validation;
use clap::ValueEnum;
use serde_json::Value;

/// The form of a report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For a person: each finding with the line that it is about
    #[default]
    Text,
    /// JSON, with stable field names
    Json,
    /// The same as YAML
    Yaml,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of a workflow
    Github,
    /// JUnit XML, for test reports
    Junit,
}

/// The whole report, with a newline at its end. `command` is the title, where the form has one; `color` is for the form
/// for people only.
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

/// The report for a person who wants to see the errors alone; the others are counted.
pub fn errors(validations: &[Validation], color: bool) -> String {
    text::write(validations, true, color)
}

/// How many findings are errors, and how many warnings.
fn counts(validation: &Validation) -> (usize, usize) {
    use crate::rules::Severity;
    let of = |severity| {
        let found = validation.findings.iter();
        found.filter(|finding| finding.diagnostic.severity == severity).count()
    };
    (of(Severity::Error), of(Severity::Warning))
}

/// A list of values as JSON.
fn list(values: impl IntoIterator<Item = Value>) -> Value {
    Value::Array(values.into_iter().collect())
}

#[cfg(test)]
mod tests;
