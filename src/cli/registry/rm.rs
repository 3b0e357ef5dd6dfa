//! `opmx registry rm`.

use crate::cli::Context;
use crate::cli::additions;
use crate::cli::arguments::DatabaseLimitArguments;
use crate::cli::error::{CommandResult, Status};
use crate::cli::removals;
use crate::cli::schema_note;
use crate::cli::values::name;
use crate::database::change::{ChangeOptions, Target};
use crate::database::read::stated_version;
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
    let target = Target::InPlace(&arguments.database);
    let writing = ChangeOptions {
        dry_run: arguments.dry_run,
        ..additions::writing(&arguments.limits)?
    };
    let before = stated_version(&arguments.database);
    let names = arguments.packages.iter().cloned().collect();
    let changed = packages(Packages::Only(&names), arguments.permissive, &target, &writing)?;
    removals::report(&changed, &context.printer);
    schema_note::report(before, &arguments.database, &context.printer);
    if arguments.dry_run {
        context.printer.status("nothing was written");
    }
    Ok(Status::Success)
}
