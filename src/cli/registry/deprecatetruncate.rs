//! `opmx registry deprecatetruncate`.

use super::change::change;
use crate::cli::Context;
use crate::cli::arguments::DatabaseLimitArguments;
use crate::cli::error::CommandResult;
use crate::cli::removals::{self, DeprecationArguments};
use crate::cli::values::name;
use crate::database::deprecate::truncate;
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Remove everything below version 0.9.2
  $ opmx registry deprecatetruncate -b registry.example.com/etcd-bundle:v0.9.2 -d index.db";

/// Deprecate bundles, and truncate their channels below them
///
/// A deprecated bundle becomes the lowest bundle of its channels. Lower bundles are removed, unless another channel
/// contains them or another bundle leads to them. A channel whose head is deprecated is removed completely. It
/// is an error to deprecate the head of the default channel, unless --allow-package-removal removes the package.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DeprecateTruncateArguments {
    /// Bundles to deprecate, separated by commas: their names, or their images as stored in the index
    #[arg(short = 'b', long, value_name = "BUNDLES", value_delimiter = ',', value_parser = name, required = true)]
    bundle_images: Vec<String>,
    /// The database file
    #[arg(short, long, value_name = "FILE", default_value = "index.db")]
    database: PathBuf,
    #[command(flatten)]
    deprecation: DeprecationArguments,
    /// Print the changes without writing anything
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    limits: DatabaseLimitArguments,
}

pub(crate) fn run(arguments: &DeprecateTruncateArguments, context: &Context<'_>) -> CommandResult {
    let names = arguments.bundle_images.iter().cloned().collect();
    let limits = &arguments.limits;
    change(
        &arguments.database,
        arguments.dry_run,
        limits,
        context,
        |target, options| {
            let changed = truncate(arguments.deprecation.request(&names), target, options)?;
            removals::report_truncation(&changed, &[], &context.printer);
            Ok(())
        },
    )
}
