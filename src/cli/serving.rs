//! Serving an index, for `serve` and `registry serve`.

use crate::catalog::file_based::limits::CatalogLimits;
use crate::cli::Context;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::termination_log;
use crate::cli::values::positive;
use crate::diagnostic::Diagnostic;
use crate::server::metrics::Metrics;
use crate::server::{self, DEFAULT_PORT, Served, ServerOptions, scrape};
use crate::terminal::Printer;
use crate::terminal::log::LogFormat;
use crate::visible;
use clap::Args;
use std::future;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The options for serving.
#[derive(Debug, Args)]
pub(crate) struct ServingArguments {
    /// Address to listen on [default: all addresses of the machine]
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    address: Option<IpAddr>,
    /// Port to listen on; 0 selects a free port
    #[arg(short, long, value_name = "PORT", default_value_t = DEFAULT_PORT, value_parser = port)]
    port: u16,
    /// File to which the reason is written if serving fails; the cluster shows the reason
    #[arg(short = 't', long, value_name = "FILE", default_value = termination_log::DEFAULT)]
    termination_log: PathBuf,
    /// Serve metrics for Prometheus at http://ADDRESS:PORT/metrics; without ADDRESS, on all addresses
    #[arg(long, value_name = "[ADDRESS]:PORT", value_parser = endpoint)]
    metrics_address: Option<Endpoint>,
    /// Log the start, the end and all failures to standard error, as text or JSON; with -vv, also every call
    #[arg(long, value_enum, value_name = "FORMAT")]
    log_format: Option<LogFormat>,
    /// Maximum number of connections; if more clients connect, the least needed connection is closed [default: 4096, or
    /// fewer]
    ///
    /// Connections that have sent nothing are closed first, then those that have never made a call, those whose clients
    /// do not read the responses, and finally idle ones. The default is 4096, or fewer if the limit on open files
    /// requires it. That limit is raised as far as the system permits. A client that does not read a response for 5
    /// seconds is also disconnected if other calls wait for memory or for a place among the concurrent calls.
    #[arg(long, value_name = "NUMBER", value_parser = positive)]
    max_connections: Option<NonZero<usize>>,
    /// Stop after this number of seconds; "infinite" for no limit
    #[arg(long, value_name = "SECONDS", default_value = "infinite", value_parser = seconds)]
    timeout_seconds: Seconds,
    /// Not needed: serving never changes the database
    #[arg(long, hide = true)]
    skip_migrate: bool,
}

/// A port on one address or on all addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Endpoint(Option<IpAddr>, u16);

/// Parses an address of this machine, which may be in brackets, as in a URL.
fn address(text: &str) -> Result<IpAddr, &'static str> {
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    inner
        .unwrap_or(text)
        .parse()
        .map_err(|_| "expected an IP address, such as 127.0.0.1 or ::1, without a port")
}

fn port(text: &str) -> Result<u16, &'static str> {
    text.parse()
        .map_err(|_| "expected a number up to 65535; specify the address with --address")
}

fn endpoint(text: &str) -> Result<Endpoint, String> {
    let parsed = match text.strip_prefix(':') {
        Some(port) => port.parse().ok().map(|port| Endpoint(None, port)),
        None => text
            .parse()
            .ok()
            .map(|address: SocketAddr| Endpoint(Some(address.ip()), address.port())),
    };
    parsed
        .ok_or_else(|| "expected an address and a port, such as 127.0.0.1:9090, or :9090 for all addresses".to_owned())
}

/// The duration of serving; `None` stands for no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seconds(Option<u64>);

fn seconds(text: &str) -> Result<Seconds, String> {
    match text {
        "infinite" => Ok(Seconds(None)),
        _ => text
            .parse()
            .map(|seconds| Seconds(Some(seconds)))
            .map_err(|_| "expected a whole number of seconds, or \"infinite\"".to_owned()),
    }
}

/// The reason why an index cannot be served.
#[derive(Debug)]
pub(crate) struct Unserved {
    pub(crate) error: CommandError,
    /// The findings about the index, if it has errors.
    pub(crate) findings: Vec<Diagnostic>,
}

impl<E: Into<CommandError>> From<E> for Unserved {
    fn from(error: E) -> Self {
        Self {
            error: error.into(),
            findings: Vec::new(),
        }
    }
}

