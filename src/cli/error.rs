//! Command errors: their kinds, exit codes, messages and hints.
//!
//! | code | meaning |
//! |---|---|
//! | [`SUCCESS`] | the command succeeded, or the reader of its output closed the pipe |
//! | [`FAILURE`] | the command failed, or found errors in its input |
//! | [`USAGE`] | the command line is invalid; nothing was done |
//! | [`NO`] | the command succeeded, and its answer is no |
//! | [`MISSING`] | a named item does not exist in the registry, the file system or the index |
//!
//! `EXIT_STATUS` contains the descriptions for users.

use crate::causes::with_causes;
use crate::cli::hint::{Advice, Hints};
use crate::terminal::Printer;
use crate::terminal::output::OutputError;
use std::fmt;
use std::process::ExitCode;

/// The command succeeded.
pub const SUCCESS: u8 = 0;
/// The command failed, or found errors in its input.
pub const FAILURE: u8 = 1;
/// The command line is invalid; nothing was done.
pub const USAGE: u8 = 2;
/// The command succeeded, and its answer is no.
pub const NO: u8 = 3;
/// A named item does not exist.
pub const MISSING: u8 = 4;

/// The meanings of the exit statuses, as shown in the help and the man pages.
pub(crate) const EXIT_STATUS: [(u8, &str); 5] = [
    (SUCCESS, "the command succeeded"),
    (FAILURE, "the command failed or found errors"),
    (USAGE, "the command line is invalid; nothing was done"),
    (NO, "the answer is no; for example, an upgrade needs more permissions"),
    (
        MISSING,
        "a named item does not exist in the registry, the file system or the index",
    ),
];

/// The outcome of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The command succeeded.
    Success,
    /// The input has errors, or a part of the command failed. The errors have already been reported.
    Failure,
    /// The command line is invalid. The error has already been reported.
    Usage,
    /// The answer is no. It has already been printed.
    No,
    /// A named item does not exist, and nothing else failed. The error has already been reported.
    Missing,
}

impl Status {
    /// Returns the exit code.
    fn code(self) -> u8 {
        match self {
            Self::Success => SUCCESS,
            Self::Failure => FAILURE,
            Self::Usage => USAGE,
            Self::No => NO,
            Self::Missing => MISSING,
        }
    }

    /// Returns the status of a command that answers a yes-or-no question.
    pub(crate) fn of_answer(yes: bool) -> Self {
        if yes { Self::Success } else { Self::No }
    }

    /// Returns the status of a command from the statuses of its failed parts: [`Missing`](Self::Missing) if all of
    /// these parts have this status, otherwise [`Failure`](Self::Failure).
    pub(crate) fn of_failures(parts: impl IntoIterator<Item = Self>) -> Self {
        if parts.into_iter().all(|part| part == Self::Missing) {
            Self::Missing
        } else {
            Self::Failure
        }
    }
}

/// The result of a command's `run` function.
pub type CommandResult = Result<Status, CommandError>;

/// The kind of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A fault in the input, the system or the registry.
    Failure,
    /// An invalid command line.
    Usage,
    /// A named item that does not exist.
    Missing,
    /// A closed output, which is not a failure because the reader needs no more output.
    OutputClosed,
}

/// The reason why a command stopped. `?` converts every library error into a `CommandError`.
#[derive(Debug)]
pub struct CommandError {
    kind: Kind,
    /// The messages, from the attempted operation to the root cause.
    sentences: Vec<String>,
    hints: Vec<String>,
}

impl CommandError {
    fn new(kind: Kind, sentence: String, hints: Vec<String>) -> Self {
        Self {
            kind,
            sentences: vec![sentence],
            hints,
        }
    }

    /// Creates an error for a command-line mistake that only the command itself can detect.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message.into(), Vec::new())
    }

    /// Creates an error for a failure that no library error describes.
    pub fn failure(message: impl Into<String>) -> Self {
        Self::new(Kind::Failure, message.into(), Vec::new())
    }

    /// Creates an error for a missing item that no library error describes.
    pub fn missing(message: impl Into<String>) -> Self {
        Self::new(Kind::Missing, message.into(), Vec::new())
    }

    /// Returns the status that the command ends with.
    pub(crate) fn status(&self) -> Status {
        match self.kind {
            Kind::OutputClosed => Status::Success,
            Kind::Failure => Status::Failure,
            Kind::Usage => Status::Usage,
            Kind::Missing => Status::Missing,
        }
    }

    /// Adds a description of the attempted operation, above the cause.
    #[must_use]
    pub fn context(mut self, message: impl Into<String>) -> Self {
        self.sentences.insert(0, message.into());
        self
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Changes the hints.
    #[must_use]
    pub(crate) fn map_hints(mut self, change: impl Fn(&str) -> String) -> Self {
        for hint in &mut self.hints {
            *hint = change(hint);
        }
        self
    }

    /// Adds a hint before all other hints.
    #[must_use]
    pub(crate) fn first_hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.insert(0, hint.into());
        self
    }

    /// Returns the hints.
    pub(crate) fn hints(&self) -> &[String] {
        &self.hints
    }

    /// Prints the message, its causes and the hints.
    pub(crate) fn print(&self, printer: &Printer) {
        for (depth, sentence) in self.sentences.iter().enumerate() {
            if depth == 0 {
                printer.error(sentence);
            } else {
                printer.detail("caused by", sentence);
            }
        }
        for hint in &self.hints {
            printer.detail("hint", hint);
        }
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.sentences.join(": "))
    }
}

impl<E: Hints> From<E> for CommandError {
    fn from(error: E) -> Self {
        let Advice { hints, is_missing } = error.hints();
        let kind = if is_missing { Kind::Missing } else { Kind::Failure };
        Self::new(kind, with_causes(&error), hints)
    }
}

