//! `opmx catalog merge`: merging several catalogs into one.

use super::edit;
use crate::catalog::file_based::edit::merge;
use crate::cli::Context;
use crate::cli::arguments::CatalogLimitArguments;
use crate::cli::containment;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::values::output;
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Merge the catalogs of two teams
  $ opmx catalog merge catalog-a catalog-b -o catalog

  Merge a fragment into a catalog, and prefer the fragment in conflicts
  $ opmx catalog merge catalog fragment -o new --prefer fragment";

/// Merge catalogs into a new one
///
/// Documents that only one catalog contains are copied unchanged, with their comments. Channels, packages, deprecations
/// and lifecycles that several catalogs contain get the entries and fields of all catalogs. It is an error if catalogs
/// differ in a bundle, a channel entry, the lifecycle of a version, a default channel, another field, or a document of
/// another schema that has a name, unless --prefer specifies the catalog that takes precedence. The files of the new
/// catalog are PACKAGE/catalog.yaml and PACKAGE/catalog.json; .indexignore files are not copied.
///
/// The result is validated: errors that no source has are refused, and a warning counts the others. The new folder
/// appears only when it is complete; it must be absent or empty.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MergeArguments {
    /// Folders of the catalogs; the first catalog determines the order of the documents
    #[arg(required = true, num_args = 2.., value_name = "DIR")]
    catalogs: Vec<PathBuf>,
    /// Folder for the new catalog
    #[arg(short, long, value_name = "DIR", value_parser = output())]
    output: PathBuf,
    /// Catalog that takes precedence in conflicts
    #[arg(long, value_name = "DIR")]
    prefer: Option<PathBuf>,
    #[command(flatten)]
    limits: CatalogLimitArguments,
}

pub(crate) fn run(arguments: &MergeArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    let preferred = match &arguments.prefer {
        None => None,
        Some(prefer) => {
            let found = prefer.canonicalize().ok();
            let same = |catalog: &PathBuf| {
                // A catalog that does not exist is reported when it is opened.
                catalog.components().eq(prefer.components()) || found.is_some() && catalog.canonicalize().ok() == found
            };
            let Some(place) = arguments.catalogs.iter().position(same) else {
                let error = CommandError::usage(format!("{} is not one of the catalogs to merge", prefer.display()));
                return Err(error.hint("specify one of the catalogs with --prefer"));
            };
            Some(place)
        }
    };
    for catalog in &arguments.catalogs {
        containment::require_outside(&arguments.output, catalog)?;
    }
    let merged = match merge(
        &arguments.catalogs,
        preferred,
        &arguments.output,
        arguments.limits.catalog(),
    ) {
        Ok(merged) => merged,
        Err(error) => return edit::refused(error, printer),
    };
    for package in merged.packages.iter().filter(|package| !package.name.is_empty()) {
        let catalogs = package
            .catalogs
            .iter()
            .filter_map(|number| arguments.catalogs.get(*number));
        let names: Vec<String> = catalogs.map(|catalog| catalog.display().to_string()).collect();
        printer.status(format_args!("{} from {}", package.name, names.join(" and ")));
    }
    let output = arguments.output.as_path();
    edit::warn_of_errors(
        &format!("like its sources, {} has", output.display()),
        &merged.findings,
        output,
        printer,
    );
    printer.status(format_args!("wrote {}", output.display()));
    Ok(Status::Success)
}
