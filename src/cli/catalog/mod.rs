//! `opmx catalog`: changing and building file-based catalogs, with one command for each step.

mod add;
mod build;
mod channel;
mod deprecate;
mod edit;
mod fmt;
mod lifecycle;
mod merge;
mod prune;
mod release;
mod rm;
mod target;
mod truncate;

use crate::cli::Context;
use crate::cli::error::CommandResult;
use crate::cli::lazy::Lazy;
use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Examples:
  Add a bundle to a channel
  $ opmx catalog add catalog -b registry.example.com/etcd-bundle:v0.9.4 \\
      --channel stable

  Preview and apply the removal of a version from all channels
  $ opmx catalog rm catalog etcd@0.9.2 --dry-run
  $ opmx catalog rm catalog etcd@0.9.2

  Deprecate a channel
  $ opmx catalog deprecate catalog etcd:alpha -m \"Use the channel stable.\"

  Build the image of a catalog
  $ opmx catalog build catalog -t registry.example.com/catalog:v1";

/// Change file-based catalogs, and build their images
///
/// A change keeps the comments, key order and layout of the affected documents, and every byte of all other documents.
/// The result is validated before anything is written, and either all files change or none.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct CatalogArguments {
    #[command(subcommand)]
    command: CatalogCommand,
}

#[derive(Debug, Subcommand)]
enum CatalogCommand {
    Add(Lazy<add::AddArguments>),
    Rm(Lazy<rm::RmArguments>),
    Prune(Lazy<prune::PruneArguments>),
    Truncate(Lazy<truncate::TruncateArguments>),
    Deprecate(Lazy<deprecate::DeprecateArguments>),
    Undeprecate(Lazy<deprecate::UndeprecateArguments>),
    Release(Lazy<release::ReleaseArguments>),
    Lifecycle(Lazy<lifecycle::LifecycleArguments>),
    Channel(Lazy<channel::ChannelArguments>),
    Merge(Lazy<merge::MergeArguments>),
    Fmt(Lazy<fmt::FmtArguments>),
    Build(Lazy<build::BuildArguments>),
}

pub(crate) fn run(arguments: &CatalogArguments, context: &Context<'_>) -> CommandResult {
    match &arguments.command {
        CatalogCommand::Add(arguments) => add::run(arguments, context),
        CatalogCommand::Rm(arguments) => rm::run(arguments, context),
        CatalogCommand::Prune(arguments) => prune::run(arguments, context),
        CatalogCommand::Truncate(arguments) => truncate::run(arguments, context),
        CatalogCommand::Deprecate(arguments) => deprecate::run(arguments, context),
        CatalogCommand::Undeprecate(arguments) => deprecate::take_back(arguments, context),
        CatalogCommand::Release(arguments) => release::run(arguments, context),
        CatalogCommand::Lifecycle(arguments) => lifecycle::run(arguments, context),
        CatalogCommand::Channel(arguments) => channel::run(arguments, context),
        CatalogCommand::Merge(arguments) => merge::run(arguments, context),
        CatalogCommand::Fmt(arguments) => fmt::run(arguments, context),
        CatalogCommand::Build(arguments) => build::run(arguments, context),
    }
}