impl From<OutputError> for CommandError {
    fn from(error: OutputError) -> Self {
        let (kind, hint) = match error {
            OutputError::Closed => (Kind::OutputClosed, None),
            OutputError::Write(_) => (Kind::Failure, None),
            OutputError::Hidden => (
                Kind::Failure,
                Some("run --fix without --dry-run, and inspect the changed files in an editor"),
            ),
            OutputError::Form { .. } => (
                Kind::Failure,
                Some("this is a bug in opmx; report it together with the command line"),
            ),
        };
        let hints = hint.map(str::to_owned).into_iter().collect();
        Self::new(kind, with_causes(&error), hints)
    }
}

/// Runs the body of a command, flushes the output, reports any error, and returns the exit code.
pub(crate) fn finish(printer: &Printer, body: impl FnOnce(&Printer) -> CommandResult) -> ExitCode {
    let mut result = body(printer);
    for warning in printer.progress().take_warnings() {
        printer.warning(warning);
    }
    if let Err(error) = printer.flush()
        && result.is_ok()
    {
        result = Err(error.into());
    }
    let status = result.unwrap_or_else(|error| {
        if error.kind != Kind::OutputClosed {
            error.print(printer);
        }
        error.status()
    });
    ExitCode::from(status.code())
}

/// Prints the response of clap: help and version on standard output, usage errors on standard error.
pub(crate) fn answer(printer: &Printer, answer: &clap::Error) -> CommandResult {
    let text = answer.render();
    if !answer.use_stderr() {
        let text = if printer.stdout_color() {
            text.ansi().to_string()
        } else {
            text.to_string()
        };
        printer.styled(&text)?;
        return Ok(Status::Success);
    }
    let text = if printer.stderr_color() {
        text.ansi().to_string()
    } else {
        text.to_string()
    };
    printer.say(text.trim_end());
    Ok(Status::Usage)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::location::LoadError;
    use crate::database::add::AddError;
    use crate::database::error::DatabaseError;
    use crate::files::FileError;
    use crate::image::ImageError;
    use crate::index::gather::GatherProblem;
    use crate::index::program::ProgramError;
    use crate::mirror::archive::ArchiveError;
    use crate::mirror::pack::PackError;
    use crate::terminal::output::tests::captured;
    use crate::tree::TreeError;
    use std::io;

    fn output_of(error: impl Into<CommandError>) -> (ExitCode, String) {
        let (printer, streams) = captured();
        let error = error.into();
        let code = finish(&printer, |_| Err(error));
        (code, streams.stderr())
    }

    fn file_error(kind: io::ErrorKind) -> FileError {
        FileError::new("read", "a.yaml", kind.into())
    }

    #[test]
    fn a_cause_already_in_the_message_is_not_repeated() {
        let (code, said) = output_of(file_error(io::ErrorKind::NotFound));
        assert_eq!(code, ExitCode::from(MISSING));
        assert_eq!(said, "error: cannot read a.yaml: entity not found\n");
    }

    #[test]
    fn causes_and_hints_follow_the_message() {
        let error = CommandError::from(file_error(io::ErrorKind::StorageFull))
            .context("the bundle was not built")
            .hint("try again");
        insta::assert_snapshot!(output_of(error).1, @"
        error: the bundle was not built
          caused by: cannot read a.yaml: no storage space
          hint: free up disk space for a.yaml; the previous content is unchanged
          hint: try again
        ");
    }

    #[test]
    fn a_propagated_error_keeps_its_hint() {
        let full = || file_error(io::ErrorKind::StorageFull);
        let passed_on: [CommandError; 4] = [
            ImageError::from(full()).into(),
            LoadError::from(ImageError::from(full())).into(),
            AddError::from(DatabaseError::from(full())).into(),
            GatherProblem::from(LoadError::from(TreeError::from(full()))).into(),
        ];
        for error in passed_on {
            let said = output_of(error).1;
            assert_eq!(said.matches("hint: free up disk space for a.yaml").count(), 1, "{said}");
        }
        let path = "opmx".into();
        let said = output_of(ProgramError::NotStatic { path }).1;
        assert!(said.contains("--binary-image") && said.contains("--generate"), "{said}");
    }

    #[test]
    fn an_archive_that_fills_the_disk_is_resumed_by_the_next_run() {
        let full = || FileError::new("write", "mirror-0001.tar.partial", io::ErrorKind::StorageFull.into());
        let errors: [CommandError; 2] = [
            PackError::from(ImageError::from(full())).into(),
            PackError::from(ArchiveError::from(full())).into(),
        ];
        for error in errors {
            let said = output_of(error).1;
            let hint =
                "hint: free up disk space for mirror-0001.tar.partial; the next run continues where this one stopped\n";
            assert!(said.ends_with(hint) && !said.contains("unchanged"), "{said}");
        }
    }

    #[test]
    fn a_usage_error_has_its_own_exit_status() {
        let (code, said) = output_of(CommandError::usage("--tag and --generate exclude each other"));
        assert_eq!(code, ExitCode::from(USAGE));
        assert_eq!(said, "error: --tag and --generate exclude each other\n");
    }

    #[test]
    fn a_closed_pipe_is_not_a_failure() {
        let (code, said) = output_of(OutputError::Closed);
        assert_eq!((code, said.as_str()), (ExitCode::from(SUCCESS), ""));
    }

    #[test]
    fn a_broken_connection_is_a_failure() {
        let (code, said) = output_of(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(code, ExitCode::from(FAILURE));
        assert!(said.starts_with("error: "), "{said}");
    }
}
