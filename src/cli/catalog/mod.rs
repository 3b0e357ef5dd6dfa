//! `opmx catalog`: file-based catalogs, changed and built with one command for each step.

mod build;

use crate::cli::Context;
use crate::cli::error::CommandResult;
use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Examples:
  Build the image of a catalog
  $ opmx catalog build catalog -t registry.example.com/catalog:v1";

/// Change file-based catalogs, and build their images
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct CatalogArguments {
    #[command(subcommand)]
    command: CatalogCommand,
}

#[derive(Debug, Subcommand)]
enum CatalogCommand {
    Build(build::BuildArguments),
}

pub(crate) fn run(arguments: &CatalogArguments, context: &Context<'_>) -> CommandResult {
    match &arguments.command {
        CatalogCommand::Build(arguments) => build::run(arguments, context),
    }
}
