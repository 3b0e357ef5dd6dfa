//! Results that are printed while they are generated, because they may be too large for memory.

use super::{Output, OutputError, Printer};
use std::fmt;

/// The number of bytes that are collected before they are printed.
const PART: usize = 64 << 10;

impl Printer {
    /// Like [`Printer::written`], for a result that `write` generates part by part.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written. `write` then fails at its next line.
    pub fn written_in_parts(&self, write: impl FnOnce(&mut dyn fmt::Write) -> fmt::Result) -> Result<(), OutputError> {
        let mut parts = Parts {
            output: self.stdout(),
            pending: String::new(),
            outcome: Ok(()),
        };
        // If this fails, the reason is in the outcome.
        let _ = write(&mut parts);
        parts.print();
        parts.outcome
    }
}

struct Parts<'a> {
    output: Output<'a>,
    pending: String,
    outcome: Result<(), OutputError>,
}

impl Parts<'_> {
    fn print(&mut self) {
        if self.outcome.is_ok() {
            self.outcome = self.output.written(&self.pending);
        }
        self.pending.clear();
    }
}

impl fmt::Write for Parts<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // Only whole lines are printed, because the marker of a workflow command may be divided between two parts.
        let (lines, rest) = text.split_at(text.rfind('\n').map_or(0, |at| at + 1));
        self.pending.push_str(lines);
        if !lines.is_empty() && self.pending.len() >= PART {
            self.print();
        }
        self.pending.push_str(rest);
        if self.outcome.is_ok() { Ok(()) } else { Err(fmt::Error) }
    }
}
