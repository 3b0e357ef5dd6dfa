//! The report of a check of an index or a catalog.

use crate::cli::error::CommandError;
use crate::diagnostic::Diagnostic;
use crate::rules;
use crate::terminal::Printer;
use crate::terminal::output::OutputError;
use crate::terminal::reports::{self, ReportFormat};
use crate::validation::{Finding, Validation};

/// Returns the only finding about an index or a catalog that could not be read.
pub(crate) fn unreadable(error: &CommandError) -> Diagnostic {
    let mut finding = Diagnostic::new(&rules::CATALOG_UNREADABLE, error.to_string());
    finding.help = error.hints().first().cloned();
    finding
}

/// Prints the findings about an index or a catalog in one of the formats that all checks share.
pub(crate) fn print(
    command: &str,
    index: &str,
    findings: Vec<Diagnostic>,
    format: ReportFormat,
    printer: &Printer,
) -> Result<(), OutputError> {
    let findings = findings.into_iter().map(|diagnostic| Finding {
        validator: None,
        diagnostic,
    });
    let validation = Validation {
        incomplete: false,
        bundle: index.to_owned(),
        media_type: None,
        findings: findings.collect(),
    };
    printer.written_in_parts(|out| reports::write(command, &[validation], format, false, out))?;
    printer.flush()
}
