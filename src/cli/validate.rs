//! `opmx validate`: what is wrong with a file-based catalog.

use crate::bundle::is_bundle_folder;
use crate::catalog::file_based::check;
use crate::cli::Context;
use crate::cli::arguments::CatalogLimitArguments;
use crate::cli::error::{CommandResult, Status};
use crate::cli::strictness::StrictnessArguments;
use crate::diagnostic::{self, Diagnostic};
use crate::terminal::counted;
use crate::terminal::findings::Report;
use crate::terminal::output::Format;
use crate::terminal::reports::{ReportFormat, report};
use crate::validation::{Finding, Validation};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  A catalog, as it is being written
  $ opmx validate catalog

  For a program
  $ opmx validate catalog -o json

  For the code scanning of a forge
  $ opmx validate catalog -o sarif > opmx.sarif

  What a rule wants
  $ opmx bundle rules catalog-entry-stranded";

/// Check a file-based catalog: its documents, its channels, its bundles
///
/// All files of the folder are read, but for those that files named .indexignore exclude. Everything that is wrong is
/// said at once, with file and line: documents that cannot be read, channels with no head or several, entries without a
/// bundle, bundles without an entry, bundles that no update leads to. What opm refuses is an error, and the exit status
/// is 0 where there is none; what its newest versions refuse and others have put into catalogs is a warning, or with
/// --strict an error. Of a valid catalog nothing is printed; warnings go to standard error.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ValidateArguments {
    /// The folder of the catalog
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Form of the result
    #[arg(short, long, value_enum, value_name = "FORM", default_value_t)]
    output: ReportFormat,
    #[command(flatten)]
    strictness: StrictnessArguments,
    #[command(flatten)]
    limits: CatalogLimitArguments,
}

/// The result as opm says it, and all findings.
#[derive(Debug, Serialize)]
struct Outcome<'a> {
    passed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Failure>,
    #[serde(flatten)]
    report: Report<'a>,
}

#[derive(Debug, Serialize)]
struct Failure {
    message: String,
}

impl<'a> Outcome<'a> {
    fn of(findings: &'a [Diagnostic]) -> Self {
        let errors = findings.iter().filter(|finding| finding.is_error());
        let errors: Vec<String> = errors.map(ToString::to_string).collect();
        Self {
            passed: errors.is_empty(),
            error: (!errors.is_empty()).then(|| Failure {
                message: errors.join("\n"),
            }),
            report: Report::of(findings),
        }
    }
}

pub(crate) fn run(arguments: &ValidateArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    let checked = check::check(&arguments.folder, arguments.limits.catalog())?;
    let mut findings = checked.findings;
    arguments.strictness.strictness().weigh_catalog(&mut findings);
    let failed = diagnostic::has_errors(&findings);
    match arguments.output {
        // Scripts take an empty standard output for a valid catalog.
        ReportFormat::Text if failed => printer.findings(Format::Text, &findings)?,
        ReportFormat::Text => printer.report(&findings),
        ReportFormat::Json => printer.document(Format::Json, &Outcome::of(&findings))?,
        ReportFormat::Yaml => printer.document(Format::Yaml, &Outcome::of(&findings))?,
        other => print(arguments, other, findings, context)?,
    }
    printer.status(format_args!(
        "{}: {}, {}, {}",
        arguments.folder.display(),
        counted(checked.packages, "package"),
        counted(checked.channels, "channel"),
        counted(checked.bundles, "bundle")
    ));
    if failed && is_bundle_folder(&arguments.folder) {
        printer.warning(format_args!(
            "{} is the folder of a bundle, not of a catalog: opmx bundle validate checks it",
            arguments.folder.display()
        ));
    }
    Ok(if failed { Status::Failure } else { Status::Success })
}

fn print(
    arguments: &ValidateArguments,
    format: ReportFormat,
    findings: Vec<Diagnostic>,
    context: &Context<'_>,
) -> Result<(), crate::terminal::output::OutputError> {
    let findings = findings.into_iter().map(|diagnostic| Finding {
        validator: None,
        diagnostic,
    });
    let validation = Validation {
        bundle: arguments.folder.display().to_string(),
        media_type: None,
        findings: findings.collect(),
    };
    let text = report("opmx validate", &[validation], format, false);
    context.printer.written(&text)?;
    context.printer.flush()
}
