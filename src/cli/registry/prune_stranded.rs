//! `opmx registry prune-stranded`.

use super::change::change;
use crate::cli::Context;
use crate::cli::arguments::DatabaseLimitArguments;
use crate::cli::error::CommandResult;
use crate::cli::removals;
use crate::database::remove::stranded;
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Remove bundles that earlier additions left behind
  $ opmx registry prune-stranded -d index.db";

/// Remove bundles that are not in any channel from a database file
///
/// Deprecated bundles are kept as long as their package exists.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PruneStrandedArguments {
    /// The database file
    #[arg(short, long, value_name = "FILE", default_value = "bundles.db")]
    database: PathBuf,
    /// Print the changes without writing anything
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    limits: DatabaseLimitArguments,
}

pub(crate) fn run(arguments: &PruneStrandedArguments, context: &Context<'_>) -> CommandResult {
    let limits = &arguments.limits;
    change(
        &arguments.database,
        arguments.dry_run,
        limits,
        context,
        |target, options| {
            removals::report(&stranded(target, options)?, &context.printer);
            Ok(())
        },
    )
}
