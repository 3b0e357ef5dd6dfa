//! `opmx registry`: the database file of an index.

mod serve;

use crate::cli::Context;
use crate::cli::error::CommandResult;
use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Examples:
  Serve a database
  $ opmx registry serve -d index.db";

/// Serve the database file of an index
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct RegistryCommandArguments {
    #[command(subcommand)]
    command: RegistryCommand,
}

#[derive(Debug, Subcommand)]
enum RegistryCommand {
    Serve(serve::ServeArguments),
}

pub(crate) fn run(arguments: &RegistryCommandArguments, context: &Context<'_>) -> CommandResult {
    match &arguments.command {
        RegistryCommand::Serve(arguments) => serve::run(arguments, context),
    }
}
