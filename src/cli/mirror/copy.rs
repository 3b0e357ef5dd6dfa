//! `opmx mirror copy`: copying the content of a plan into a registry or an archive.

use super::left_out::LeftOut;
use super::naming::NamingArguments;
use super::outcome;
use super::target::{TargetArguments, for_target};
use crate::cli::Context;
use crate::cli::arguments::ConnectionArguments;
use crate::cli::error::{CommandError, CommandResult};
use crate::cli::hint::Hints;
use crate::cli::size::Size;
use crate::cli::values::output;
use crate::files::FileError;
use crate::image::Transports;
use crate::image::copy::CopyOptions;
use crate::mirror::CONCURRENCY;
use crate::mirror::archive::ArchiveOptions;
use crate::mirror::beside::{journal_of, layout_of, result_of};
use crate::mirror::copy_work::{CopyResult, Sources};
use crate::mirror::naming::CATALOG;
use crate::mirror::pack::pack;
use crate::mirror::plan::Plan;
use crate::mirror::reach::unreachable_sources;
use crate::mirror::survey::unread;
use crate::mirror::target::Target;
use crate::mirror::transfer::{MEMORY, TransferError, TransferOptions, transfer};
use clap::{Args, value_parser};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  Copy into a registry
  $ opmx mirror copy plan.json --to mirror.example.com:5000/olm

  Copy into an archive, to be loaded into a registry later with opmx mirror load
  $ opmx mirror copy plan.json --to-archive archive

  Copy only new content since the last archive
  $ opmx mirror copy plan.json --to-archive archive2 --base archive";

/// Copy the content of a plan into a registry or an archive
///
/// Existing content is not changed, and content that the target has lost is copied again. A tag in the plan that refers
/// to another image at the target is moved, and reported together with the replaced image. Each blob is read once, and
/// mounted into the other repositories that need it. Manifests are copied after everything that they refer to, and tags
/// are written last. A catalog is copied after the images that it needs.
///
/// An archive consists of tar files (volumes) and NAME.json. Each volume is an OCI layout. NAME.json lists the volumes
/// with their digests, and is written last. The same plan always gives the same bytes. The next run continues an
/// unfinished volume, and writes a missing or damaged volume again. With --base, blobs of an earlier archive are left
/// out.
///
/// If an image fails, the other images are still copied, except catalogs that need it. A journal next to the plan
/// allows the next run to continue, and plan.result.json contains the result for each image. The exit status is 0 only
/// if everything in the plan has been copied.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct CopyArguments {
    /// Plan written by opmx mirror plan, next to the folder (such as plan.catalogs) that contains its catalogs
    plan: PathBuf,
    /// Registry to copy to, with an optional path for the images; if the plan specifies a target, it is the default,
    /// and no other target is accepted
    #[arg(long, value_name = "REGISTRY[/PREFIX]")]
    to: Option<Target>,
    /// Folder to write an archive to
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with_all = [
            "to", "keep_host", "max_nested_paths", "to_authfile", "to_ca_file", "to_skip_tls_verify", "to_use_http",
            "to_use_https"
        ],
        value_parser = output()
    )]
    to_archive: Option<PathBuf>,
    // A required option that conflicts with a given one is not required, so the options also conflict with --to.
    /// Name of the archive: its files are NAME.json, NAME-0001.tar, …
    #[arg(long, requires = "to_archive", conflicts_with = "to", default_value = "mirror", value_parser = file_name)]
    name: String,
    /// Maximum size of an archive volume
    #[arg(long, value_name = "SIZE", requires = "to_archive", conflicts_with = "to", default_value_t = Size(4 << 30))]
    volume_size: Size,
    /// Earlier archive, whose blobs are left out: its folder or its list
    #[arg(long, value_name = "ARCHIVE", requires = "to_archive", conflicts_with = "to")]
    base: Option<PathBuf>,
    #[command(flatten)]
    naming: NamingArguments,
    #[command(flatten)]
    transfer: TransferArguments,
    #[command(flatten)]
    target: TargetArguments,
    #[command(flatten)]
    registry: ConnectionArguments,
}

/// What to do if a copy is incomplete.
const REMEDY: &str = "run the command again to retry, or make the plan again to leave out images that no longer exist";

/// The limits on transfers.
#[derive(Debug, Args)]
pub(super) struct TransferArguments {
    /// Number of concurrent transfers
    #[arg(long, value_name = "N", default_value_t = CONCURRENCY, value_parser = value_parser!(u16).range(1..=256))]
    pub(super) concurrency: u16,
    /// Maximum size of the content in memory
    #[arg(long, value_name = "SIZE", default_value_t = Size(MEMORY))]
    pub(super) memory: Size,
    /// Stop after the first image that fails
    #[arg(long)]
    pub(super) fail_fast: bool,
    /// Folder for the journal and the result, instead of the folder of the plan or archive
    #[arg(long, value_name = "DIR", value_parser = output())]
    state_dir: Option<PathBuf>,
}

