//! `opmx alpha list`: the content of an index, in opm's table format.

use crate::cli::Context;
use crate::cli::error::CommandResult;
use crate::cli::index::list::{self, PartOfIndex, WholeIndex};
use clap::{Args, Subcommand};

/// List the content of an index or catalog in opm's table format
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct ListArguments {
    #[command(subcommand)]
    command: ListCommand,
}

#[derive(Debug, Subcommand)]
enum ListCommand {
    /// List the packages, with their default channels
    Packages(WholeIndex),
    /// List the channels, with their heads
    Channels(PartOfIndex),
    /// List the bundles of the channels, with the bundles that they replace and skip
    Bundles(PartOfIndex),
}

pub(crate) fn run(arguments: &ListArguments, context: &Context<'_>) -> CommandResult {
    match &arguments.command {
        ListCommand::Packages(wanted) => list::packages(wanted, context),
        ListCommand::Channels(wanted) => list::channels(wanted, context),
        ListCommand::Bundles(wanted) => list::bundles_as_opm(wanted, context),
    }
}
