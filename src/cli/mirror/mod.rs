//! `opmx mirror`: mirroring catalogs and their images for clusters without internet access.

mod copy;
mod delete;
mod diff;
mod left_out;
mod load;
mod manifests;
mod naming;
mod needed;
mod outcome;
mod plan;
mod planned;
mod schema;
mod target;
mod verify;

use crate::cli::Context;
use crate::cli::error::CommandResult;
use crate::cli::lazy::Lazy;
use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Examples:
  Plan a mirror of one package
  $ opmx mirror plan --catalog registry.example.com/catalog:v1 -p etcd \\
      --to mirror.example.com:5000/olm -o plan.json";

/// Mirror catalogs and their images, for clusters without internet access
///
/// A plan describes the content of a mirror: the selected part of each catalog, its images, their manifests and blobs,
/// and their referrers, all by digest. The other commands use the plan.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct MirrorArguments {
    #[command(subcommand)]
    command: MirrorCommand,
}

#[derive(Debug, Subcommand)]
enum MirrorCommand {
    Plan(Lazy<plan::PlanArguments>),
    Copy(Lazy<copy::CopyArguments>),
    Load(Lazy<load::LoadArguments>),
    Manifests(Lazy<manifests::ManifestsArguments>),
    Verify(Lazy<verify::VerifyArguments>),
    Diff(Lazy<diff::DiffArguments>),
    Schema(Lazy<schema::SchemaArguments>),
    Delete(Lazy<delete::DeleteArguments>),
}

pub(crate) fn run(arguments: &MirrorArguments, context: &Context<'_>) -> CommandResult {
    match &arguments.command {
        MirrorCommand::Plan(arguments) => plan::run(arguments, context),
        MirrorCommand::Copy(arguments) => copy::run(arguments, context),
        MirrorCommand::Load(arguments) => load::run(arguments, context),
        MirrorCommand::Manifests(arguments) => manifests::run(arguments, context),
        MirrorCommand::Verify(arguments) => verify::run(arguments, context),
        MirrorCommand::Diff(arguments) => diff::run(arguments, context),
        MirrorCommand::Schema(arguments) => schema::run(arguments, context),
        MirrorCommand::Delete(arguments) => delete::run(arguments, context),
    }
}
