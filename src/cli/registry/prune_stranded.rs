//! `opmx registry prune-stranded`.

use crate::cli::Context;
use crate::cli::additions;
use crate::cli::arguments::DatabaseLimitArguments;
use crate::cli::error::{CommandResult, Status};
use crate::cli::removals;
use crate::cli::schema_note;
use crate::database::change::{ChangeOptions, Target};
use crate::database::read::stated_version;
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
    let target = Target::InPlace(&arguments.database);
    let writing = ChangeOptions {
        dry_run: arguments.dry_run,
        ..additions::writing(&arguments.limits)?
    };
    let before = stated_version(&arguments.database);
    let changed = stranded(&target, &writing)?;
    removals::report(&changed, &context.printer);
    schema_note::report(before, &arguments.database, &context.printer);
    if arguments.dry_run {
        context.printer.status("nothing was written");
    }
    Ok(Status::Success)
}
