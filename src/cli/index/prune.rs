//! `opmx index prune`.

use crate::cli::Context;
use crate::cli::arguments::ContainerToolArgument;
use crate::cli::error::CommandResult;
use crate::cli::following::FollowArguments;
use crate::cli::index::publication::ChangeArguments;
use crate::cli::removals;
use crate::cli::values::name;
use crate::database::change::Target;
use crate::database::remove::{Packages, packages};
use crate::index::publish::Applied;
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  Keep only one package
  $ opmx index prune -p etcd -f registry.example.com/index:v1 -t registry.example.com/index:v2

  Keep a package and the packages that it requires
  $ opmx index prune -p etcd --with-dependencies=required -f registry.example.com/index:v1 -t registry.example.com/index:v2";

/// Keep some packages of an index image, and remove all others
///
/// All other packages are removed with their bundles, in one step. A name that the index does not contain is an error,
/// so that a typo removes nothing. A warning lists each requirement of a remaining bundle that is no longer satisfied.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PruneArguments {
    /// Packages to keep, separated by commas
    #[arg(short = 'p', long, value_name = "PACKAGES", value_delimiter = ',', value_parser = name, required = true)]
    packages: Vec<String>,
    #[command(flatten)]
    follow: FollowArguments,
    /// Ignore packages that are not in the index
    #[arg(long)]
    permissive: bool,
    #[command(flatten)]
    change: ChangeArguments,
    #[command(flatten)]
    tools: ContainerToolArgument,
}

pub(crate) fn run(arguments: &PruneArguments, context: &Context<'_>) -> CommandResult {
    arguments.tools.answer(&context.printer);
    let writing = arguments.change.writing()?;
    let names = arguments.packages.iter().cloned().collect();
    let follow = arguments.follow.or_nothing();
    let change = |target: &Target<'_>, applied: Applied| {
        Ok(packages(
            Packages::AllButNeeded(&names, &follow),
            arguments.permissive || applied == Applied::Maybe,
            target,
            &writing,
        )?)
    };
    arguments.change.run(context, change, |published, printer| {
        removals::report(&published.changed, printer);
    })
}
