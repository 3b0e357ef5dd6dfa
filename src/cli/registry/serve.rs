//! `opmx registry serve`: gRPC from a database file.

use crate::cli::Context;
use crate::cli::error::{CommandError, CommandResult};
use crate::cli::serving::{self, ServingArguments};
use crate::index::read::Index;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  As OLM expects it, on port 50051
  $ opmx registry serve -d index.db

  On this machine only, on another port
  $ opmx registry serve -d index.db --address 127.0.0.1 -p 8080";

/// Serve a database file to OLM, over gRPC
///
/// The file is only read. It is served as it is, also where it was written by an older release.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ServeArguments {
    /// The database file
    #[arg(short, long, value_name = "FILE", default_value = "bundles.db")]
    database: PathBuf,
    /// End after this many seconds, or never: infinite
    #[arg(long, value_name = "SECONDS", default_value = "infinite", value_parser = seconds)]
    timeout_seconds: Seconds,
    /// Not needed: serving never changes the file
    #[arg(long, hide = true)]
    skip_migrate: bool,
    #[command(flatten)]
    serving: ServingArguments,
}

/// How long to serve; none is for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seconds(Option<u64>);

fn seconds(text: &str) -> Result<Seconds, String> {
    match text {
        "infinite" => Ok(Seconds(None)),
        _ => text
            .parse()
            .map(|seconds| Seconds(Some(seconds)))
            .map_err(|_| "give a whole number of seconds, or infinite".to_owned()),
    }
}

pub(crate) fn run(arguments: &ServeArguments, context: &Context<'_>) -> CommandResult {
    let index = Index::open(&arguments.database).map_err(CommandError::from);
    let time = arguments.timeout_seconds.0.map(Duration::from_secs);
    serving::serve(index, &arguments.serving, time, context)
}
