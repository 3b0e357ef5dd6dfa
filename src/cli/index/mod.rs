//! `opmx index`: changing and inspecting indexes.

mod add;
pub(crate) mod catalog_argument;
mod check;
mod deprecatetruncate;
mod diff;
mod export;
mod extract;
mod from_fbc;
mod graph;
mod images;
pub(crate) mod list;
mod page;
mod promote;
mod prune;
mod prune_stranded;
pub(crate) mod publication;
mod rm;

use crate::cli::Context;
use crate::cli::error::CommandResult;
use crate::cli::lazy::Lazy;
use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Examples:
  Add a bundle to an index, and list the bundles of the index
  $ opmx index add -b registry.example.com/etcd-bundle:v0.9.4 -t oci:index:v1
  $ opmx index list bundles oci:index:v1";

/// Change and inspect indexes, from which OLM installs operators
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct IndexArguments {
    #[command(subcommand)]
    command: IndexCommand,
}

#[derive(Debug, Subcommand)]
enum IndexCommand {
    Add(Lazy<add::AddArguments>),
    Rm(Lazy<rm::RmArguments>),
    Prune(Lazy<prune::PruneArguments>),
    PruneStranded(Lazy<prune_stranded::PruneStrandedArguments>),
    Promote(Lazy<promote::PromoteArguments>),
    #[command(name = "deprecatetruncate")]
    DeprecateTruncate(Lazy<deprecatetruncate::DeprecateTruncateArguments>),
    Extract(Lazy<extract::ExtractArguments>),
    Export(Lazy<export::ExportArguments>),
    FromFbc(Lazy<from_fbc::FromFbcArguments>),
    List(Lazy<list::ListArguments>),
    Graph(Lazy<graph::GraphArguments>),
    Page(Lazy<page::PageArguments>),
    Diff(Lazy<diff::DiffArguments>),
    Check(Lazy<check::CheckArguments>),
}

pub(crate) fn run(arguments: &IndexArguments, context: &Context<'_>) -> CommandResult {
    match &arguments.command {
        IndexCommand::Add(arguments) => add::run(arguments, context),
        IndexCommand::Rm(arguments) => rm::run(arguments, context),
        IndexCommand::Prune(arguments) => prune::run(arguments, context),
        IndexCommand::PruneStranded(arguments) => prune_stranded::run(arguments, context),
        IndexCommand::Promote(arguments) => promote::run(arguments, context),
        IndexCommand::DeprecateTruncate(arguments) => deprecatetruncate::run(arguments, context),
        IndexCommand::Extract(arguments) => extract::run(arguments, context),
        IndexCommand::Export(arguments) => export::run(arguments, context),
        IndexCommand::FromFbc(arguments) => from_fbc::run(arguments, context),
        IndexCommand::List(arguments) => list::run(arguments, context),
        IndexCommand::Graph(arguments) => graph::run(arguments, context),
        IndexCommand::Page(arguments) => page::run(arguments, context),
        IndexCommand::Diff(arguments) => diff::run(arguments, context),
        IndexCommand::Check(arguments) => check::run(arguments, context),
    }
}
