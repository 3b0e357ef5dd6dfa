//! `opmx index deprecatetruncate`.

use crate::cli::Context;
use crate::cli::additions;
use crate::cli::arguments::{ImageToolArguments, RegistryArguments};
use crate::cli::error::{CommandResult, Status};
use crate::cli::index::publication::{self, PublicationArguments};
use crate::cli::removals::{self, DeprecationArguments};
use crate::index::deprecate::truncate;
use crate::index::location::IndexLocation;
use crate::index::open::Target;
use crate::index::publish;
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  Nothing below version 0.9.2
  $ opmx index deprecatetruncate -b registry.example.com/etcd-bundle:v0.9.2 -f registry.example.com/index:v1 -t registry.example.com/index:v2";

/// Deprecate bundles and cut their channels off below them
///
/// A bundle that is deprecated is the end of its channels. What is below it goes, unless another channel has it or another
/// bundle leads there. A channel whose head is deprecated goes as a whole. A package keeps its default channel.
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    override_usage = "opmx index deprecatetruncate [OPTIONS] -b <IMAGES> -f <REF|FILE>"
)]
pub(crate) struct DeprecateTruncateArguments {
    /// The images of the bundles as the index stores them, separated by commas
    #[arg(short = 'b', long, value_name = "IMAGES", value_delimiter = ',', required = true)]
    bundles: Vec<String>,
    /// Index to begin with: an image, or a database file
    #[arg(short, long, value_name = "REF|FILE")]
    from_index: String,
    #[command(flatten)]
    deprecation: DeprecationArguments,
    #[command(flatten)]
    publication: PublicationArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    tools: ImageToolArguments,
}

pub(crate) fn run(arguments: &DeprecateTruncateArguments, context: &Context<'_>) -> CommandResult {
    arguments.tools.answer(&context.printer);
    let transports = arguments.registry.transports(context);
    let from: IndexLocation = arguments.from_index.parse()?;
    let destination = arguments.publication.destination()?;
    let writing = additions::writing()?;
    let names = removals::names(&arguments.bundles);
    let change = async |target: &Target<'_>| Ok(truncate(arguments.deprecation.request(&names), target, &writing)?);
    let limit = arguments.registry.max_image_size.0;
    let making = publish::make(Some(&from), &destination, limit, &transports, change);
    let (made, changed) = context.runtime.block_on(making)?;
    removals::report_truncation(&changed, &context.printer);
    publication::report(&made, &context.printer)?;
    Ok(Status::Success)
}
