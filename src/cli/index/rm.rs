//! `opmx index rm`.

use crate::cli::Context;
use crate::cli::arguments::ImageToolArguments;
use crate::cli::error::CommandResult;
use crate::cli::index::publication::ChangeArguments;
use crate::cli::removals;
use crate::cli::values::name;
use crate::database::change::Target;
use crate::database::remove::{Packages, packages};
use crate::index::publish::Applied;
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  Remove two packages
  $ opmx index rm -o etcd,prometheus -f registry.example.com/index:v1 -t registry.example.com/index:v2";

/// Remove packages from an index image
///
/// The packages are removed with all their bundles, together with bundles that are no longer in any channel, in one
/// step. An API is kept as long as a bundle provides or requires it. A missing package is an error. A warning lists
/// each requirement of a remaining bundle that is no longer satisfied.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RmArguments {
    /// Packages to remove, separated by commas
    #[arg(short = 'o', long, value_name = "PACKAGES", value_delimiter = ',', value_parser = name, required = true)]
    operators: Vec<String>,
    /// Ignore packages that are not in the index
    #[arg(long)]
    permissive: bool,
    #[command(flatten)]
    change: ChangeArguments,
    #[command(flatten)]
    tools: ImageToolArguments,
}

pub(crate) fn run(arguments: &RmArguments, context: &Context<'_>) -> CommandResult {
    arguments.tools.answer(&context.printer);
    let writing = arguments.change.writing()?;
    let names = arguments.operators.iter().cloned().collect();
    let change = |target: &Target<'_>, applied: Applied| {
        Ok(packages(
            Packages::Only(&names),
            arguments.permissive || applied == Applied::Maybe,
            target,
            &writing,
        )?)
    };
    arguments.change.run(context, change, |published, printer| {
        removals::report(&published.changed, printer);
    })
}
