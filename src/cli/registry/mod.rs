//! `opmx registry`: changing and serving the database file of an index.

mod add;
mod change;
mod deprecatetruncate;
mod promote;
mod prune;
mod prune_stranded;
mod rm;
mod serve;

use crate::cli::error::CommandResult;
use crate::cli::lazy::Lazy;
use crate::cli::serving::ServingArguments;
use crate::cli::{Context, opm};
use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Examples:
  Add a bundle to a database, and serve it
  $ opmx registry add -b registry.example.com/etcd-bundle:v0.9.4 -d index.db
  $ opmx registry serve -d index.db";

/// Change and serve the database file of an index
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct RegistryCommandArguments {
    #[command(subcommand)]
    command: RegistryCommand,
}

#[derive(Debug, Subcommand)]
enum RegistryCommand {
    Add(Lazy<add::AddArguments>),
    Rm(Lazy<rm::RmArguments>),
    Prune(Lazy<prune::PruneArguments>),
    PruneStranded(Lazy<prune_stranded::PruneStrandedArguments>),
    Promote(Lazy<promote::PromoteArguments>),
    #[command(name = "deprecatetruncate")]
    DeprecateTruncate(Lazy<deprecatetruncate::DeprecateTruncateArguments>),
    Serve(Lazy<serve::ServeArguments>),
    /// Not supported: opm lists this command but never implemented it
    #[command(hide = true)]
    Mirror(Lazy<opm::Refused>),
}

impl RegistryCommandArguments {
    /// Returns the serving arguments if the command is a server.
    pub(crate) fn serving(&self) -> Option<&ServingArguments> {
        match &self.command {
            RegistryCommand::Serve(arguments) => Some(arguments.serving()),
            _ => None,
        }
    }
}

pub(crate) fn run(arguments: &RegistryCommandArguments, context: &Context<'_>) -> CommandResult {
    match &arguments.command {
        RegistryCommand::Add(arguments) => add::run(arguments, context),
        RegistryCommand::Rm(arguments) => rm::run(arguments, context),
        RegistryCommand::Prune(arguments) => prune::run(arguments, context),
        RegistryCommand::PruneStranded(arguments) => prune_stranded::run(arguments, context),
        RegistryCommand::Promote(arguments) => promote::run(arguments, context),
        RegistryCommand::DeprecateTruncate(arguments) => deprecatetruncate::run(arguments, context),
        RegistryCommand::Serve(arguments) => serve::run(arguments, context),
        RegistryCommand::Mirror(_) => opm::refuse(
            "registry mirror",
            "opm has this command, but it does nothing",
            "use opmx index list images INDEX -o mapping --to REGISTRY to write a mapping for mirroring tools",
        ),
    }
}
