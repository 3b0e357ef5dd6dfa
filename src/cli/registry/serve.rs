//! `opmx registry serve`: serving a database file over gRPC.

use crate::cli::Context;
use crate::cli::arguments::DatabaseLimitArguments;
use crate::cli::error::CommandResult;
use crate::cli::serving::{self, ServingArguments};
use crate::database::read::Database;
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Serve on port 50051, as OLM expects
  $ opmx registry serve -d index.db

  Serve only on the loopback address, on another port
  $ opmx registry serve -d index.db --address 127.0.0.1 -p 8080";

/// Serve a database file to OLM, over gRPC
///
/// The file is never changed, and is served even if it was written by an older release of opm.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ServeArguments {
    /// The database file
    #[arg(short, long, value_name = "FILE", default_value = "bundles.db")]
    database: PathBuf,
    #[command(flatten)]
    serving: ServingArguments,
    #[command(flatten)]
    limits: DatabaseLimitArguments,
}

impl ServeArguments {
    pub(crate) fn serving(&self) -> &ServingArguments {
        &self.serving
    }
}

pub(crate) fn run(arguments: &ServeArguments, context: &Context<'_>) -> CommandResult {
    let steps = arguments.limits.max_database_steps;
    let index = serving::until_signal(context, || Database::open_within(&arguments.database, steps));
    let name = arguments.database.display().to_string();
    serving::serve(
        index.map(Into::into).map_err(Into::into),
        &name,
        &arguments.serving,
        context,
    )
}
