//! `opmx index check`: what is wrong with an index, and mending what needs no decision.

use crate::cli::Context;
use crate::cli::additions;
use crate::cli::arguments::{OutputArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::sources;
use crate::diagnostic;
use crate::index::check;
use crate::index::location::IndexLocation;
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  An index image
  $ opmx index check registry.example.com/index:v1

  A database file, mending what needs no decision
  $ opmx index check index.db --fix";

/// Check an index: its channels, its rows, and the sizes of what is in it
///
/// Finds bundles that no update leads to, entries of bundles that are not there, heads and default channels that are
/// none, rounds in the graph, rows that belong to nothing, manifests that cannot be read or that are too large, and a
/// damaged file. Nothing is changed without --fix.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CheckArguments {
    /// The index: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG or a database file
    #[arg(value_name = "REF|FILE")]
    index: String,
    /// Mend what needs no decision, in one step, in a database file
    ///
    /// Rows of bundles that are not there go, and so do bundles that no channel has and APIs of no bundle; the only
    /// channel of a package becomes its default channel. What was done is said, and what is left is shown.
    #[arg(long)]
    fix: bool,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    registry: RegistryArguments,
}

pub(crate) fn run(arguments: &CheckArguments, context: &Context<'_>) -> CommandResult {
    if arguments.fix {
        let IndexLocation::File(path) = arguments.index.parse()? else {
            return Err(CommandError::usage("--fix changes a database file, not an image")
                .hint("take the database out of the image, or make a new image with opmx index prune-stranded"));
        };
        for repair in check::repair::repair(&path, &additions::writing()?)? {
            context.printer.status(repair);
        }
    }
    let opened = sources::open_index(&arguments.index, &arguments.registry, context)?;
    let findings = check::check(&opened.index)?;
    context.printer.findings(arguments.output.output, &findings)?;
    Ok(if diagnostic::has_errors(&findings) {
        Status::Failure
    } else {
        Status::Success
    })
}
