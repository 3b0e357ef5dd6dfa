//! `opmx index promote`.

use crate::cli::Context;
use crate::cli::error::CommandResult;
use crate::cli::index::publication::ChangeArguments;
use crate::cli::promotion::{self, PromotionArguments};
use crate::database::add::promote::promote;
use crate::database::change::Target;
use crate::index::publish::Applied;
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  What was tried in the channel candidate goes to stable
  $ opmx index promote etcd.v0.9.4 --channel stable -f registry.example.com/index:v1 -t registry.example.com/index:v2";

/// Publish bundles of an index in further channels
///
/// A bundle takes its place in a channel as if it were added to it: by what it replaces and skips, or with --mode
/// semver by its version. The bundles that it replaces come along if the index has them. A bundle that nothing in the
/// channel leads to is refused, and so is one that would leave bundles of the channel without an update path. Other
/// channels and the default channel do not change; if the channels already have the bundles, nothing does.
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    override_usage = "opmx index promote [OPTIONS] -c <CHANNELS> -f <REF|FILE> <BUNDLE>..."
)]
pub(crate) struct PromoteArguments {
    #[command(flatten)]
    promotion: PromotionArguments,
    #[command(flatten)]
    change: ChangeArguments,
}

pub(crate) fn run(arguments: &PromoteArguments, context: &Context<'_>) -> CommandResult {
    let writing = arguments.change.writing()?;
    let asked = arguments.promotion.asked();
    let change = async |target: &Target<'_>, _: Applied| Ok(promote(asked.promotion(), target, &writing)?);
    arguments.change.run(context, change, promotion::report)
}
