//! `opmx mirror load`: loading an archive into a registry.

use super::copy::TransferArguments;
use super::left_out::LeftOut;
use super::naming::NamingArguments;
use super::outcome;
use crate::cli::arguments::ConnectionArguments;
use crate::cli::error::{CommandError, CommandResult};
use crate::cli::{Context, following};
use crate::mirror::archive::Archive;
use crate::mirror::beside::{journal_of, result_of};
use crate::mirror::naming::shown;
use crate::mirror::pack::load;
use crate::mirror::plan::Plan;
use crate::mirror::target::Target;
use crate::mirror::transfer::TransferOptions;
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  $ opmx mirror load archive --to mirror.example.com:5000/olm

  Refuse an archive that contains another plan
  $ opmx mirror load archive --plan plan.json

  Load from a read-only medium
  $ opmx mirror load /media/archive --to mirror.example.com:5000/olm --state-dir .";

/// Load an archive into a registry
///
/// Every volume is read and checked against the list, and every blob against its digest, before anything is sent. No
/// other registry is contacted. If the archive is based on an earlier archive, the registry must already contain the
/// content of that archive.
///
/// A journal next to the archive allows the next run to continue, and NAME.result.json contains the result for each
/// image. The exit status is 0 only if everything in the plan has been copied.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct LoadArguments {
    /// Folder of the archive, or its list
    archive: PathBuf,
    /// Registry to copy to, with an optional path for the images; if the plan specifies a target, it is the default,
    /// and no other target is accepted
    #[arg(long, value_name = "REGISTRY[/PREFIX]")]
    to: Option<Target>,
    /// Plan that the archive must contain, from a trusted source: whoever can change an archive can also change the
    /// plan in it
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    #[command(flatten)]
    naming: NamingArguments,
    #[command(flatten)]
    transfer: TransferArguments,
    #[command(flatten)]
    registry: ConnectionArguments,
}

pub(super) fn run(arguments: &LoadArguments, context: &Context<'_>) -> CommandResult {
    let archive = Archive::open(&arguments.archive)?;
    if let Some(plan) = &arguments.plan {
        archive.require(&Plan::read(plan)?)?;
    }
    if archive.plan.to.is_none() && arguments.to.is_none() {
        let error = CommandError::usage("the plan in the archive specifies no target");
        return Err(error.hint("specify the registry with --to"));
    }
    let naming = arguments
        .naming
        .requested(arguments.to.as_ref(), archive.plan.to.as_deref());
    let target = arguments.registry.transports(context);
    let progress = context.printer.progress();
    let beside = arguments.transfer.beside(&archive.path)?;
    let options = TransferOptions {
        naming: naming.as_ref(),
        concurrency: arguments.transfer.concurrency.into(),
        memory: arguments.transfer.memory.0,
        fail_fast: arguments.transfer.fail_fast,
        journal: journal_of(&beside),
        result: result_of(&beside),
        progress: progress.as_ref(),
    };
    let catalogs = archive.plan.catalog_names();
    let incomplete = archive.incomplete_images();
    let remedy = if archive.list.complete {
        "run the command again to retry"
    } else {
        "complete the archive, and load it again"
    };
    if !archive.list.complete {
        let names: Vec<String> = incomplete
            .iter()
            .map(|name| shown(name, &catalogs).to_owned())
            .collect();
        let lacking = match &names[..] {
            [] => "is incomplete".to_owned(),
            names => format!("is incomplete: it lacks parts of {}", following::some(names)),
        };
        context
            .printer
            .warning(format_args!("the archive {} {lacking}", archive.path.display()));
        context.printer.warning_hint(
            "to complete the archive, run opmx mirror copy --to-archive again where the source registries can be reached",
        );
    }
    if arguments.to.is_none()
        && let Some(to) = &archive.plan.to
    {
        let status = format_args!("the target is {to}, as specified by the plan in the archive");
        context.printer.status(status);
    }
    let (left_out, path) = (LeftOut::of(&archive.plan), archive.path.clone());
    let result = context.runtime.block_on(load(archive, &target, &options))?;
    let status = outcome::report(&result, &options.result, &catalogs, remedy, &context.printer)?;
    left_out.warn(&path, &context.printer);
    Ok(status)
}
