//! `opmx serve`: gRPC from an index.

use crate::cli::Context;
use crate::cli::arguments::RegistryArguments;
use crate::cli::error::CommandResult;
use crate::cli::serving::{self, ServingArguments};
use crate::cli::sources::{self, OpenIndex};
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  A database file
  $ opmx serve index.db

  An index image, pulled first
  $ opmx serve registry.example.com/index:v1 -p 50052";

/// Serve an index to OLM, over gRPC
///
/// Begins when all of the index has been read and found good, and ends by a signal.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ServeArguments {
    /// The index: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG or a database file
    #[arg(value_name = "REF|FILE")]
    index: String,
    #[command(flatten)]
    serving: ServingArguments,
    #[command(flatten)]
    registry: RegistryArguments,
}

pub(crate) fn run(arguments: &ServeArguments, context: &Context<'_>) -> CommandResult {
    // What was unpacked must stay until the server has ended.
    let (index, _file) = match sources::open_index(&arguments.index, &arguments.registry, context) {
        Ok(OpenIndex { index, file }) => (Ok(index), Some(file)),
        Err(error) => (Err(error), None),
    };
    serving::serve(index, &arguments.serving, None, context)
}
