//! `opmx mirror delete`: deleting images that are not kept.

use super::naming::{NamingArguments, warn_of_other_names};
use crate::cli::Context;
use crate::cli::arguments::ConnectionArguments;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::mirror::delete::{
    Deleted, Doomed, Gone, OtherTags, absent, delete, doomed, missing_catalogs, other_tags, spare,
};
use crate::mirror::placed::placed;
use crate::mirror::plan::Plan;
use crate::mirror::target::Target;
use crate::terminal::table::Table;
use crate::terminal::{Printer, counted};
use clap::Args;
use std::collections::BTreeSet;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Preview the deletion
  $ opmx mirror delete old.json --keep plan.json --at mirror.example.com:5000/olm

  Delete the images
  $ opmx mirror delete old.json --keep plan.json --at mirror.example.com:5000/olm --apply";

/// Delete the images of a plan from a registry, except those of other plans
///
/// Without --apply, only shows the manifests that would be deleted, and those that are already absent. Manifests that a
/// kept plan needs at the target are not deleted, whether they are images, parts of image indexes, signatures or other
/// referrers. Manifests that have tags outside the plans, and manifests within image indexes that have such tags, are
/// also kept, unless --other-tags is specified. A manifest that has a tag of a kept plan, because another plan with the
/// same target has moved the tag, is always kept. Nothing is deleted before the catalogs of the kept plans are at the
/// target. Manifests are deleted with their tags; the garbage collection of the registry frees the space of their
/// blobs. It is an error if the registry contains none of the repositories of the plan.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct DeleteArguments {
    /// Plan of the images to delete
    plan: PathBuf,
    /// Plan of the images to keep; required unless --keep-nothing is used; may be repeated
    #[arg(long, value_name = "PLAN")]
    keep: Vec<PathBuf>,
    /// Keep none of the images of the plan
    #[arg(long, conflicts_with = "keep")]
    keep_nothing: bool,
    /// Registry to delete from, with an optional path
    #[arg(long, value_name = "REGISTRY[/PREFIX]")]
    at: Target,
    #[command(flatten)]
    naming: NamingArguments,
    /// Also delete manifests that have tags outside the plans, or are parts of image indexes that have such tags
    #[arg(long)]
    other_tags: bool,
    /// Delete the manifests instead of listing them
    #[arg(long)]
    apply: bool,
    #[command(flatten)]
    registry: ConnectionArguments,
}

pub(super) fn run(arguments: &DeleteArguments, context: &Context<'_>) -> CommandResult {
    if arguments.keep.is_empty() && !arguments.keep_nothing {
        return Err(CommandError::usage("no plan to keep was specified")
            .hint("specify the plans to keep with --keep, or use --keep-nothing to delete all images of the plan"));
    }
    let naming = arguments.naming.naming(&arguments.at);
    let at_target = |path: &PathBuf| -> Result<Plan, CommandError> {
        let plan = placed(Plan::read(path)?, Some(&naming))?;
        warn_of_other_names(&plan, path, &context.printer)?;
        Ok(plan)
    };
    let plan = at_target(&arguments.plan)?;
    let kept = arguments.keep.iter().map(at_target).collect::<Result<Vec<_>, _>>()?;
    let transports = arguments.registry.transports(context);
    let missing = context.runtime.block_on(missing_catalogs(&kept, &transports))?;
    require_catalogs(&missing, arguments.apply, &context.printer)?;
    let doomed = doomed(&plan, &kept);
    let spares = !arguments.other_tags;
    let other = other_tags(&plan, &kept, &doomed, &transports, spares);
    let other = context.runtime.block_on(other)?;
    for repository in &other.unlisted {
        context.printer.warning(format_args!(
            "the tags of {repository} cannot be listed; deleting its manifests also removes any other tags"
        ));
    }
    let (doomed, spared) = spare(&plan, doomed, &other, !spares);
    let outcome = if arguments.apply {
        Outcome::Deleted(context.runtime.block_on(delete(&plan, &doomed, &transports))?)
    } else {
        Outcome::Preview(context.runtime.block_on(absent(&doomed, &transports))?)
    };
    list(&doomed, &spared, &other, &outcome, &context.printer)?;
    report_spared(&spared, &other, &context.printer);
    let is_complete = outcome.report(doomed.len(), &context.printer);
    let repositories: BTreeSet<&String> = doomed.iter().map(|one| &one.repository).collect();
    if !repositories.is_empty() && repositories.iter().all(|repository| other.new.contains(*repository)) {
        context.printer.error(format_args!(
            "{} contains none of the repositories of the plan",
            arguments.at
        ));
        context
            .printer
            .detail("hint", "check the registry and the path of --at");
        return Ok(Status::Failure);
    }
    Ok(if is_complete { Status::Success } else { Status::Failure })
}

