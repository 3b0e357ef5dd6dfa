//! `opmx index prune-stranded`.

use crate::cli::Context;
use crate::cli::arguments::ContainerToolArgument;
use crate::cli::error::CommandResult;
use crate::cli::index::publication::ChangeArguments;
use crate::cli::removals;
use crate::database::change::Target;
use crate::database::remove::stranded;
use crate::index::publish::Applied;
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  Remove bundles that earlier additions left behind
  $ opmx index prune-stranded -f registry.example.com/index:v1 -t registry.example.com/index:v2";

/// Remove bundles that are not in any channel from an index image
///
/// Deprecated bundles are kept as long as their package exists.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PruneStrandedArguments {
    #[command(flatten)]
    change: ChangeArguments,
    #[command(flatten)]
    tools: ContainerToolArgument,
}

pub(crate) fn run(arguments: &PruneStrandedArguments, context: &Context<'_>) -> CommandResult {
    arguments.tools.answer(&context.printer);
    let writing = arguments.change.writing()?;
    let change = |target: &Target<'_>, _: Applied| Ok(stranded(target, &writing)?);
    arguments.change.run(context, change, |published, printer| {
        removals::report(&published.changed, printer);
    })
}
