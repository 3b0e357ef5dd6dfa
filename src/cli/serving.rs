//! How an index is served, for `serve` and `registry serve`.

use crate::cli::Context;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::index::read::Index;
use crate::server::{self, DEFAULT_PORT, Options};
use crate::terminal::Printer;
use clap::Args;
use std::fs::OpenOptions;
use std::future;
use std::io::Write;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where to serve.
#[derive(Debug, Args)]
pub(crate) struct ServingArguments {
    /// Address to listen on; without it, all addresses of the machine
    #[arg(long, value_name = "ADDRESS")]
    address: Option<IpAddr>,
    /// Port to listen on; 0 takes a free one
    #[arg(short, long, value_name = "PORT", default_value_t = DEFAULT_PORT)]
    port: u16,
    /// File for the reason, should the server fail; a cluster shows it
    #[arg(short = 't', long, value_name = "FILE", default_value = "/dev/termination-log")]
    termination_log: PathBuf,
}

/// Serves until a signal comes, or the time is over. An index that could not be opened is a reason to leave word of, too.
pub(crate) fn serve(
    index: Result<Index, CommandError>,
    arguments: &ServingArguments,
    time: Option<Duration>,
    context: &Context<'_>,
) -> CommandResult {
    let served = index.and_then(|index| context.runtime.block_on(run(index, arguments, time, &context.printer)));
    if let Err(error) = &served {
        leave_word(&arguments.termination_log, error);
    }
    served
}

async fn run(index: Index, arguments: &ServingArguments, time: Option<Duration>, printer: &Printer) -> CommandResult {
    let signal = server::shutdown_signal()
        .map_err(|error| CommandError::from(error).context("cannot wait for the signals that end the server"))?;
    let listener = server::listen(arguments.address, arguments.port).await?;
    if let Ok(address) = listener.local_addr() {
        printer.status(format_args!("serving {} on {address}", index.path().display()));
    }
    let end = async {
        match time {
            Some(time) => tokio::time::sleep(time).await,
            None => future::pending().await,
        }
    };
    let shutdown = async {
        tokio::select! {
            () = signal => {}
            () = end => {}
        }
    };
    server::serve(index, listener, Options::default(), shutdown).await?;
    Ok(Status::Success)
}

/// Leaves the reason where a cluster looks for it. The file is a mount of the container, so it is written in place, and
/// only where it exists: elsewhere nobody looks for it.
fn leave_word(file: &Path, error: &CommandError) {
    let written = OpenOptions::new()
        .write(true)
        .truncate(true)
        .open(file)
        .and_then(|mut file| write!(file, "{error}"));
    if let Err(error) = written {
        tracing::debug!("no reason was left in {}: {error}", file.display());
    }
}
