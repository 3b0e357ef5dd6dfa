//! The two output streams of a command: the result on standard output, all other messages on standard error.

mod parts;

use crate::concurrent;
use crate::diagnostic::{Diagnostic, MOST_OF_A_RULE, limit_each_rule};
use crate::rules::Severity;
use crate::terminal::findings::{self, Summary};
use crate::terminal::progress::Bars;
use crate::terminal::stdout::Stdout;
use crate::text;
use crate::visible::{lines, one_line, styled, visible};
use clap::ValueEnum;
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard};

/// The format of a result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Human-readable text.
    #[default]
    Text,
    /// JSON, with stable field names.
    Json,
    /// The same fields as YAML.
    Yaml,
}

/// When to use color.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless the environment disables it.
    #[default]
    Auto,
    /// Also in pipes and files.
    Always,
    /// Never.
    Never,
}

/// The output settings from the global options.
#[derive(Debug, Clone, Copy, Default)]
pub struct Settings {
    /// Whether progress, remarks and warnings are omitted.
    pub quiet: bool,
    /// When to use color.
    pub color: ColorChoice,
}

/// The reason why a result could not be written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The reader of a pipe closed it, as `head` does, while a long result was written. The reader has the output it
    /// needs, so this is not a failure.
    #[error("the output was closed")]
    Closed,
    /// The result is incomplete.
    #[error("cannot write to standard output")]
    Write(#[source] io::Error),
    /// The result cannot be shown unchanged.
    #[error("the result contains control characters or workflow commands, so it is not printed")]
    Hidden,
    /// A value cannot be written in this format; only a bug in opmx causes this.
    #[error("cannot write the result as {format}: {reason}")]
    Form {
        /// The requested format.
        format: &'static str,
        /// The reason why the value cannot be written.
        reason: String,
    },
}

impl From<io::Error> for OutputError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Write(error),
        }
    }
}

type Stream = Box<dyn Write + Send>;

/// The maximum number of bytes of a result that are held back until the command has released its input. Otherwise, a
/// slow reader of the output, such as a pager, could prevent other processes from writing to a database. Memory is
/// allocated only as the buffer fills.
const HELD_BACK: usize = 16 << 20;

/// Prints results and messages. Progress and logs are written by [`Bars`], whole lines at a time. Threads can share a
/// printer; their output does not interleave.
///
/// If the reader of standard output leaves, as `head` and `grep -q` do, the rest of the result is discarded, and the
/// command continues, because its exit status is still its answer. Only [`Output::written_at_once`] ends it.
pub struct Printer {
    stdout: Mutex<BufWriter<Stream>>,
    stderr: Mutex<Stream>,
    quiet: bool,
    color: Colors,
    bars: Arc<Bars>,
}

/// Whether each stream is colored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Colors {
    stdout: bool,
    stderr: bool,
}

impl Printer {
    /// Creates a printer for the streams of the process.
    pub fn new(settings: Settings, stdout: Stdout) -> Self {
        let watched = io::stderr().is_terminal() && !dumb_terminal();
        let color = Colors {
            stdout: colored(settings.color, io::stdout().is_terminal()),
            stderr: colored(settings.color, io::stderr().is_terminal()),
        };
        let bars = match (settings.quiet, watched) {
            (true, _) => Bars::hidden(),
            (false, true) => Bars::animated(),
            (false, false) => Bars::lines(),
        };
        Self::with_streams(settings, Box::new(stdout), Box::new(io::stderr()), color, bars)
    }

    fn with_streams(settings: Settings, stdout: Stream, stderr: Stream, color: Colors, bars: Bars) -> Self {
        Self {
            stdout: Mutex::new(BufWriter::with_capacity(HELD_BACK, stdout)),
            stderr: Mutex::new(stderr),
            quiet: settings.quiet,
            color,
            bars: Arc::new(bars),
        }
    }

