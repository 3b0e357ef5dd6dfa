//! `opmx migrate`: converting an index or a catalog to a folder with a file-based catalog.

use crate::cli::Context;
use crate::cli::arguments::{DatabaseLimitArguments, LimitArguments, RegistryArguments};
use crate::cli::catalog_output::{self, FormArguments};
use crate::cli::containment;
use crate::cli::error::{CommandResult, Status};
use crate::cli::strictness::StrictnessArguments;
use crate::cli::values::{filled, output};
use crate::index::render::folder::write_folder;
use crate::index::render::sources::SourceOptions;
use clap::Args;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  Convert a SQLite index to a file-based catalog
  $ opmx migrate registry.example.com/index:v1 catalog

  Convert an older catalog to a smaller catalog
  $ opmx migrate old-catalog catalog -o yaml --migrate-level all";

/// Convert an index or a catalog to a folder with one file per package
///
/// The folder contains PACKAGE/catalog.json for each package, and catalog.json for documents without a package; with
/// -o yaml, the files are named catalog.yaml. The folder appears only when it is complete. It must not exist yet, or
/// must be empty.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MigrateArguments {
    /// Source to convert: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file or a folder
    #[arg(value_name = "REF|FILE|DIR", value_parser = filled())]
    source: String,
    /// Folder for the catalog
    #[arg(value_name = "DIR", value_parser = output())]
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
    let form = arguments.form.form(false);
    containment::require_outside(&arguments.folder, Path::new(&arguments.source))?;
    let names = std::slice::from_ref(&arguments.source);
    let opening = SourceOptions {
        limits: arguments.limits.source(&arguments.database, &arguments.registry),
        strictness: arguments.strictness.strictness(),
        options: arguments.form.options(),
        ..SourceOptions::default()
    };
    let transports = arguments.registry.transports(context);
    let sources = catalog_output::open(names, &opening, &transports, context)?;
    let written = write_folder(&sources, form, &arguments.folder)?;
    catalog_output::report_lost_icons(&written.lost_icons, &context.printer);
    for package in written.packages {
        context
            .printer
            .status(format_args!("wrote {}", arguments.folder.join(package).display()));
    }
    Ok(Status::Success)
}