/// Checks that the catalogs of the kept plans are at the target. In a preview, their absence is only a warning.
fn require_catalogs(missing: &[String], apply: bool, printer: &Printer) -> Result<(), CommandError> {
    let Some(catalog) = missing.first() else {
        return Ok(());
    };
    let absent = format!("{catalog}, the catalog of a plan to keep, does not exist");
    let first = "copy or load that plan first";
    if apply {
        return Err(CommandError::failure(format!("{absent}; nothing was deleted")).hint(first));
    }
    printer.warning(format_args!("{absent}, so --apply would delete nothing"));
    printer.warning_hint(first);
    Ok(())
}

/// What happened, or would happen, to the manifests.
enum Outcome {
    /// Without --apply: whether each manifest is already absent.
    Preview(Vec<bool>),
    /// The results of the deletion.
    Deleted(Deleted),
}

impl Outcome {
    /// Returns the state of a manifest, by its position among the manifests to delete.
    fn state(&self, place: usize) -> &str {
        match self {
            Self::Preview(absent) if absent.get(place) == Some(&true) => "absent",
            Self::Preview(_) => "would be deleted",
            Self::Deleted(deleted) => match deleted.gone.get(place) {
                None => "would be deleted",
                Some(Gone::Deleted) => "deleted",
                Some(Gone::Absent) => "absent",
                Some(Gone::Failed(why)) => why,
            },
        }
    }

    /// Reports the problems and the numbers of manifests, of `all` in total. Returns whether nothing failed.
    fn report(&self, all: usize, printer: &Printer) -> bool {
        match self {
            Self::Preview(absent) => {
                let absent = absent.iter().filter(|is_absent| **is_absent).count();
                printer.status(format_args!(
                    "would delete {}; already absent: {absent}; use --apply to perform the deletion",
                    counted(all - absent, "manifest")
                ));
                true
            }
            Self::Deleted(Deleted { gone, problems }) => {
                for problem in problems {
                    printer.warning(problem);
                }
                let count = |is: fn(&Gone) -> bool| gone.iter().filter(|gone| is(gone)).count();
                let failed = count(|gone| matches!(gone, Gone::Failed(_)));
                let absent = count(|gone| matches!(gone, Gone::Absent));
                printer.status(format_args!(
                    "deleted {}; already absent: {absent}, failed: {failed}",
                    counted(all - failed - absent, "manifest")
                ));
                failed == 0 && problems.is_empty()
            }
        }
    }
}

/// Prints the manifests with their tags and states.
fn list(
    doomed: &[Doomed],
    spared: &[Doomed],
    other: &OtherTags,
    outcome: &Outcome,
    printer: &Printer,
) -> Result<(), CommandError> {
    let mut table = Table::new(printer.stdout(), ["MANIFEST", "TAGS", "STATE"]);
    let mut row = |one: &Doomed, state: &str| {
        let Doomed { repository, digest, .. } = one;
        let more = other.found.get(&(repository.clone(), *digest));
        let tags = one.tags.iter().chain(more.into_iter().flatten());
        let tags: Vec<&str> = tags.map(String::as_str).collect();
        table.row([format!("{repository}@{digest}").as_str(), &tags.join(", "), state])
    };
    for (place, one) in doomed.iter().enumerate() {
        row(one, outcome.state(place))?;
    }
    for one in spared {
        let key = (one.repository.clone(), one.digest);
        let tag = other.parts.get(&key).and_then(BTreeSet::first);
        match tag {
            _ if other.of_kept.contains(&key) => row(one, "kept: tag of a kept plan")?,
            _ if other.found.contains_key(&key) => row(one, "kept: other tags")?,
            Some(tag) => row(one, &format!("kept: part of the image with the tag {tag}"))?,
            None => row(one, "kept: part of a kept image")?,
        }
    }
    Ok(table.finish()?)
}

/// Reports why manifests of the plan are kept.
fn report_spared(spared: &[Doomed], other: &OtherTags, printer: &Printer) {
    if !other.of_kept.is_empty() {
        printer.warning("tags of the plans to keep refer to content of this plan, which is not deleted");
        printer.warning_hint("copy the plans to keep again, so that their tags refer to their own content");
    } else if !spared.is_empty() {
        printer.status(format_args!(
            "{} kept because of tags outside the plans; use --other-tags to also delete such manifests",
            counted(spared.len(), "manifest")
        ));
    }
}
