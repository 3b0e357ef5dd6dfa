//! `opmx validate`: checking a file-based catalog.

use crate::bundle::is_bundle_folder;
use crate::bundle::location::Location;
use crate::catalog::file_based::check;
use crate::catalog::file_based::folder::finish_changes;
use crate::cli::Context;
use crate::cli::arguments::CatalogLimitArguments;
use crate::cli::checked::{print, unreadable};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::strictness::StrictnessArguments;
use crate::database::read::is_database;
use crate::diagnostic::{self, Diagnostic};
use crate::terminal::findings::Report;
use crate::terminal::output::{Format, OutputError};
use crate::terminal::reports::ReportFormat;
use crate::terminal::shell::word;
use crate::terminal::{Printer, counted};
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  Check a catalog while working on it
  $ opmx validate catalog

  Print the findings as JSON
  $ opmx validate catalog -o json

  Write a SARIF report for code scanning
  $ opmx validate catalog -o sarif > opmx.sarif

  Explain a rule
  $ opmx bundle rules catalog-entry-stranded";

/// Check a file-based catalog: its documents, channels and bundles
///
/// All files of a folder are read, except those that .indexignore files exclude. All problems are reported at once,
/// with file and line: unreadable documents, channels with no head or several heads, entries without a bundle, bundles
/// without an entry, and bundles that no update leads to. Problems that opm rejects are errors; the exit status is 0 if
/// there are none. Some of these problems occur in published catalogs or in databases, and others are rejected only by
/// the newest versions of opm: they are warnings that state the consequence, or errors with --strict. If a change to
/// the catalog was interrupted, it is completed first. Findings and the number of packages, channels and bundles go to
/// standard error; the other output formats print a document.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ValidateArguments {
    /// Folder or file of the catalog
    #[arg(value_name = "DIR|FILE")]
    folder: PathBuf,
    /// Output format
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t)]
    output: ReportFormat,
    #[command(flatten)]
    strictness: StrictnessArguments,
    #[command(flatten)]
    limits: CatalogLimitArguments,
}

/// The result in the format of opm, and all findings.
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
        let errors: Vec<&str> = errors.map(|finding| finding.message.as_str()).collect();
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
    if is_bundle_folder(&arguments.folder) {
        let folder = arguments.folder.display();
        let error = CommandError::failure(format!("{folder} is the folder of a bundle, not of a catalog"));
        return Err(error.hint(format!("use opmx bundle validate {}", word(&folder.to_string()))));
    }
    if arguments.folder.is_file() && is_database(&arguments.folder)? {
        let file = arguments.folder.display();
        let error = CommandError::failure(format!("{file} is a database, not a file-based catalog"));
        return Err(error.hint(format!("use opmx index check {}", word(&file.to_string()))));
    }
    // A change that cannot be completed here, for example in a read-only folder, is read as if it were complete.
    if arguments.folder.is_dir() {
        let _ = finish_changes(&arguments.folder);
    }
    let checked = check::check(&arguments.folder, arguments.limits.catalog());
    let checked = match checked {
        Ok(checked) => checked,
        Err(error) => {
            let error = not_a_folder(error.into(), &arguments.folder);
            write(arguments, vec![unreadable(&error)], printer)?;
            return Err(error);
        }
    };
    let mut findings = checked.findings;
    arguments.strictness.strictness().weigh_catalog(&mut findings);
    let failed = diagnostic::has_errors(&findings);
    diagnostic::limit_each_rule(&mut findings);
    match arguments.output {
        // For scripts, an empty standard output means that the catalog is valid.
        ReportFormat::Text if failed => printer.findings(Format::Text, &findings)?,
        ReportFormat::Text => printer.report(&findings),
        _ => write(arguments, findings, printer)?,
    }
    if checked.packages == 0 && !failed {
        printer.warning(format_args!("{} contains no package", arguments.folder.display()));
    }
    printer.status(format_args!(
        "{}: {}, {}, {}",
        arguments.folder.display(),
        counted(checked.packages, "package"),
        counted(checked.channels, "channel"),
        counted(checked.bundles, "bundle")
    ));
    Ok(if failed { Status::Failure } else { Status::Success })
}

/// Adds a hint about the commands that check images, if an image was specified instead of a folder.
fn not_a_folder(error: CommandError, folder: &Path) -> CommandError {
    let is_image = |name: &str| matches!(name.parse(), Ok(Location::Image(_)));
    match folder.to_str().filter(|name| !folder.exists() && is_image(name)) {
        Some(_) => error
            .hint("use opmx index check for the image of a catalog, or opmx bundle validate for the image of a bundle"),
        None => error,
    }
}

/// Prints the document for programs, if one was requested.
fn write(arguments: &ValidateArguments, findings: Vec<Diagnostic>, printer: &Printer) -> Result<(), OutputError> {
    match arguments.output {
        ReportFormat::Text => Ok(()),
        ReportFormat::Json => printer.document(Format::Json, &Outcome::of(&findings)),
        ReportFormat::Yaml => printer.document(Format::Yaml, &Outcome::of(&findings)),
        other => {
            let folder = arguments.folder.display().to_string();
            print("opmx validate", &folder, findings, other, printer)
        }
    }
}