    /// Locks standard output until the returned value is dropped.
    pub fn stdout(&self) -> Output<'_> {
        Output {
            stream: concurrent::lock(&self.stdout),
        }
    }

    /// Returns whether standard output is colored.
    pub fn stdout_color(&self) -> bool {
        self.color.stdout
    }

    /// Returns whether standard error is colored.
    pub fn stderr_color(&self) -> bool {
        self.color.stderr
    }

    /// Returns whether only errors and results are printed.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Returns the progress bars for content transfers. Without a terminal, lines are printed at intervals; with
    /// `--quiet`, nothing is printed.
    pub fn progress(&self) -> Arc<Bars> {
        Arc::clone(&self.bars)
    }

    /// Prints one line of the result.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn line(&self, text: impl AsRef<str>) -> Result<(), OutputError> {
        self.stdout().line(text.as_ref())
    }

    /// Prints lines of the result, each with its line feed.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn lines(&self, text: &str) -> Result<(), OutputError> {
        self.stdout().lines(text)
    }

    /// Prints a diff: hidden characters are escaped, except for the carriage returns at line ends, which `patch` needs.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn diff(&self, text: &str) -> Result<(), OutputError> {
        let mut output = self.stdout();
        for line in text.split_inclusive('\n') {
            match line.strip_suffix("\r\n") {
                Some(line) => output.write(&format!("{}\r\n", lines(line)))?,
                None => output.write(&lines(line))?,
            }
        }
        Ok(())
    }

    /// Prints lines of the result, with styles if standard output is colored. Untrusted text between the styles must
    /// already have been made visible.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn styled(&self, text: &str) -> Result<(), OutputError> {
        let shown = if self.color.stdout { styled(text) } else { lines(text) };
        self.stdout().write(&shown)
    }

    /// Prints text, such as a patch, that another program reads verbatim and that has no escapes.
    ///
    /// # Errors
    /// Returns an error if the text has characters or lines that must not be printed verbatim, or if the output cannot
    /// be written.
    pub fn exact(&self, text: &str) -> Result<(), OutputError> {
        // A carriage return before a line feed is harmless.
        let shown = text.replace("\r\n", "\n");
        if lines(&shown) != shown {
            return Err(OutputError::Hidden);
        }
        self.stdout().write(text)
    }

    /// Prints the result in a format with its own escapes; see [`Output::written`].
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn written(&self, text: &str) -> Result<(), OutputError> {
        self.stdout().written(text)
    }

    /// Prints the result as one document. `Format::Text` is printed as YAML, for values that have no text form.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn document(&self, format: Format, value: &impl Serialize) -> Result<(), OutputError> {
        let text = match format {
            Format::Json => json(value)?,
            Format::Text | Format::Yaml => yaml(value)?,
        };
        self.written(&text)
    }

    /// Prints findings as the result of a command, with a summary below them.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn findings(&self, format: Format, diagnostics: &[Diagnostic]) -> Result<(), OutputError> {
        if format != Format::Text {
            return self.document(format, &findings::Report::of(diagnostics));
        }
        let mut explained = BTreeSet::new();
        for diagnostic in diagnostics {
            let shown = findings::render_next(diagnostic, self.color.stdout, &mut explained);
            self.styled(&format!("{shown}\n\n"))?;
        }
        self.line(Summary::of(diagnostics).to_string())
    }

    /// Prints findings to standard error, in addition to the result of a command; with `--quiet`, prints only errors.
    pub fn report(&self, diagnostics: &[Diagnostic]) {
        let mut limited = Cow::Borrowed(diagnostics);
        if diagnostics.len() > MOST_OF_A_RULE {
            limit_each_rule(limited.to_mut());
        }
        let shown = |diagnostic: &&Diagnostic| !self.quiet || diagnostic.severity == Severity::Error;
        let mut explained = BTreeSet::new();
        for diagnostic in limited.iter().filter(shown) {
            let shown = findings::render_next(diagnostic, self.color.stderr, &mut explained);
            self.say(&format!("{shown}\n"));
        }
        if !explained.is_empty() {
            self.say(&Summary::of(diagnostics).to_string());
        }
    }

    /// Prints a remark about a completed step.
    pub fn status(&self, message: impl fmt::Display) {
        if !self.quiet {
            self.say(&one_line(&message.to_string()));
        }
    }

    /// Prints information that the user should know although the command continues.
    pub fn warning(&self, message: impl fmt::Display) {
        if !self.quiet {
            self.labelled("warning", "\u{1b}[1;33m", &one_line(&message.to_string()));
        }
    }

    /// Prints a hint for the preceding warning.
    pub fn warning_hint(&self, hint: impl fmt::Display) {
        if !self.quiet {
            self.detail("hint", hint);
        }
    }

    /// Prints the error message of a failed command, even with `--quiet`.
    pub fn error(&self, message: impl fmt::Display) {
        self.labelled("error", "\u{1b}[1;31m", &message.to_string());
    }

    /// Prints a line that belongs to the preceding error: a cause or a hint.
    pub fn detail(&self, label: &str, message: impl fmt::Display) {
        self.labelled(&format!("  {label}"), "\u{1b}[1m", &one_line(&message.to_string()));
    }

    fn labelled(&self, label: &str, style: &str, message: &str) {
        // Further lines of a message are indented, so that the start of the next message is clear.
        let below = format!("\n{:1$}", "", label.chars().count() + 2);
        let message = visible(message).replace('\n', &below);
        if self.color.stderr {
            self.say(&format!("{style}{label}:\u{1b}[0m {message}"));
        } else {
            self.say(&format!("{label}: {message}"));
        }
    }

    /// Prints lines to standard error, with styles if it is colored. Untrusted text between the styles must already
    /// have been made visible.
    pub fn say(&self, text: &str) {
        let text = if self.color.stderr { styled(text) } else { lines(text) };
        // Earlier output must appear above the message. If flushing fails, it fails again at the end of the command,
        // which reports the failure.
        if let Ok(mut stdout) = self.stdout.try_lock() {
            let _ = stdout.flush();
        }
        self.bars.aside(|| {
            let mut stderr = concurrent::lock(&self.stderr);
            // If standard error is closed, the failure cannot be reported.
            let _ = stderr.write_all(format!("{text}\n").as_bytes());
            let _ = stderr.flush();
        });
    }

    /// Writes the buffered output. Must be the last call of a command.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn flush(&self) -> Result<(), OutputError> {
        self.stdout().flush()
    }
}

