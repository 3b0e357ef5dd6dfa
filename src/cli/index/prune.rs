//! `opmx index prune`.

use crate::cli::Context;
use crate::cli::additions;
use crate::cli::arguments::{ContainerToolArgument, RegistryArguments};
use crate::cli::error::{CommandResult, Status};
use crate::cli::index::publication::{self, PublicationArguments};
use crate::cli::removals;
use crate::index::location::IndexLocation;
use crate::index::open::Target;
use crate::index::publish;
use crate::index::remove::{Packages, packages};
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  Only one package
  $ opmx index prune -p etcd -f registry.example.com/index:v1 -t registry.example.com/index:v2";

/// Keep some packages and remove all others of an index image
///
/// All other packages go with their bundles, in one step. A name that the index does not have is an error: a slip of the
/// pen removes nothing.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PruneArguments {
    /// The packages to keep, separated by commas
    #[arg(short = 'p', long, value_name = "PACKAGES", value_delimiter = ',', required = true)]
    packages: Vec<String>,
    /// Index to begin with: an image, or a database file
    #[arg(short, long, value_name = "REF|FILE")]
    from_index: String,
    /// Pass over packages that the index does not have
    #[arg(long)]
    permissive: bool,
    #[command(flatten)]
    publication: PublicationArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    tools: ContainerToolArgument,
}

pub(crate) fn run(arguments: &PruneArguments, context: &Context<'_>) -> CommandResult {
    arguments.tools.answer(&context.printer);
    let transports = arguments.registry.transports(context);
    let from: IndexLocation = arguments.from_index.parse()?;
    let destination = arguments.publication.destination()?;
    let writing = additions::writing()?;
    let names = removals::names(&arguments.packages);
    let change = async |target: &Target<'_>| {
        Ok(packages(
            Packages::AllBut(&names),
            arguments.permissive,
            target,
            &writing,
        )?)
    };
    let limit = arguments.registry.max_image_size.0;
    let making = publish::make(Some(&from), &destination, limit, &transports, change);
    let (made, changed) = context.runtime.block_on(making)?;
    removals::report(&changed, &context.printer);
    publication::report(&made, &context.printer)?;
    Ok(Status::Success)
}