/// Lets a signal end the process while `open` reads what is to be served. The first process of a container must do this
/// itself, because the system does not end it.
pub(crate) fn until_signal<T>(context: &Context<'_>, open: impl FnOnce() -> T) -> T {
    let entered = context.runtime.enter();
    let ending = server::shutdown_signal().ok().map(|signal| {
        context.runtime.spawn(async move {
            let ended = AFTER_SIGNAL + signal.await;
            #[expect(clippy::exit, reason = "the signal would have ended the process")]
            std::process::exit(ended)
        })
    });
    drop(entered);
    let opened = open();
    if let Some(ending) = ending {
        ending.abort();
    }
    opened
}

/// The exit status of a process that a signal has ended, less the number of the signal.
const AFTER_SIGNAL: i32 = 128;

/// Serves the index `name` until a signal arrives, or the time is up. If serving fails, the reason is also written to
/// the termination log.
pub(crate) fn serve(
    served: Result<Served, Unserved>,
    name: &str,
    arguments: &ServingArguments,
    context: &Context<'_>,
) -> CommandResult {
    let printer = &context.printer;
    let (served, findings) = match served {
        Ok(served) => {
            warn_if_empty(&served, name, arguments, printer)?;
            let served = context.runtime.block_on(run(served, name, arguments, printer));
            (served, Vec::new())
        }
        Err(Unserved { error, findings }) => (Err(error), findings),
    };
    if let Err(error) = &served {
        let message = termination_log::message(error, &findings);
        write_termination_log(&message, arguments, printer);
    }
    logged(served, arguments)
}

/// Logs an error in the form of the log.
pub(crate) fn logged(result: CommandResult, arguments: &ServingArguments) -> CommandResult {
    if let Err(error) = &result {
        let hints = (!error.hints().is_empty()).then(|| error.hints().join("; "));
        tracing::error!(hint = hints, "{error}");
        if arguments.log_format == Some(LogFormat::Json) {
            // The error has been reported in the requested format.
            return Ok(error.status());
        }
    }
    result
}

impl ServingArguments {
    /// Returns the format of the log, if specified.
    pub(crate) fn log_format(&self) -> Option<LogFormat> {
        self.log_format
    }
}

async fn run(served: Served, name: &str, arguments: &ServingArguments, printer: &Printer) -> CommandResult {
    let signal = server::shutdown_signal()
        .map_err(|error| CommandError::from(error).context("cannot wait for the signals that stop the server"))?;
    let listener = server::listen(arguments.address, arguments.port)?;
    let metrics = Arc::<Metrics>::default();
    let figures = match arguments.metrics_address {
        Some(Endpoint(address, port)) => Some(server::listen(address, port)?),
        None => None,
    };
    if let Some(address) = figures.as_ref().and_then(|listener| listener.local_addr().ok()) {
        announce(arguments, printer, "serving metrics", "/metrics", address);
    }
    if let Ok(address) = listener.local_addr() {
        announce(arguments, printer, "serving", name, address);
    }
    let figures = figures.map(|listener| tokio::spawn(scrape::expose(listener, Arc::clone(&metrics))));
    let end = async {
        match arguments.timeout_seconds.0 {
            Some(time) => tokio::time::sleep(Duration::from_secs(time)).await,
            None => future::pending().await,
        }
    };
    let shutdown = async {
        tokio::select! {
            _ = signal => {}
            () = end => {}
        }
    };
    let options = ServerOptions {
        connections: connections(arguments, printer),
        ..ServerOptions::default()
    };
    let on_fault = |fault: &str| {
        let warning = format!("no longer serving: {fault}");
        // When the warning can be read, so can the log.
        write_termination_log(&visible::lines(&warning), arguments, printer);
        warn(&warning, arguments, printer);
    };
    let served = server::serve(served, listener, options, metrics, on_fault, shutdown).await;
    if let Some(figures) = figures {
        figures.abort();
    }
    served?;
    tracing::info!("stopped");
    Ok(Status::Success)
}

/// Reports progress, as a status line or in the log.
pub(crate) fn remark(remark: &str, arguments: &ServingArguments, printer: &Printer) {
    match arguments.log_format {
        Some(_) => tracing::info!("{remark}"),
        None => printer.status(remark),
    }
}

/// Warns in the form of the log.
pub(crate) fn warn(warning: &str, arguments: &ServingArguments, printer: &Printer) {
    match arguments.log_format {
        Some(_) => tracing::warn!("{warning}"),
        None => printer.warning(warning),
    }
}

