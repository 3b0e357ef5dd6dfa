//! How an index is served, for `serve` and `registry serve`.

use crate::cli::Context;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::server::metrics::{self, Metrics};
use crate::server::{self, DEFAULT_PORT, Options, Served};
use crate::terminal::Printer;
use crate::terminal::log::LogFormat;
use clap::Args;
use std::fs::OpenOptions;
use std::future;
use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
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
    /// Show figures for Prometheus here, as http://ADDRESS:PORT/metrics; without an address on all of this machine
    #[arg(long, value_name = "[ADDRESS]:PORT", value_parser = endpoint)]
    metrics_address: Option<Endpoint>,
    /// Log to standard error, for a person or as JSON: start, end and faults, with -vv also every call
    #[arg(long, value_enum, value_name = "FORM")]
    log_format: Option<LogFormat>,
    /// End after this many seconds, or never: infinite
    #[arg(long, value_name = "SECONDS", default_value = "infinite", value_parser = seconds)]
    timeout_seconds: Seconds,
    /// Not needed: serving never changes what it serves
    #[arg(long, hide = true)]
    skip_migrate: bool,
}

/// An address, or all of them, and a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Endpoint(Option<IpAddr>, u16);

fn endpoint(text: &str) -> Result<Endpoint, String> {
    let parsed = match text.strip_prefix(':') {
        Some(port) => port.parse().ok().map(|port| Endpoint(None, port)),
        None => text
            .parse()
            .ok()
            .map(|address: SocketAddr| Endpoint(Some(address.ip()), address.port())),
    };
    parsed.ok_or_else(|| "give an address and a port, such as 127.0.0.1:9090, or :9090 for all addresses".to_owned())
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

/// Serves until a signal comes, or the time is over. That there is nothing to serve is a reason to leave word of, too.
pub(crate) fn serve(
    served: Result<Served, CommandError>,
    arguments: &ServingArguments,
    context: &Context<'_>,
) -> CommandResult {
    let served = served.and_then(|served| context.runtime.block_on(run(served, arguments, &context.printer)));
    if let Err(error) = &served {
        leave_word(&arguments.termination_log, error);
        let hints = (!error.hints().is_empty()).then(|| error.hints().join("; "));
        tracing::error!(hint = hints, "{error}");
        if arguments.log_format == Some(LogFormat::Json) {
            // It was said in the form that was asked for.
            return Ok(Status::Failure);
        }
    }
    served
}

impl ServingArguments {
    /// The form of the log, where one is wanted.
    pub(crate) fn log_format(&self) -> Option<LogFormat> {
        self.log_format
    }
}

async fn run(served: Served, arguments: &ServingArguments, printer: &Printer) -> CommandResult {
    let signal = server::shutdown_signal()
        .map_err(|error| CommandError::from(error).context("cannot wait for the signals that end the server"))?;
    let listener = server::listen(arguments.address, arguments.port).await?;
    let metrics = Arc::<Metrics>::default();
    let figures = match arguments.metrics_address {
        Some(Endpoint(address, port)) => Some(server::listen(address, port).await?),
        None => None,
    };
    if let Some(address) = figures.as_ref().and_then(|listener| listener.local_addr().ok()) {
        announce(arguments, printer, "showing figures", "/metrics", address);
    }
    if let Ok(address) = listener.local_addr() {
        announce(
            arguments,
            printer,
            "serving",
            &served.path().display().to_string(),
            address,
        );
    }
    let figures = figures.map(|listener| tokio::spawn(metrics::expose(listener, Arc::clone(&metrics))));
    let end = async {
        match arguments.timeout_seconds.0 {
            Some(time) => tokio::time::sleep(Duration::from_secs(time)).await,
            None => future::pending().await,
        }
    };
    let shutdown = async {
        tokio::select! {
            () = signal => {}
            () = end => {}
        }
    };
    let served = server::serve(served, listener, Options::default(), metrics, shutdown).await;
    if let Some(figures) = figures {
        figures.abort();
    }
    served?;
    tracing::info!("stopped");
    Ok(Status::Success)
}

/// Says where something is to be had, as a remark or in the log.
fn announce(arguments: &ServingArguments, printer: &Printer, what: &str, of: &str, address: SocketAddr) {
    match arguments.log_format {
        Some(_) => tracing::info!(of, %address, "{what}"),
        None => printer.status(format_args!("{what} {of} on {address}")),
    }
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
