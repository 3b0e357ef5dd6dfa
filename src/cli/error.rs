//! How every failure ends: its kind and exit code, its sentence, and hints on what to do.
//!
//! | code | meaning |
//! |---|---|
//! | [`SUCCESS`] | the command did what it was asked to; also where the reader of a pipe went away |
//! | [`FAILURE`] | it could not, or found errors in what it looked at |
//! | [`USAGE`] | the command line is wrong; nothing was done |
//! | [`NO`] | it could, and the answer is no |
//! | [`MISSING`] | what was named does not exist, as the registry, the file system or the index says |
//!
//! [`EXIT_STATUS`] is what users read of it.

use crate::causes::with_causes;
use crate::cli::hint::{Advice, Hints};
use crate::terminal::Printer;
use crate::terminal::output::OutputError;
use std::fmt;
use std::process::ExitCode;

/// The command did what it was asked to.
pub const SUCCESS: u8 = 0;
/// The command could not do it, or found errors in what it looked at.
pub const FAILURE: u8 = 1;
/// The command line is wrong; nothing was done.
pub const USAGE: u8 = 2;
/// The command could answer what was asked, and the answer is no.
pub const NO: u8 = 3;
/// What was named does not exist.
pub const MISSING: u8 = 4;

/// What the exit statuses mean, as the help and the manual say it.
pub(crate) const EXIT_STATUS: [(u8, &str); 5] = [
    (SUCCESS, "the command did what it was asked to"),
    (FAILURE, "it could not, or found errors"),
    (USAGE, "the command line is wrong; nothing was done"),
    (NO, "the answer is no, as where an upgrade asks for more permissions"),
    (
        MISSING,
        "what was named does not exist, as the registry, the file system or the index says",
    ),
];

/// How a command ended that could do its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// All is well.
    Success,
    /// What it looked at has errors, or not everything could be done. It has been said already.
    Failure,
    /// The command line is wrong. It has been said already.
    Usage,
    /// The answer is no. It has been said already.
    No,
    /// All that failed is that something does not exist. It has been said already.
    Missing,
}

impl Status {
    /// The exit code.
    fn code(self) -> u8 {
        match self {
            Self::Success => SUCCESS,
            Self::Failure => FAILURE,
            Self::Usage => USAGE,
            Self::No => NO,
            Self::Missing => MISSING,
        }
    }

    /// How a command ends that answers a question.
    pub(crate) fn of_answer(yes: bool) -> Self {
        if yes { Self::Success } else { Self::No }
    }

    /// How a command ends of which several parts failed, each for its reason: nothing is missing where something else
    /// is wrong, too.
    pub(crate) fn of_failures(parts: impl IntoIterator<Item = Self>) -> Self {
        if parts.into_iter().all(|part| part == Self::Missing) {
            Self::Missing
        } else {
            Self::Failure
        }
    }
}

/// What the `run` function of a command returns.
pub type CommandResult = Result<Status, CommandError>;

/// Whose failure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The input, the system, the registry.
    Failure,
    /// The command line.
    Usage,
    /// Of who named what does not exist, or of who took it away.
    Missing,
    /// Nobody's: the reader of the output has what it wanted.
    OutputClosed,
}

/// Why a command stopped. Every error of the library becomes one by `?`.
#[derive(Debug)]
pub struct CommandError {
    kind: Kind,
    /// What was tried, each sentence because of the next.
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

    /// A mistake in the command line that only the command itself can see.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message.into(), Vec::new())
    }

    /// A failure that no error of the library describes.
    pub fn failure(message: impl Into<String>) -> Self {
        Self::new(Kind::Failure, message.into(), Vec::new())
    }

    /// What was named does not exist, and no error of the library says so.
    pub fn missing(message: impl Into<String>) -> Self {
        Self::new(Kind::Missing, message.into(), Vec::new())
    }

    /// How the command ends.
    pub(crate) fn status(&self) -> Status {
        match self.kind {
            Kind::OutputClosed => Status::Success,
            Kind::Failure => Status::Failure,
            Kind::Usage => Status::Usage,
            Kind::Missing => Status::Missing,
        }
    }

    /// Says what was tried, above the cause.
    #[must_use]
    pub fn context(mut self, message: impl Into<String>) -> Self {
        self.sentences.insert(0, message.into());
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// The advice.
    pub(crate) fn hints(&self) -> &[String] {
        &self.hints
    }

    /// Says the sentence, its causes and the hints.
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
                Some("--fix without --dry-run changes the files; look at them with an editor"),
            ),
            OutputError::Form { .. } => (
                Kind::Failure,
                Some("this is a mistake in opmx; please report it with the command line"),
            ),
        };
        let hints = hint.map(str::to_owned).into_iter().collect();
        Self::new(kind, with_causes(&error), hints)
    }
}

/// Runs the body of a command, writes what is still buffered, says why it failed, and gives the exit code.
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

/// Prints what clap answers: the help or the version as a result, a usage error on standard error.
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
    use crate::terminal::output::tests::captured;
    use crate::tree::TreeError;
    use std::io;

    fn said(error: impl Into<CommandError>) -> (ExitCode, String) {
        let (printer, streams) = captured();
        let error = error.into();
        let code = finish(&printer, |_| Err(error));
        (code, streams.stderr())
    }

    fn file_error(kind: io::ErrorKind) -> FileError {
        FileError::new("read", "a.yaml", kind.into())
    }

    #[test]
    fn a_cause_that_the_sentence_already_names_is_not_repeated() {
        let (code, said) = said(file_error(io::ErrorKind::NotFound));
        assert_eq!(code, ExitCode::from(MISSING));
        assert_eq!(said, "error: cannot read a.yaml: entity not found\n");
    }

    #[test]
    fn causes_and_hints_stand_below_the_sentence() {
        let error = CommandError::from(file_error(io::ErrorKind::StorageFull))
            .context("the bundle was not built")
            .hint("try again");
        insta::assert_snapshot!(said(error).1, @"
        error: the bundle was not built
          caused by: cannot read a.yaml: no storage space
          hint: make room for a.yaml; what was there before is unchanged
          hint: try again
        ");
    }

    #[test]
    fn an_error_that_is_passed_on_keeps_its_hint() {
        let full = || file_error(io::ErrorKind::StorageFull);
        let passed_on: [CommandError; 4] = [
            ImageError::from(full()).into(),
            LoadError::from(ImageError::from(full())).into(),
            AddError::from(DatabaseError::from(full())).into(),
            GatherProblem::from(LoadError::from(TreeError::from(full()))).into(),
        ];
        for error in passed_on {
            let said = said(error).1;
            assert_eq!(said.matches("hint: make room for a.yaml").count(), 1, "{said}");
        }
        let path = "opmx".into();
        let said = said(ProgramError::NotStatic { path }).1;
        assert!(said.contains("--binary-image") && said.contains("--generate"), "{said}");
    }

    #[test]
    fn a_mistake_in_the_command_line_has_its_own_code() {
        let (code, said) = said(CommandError::usage("--tag and --generate exclude each other"));
        assert_eq!(code, ExitCode::from(USAGE));
        assert_eq!(said, "error: --tag and --generate exclude each other\n");
    }

    #[test]
    fn a_reader_that_went_away_is_no_failure() {
        let (code, said) = said(OutputError::Closed);
        assert_eq!((code, said.as_str()), (ExitCode::from(SUCCESS), ""));
    }

    #[test]
    fn a_broken_connection_is_a_failure() {
        let (code, said) = said(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(code, ExitCode::from(FAILURE));
        assert!(said.starts_with("error: "), "{said}");
    }
}