/// Warns if there is nothing to serve.
pub(crate) fn warn_if_empty(
    served: &Served,
    name: &str,
    arguments: &ServingArguments,
    printer: &Printer,
) -> Result<(), CommandError> {
    if served.is_empty()? {
        warn(&format!("{name} contains no package"), arguments, printer);
    }
    Ok(())
}

/// The number of catalog files that are kept open in any case, if the limit on open files allows it.
const CATALOG_FILES: usize = 256;
/// The number of open files that are neither connections nor catalog files.
const OTHER_FILES: usize = 40;

/// Returns the number of catalog files that may stay open, so that the catalog is served as it was when it was opened:
/// all that the connections leave room for.
pub(crate) fn catalog_files(arguments: &ServingArguments) -> usize {
    match arguments.open_files() {
        Some(limit) => {
            catalog_files_within(limit).max(limit.saturating_sub(arguments.wanted().saturating_add(OTHER_FILES)))
        }
        None => usize::MAX,
    }
}

/// Returns the number of catalog files that a limit on open files allows in any case.
fn catalog_files_within(limit: usize) -> usize {
    CATALOG_FILES.min(limit / 4)
}

impl ServingArguments {
    /// Returns the requested number of concurrent connections.
    fn wanted(&self) -> usize {
        self.max_connections
            .map_or(ServerOptions::default().connections, NonZero::get)
    }

    /// Raises the limit on open files as far as needed, and returns the limit, or `None` if there is no limit.
    fn open_files(&self) -> Option<usize> {
        let catalog = CatalogLimits::default().files;
        open_files(self.wanted().saturating_add(catalog + OTHER_FILES))
    }
}

/// Returns the maximum number of concurrent connections: the requested number, or fewer if the limit on open files
/// requires it.
fn connections(arguments: &ServingArguments, printer: &Printer) -> usize {
    let wanted = arguments.wanted();
    let Some(limit) = arguments.open_files() else {
        return wanted;
    };
    let possible = connections_within(limit);
    if arguments.max_connections.is_some() && possible < wanted {
        let warning = format!("the limit of {limit} open files allows only {possible} connections instead of {wanted}");
        warn(&warning, arguments, printer);
    }
    wanted.min(possible)
}

/// Returns the number of connections that a limit on open files allows.
fn connections_within(limit: usize) -> usize {
    let left = limit.saturating_sub(catalog_files_within(limit) + OTHER_FILES);
    left.max(limit / 8).max(1)
}

/// Raises the limit on open files to `wanted`, as far as the system allows, and returns the limit, or `None` if there
/// is no limit.
#[cfg(unix)]
fn open_files(wanted: usize) -> Option<usize> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let current = current?;
    let wanted = u64::try_from(wanted).unwrap_or(u64::MAX);
    let raised = wanted.min(maximum.unwrap_or(wanted)).max(current);
    let limit = Rlimit {
        current: Some(raised),
        maximum,
    };
    let reached = if raised > current && setrlimit(Resource::Nofile, limit).is_ok() {
        raised
    } else {
        current
    };
    Some(usize::try_from(reached).unwrap_or(usize::MAX))
}

#[cfg(not(unix))]
fn open_files(_: usize) -> Option<usize> {
    None
}

/// Reports the address of a service, as a status line or in the log.
fn announce(arguments: &ServingArguments, printer: &Printer, what: &str, of: &str, address: SocketAddr) {
    match arguments.log_format {
        Some(_) => tracing::info!(of, %address, "{what}"),
        None => printer.status(format_args!("{what} {of} on {address}")),
    }
}

/// Writes the reason for a failure to the termination log, and warns if this fails and the user named the file.
fn write_termination_log(message: &str, arguments: &ServingArguments, printer: &Printer) {
    let file = &arguments.termination_log;
    let Err(error) = termination_log::write(file, message) else {
        return;
    };
    let warning = format!("cannot write the reason for the failure to {}: {error}", file.display());
    if termination_log::is_default(file) {
        tracing::debug!("{warning}");
    } else {
        warn(&warning, arguments, printer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_on_open_files_reduces_the_connections() {
        for (limit, connections) in [(0, 1), (16, 2), (64, 8), (256, 152), (1024, 728), (4392, 4096)] {
            assert_eq!(connections_within(limit), connections, "{limit}");
        }
    }
}
