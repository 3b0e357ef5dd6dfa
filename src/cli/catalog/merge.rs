//! `opmx catalog merge`: several catalogs made one.

use super::edit;
use crate::catalog::file_based::edit::merge;
use crate::cli::Context;
use crate::cli::arguments::CatalogLimitArguments;
use crate::cli::error::{CommandError, CommandResult, Status};
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  The catalogs of two teams
  $ opmx catalog merge catalog-a catalog-b -o catalog

  A fragment into a catalog; what the fragment has is right
  $ opmx catalog merge catalog fragment -o new --prefer fragment";

/// Merge catalogs into a new one
///
/// Documents that only one catalog has are copied as they are, with their comments. A channel, a package or the deprecations
/// of a package that several catalogs have get the entries and fields of all. It is an error if catalogs differ in a bundle
/// of one name, an entry of one channel, a default channel or another field; --prefer names the catalog that is right then.
/// The files of the new catalog are PACKAGE/catalog.yaml and PACKAGE/catalog.json; .indexignore files are not copied.
///
/// The result is validated, and appears when it is complete. Nothing may be there yet.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MergeArguments {
    /// Folders of the catalogs; documents come in the order of the first
    #[arg(required = true, num_args = 2.., value_name = "DIR")]
    catalogs: Vec<PathBuf>,
    /// Folder for the new catalog
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Catalog that is right if they differ
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
            let same = |catalog: &PathBuf| catalog.components().eq(prefer.components());
            let Some(place) = arguments.catalogs.iter().position(same) else {
                let error = CommandError::usage(format!("{} is none of the catalogs to merge", prefer.display()));
                return Err(error.hint("name one of them with --prefer"));
            };
            Some(place)
        }
    };
    let packages = match merge(
        &arguments.catalogs,
        preferred,
        &arguments.output,
        arguments.limits.catalog(),
    ) {
        Ok(packages) => packages,
        Err(error) => return edit::refused(error, printer),
    };
    for package in packages.iter().filter(|package| !package.name.is_empty()) {
        let catalogs = package
            .catalogs
            .iter()
            .filter_map(|number| arguments.catalogs.get(*number));
        let names: Vec<String> = catalogs.map(|catalog| catalog.display().to_string()).collect();
        printer.status(format_args!("{} from {}", package.name, names.join(" and ")));
    }
    printer.status(format_args!("wrote {}", arguments.output.display()));
    Ok(Status::Success)
}
