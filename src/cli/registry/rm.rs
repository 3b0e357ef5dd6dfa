//! `opmx registry rm`.

use super::change::change;
use crate::cli::Context;
use crate::cli::arguments::DatabaseLimitArguments;
use crate::cli::error::CommandResult;
use crate::cli::removals;
use crate::cli::values::name;
use crate::database::remove::{Packages, packages};
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Remove two packages
  $ opmx registry rm -o etcd,prometheus -d index.db";

/// Remove packages from a database file
///
/// The packages are removed with all their bundles, together with bundles that are no longer in any channel, in one
/// step. An API is kept as long as a bundle provides or requires it. A missing package is an error. A warning lists
/// each requirement of a remaining bundle that is no longer satisfied.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RmArguments {
    /// Packages to remove, separated by commas
    #[arg(short = 'o', long, value_name = "PACKAGES", value_delimiter = ',', value_parser = name, required = true)]
    packages: Vec<String>,
    /// The database file
    #[arg(short, long, value_name = "FILE", default_value = "bundles.db")]
    database: PathBuf,
    /// Ignore packages that are not in the index
    #[arg(long)]
    permissive: bool,
    /// Print the changes without writing anything
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    limits: DatabaseLimitArguments,
}

pub(crate) fn run(arguments: &RmArguments, context: &Context<'_>) -> CommandResult {
    let names = arguments.packages.iter().cloned().collect();
    let limits = &arguments.limits;
    change(
        &arguments.database,
        arguments.dry_run,
        limits,
        context,
        |target, options| {
            let changed = packages(Packages::Only(&names), arguments.permissive, target, options)?;
            removals::report(&changed, &context.printer);
            Ok(())
        },
    )
}
