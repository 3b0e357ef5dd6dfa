//! The termination log of a container, from which the cluster reads why the container ended.

use crate::cli::error::CommandError;
use crate::diagnostic::Diagnostic;
use crate::terminal::counted;
use crate::visible;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

/// The file that a cluster reads by default.
pub(super) const DEFAULT: &str = "/dev/termination-log";

/// A cluster reads at most this number of bytes of a termination log.
const SIZE: usize = 4096;

/// Returns the content of the termination log: the error, and as many of the errors in the index as fit.
pub(super) fn message(error: &CommandError, findings: &[Diagnostic]) -> String {
    let line = |finding: &Diagnostic| {
        let place = finding.place.as_ref().map(|place| {
            let (name, start) = (place.source.name(), place.start());
            format!("{name}:{}:{}: ", start.line, start.column)
        });
        let line = format!("{}{}", place.unwrap_or_default(), finding.message);
        visible::one_line(&line).into_owned()
    };
    let errors: Vec<&Diagnostic> = findings.iter().filter(|finding| finding.is_error()).collect();
    let mut message = visible::lines(&error.to_string()).into_owned();
    for (written, finding) in errors.iter().enumerate() {
        let rest = format!("\n{} more", counted(errors.len() - written, "error"));
        let line = line(finding);
        // The last line needs no room for a line after it.
        let reserved = if written + 1 == errors.len() { 0 } else { rest.len() };
        if message.len() + 1 + line.len() + reserved > SIZE {
            message.push_str(&rest);
            break;
        }
        message.push('\n');
        message.push_str(&line);
    }
    message
}

/// Returns whether a file is the one that a cluster reads by default.
pub(super) fn is_default(file: &Path) -> bool {
    file == Path::new(DEFAULT)
}

/// Writes a message. The file is a mount of the container, so it is written in place. The default file is not created
/// if it does not exist, because nothing would read it.
pub(super) fn write(file: &Path, message: &str) -> io::Result<()> {
    let message = message.get(..message.floor_char_boundary(SIZE)).unwrap_or_default();
    let mut options = OpenOptions::new();
    options.write(true).truncate(true).create(!is_default(file));
    options.open(file)?.write_all(message.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules;
    use crate::source::{Place, SourceFile};

    #[test]
    fn a_termination_message_contains_as_many_errors_as_fit() {
        let finding = |number: usize| {
            let source = SourceFile::new("c.yaml", "a: b\n");
            Diagnostic::new(&rules::CATALOG_DOCUMENT, format!("fault {number}\u{1b}")).at(Place::new(&source, 3..4))
        };
        let error = CommandError::failure("not served");
        let few: Vec<_> = (1..3).map(finding).collect();
        assert_eq!(
            message(&error, &few),
            "not served\nc.yaml:1:4: fault 1\\u{1b}\nc.yaml:1:4: fault 2\\u{1b}"
        );
        let many: Vec<_> = (0..1000).map(finding).collect();
        let long = message(&error, &many);
        let lines = long.lines().count();
        assert!(long.len() <= SIZE && long.len() > SIZE - 100, "{}", long.len());
        assert!(
            long.ends_with(&format!("\n{} errors more", 1000 - (lines - 2))),
            "{long}"
        );
    }
}
