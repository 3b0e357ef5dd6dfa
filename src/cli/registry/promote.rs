//! `opmx registry promote`.

use super::change::change;
use crate::cli::Context;
use crate::cli::arguments::DatabaseLimitArguments;
use crate::cli::error::CommandResult;
use crate::cli::promotion::{self, PromotionArguments};
use crate::database::add::promote::promote;
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Also publish a bundle from the channel candidate in the channel stable
  $ opmx registry promote etcd.v0.9.4 --channel stable -d index.db";

/// Publish bundles of a database in additional channels
///
/// A bundle is placed in a channel as if it were added to the channel: by its replaces and skips fields, or with --mode
/// semver by its version. The bundles that it replaces are also published if the index contains them. It is an error if
/// one of the bundles cannot be reached by updates in the channel, or if bundles of the channel would lose their update
/// path. Other channels and the default channel do not change. If the channels already contain the bundles, nothing
/// changes.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PromoteArguments {
    #[command(flatten)]
    promotion: PromotionArguments,
    /// The database file
    #[arg(short, long, value_name = "FILE", default_value = "bundles.db")]
    database: PathBuf,
    /// Print the changes without writing anything
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    limits: DatabaseLimitArguments,
}

pub(crate) fn run(arguments: &PromoteArguments, context: &Context<'_>) -> CommandResult {
    let limits = &arguments.limits;
    change(
        &arguments.database,
        arguments.dry_run,
        limits,
        context,
        |target, options| {
            let promoted = promote(arguments.promotion.asked().promotion(), target, options)?;
            promotion::report(&promoted, &context.printer);
            Ok(())
        },
    )
}
