//! `opmx registry deprecatetruncate`.

use crate::cli::Context;
use crate::cli::additions;
use crate::cli::arguments::DatabaseLimitArguments;
use crate::cli::error::{CommandResult, Status};
use crate::cli::removals::{self, DeprecationArguments};
use crate::database::change::{ChangeOptions, Target};
use crate::database::deprecate::truncate;
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Nothing below version 0.9.2
  $ opmx registry deprecatetruncate -b registry.example.com/etcd-bundle:v0.9.2 -d index.db";

/// Deprecate bundles and cut their channels off below them
///
/// A bundle that is deprecated is the end of its channels. What is below it goes, unless another channel has it or
/// another bundle leads there. A channel whose head is deprecated goes as a whole. A package keeps its default channel.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DeprecateTruncateArguments {
    /// The bundles, separated by commas: their names, or their images as the index stores them
    #[arg(short = 'b', long, value_name = "BUNDLES", value_delimiter = ',', required = true)]
    bundle_images: Vec<String>,
    /// The database file
    #[arg(short, long, value_name = "FILE", default_value = "index.db")]
    database: PathBuf,
    #[command(flatten)]
    deprecation: DeprecationArguments,
    /// Say what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    limits: DatabaseLimitArguments,
}

pub(crate) fn run(arguments: &DeprecateTruncateArguments, context: &Context<'_>) -> CommandResult {
    let target = Target::InPlace(&arguments.database);
    let writing = ChangeOptions {
        dry_run: arguments.dry_run,
        ..additions::writing(&arguments.limits)?
    };
    let names = removals::names(&arguments.bundle_images);
    let changed = truncate(arguments.deprecation.request(&names), &target, &writing)?;
    removals::report_truncation(&changed, &context.printer);
    if arguments.dry_run {
        context.printer.status("nothing was written");
    }
    Ok(Status::Success)
}
