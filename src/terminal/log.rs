//! The log that `-v` enables, on standard error.

use crate::diagnostic::Diagnostic;
use crate::rules::Severity;
use crate::source::Place;
use crate::terminal::{Printer, advice};
use crate::visible;
use clap::ValueEnum;
use std::borrow::Cow;
use std::io::{self, Write};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};

/// The format of a server log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// A line of text for each event
    Text,
    /// A JSON object for each event
    Json,
}

/// Sends trace events to standard error: the steps of opmx with `-v`, their details with `-vv`, and with `-vvv` also
/// the events of the underlying libraries. Lines have no timestamp, so that two runs can be compared. In a server log,
/// which has a `format`, lines have a timestamp, and the first level needs no `-v`.
///
/// # Errors
/// Returns an error if the process already has a log.
pub fn install(verbose: u8, format: Option<LogFormat>, printer: &Printer) -> Result<(), TryInitError> {
    let verbose = verbose.max(u8::from(format.is_some()));
    if verbose == 0 {
        return Ok(());
    }
    let show = match format {
        Some(LogFormat::Json) => visible::json,
        _ if printer.stderr_color() => visible::styled,
        _ => visible::lines,
    };
    let stream = printer.progress().writer();
    let layer = tracing_subscriber::fmt::layer()
        .with_writer(move || Visible { stream: stream(), show })
        .with_ansi(printer.stderr_color())
        .with_target(verbose > 1);
    let layer = match format {
        None => layer.without_time().boxed(),
        Some(LogFormat::Text) => layer.boxed(),
        Some(LogFormat::Json) => layer.json().flatten_event(true).boxed(),
    };
    tracing_subscriber::registry()
        .with(levels(verbose))
        .with(layer)
        .try_init()
}

/// A stream of events. Each event arrives whole and becomes one visible line.
struct Visible<Stream> {
    stream: Stream,
    show: fn(&str) -> Cow<'_, str>,
}

impl<Stream: Write> Write for Visible<Stream> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let event = String::from_utf8_lossy(bytes);
        let line = event.trim_end_matches('\n').replace('\n', "\\n");
        self.stream.write_all(format!("{}\n", (self.show)(&line)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Logs findings, each as an event with the fields of a report.
pub fn findings(findings: &[Diagnostic]) {
    for finding in findings {
        let place = finding.place.as_ref();
        let (file, start) = (place.map(|place| place.source.name()), place.map(Place::start));
        let (line, column) = (start.map(|start| start.line), start.map(|start| start.column));
        let (rule, help) = (finding.rule.id, advice::of(finding));
        let help = &*help;
        let (object, path) = (finding.object.as_deref(), finding.path.as_deref());
        let message = &finding.message;
        match finding.severity {
            Severity::Error => tracing::error!(rule, file, line, column, object, path, help, "{message}"),
            Severity::Warning => tracing::warn!(rule, file, line, column, object, path, help, "{message}"),
            Severity::Info => tracing::info!(rule, file, line, column, object, path, help, "{message}"),
        }
    }
}

fn levels(verbose: u8) -> Targets {
    let (own, others) = match verbose {
        0 => (LevelFilter::OFF, LevelFilter::OFF),
        1 => (LevelFilter::INFO, LevelFilter::WARN),
        2 => (LevelFilter::DEBUG, LevelFilter::WARN),
        // At a higher level, the HTTP libraries would log the credentials that they send.
        _ => (LevelFilter::TRACE, LevelFilter::DEBUG),
    };
    Targets::new().with_target("opmx", own).with_default(others)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing::Level;

    #[test]
    fn each_v_increases_the_verbosity() {
        assert!(levels(1).would_enable("opmx::image", &Level::INFO));
        assert!(!levels(1).would_enable("opmx::image", &Level::DEBUG));
        assert!(levels(2).would_enable("opmx::image", &Level::DEBUG));
        assert!(!levels(2).would_enable("hyper", &Level::DEBUG));
        assert!(levels(3).would_enable("hyper", &Level::DEBUG));
        assert!(!levels(9).would_enable("hyper", &Level::TRACE));
    }
}
