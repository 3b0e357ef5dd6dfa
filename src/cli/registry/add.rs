//! `opmx registry add`: adding bundles to a database file.

use crate::cli::Context;
use crate::cli::additions::{self, AdditionArguments};
use crate::cli::arguments::{ContainerToolArgument, DatabaseLimitArguments, LimitArguments, RegistryArguments};
use crate::cli::error::CommandResult;
use crate::cli::schema_note;
use crate::cli::values::{name, output};
use crate::database::change::{ChangeOptions, Target};
use crate::database::read::stated_version;
use crate::index::gather;
use clap::{ArgGroup, Args};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Add two bundles to a database, which is created if absent
  $ opmx registry add -b registry.example.com/etcd-bundle:v0.9.4,./prometheus -d index.db

  Add many bundles, listed in a file, one per line
  $ opmx registry add --bundles-from bundles.txt -d index.db";

/// Add bundles to a database file
///
/// Either all bundles are added or none. The file is changed in place, in one transaction; if it does not exist, it is
/// created.
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    override_usage = "opmx registry add [OPTIONS] <-b <BUNDLES>|--bundles-from <FILE|->>",
    group = ArgGroup::new("added").args(["bundle_images", "bundles_from"]).required(true).multiple(true)
)]
pub(crate) struct AddArguments {
    /// Bundles to add, separated by commas: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG or folders
    #[arg(short, long, value_name = "BUNDLES", value_delimiter = ',', value_parser = name)]
    bundle_images: Vec<String>,
    /// The database file
    #[arg(short, long, value_name = "FILE", default_value = "bundles.db", value_parser = output())]
    database: PathBuf,
    /// Print the changes to the graph without writing anything
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    additions: AdditionArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    database_limits: DatabaseLimitArguments,
    #[command(flatten)]
    tools: ContainerToolArgument,
}

pub(crate) fn run(arguments: &AddArguments, context: &Context<'_>) -> CommandResult {
    arguments.tools.answer(&context.printer);
    let transports = arguments.registry.transports(context);
    let (additions, limits) = (&arguments.additions, &arguments.limits);
    let reading = limits.source(&arguments.database_limits, &arguments.registry);
    let outside = additions.sources.outside(&arguments.registry, &reading, context)?;
    let (locations, options) = additions.call(&arguments.bundle_images, limits, outside, context)?;
    let target = Target::InPlace(&arguments.database);
    let writing = ChangeOptions {
        dry_run: arguments.dry_run,
        ..additions::writing(&arguments.database_limits)?
    };
    let before = stated_version(&arguments.database);
    let adding = gather::add(&locations, &transports, &options, &target, &writing);
    match context.runtime.block_on(adding) {
        Ok(added) if arguments.dry_run => additions::tried(added, context),
        Ok(added) => {
            let status = additions::report(added, context);
            schema_note::report(before, &arguments.database, &context.printer);
            Ok(status)
        }
        Err(error) => additions::refused(error, context),
    }
}
