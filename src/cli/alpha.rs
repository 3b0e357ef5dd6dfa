//! `opmx alpha`: where opm keeps commands that stand elsewhere here. Hidden, for pipelines that swap the binary.

use crate::cli::error::CommandResult;
use crate::cli::{Context, bundle, index};
use clap::{Args, Subcommand};

/// The commands that opm keeps under this name
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct AlphaArguments {
    #[command(subcommand)]
    command: AlphaCommand,
}

#[derive(Debug, Subcommand)]
enum AlphaCommand {
    Bundle(AlphaBundleArguments),
    List(index::list::ListArguments),
}

/// Begin, look at and build bundles
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
struct AlphaBundleArguments {
    #[command(subcommand)]
    command: AlphaBundleCommand,
}

#[derive(Debug, Subcommand)]
enum AlphaBundleCommand {
    #[command(flatten)]
    Shared(bundle::SharedCommand),
    Validate(bundle::validate::OpmValidateArguments),
}

pub(crate) fn run(arguments: &AlphaArguments, context: &Context<'_>) -> CommandResult {
    match &arguments.command {
        AlphaCommand::Bundle(arguments) => match &arguments.command {
            AlphaBundleCommand::Shared(command) => bundle::run_shared(command, context),
            AlphaBundleCommand::Validate(arguments) => bundle::validate::run_as_opm(arguments, context),
        },
        AlphaCommand::List(arguments) => index::list::run(arguments, context),
    }
}
