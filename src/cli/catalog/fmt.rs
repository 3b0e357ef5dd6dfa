//! `opmx catalog fmt`: formatting the files of catalogs.

use super::edit;
use crate::catalog::file_based::edit::{CatalogEditError, Edited, Editor, Kept};
use crate::catalog::file_based::limits::CatalogLimits;
use crate::cli::Context;
use crate::cli::arguments::CatalogLimitArguments;
use crate::cli::error::{CommandResult, Status};
use crate::validation::Strictness;
use clap::Args;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  Format all files of a catalog
  $ opmx catalog fmt catalog

  In CI, list unformatted files, and exit with status 3 if there are any
  $ opmx catalog fmt v4.20 v4.21 v4.22 --check";

/// Format the files of catalogs
///
/// YAML is indented by two spaces, with lists not indented below their keys. Every document begins with a line ---,
/// several blank lines become one, and lines end with a line feed. Comments, quotes and text in brackets are not
/// changed. JSON is indented by four spaces. If opmx knows the schema of a document, the fields of the schema come
/// first, beginning with schema. Comments above the first line --- move below it, because opm rejects a document of
/// only comments. Packages come before their channels, bundles and deprecations. If a comment between documents could
/// be separated from its document, the documents of the file keep their order.
///
/// The meaning of a catalog does not change. YAML documents with explicit keys, directives or document end markers keep
/// their layout, and are reported.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct FmtArguments {
    /// Folders of the catalogs
    #[arg(required = true, value_name = "DIR")]
    catalogs: Vec<PathBuf>,
    /// Write nothing, but print the names of the files that would change, and exit with status 3 if there are any
    #[arg(long)]
    check: bool,
    /// Print the changes as a diff without writing anything
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    limits: CatalogLimitArguments,
}

fn formatted(folder: &Path, limits: CatalogLimits) -> Result<(Edited, Vec<Kept>), CatalogEditError> {
    Editor::open(folder, limits)?.format()
}

pub(crate) fn run(arguments: &FmtArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    let mut changes = Vec::new();
    for folder in &arguments.catalogs {
        changes.push((folder, formatted(folder, arguments.limits.catalog())?));
    }
    let mut unformatted = false;
    for (folder, (change, kept)) in &changes {
        unformatted |= !change.files.is_empty();
        edit::show(change, arguments.dry_run, printer)?;
        if arguments.check && !arguments.dry_run {
            for path in change.files.keys() {
                printer.line(folder.join(path).display().to_string())?;
            }
        }
        for Kept { file, line } in kept {
            printer.warning(format_args!(
                "{}:{line}: this document cannot be reformatted without changing its meaning",
                file.display()
            ));
        }
        if !(arguments.check || arguments.dry_run) {
            change.write()?;
        }
        if !arguments.check {
            edit::written(change, arguments.dry_run, folder, &Strictness::default(), printer);
        }
    }
    Ok(if arguments.check && unformatted {
        printer.status("run opmx catalog fmt to format these files");
        Status::No
    } else {
        Status::Success
    })
}
