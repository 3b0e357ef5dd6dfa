//! The report about a new plan.

use crate::catalog::file_based::edit::CatalogEditError;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::hint::Hints;
use crate::cli::index::publication::{warn_of_doubts, warn_of_lost};
use crate::cli::{catalog_output, following, strictness, unlisted};
use crate::index::catalog_image::CatalogImageError;
use crate::mirror::collect::{CollectError, Collected};
use crate::mirror::contested::Contested;
use crate::mirror::filter::{UnknownBundle, Unreached};
use crate::mirror::plan::{Because, LeftOut, Plan};
use crate::mirror::shares::{Share, shares};
use crate::terminal::table::Table;
use crate::terminal::{Printer, counted};
use indicatif::BinaryBytes;
use std::collections::BTreeMap;

/// Reports the findings about a catalog, if they are the reason why there is no plan.
pub(super) fn refused(error: CollectError, printer: &Printer) -> CommandResult {
    let findings = match &error {
        CollectError::Build(error) => match error.as_ref() {
            CatalogImageError::Findings { findings, .. } => Some(findings),
            _ => None,
        },
        CollectError::Filter { source, .. } => match source.as_ref() {
            CatalogEditError::Findings { findings, .. } => Some(findings),
            _ => None,
        },
        _ => None,
    };
    if let Some(findings) = findings {
        printer.report(findings);
        printer.error(&error);
        return Ok(Status::Failure);
    }
    Err(error.into())
}

/// Reports parts of the plan that were not requested, and requested parts that were left out.
pub(super) fn remark(collected: &Collected, printer: &Printer) {
    let Collected { plan, notes } = collected;
    strictness::warn(&notes.findings, printer);
    for remark in notes.skipped.iter().chain(&notes.remarks) {
        printer.warning(remark);
    }
    let mut because: BTreeMap<&str, Vec<&Because>> = BTreeMap::new();
    for reason in &plan.because {
        because.entry(&reason.package).or_default().push(reason);
    }
    for (package, reasons) in because {
        let more = match reasons.len() - 1 {
            0 => String::new(),
            more => format!(" (and {})", counted(more, "more reason")),
        };
        let Because {
            needed_by, constraint, ..
        } = reasons[0];
        printer.status(format_args!(
            "included package {package}: {needed_by} needs {constraint}{more}"
        ));
    }
    for package in plan.catalogs.iter().flat_map(|catalog| &catalog.kept) {
        if !package.channels_left_out.is_empty() {
            let channels: Vec<String> = package.channels_left_out.iter().cloned().collect();
            printer.warning(format_args!(
                "package {}: left out {} without a selected version: {}",
                package.package,
                counted(channels.len(), "channel"),
                channels.join(", ")
            ));
        }
        for channel in &package.channels {
            for (bundle, why) in &channel.kept_for {
                printer.status(format_args!(
                    "bundle {bundle} stays in channel {} of package {}: {why}",
                    channel.name, package.package
                ));
            }
        }
    }
    following::warn(&notes.unsatisfied, printer);
    for Unreached { package, version } in &notes.unreached {
        printer.warning(format_args!("package {package} has no update path from {version}"));
    }
    for UnknownBundle { package, bundle } in &notes.unknown {
        printer.warning(format_args!(
            "the version of {bundle}, which is installed, is unknown: neither the cluster objects nor the catalog \
             contain it, so its upgrade path in package {package} is left out"
        ));
    }
    for (catalog, lost) in &notes.lost {
        warn_of_lost(&format!("the catalog {catalog}"), lost, printer);
    }
    for (catalog, lacking) in notes.lacking.iter().filter(|(_, lacking)| !lacking.is_empty()) {
        let lacking: Vec<String> = lacking.iter().map(ToString::to_string).collect();
        printer.warning(format_args!(
            "the catalog image that was built from {catalog} does not support all requested platforms: {} {} missing",
            lacking.join(", "),
            if lacking.len() == 1 { "is" } else { "are" }
        ));
        printer.warning_hint(
            "specify an opmx binary for each platform with --binary, a base image for these platforms with \
             --binary-image and --all-platforms, or --no-binary",
        );
    }
    warn_of_doubts(&notes.doubts, printer);
    for Contested { name, images } in &notes.contested {
        let images: Vec<String> = images.iter().cloned().collect();
        printer.warning(format_args!(
            "the catalogs use {name} for {}: {}; those referenced by digest are mirrored without this tag",
            counted(images.len(), "image"),
            images.join(", ")
        ));
    }
    let deprecated: Vec<&String> = notes.deprecated.iter().collect();
    catalog_output::report_omitted(&deprecated, printer);
    catalog_output::report_lost_icons(&notes.lost_icons, printer);
    remark_left_out(collected, printer);
    let hint = "to mirror such an image, specify it with --image, or in additionalImages of the file for --config";
    unlisted::warn("the plan", &notes.unlisted, hint, printer);
}

/// Reports the images that were left out. Images with the same reason, such as those of a registry that cannot be
/// reached, share a warning.
fn remark_left_out(collected: &Collected, printer: &Printer) {
    const SHOWN: usize = 20;
    let partial = collected.plan.partial();
    let mut by_reason: Vec<(&LeftOut, usize)> = Vec::new();
    for left_out in &collected.plan.left_out {
        match by_reason.iter_mut().find(|(first, _)| first.why == left_out.why) {
            Some((_, count)) => *count += 1,
            None => by_reason.push((left_out, 1)),
        }
    }
    for (
        LeftOut {
            image, bundles, why, ..
        },
        count,
    ) in by_reason.iter().take(SHOWN)
    {
        let bundles: Vec<String> = bundles.iter().cloned().collect();
        let of = if bundles.is_empty() {
            String::new()
        } else {
            format!(" of {}", following::some(&bundles))
        };
        let more = match count - 1 {
            0 => String::new(),
            more => format!(" and {}", counted(more, "more image")),
        };
        let part = if partial.contains(image.as_str()) {
            "a part of "
        } else {
            ""
        };
        printer.warning(format_args!("left out {part}{image}{of}{more}: {why}"));
        for hint in collected
            .notes
            .unreachable
            .get(why)
            .into_iter()
            .flat_map(|error| error.hints().hints)
        {
            printer.warning_hint(hint);
        }
        if collected.notes.without_platform.contains(why) {
            printer.warning_hint(
                "to mirror the image without this platform, request only the others, such as with --platforms",
            );
        }
    }
    let more: usize = by_reason.iter().skip(SHOWN).map(|(_, count)| count).sum();
    if more > 0 {
        let more = counted(more, "more image");
        printer.warning(format_args!("left out {more}; the plan lists them all"));
    }
}

/// Prints the number of images and bytes of each package and channel.
pub(super) fn table(plan: &Plan, printer: &Printer) -> Result<(), CommandError> {
    if plan.images.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(printer.stdout(), ["PACKAGE", "CHANNEL", "IMAGES", "SIZE", "UNSHARED"]);
    for Share {
        package,
        channel,
        images,
        bytes,
        own,
    } in shares(plan)
    {
        table.row([
            package.as_deref().unwrap_or("(catalogs and other images)"),
            channel.as_deref().unwrap_or("-"),
            &images.to_string(),
            &BinaryBytes(bytes).to_string(),
            &BinaryBytes(own).to_string(),
        ])?;
    }
    table.finish()?;
    Ok(())
}
