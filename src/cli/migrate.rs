//! `opmx migrate`: an index or a catalog as a folder of a file-based catalog.

use crate::cli::Context;
use crate::cli::arguments::{DatabaseLimitArguments, LimitArguments, RegistryArguments};
use crate::cli::catalog_output::FormArguments;
use crate::cli::error::{CommandResult, Status};
use crate::cli::strictness::StrictnessArguments;
use crate::index::render::folder::write_folder;
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  From a SQLite index to a file-based catalog
  $ opmx migrate registry.example.com/index:v1 catalog

  From an older catalog to a smaller one
  $ opmx migrate old-catalog catalog -o yaml --migrate-level all";

/// Write an index or a catalog as a folder, with a file for each package
///
/// The folder appears when it is complete: PACKAGE/catalog.json for each package, and catalog.json for what belongs to
/// none. Nothing may be there yet.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MigrateArguments {
    /// What to write: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file or a folder
    #[arg(value_name = "REF|FILE|DIR")]
    source: String,
    /// Folder for the catalog
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    form: FormArguments,
    #[command(flatten)]
    strictness: StrictnessArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    database: DatabaseLimitArguments,
}

pub(crate) fn run(arguments: &MigrateArguments, context: &Context<'_>) -> CommandResult {
    let form = arguments.form.form(false)?;
    let names = std::slice::from_ref(&arguments.source);
    let limits = arguments.limits.source(&arguments.database, &arguments.registry);
    let strictness = arguments.strictness.strictness();
    let sources = arguments
        .form
        .open(names, None, &arguments.registry, limits, strictness, context)?;
    let packages = write_folder(&sources, form, &arguments.folder)?;
    for package in packages {
        context
            .printer
            .status(format_args!("wrote {}", arguments.folder.join(package).display()));
    }
    Ok(Status::Success)
}
