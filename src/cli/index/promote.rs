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
  Also publish a bundle from the channel candidate in the channel stable
  $ opmx index promote etcd.v0.9.4 --channel stable -f registry.example.com/index:v1 -t registry.example.com/index:v2";

/// Publish bundles of an index in additional channels
///
/// A bundle is placed in a channel as if it were added to the channel: by its replaces and skips fields, or with --mode
/// semver by its version. The bundles that it replaces are also published if the index contains them. It is an error if
/// one of the bundles cannot be reached by updates in the channel, or if bundles of the channel would lose their update
/// path. Other channels and the default channel do not change. If the channels already contain the bundles, nothing
/// changes.
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    override_usage = "opmx index promote [OPTIONS] -c <CHANNELS> -f <INDEX> <BUNDLE>..."
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
    let change = |target: &Target<'_>, _: Applied| Ok(promote(asked.promotion(), target, &writing)?);
    arguments.change.run(context, change, |published, printer| {
        promotion::report(&published.changed, printer);
    })
}
