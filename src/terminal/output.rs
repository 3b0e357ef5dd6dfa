//! The two streams of a command: the result on standard output, everything else on standard error.

use crate::diagnostic::Diagnostic;
use crate::rules::Severity;
use crate::terminal::findings::{self, Summary};
use crate::terminal::progress::Bars;
use crate::terminal::stdout::Stdout;
use crate::text;
use crate::visible::{lines, one_line, styled, visible};
use clap::ValueEnum;
use serde::Serialize;
use serde_json::Value;
use std::fmt;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The form of a result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a person.
    #[default]
    Text,
    /// JSON, with stable field names.
    Json,
    /// The same fields as YAML.
    Yaml,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, where the environment does not refuse it.
    #[default]
    Auto,
    /// Also in pipes and files.
    Always,
    /// Not at all.
    Never,
}

/// What the global options say about the output.
#[derive(Debug, Clone, Copy, Default)]
pub struct Settings {
    /// Leaves out progress, remarks and warnings.
    pub quiet: bool,
    /// When to use colour.
    pub color: ColorChoice,
}

/// Why a result could not be written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The reader of a pipe went away, as `head` does. It has what it wanted: this is no failure.
    #[error("nobody reads the output any more")]
    Closed,
    /// The result is incomplete.
    #[error("cannot write to standard output")]
    Write(#[source] io::Error),
    /// To show it, it would have to be changed.
    #[error("the result holds control characters or workflow commands, so it is not printed")]
    Hidden,
    /// A value has no such form, which only a mistake in opmx can bring about.
    #[error("cannot write the result as {format}: {reason}")]
    Form {
        /// The form asked for.
        format: &'static str,
        /// What stands against it.
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

/// Bytes of a result that are held back until its command has let go of what it reads, so that a reader that is in no
/// hurry, such as a pager, does not keep others from writing a database. Memory is taken as it is filled.
const HELD_BACK: usize = 16 << 20;

/// The one object that prints. It can be shared between threads; what they print does not interleave.
pub struct Printer {
    stdout: Mutex<BufWriter<Stream>>,
    stderr: Mutex<Stream>,
    quiet: bool,
    color: Colors,
    bars: Arc<Bars>,
}

/// Whether each stream is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Colors {
    stdout: bool,
    stderr: bool,
}

impl Printer {
    /// Prints to the streams of the process.
    pub fn new(settings: Settings, stdout: Stdout) -> Self {
        let watched = io::stderr().is_terminal() && !dumb_terminal();
        let color = Colors {
            stdout: colored(settings.color, io::stdout().is_terminal()),
            stderr: colored(settings.color, io::stderr().is_terminal()),
        };
        let bars = if watched && !settings.quiet {
            Bars::shown()
        } else {
            Bars::hidden()
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

    /// Standard output, held until the value is dropped.
    pub fn stdout(&self) -> Output<'_> {
        Output {
            stream: self.stdout.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Whether standard output is coloured.
    pub fn stdout_color(&self) -> bool {
        self.color.stdout
    }

    /// Whether standard error is coloured.
    pub fn stderr_color(&self) -> bool {
        self.color.stderr
    }

    /// Whether only errors and results are printed.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// The progress bars, for whatever transfers content; they show nothing where nobody watches.
    pub fn progress(&self) -> Arc<Bars> {
        Arc::clone(&self.bars)
    }

    /// One line of the result.
    ///
    /// # Errors
    /// When nobody reads the output any more, or it cannot be written.
    pub fn line(&self, text: impl AsRef<str>) -> Result<(), OutputError> {
        self.stdout().line(text.as_ref())
    }

    /// Lines of the result, each with its line feed.
    ///
    /// # Errors
    /// When nobody reads the output any more, or it cannot be written.
    pub fn lines(&self, text: &str) -> Result<(), OutputError> {
        self.stdout().lines(text)
    }

    /// Lines of the result with styles where standard output is coloured. What strangers wrote between the styles must
    /// be visible already.
    ///
    /// # Errors
    /// When nobody reads the output any more, or it cannot be written.
    pub fn styled(&self, text: &str) -> Result<(), OutputError> {
        let shown = if self.color.stdout { styled(text) } else { lines(text) };
        self.stdout().write(&shown)
    }

    /// Text that another program reads as it is, and that has no escapes, such as a patch.
    ///
    /// # Errors
    /// When it has characters or lines that must not be printed as they are; when nobody reads the output any more, or
    /// it cannot be written.
    pub fn exact(&self, text: &str) -> Result<(), OutputError> {
        // A carriage return in front of a line feed does nothing.
        let shown = text.replace("\r\n", "\n");
        if lines(&shown) != shown {
            return Err(OutputError::Hidden);
        }
        self.stdout().write(text)
    }

    /// The result in a language that has escapes of its own, see [`Output::written`].
    ///
    /// # Errors
    /// When nobody reads the output any more, or it cannot be written.
    pub fn written(&self, text: &str) -> Result<(), OutputError> {
        self.stdout().written(text)
    }

    /// The result as one document. `Format::Text` prints it as YAML, for values that have no text form of their own.
    ///
    /// # Errors
    /// When nobody reads the output any more, or it cannot be written.
    pub fn document(&self, format: Format, value: &impl Serialize) -> Result<(), OutputError> {
        let text = match format {
            Format::Json => json(value)?,
            Format::Text | Format::Yaml => yaml(value)?,
        };
        self.written(&text)
    }

    /// Findings as the result of a command, with a summary under them.
    ///
    /// # Errors
    /// When nobody reads the output any more, or it cannot be written.
    pub fn findings(&self, format: Format, diagnostics: &[Diagnostic]) -> Result<(), OutputError> {
        if format != Format::Text {
            return self.document(format, &findings::Report::of(diagnostics));
        }
        for diagnostic in diagnostics {
            self.styled(&format!("{}\n\n", findings::render(diagnostic, self.color.stdout)))?;
        }
        self.line(Summary::of(diagnostics).to_string())
    }

    /// Findings beside the result of a command, on standard error; with `--quiet` only those that fail it.
    pub fn report(&self, diagnostics: &[Diagnostic]) {
        let shown = |diagnostic: &&Diagnostic| !self.quiet || diagnostic.severity == Severity::Error;
        let mut any = false;
        for diagnostic in diagnostics.iter().filter(shown) {
            self.say(&format!("{}\n", findings::render(diagnostic, self.color.stderr)));
            any = true;
        }
        if any {
            self.say(&Summary::of(diagnostics).to_string());
        }
    }

    /// A remark on what was done, for a person who watches.
    pub fn status(&self, message: impl fmt::Display) {
        if !self.quiet {
            self.say(&one_line(&message.to_string()));
        }
    }

    /// Something that the user should know although the command goes on.
    pub fn warning(&self, message: impl fmt::Display) {
        if !self.quiet {
            self.labelled("warning", "\u{1b}[1;33m", &one_line(&message.to_string()));
        }
    }

    /// The sentence that a failed command ends with. Not silenced by anything.
    pub fn error(&self, message: impl fmt::Display) {
        self.labelled("error", "\u{1b}[1;31m", &message.to_string());
    }

    /// A line that belongs to the error before it: a cause or a hint.
    pub fn detail(&self, label: &str, message: impl fmt::Display) {
        self.labelled(&format!("  {label}"), "\u{1b}[1m", &one_line(&message.to_string()));
    }

    fn labelled(&self, label: &str, style: &str, message: &str) {
        // The further lines of a message stand below its first, so that it is seen where the next one begins.
        let below = format!("\n{:1$}", "", label.chars().count() + 2);
        let message = visible(message).replace('\n', &below);
        if self.color.stderr {
            self.say(&format!("{style}{label}:\u{1b}[0m {message}"));
        } else {
            self.say(&format!("{label}: {message}"));
        }
    }

    /// Lines on standard error, with styles where it is coloured. What strangers wrote between the styles must be
    /// visible already.
    pub fn say(&self, text: &str) {
        let text = if self.color.stderr { styled(text) } else { lines(text) };
        // What was printed before stands above it. If that fails it does so again at the end of the command, which says so.
        if let Ok(mut stdout) = self.stdout.try_lock() {
            let _ = stdout.flush();
        }
        self.bars.aside(|| {
            let mut stderr = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
            // Where standard error is gone there is nobody left to tell.
            let _ = stderr.write_all(format!("{text}\n").as_bytes());
            let _ = stderr.flush();
        });
    }

    /// Writes what is still buffered. The last thing a command does.
    ///
    /// # Errors
    /// When nobody reads the output any more, or it cannot be written.
    pub fn flush(&self) -> Result<(), OutputError> {
        self.stdout().flush()
    }
}

/// Standard output, held by one writer.
pub struct Output<'a> {
    stream: MutexGuard<'a, BufWriter<Stream>>,
}

impl Output<'_> {
    /// Writes a line. It may stay in the buffer until [`Output::flush`].
    ///
    /// # Errors
    /// When nobody reads the output any more, or it cannot be written.
    pub fn line(&mut self, text: &str) -> Result<(), OutputError> {
        self.write(&lines(&one_line(text)))?;
        self.write("\n")
    }

    /// Writes lines, each with its line feed.
    ///
    /// # Errors
    /// When nobody reads the output any more, or it cannot be written.
    pub fn lines(&mut self, text: &str) -> Result<(), OutputError> {
        self.write(&lines(text))
    }

    /// Writes text in a language that has escapes of its own, as JSON, YAML and workflow commands have. Its writer has
    /// used them for all that must not be printed as it is; what it overlooked is written out here.
    ///
    /// # Errors
    /// When nobody reads the output any more, or it cannot be written.
    pub fn written(&mut self, text: &str) -> Result<(), OutputError> {
        self.write(&visible(text))
    }

    /// Hands everything written so far to the reader.
    ///
    /// # Errors
    /// When nobody reads the output any more, or it cannot be written.
    pub fn flush(&mut self) -> Result<(), OutputError> {
        Ok(self.stream.flush()?)
    }

    fn write(&mut self, text: &str) -> Result<(), OutputError> {
        Ok(self.stream.write_all(text.as_bytes())?)
    }
}

/// A list of values as one JSON array or YAML sequence, written one value at a time.
pub struct List<'a> {
    output: Output<'a>,
    format: Format,
    count: usize,
}

impl<'a> List<'a> {
    /// An empty list; `Format::Text` counts as YAML.
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
    /// When nobody reads the output any more, or it cannot be written.
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
    /// When nobody reads the output any more, or it cannot be written.
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
