//! `opmx mirror delete`: deleting images that are not kept.

use super::naming::{NamingArguments, warn_of_other_names};
use crate::cli::Context;
use crate::cli::arguments::ConnectionArguments;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::mirror::delete::{Doomed, Gone, absent, delete, doomed, missing_catalogs, other_tags, spare};
use crate::mirror::placed::placed;
use crate::mirror::plan::Plan;
use crate::mirror::target::Target;
use crate::terminal::counted;
use crate::terminal::table::Table;
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
    let printer = &context.printer;
    if arguments.keep.is_empty() && !arguments.keep_nothing {
        return Err(CommandError::usage("no plan to keep was specified")
            .hint("specify the plans to keep with --keep, or use --keep-nothing to delete all images of the plan"));
    }
    let naming = arguments.naming.naming(&arguments.at);
    let at_target = |path: &PathBuf| -> Result<Plan, CommandError> {
        let plan = placed(Plan::read(path)?, Some(&naming))?;
        warn_of_other_names(&plan, path, printer)?;
        Ok(plan)
    };
    let plan = at_target(&arguments.plan)?;
    let kept = arguments.keep.iter().map(at_target).collect::<Result<Vec<_>, _>>()?;
    let doomed = doomed(&plan, &kept);
    let transports = arguments.registry.transports(context);
    let missing = context.runtime.block_on(missing_catalogs(&kept, &transports))?;
    if let Some(catalog) = missing.first() {
        let absent = format!("{catalog}, the catalog of a plan to keep, does not exist");
        let first = "copy or load that plan first";
        if arguments.apply {
            return Err(CommandError::failure(format!("{absent}; nothing was deleted")).hint(first));
        }
        printer.warning(format_args!("{absent}, so --apply would delete nothing"));
        printer.warning_hint(first);
    }
    let spares = !arguments.other_tags;
    let other = context
        .runtime
        .block_on(other_tags(&plan, &kept, &doomed, &transports, spares))?;
    for repository in &other.unlisted {
        printer.warning(format_args!(
            "the tags of {repository} cannot be listed; deleting its manifests also removes any other tags"
        ));
    }
    let (doomed, spared) = spare(&plan, doomed, &other, !spares);
    let (deleted, absent) = if arguments.apply {
        let deleted = delete(&plan, &doomed, &transports);
        (Some(context.runtime.block_on(deleted)?), Vec::new())
    } else {
        (None, context.runtime.block_on(absent(&doomed, &transports))?)
    };
    let gone = deleted.as_ref().map(|deleted| &deleted.gone);
    let mut table = Table::new(printer.stdout(), ["MANIFEST", "TAGS", "STATE"]);
    let mut row = |one: &Doomed, state: &str| {
        let Doomed { repository, digest, .. } = one;
        let more = other.found.get(&(repository.clone(), *digest));
        let tags: Vec<&str> = one
            .tags
            .iter()
            .chain(more.into_iter().flatten())
            .map(String::as_str)
            .collect();
        table.row([format!("{repository}@{digest}").as_str(), &tags.join(", "), state])
    };
    for (place, one) in doomed.iter().enumerate() {
        let state = match gone.and_then(|gone| gone.get(place)) {
            None if absent.get(place) == Some(&true) => "absent",
            None => "would be deleted",
            Some(Gone::Deleted) => "deleted",
            Some(Gone::Absent) => "absent",
            Some(Gone::Failed(why)) => why,
        };
        row(one, state)?;
    }
    for one in &spared {
        let key = (one.repository.clone(), one.digest);
        let tag = other.parts.get(&key).and_then(BTreeSet::first);
        match tag {
            _ if other.of_kept.contains(&key) => row(one, "kept: tag of a kept plan")?,
            _ if other.found.contains_key(&key) => row(one, "kept: other tags")?,
            Some(tag) => row(one, &format!("kept: part of the image with the tag {tag}"))?,
            None => row(one, "kept: part of a kept image")?,
        }
    }
    table.finish()?;
    if !other.of_kept.is_empty() {
        printer.warning("tags of the plans to keep refer to content of this plan, which is not deleted");
        printer.warning_hint("copy the plans to keep again, so that their tags refer to their own content");
    } else if !spared.is_empty() {
        printer.status(format_args!(
            "{} kept because of tags outside the plans; use --other-tags to also delete such manifests",
            counted(spared.len(), "manifest")
        ));
    }
    let problems = deleted
        .as_ref()
        .map(|deleted| deleted.problems.as_slice())
        .unwrap_or_default();
    for problem in problems {
        printer.warning(problem);
    }
    let count = |is: fn(&Gone) -> bool| gone.into_iter().flatten().filter(|gone| is(gone)).count();
    let failed = count(|gone| matches!(gone, Gone::Failed(_)));
    if gone.is_none() {
        let absent = absent.iter().filter(|is_absent| **is_absent).count();
        printer.status(format_args!(
            "would delete {}; already absent: {absent}; use --apply to perform the deletion",
            counted(doomed.len() - absent, "manifest")
        ));
    } else {
        let absent = count(|gone| matches!(gone, Gone::Absent));
        printer.status(format_args!(
            "deleted {}; already absent: {absent}, failed: {failed}",
            counted(doomed.len() - failed - absent, "manifest")
        ));
    }
    let repositories: BTreeSet<&String> = doomed.iter().map(|one| &one.repository).collect();
    if !repositories.is_empty() && repositories.iter().all(|repository| other.new.contains(*repository)) {
        printer.error(format_args!(
            "{} contains none of the repositories of the plan",
            arguments.at
        ));
        printer.detail("hint", "check the registry and the path of --at");
        return Ok(Status::Failure);
    }
    Ok(if failed == 0 && problems.is_empty() {
        Status::Success
    } else {
        Status::Failure
    })
}
