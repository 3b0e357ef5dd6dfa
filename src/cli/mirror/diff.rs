//! `opmx mirror diff`: the difference between two plans.

use crate::cli::Context;
use crate::cli::arguments::OutputArguments;
use crate::cli::error::{CommandResult, Status};
use crate::mirror::diff::{Amount, Changed, diff};
use crate::mirror::naming;
use crate::mirror::plan::Plan;
use crate::terminal::table::Table;
use crate::terminal::{Format, counted};
use clap::Args;
use indicatif::BinaryBytes;
use std::collections::BTreeSet;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  $ opmx mirror diff old.json plan.json";

/// Show the images that a new plan adds and drops, and their sizes
///
/// The size of an image includes only bytes that the other plan does not contain. Images that only get another
/// repository or other tags at the target are marked with ~.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct DiffArguments {
    /// Old plan
    old: PathBuf,
    /// New plan
    new: PathBuf,
    #[command(flatten)]
    output: OutputArguments,
}

pub(super) fn run(arguments: &DiffArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    let (old, new) = (Plan::read(&arguments.old)?, Plan::read(&arguments.new)?);
    let difference = diff(&old, &new);
    if arguments.output.output != Format::Text {
        printer.document(arguments.output.output, &difference)?;
        return Ok(Status::Success);
    }
    let mut table = Table::new(printer.stdout(), ["", "IMAGE", "SIZE", "BUNDLES"]);
    let (old, new) = (old.catalog_names(), new.catalog_names());
    for (sign, images, parts, catalogs) in [
        ("+", &difference.added, &difference.extended, &new),
        ("-", &difference.removed, &difference.reduced, &old),
    ] {
        let images = images.iter().map(|image| (image, ""));
        let parts = parts.iter().map(|image| (image, " (referrers or platforms)"));
        for (Changed { source, bundles, bytes }, part) in images.chain(parts) {
            let bundles: Vec<&str> = bundles.iter().map(String::as_str).collect();
            let source = format!("{}{part}", naming::shown(source, catalogs));
            table.row([sign, &source, &BinaryBytes(*bytes).to_string(), &bundles.join(", ")])?;
        }
    }
    for image in &difference.moved {
        let bundles: Vec<&str> = image.bundles.iter().map(String::as_str).collect();
        let names = |names: &BTreeSet<String>| match names.len() {
            0 => "nothing".to_owned(),
            _ => names.iter().map(String::as_str).collect::<Vec<_>>().join(" and "),
        };
        let source = format!(
            "{} ({} -> {})",
            naming::shown(&image.source, &new),
            names(&image.from),
            names(&image.to)
        );
        table.row(["~", &source, &BinaryBytes(0).to_string(), &bundles.join(", ")])?;
    }
    table.finish()?;
    let amount = |amount: &Amount| BinaryBytes(amount.bytes).to_string();
    let unchanged = difference.unchanged();
    let mut changed = match difference.of_other_content().len() {
        0 => String::new(),
        changed => format!("{changed} with other referrers or platforms, "),
    };
    if !difference.moved.is_empty() {
        changed.push_str(&format!("{} with other names at the target, ", difference.moved.len()));
    }
    printer.status(format_args!(
        "{} ({}) to add, {} ({}) to drop, {changed}{unchanged} unchanged",
        counted(difference.added.len(), "image"),
        amount(&difference.to_add),
        counted(difference.removed.len(), "image"),
        amount(&difference.to_drop),
    ));
    Ok(Status::Success)
}