impl TransferArguments {
    /// Returns the path beside which the journal and the result are written: that of the plan or the archive list, or
    /// the same name in another folder, which is created.
    pub(super) fn beside(&self, file: &Path) -> Result<PathBuf, CommandError> {
        let Some(folder) = &self.state_dir else {
            return Ok(file.to_owned());
        };
        std::fs::create_dir_all(folder).map_err(|error| FileError::new("create", folder, error))?;
        Ok(folder.join(file.file_name().unwrap_or_default()))
    }
}

fn file_name(text: &str) -> Result<String, &'static str> {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "._-".contains(character);
    if text.is_empty() || text.starts_with('.') || !text.chars().all(is_plain) {
        return Err(
            "a name may contain only letters, digits, dots, hyphens and underscores, and must not begin with a dot",
        );
    }
    Ok(text.to_owned())
}

pub(super) fn run(arguments: &CopyArguments, context: &Context<'_>) -> CommandResult {
    let plan = Plan::read(&arguments.plan)?;
    if let Some(folder) = &arguments.to_archive {
        return into_archive(arguments, &plan, folder, context);
    }
    if plan.to.is_none() && arguments.to.is_none() {
        let error = CommandError::usage("the plan specifies no target");
        return Err(error.hint("specify the registry with --to"));
    }
    let naming = arguments.naming.requested(arguments.to.as_ref(), plan.to.as_deref());
    let layout = layout_of(&arguments.plan);
    require_catalogs(&plan, &layout)?;
    let source = arguments.registry.transports(context);
    let target = arguments.target.transports(&arguments.registry, context);
    let progress = context.printer.progress();
    let beside = arguments.transfer.beside(&arguments.plan)?;
    let options = TransferOptions {
        naming: naming.as_ref(),
        concurrency: arguments.transfer.concurrency.into(),
        memory: arguments.transfer.memory.0,
        fail_fast: arguments.transfer.fail_fast,
        journal: journal_of(&beside),
        result: result_of(&beside),
        progress: progress.as_ref(),
    };
    let holdings = Sources { layout: &layout };
    let (left_out, catalogs) = (LeftOut::of(&plan), plan.catalog_names());
    let copied = transfer(plan, &holdings, &source, &target, &options);
    let result = context.runtime.block_on(copied).map_err(|error| {
        let is_target = matches!(error, TransferError::Target(_));
        let error = CommandError::from(error);
        if is_target { error.map_hints(for_target) } else { error }
    })?;
    let status = outcome::report(&result, &options.result, &catalogs, REMEDY, &context.printer)?;
    warn_unreachable(&result, &source, context);
    left_out.warn(&arguments.plan, &context.printer);
    Ok(status)
}

/// Checks that the folder with the catalogs of a plan exists, before anything is copied.
fn require_catalogs(plan: &Plan, layout: &Path) -> Result<(), CommandError> {
    let is_needed = plan.images.iter().any(|image| image.source.starts_with(CATALOG));
    if !is_needed || layout.is_dir() {
        return Ok(());
    }
    let message = |problem: &str| {
        let layout = layout.display();
        format!("{layout}, which contains the catalogs of the plan, {problem}")
    };
    let error = if layout.exists() {
        CommandError::failure(message("is not a folder"))
    } else {
        CommandError::missing(message("does not exist"))
    };
    Err(error.hint("move the folder next to the plan, or make the plan again"))
}

fn into_archive(arguments: &CopyArguments, plan: &Plan, folder: &Path, context: &Context<'_>) -> CommandResult {
    let source = arguments.registry.transports(context);
    let progress = context.printer.progress();
    let archive = ArchiveOptions {
        folder,
        name: &arguments.name,
        volume_size: arguments.volume_size.0,
        base: arguments.base.as_deref(),
    };
    let options = CopyOptions {
        concurrency: arguments.transfer.concurrency.into(),
        memory: arguments.transfer.memory.0,
        fail_fast: arguments.transfer.fail_fast,
        journal: None,
        progress: progress.as_ref(),
    };
    let layout = layout_of(&arguments.plan);
    let file = result_of(&arguments.transfer.beside(&arguments.plan)?);
    require_catalogs(plan, &layout)?;
    let holdings = Sources { layout: &layout };
    let packed = pack(plan, &holdings, &source, &archive, &options, &file);
    let result = context.runtime.block_on(packed)?;
    let status = outcome::report(&result, &file, &plan.catalog_names(), REMEDY, &context.printer)?;
    warn_unreachable(&result, &source, context);
    LeftOut::of(plan).warn(&arguments.plan, &context.printer);
    Ok(status)
}

/// Warns of unreachable registries, whose images could not be copied.
fn warn_unreachable(result: &CopyResult, source: &Transports, context: &Context<'_>) {
    for (registry, error) in context.runtime.block_on(unreachable_sources(result, source)) {
        let printer = &context.printer;
        printer.warning(unread(&registry, &error));
        for hint in error.hints().hints {
            printer.warning_hint(hint);
        }
    }
}
