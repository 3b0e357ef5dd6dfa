//! `opmx registry promote`.

use crate::cli::Context;
use crate::cli::additions;
use crate::cli::arguments::DatabaseLimitArguments;
use crate::cli::error::{CommandResult, Status};
use crate::cli::promotion::{self, PromotionArguments};
use crate::database::add::promote::promote;
use crate::database::change::{ChangeOptions, Target};
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  What was tried in the channel candidate goes to stable
  $ opmx registry promote etcd.v0.9.4 --channel stable -d index.db";

/// Publish bundles of a database in further channels
///
/// A bundle takes its place in a channel as if it were added to it: by what it replaces and skips, or with --mode
/// semver by its version. The bundles that it replaces come along if the index has them. A bundle that nothing in the
/// channel leads to is refused, and so is one that would leave bundles of the channel without an update path. Other
/// channels and the default channel do not change; if the channels already have the bundles, nothing does.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PromoteArguments {
    #[command(flatten)]
    promotion: PromotionArguments,
    /// The database file
    #[arg(short, long, value_name = "FILE", default_value = "index.db")]
    database: PathBuf,
    /// Say what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    limits: DatabaseLimitArguments,
}

pub(crate) fn run(arguments: &PromoteArguments, context: &Context<'_>) -> CommandResult {
    let target = Target::InPlace(&arguments.database);
    let writing = ChangeOptions {
        dry_run: arguments.dry_run,
        ..additions::writing(&arguments.limits)?
    };
    let promoted = promote(arguments.promotion.asked().promotion(), &target, &writing)?;
    promotion::report(&promoted, &context.printer);
    if arguments.dry_run {
        context.printer.status("nothing was written");
    }
    Ok(Status::Success)
}