/// Standard output, locked for one writer.
pub struct Output<'a> {
    stream: MutexGuard<'a, BufWriter<Stream>>,
}

impl Output<'_> {
    /// Writes a line, which may stay in the buffer until [`Output::flush`].
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn line(&mut self, text: &str) -> Result<(), OutputError> {
        self.write(&lines(&one_line(text)))?;
        self.write("\n")
    }

    /// Writes lines, each with its line feed.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn lines(&mut self, text: &str) -> Result<(), OutputError> {
        self.write(&lines(text))
    }

    /// Writes text in a format, such as JSON, YAML or workflow commands, that has its own escapes. The caller has
    /// escaped everything that must not be printed verbatim; characters that it overlooked are made visible here.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn written(&mut self, text: &str) -> Result<(), OutputError> {
        self.write(&visible(text))
    }

    /// Like [`Output::written`], but does not hold the text back. For long results of commands that keep no database
    /// open.
    ///
    /// # Errors
    /// Returns an error if the reader has closed the output, or the output cannot be written.
    pub fn written_at_once(&mut self, text: &str) -> Result<(), OutputError> {
        self.stream.flush()?;
        let stream = self.stream.get_mut();
        stream.write_all(visible(text).as_bytes())?;
        Ok(stream.flush()?)
    }

    /// Flushes everything written so far to the reader.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn flush(&mut self) -> Result<(), OutputError> {
        without_reader(self.stream.flush())
    }

    fn write(&mut self, text: &str) -> Result<(), OutputError> {
        without_reader(self.stream.write_all(text.as_bytes()))
    }
}

/// Treats output as written if its reader has left.
fn without_reader(written: io::Result<()>) -> Result<(), OutputError> {
    match written.map_err(OutputError::from) {
        Err(OutputError::Closed) => Ok(()),
        written => written,
    }
}

/// A list of values as one JSON array or YAML sequence, written one value at a time.
pub struct List<'a> {
    output: Output<'a>,
    format: Format,
    count: usize,
}

impl<'a> List<'a> {
    /// Creates an empty list; `Format::Text` is treated as YAML.
    pub fn new(output: Output<'a>, format: Format) -> Self {
        Self {
            output,
            format,
            count: 0,
        }
    }

    /// Adds a value.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn item(&mut self, value: &impl Serialize) -> Result<(), OutputError> {
        if self.format == Format::Json {
            let text = json(value)?;
            let opening = if self.count == 0 { "[\n  " } else { ",\n  " };
            self.output.written(opening)?;
            self.output.written(&text.trim_end().replace('\n', "\n  "))?;
        } else {
            self.output.written(&yaml(&[value])?)?;
        }
        self.count += 1;
        Ok(())
    }

    /// Closes the list.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn finish(mut self) -> Result<(), OutputError> {
        let closing = match (self.format, self.count) {
            (Format::Json, 0) => "[]\n",
            (Format::Json, _) => "\n]\n",
            (_, 0) => "[]\n",
            _ => "",
        };
        self.output.written(closing)
    }
}

fn json(value: &impl Serialize) -> Result<String, OutputError> {
    Ok(text::to_json(&as_value("JSON", value)?))
}

fn yaml(value: &impl Serialize) -> Result<String, OutputError> {
    Ok(text::to_yaml(&as_value("YAML", value)?))
}

fn as_value(format: &'static str, value: &impl Serialize) -> Result<Value, OutputError> {
    serde_json::to_value(value).map_err(|error| OutputError::Form {
        format,
        reason: error.to_string(),
    })
}

fn dumb_terminal() -> bool {
    std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb")
}

fn colored(choice: ColorChoice, is_terminal: bool) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            is_terminal && !refused && !dumb_terminal()
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
