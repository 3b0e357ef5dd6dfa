//! `opmx version`: the version of the program.

use crate::cli::Context;
use crate::cli::error::{CommandResult, Status};
use clap::Args;

/// Print the version
#[derive(Debug, Args)]
pub(crate) struct VersionArguments {}

pub(crate) fn run(context: &Context<'_>) -> CommandResult {
    context.printer.line(concat!("opmx ", env!("CARGO_PKG_VERSION")))?;
    Ok(Status::Success)
}
