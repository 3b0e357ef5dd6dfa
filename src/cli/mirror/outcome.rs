//! The report about a finished copy.

use crate::cli::error::{CommandResult, Status};
use crate::mirror::copy_work::{CopyResult, CopyState};
use crate::mirror::naming;
use crate::terminal::table::Table;
use crate::terminal::{Printer, counted};
use indicatif::BinaryBytes;
use std::path::Path;

/// The maximum number of failures that are shown; the result file contains all failures.
const SHOWN: usize = 20;

/// Reports the result of a copy, and returns whether the copy is complete. `catalogs` are the names of the indexes of
/// the plan, and `remedy` is what to do if the copy is incomplete.
pub(super) fn report(
    result: &CopyResult,
    file: &Path,
    catalogs: &[String],
    remedy: &str,
    printer: &Printer,
) -> CommandResult {
    for item in result
        .items
        .iter()
        .filter(|item| item.state == CopyState::Failed)
        .take(SHOWN)
    {
        let why = item.why.as_deref().unwrap_or_default();
        let name = naming::shown(&item.name, catalogs);
        // The reason often begins with the name of the item.
        let why = why.strip_prefix(&format!("{name}: ")).unwrap_or(why);
        printer.error(format_args!("{name} was not copied: {why}"));
    }
    for item in &result.items {
        let Some(repository) = &item.destination else { continue };
        for (tag, before) in &item.replaced {
            let after = item.digest;
            printer.status(format_args!("replaced {repository}:{tag}@{before} with {after}"));
        }
        if item.lost > 0 {
            let lost = counted(usize::try_from(item.lost).unwrap_or(usize::MAX), "layer");
            let tags: Vec<&str> = item.replaced.keys().map(String::as_str).collect();
            printer.warning(format_args!(
                "the new content of {repository}:{} lacks {lost} that the mirror had, such as a signature",
                tags.join(", ")
            ));
            printer.warning_hint("sign the image at the mirror again");
        }
    }
    for problem in &result.problems {
        printer.warning(format_args!("{problem}"));
    }
    let failed = result.count(CopyState::Failed);
    if failed > SHOWN {
        let more = failed - SHOWN;
        let (were, them) = if more == 1 { ("was", "it") } else { ("were", "them") };
        printer.warning(format_args!(
            "{} {were} not copied; {} lists {them}",
            counted(more, "more item"),
            file.display()
        ));
    }
    let moved = &result.moved;
    let mut table = Table::new(
        printer.stdout(),
        [
            "COPIED",
            "PRESENT",
            "FAILED",
            "NOT TRIED",
            "BLOBS SENT",
            "BLOBS MOUNTED",
            "DATA SENT",
        ],
    );
    table.row([
        result.count(CopyState::Copied).to_string().as_str(),
        &result.count(CopyState::Present).to_string(),
        &failed.to_string(),
        &result.count(CopyState::NotTried).to_string(),
        &moved.sent.to_string(),
        &moved.mounted.to_string(),
        &BinaryBytes(moved.bytes_sent).to_string(),
    ])?;
    table.finish()?;
    if result.complete && result.items.is_empty() {
        printer.status("the plan contains no images, so nothing was copied");
        return Ok(Status::Success);
    }
    if result.complete {
        printer.status(format_args!(
            "all images and referrers in the plan are present in {} ({} in total)",
            result.to,
            result.items.len()
        ));
        return Ok(Status::Success);
    }
    printer.error(format_args!(
        "the copy at {} is incomplete; {} lists the missing images; {remedy}",
        result.to,
        file.display()
    ));
    Ok(Status::Failure)
}
