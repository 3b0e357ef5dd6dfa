//! `opmx index prune-stranded`.

use crate::cli::Context;
use crate::cli::additions;
use crate::cli::arguments::{ContainerToolArgument, RegistryArguments};
use crate::cli::error::{CommandResult, Status};
use crate::cli::index::publication::{self, PublicationArguments};
use crate::cli::removals;
use crate::index::location::IndexLocation;
use crate::index::open::Target;
use crate::index::publish;
use crate::index::remove::stranded;
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  What an add in the past left behind
  $ opmx index prune-stranded -f registry.example.com/index:v1 -t registry.example.com/index:v2";

/// Remove the bundles that no channel has from an index image
///
/// Deprecated bundles stay as long as their package does.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PruneStrandedArguments {
    /// Index to begin with: an image, or a database file
    #[arg(short, long, value_name = "REF|FILE")]
    from_index: String,
    #[command(flatten)]
    publication: PublicationArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    tools: ContainerToolArgument,
}

pub(crate) fn run(arguments: &PruneStrandedArguments, context: &Context<'_>) -> CommandResult {
    arguments.tools.answer(&context.printer);
    let transports = arguments.registry.transports(context);
    let from: IndexLocation = arguments.from_index.parse()?;
    let destination = arguments.publication.destination()?;
    let writing = additions::writing()?;
    let change = async |target: &Target<'_>| Ok(stranded(target, &writing)?);
    let limit = arguments.registry.max_image_size.0;
    let making = publish::make(Some(&from), &destination, limit, &transports, change);
    let (made, changed) = context.runtime.block_on(making)?;
    removals::report(&changed, &context.printer);
    publication::report(&made, &context.printer)?;
    Ok(Status::Success)
}
