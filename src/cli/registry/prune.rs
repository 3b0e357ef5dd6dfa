//! `opmx registry prune`.

use super::change::change;
use crate::cli::Context;
use crate::cli::arguments::DatabaseLimitArguments;
use crate::cli::error::CommandResult;
use crate::cli::following::FollowArguments;
use crate::cli::removals;
use crate::cli::values::name;
use crate::database::remove::{Packages, packages};
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Keep only one package
  $ opmx registry prune -p etcd -d index.db";

/// Keep some packages of a database file, and remove all others
///
/// All other packages are removed with their bundles, in one step. A name that the index does not contain is an error,
/// so that a typo removes nothing. A warning lists each requirement of a remaining bundle that is no longer satisfied.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PruneArguments {
    /// Packages to keep, separated by commas
    #[arg(short = 'p', long, value_name = "PACKAGES", value_delimiter = ',', value_parser = name, required = true)]
    packages: Vec<String>,
    /// The database file
    #[arg(short, long, value_name = "FILE", default_value = "bundles.db")]
    database: PathBuf,
    #[command(flatten)]
    follow: FollowArguments,
    /// Ignore packages that are not in the index
    #[arg(long)]
    permissive: bool,
    /// Print the changes without writing anything
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    limits: DatabaseLimitArguments,
}

pub(crate) fn run(arguments: &PruneArguments, context: &Context<'_>) -> CommandResult {
    let names = arguments.packages.iter().cloned().collect();
    let follow = arguments.follow.or_nothing();
    let limits = &arguments.limits;
    change(
        &arguments.database,
        arguments.dry_run,
        limits,
        context,
        |target, options| {
            let kept = Packages::AllButNeeded(&names, &follow);
            let changed = packages(kept, arguments.permissive, target, options)?;
            removals::report(&changed, &context.printer);
            Ok(())
        },
    )
}
