//! What every module reports: a rule, a message, a place, and what to do about it.

use crate::rules::{Rule, Severity};
use crate::source::Place;
use std::cmp::Ordering;
use std::fmt;

/// One finding. Findings are collected, never thrown: an error that stops the work is an `Err`.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    /// The rule of the one table.
    pub rule: &'static Rule,
    /// Usually the rule's own severity.
    pub severity: Severity,
    /// One sentence without a final period: what is wrong.
    pub message: String,
    /// Where it is wrong.
    pub place: Option<Place>,
    /// Other places that explain it, each with a label.
    pub related: Vec<(Place, String)>,
    /// The object, as `Kind/name`.
    pub object: Option<String>,
    /// The path of the value inside the object, as `spec.rules[0].verbs`.
    pub path: Option<String>,
    /// What to do, where that is more precise than the rule's help.
    pub help: Option<String>,
    /// Changes that together mend it without a decision by a person. Empty where there are none.
    pub edits: Vec<Edit>,
}

/// A mechanical change of a string.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// The text to replace; empty where something is put in.
    pub place: Place,
    /// What to put there.
    pub replacement: String,
}

impl Diagnostic {
    /// A finding of `rule` with the rule's severity. Line breaks in what the message quotes are written as `\n`.
    pub fn new(rule: &'static Rule, message: impl Into<String>) -> Self {
        let mut message = message.into();
        if message.contains(['\n', '\r']) {
            message = message.replace('\n', "\\n").replace('\r', "\\r");
        }
        Self {
            rule,
            severity: rule.severity,
            message,
            place: None,
            related: Vec::new(),
            object: None,
            path: None,
            help: None,
            edits: Vec::new(),
        }
    }

    /// Points at the text that is wrong.
    #[must_use]
    pub fn at(mut self, place: impl Into<Option<Place>>) -> Self {
        self.place = place.into();
        self
    }

    /// Adds a second place, with a word about it.
    #[must_use]
    pub fn also(mut self, place: impl Into<Option<Place>>, label: impl Into<String>) -> Self {
        if let Some(place) = place.into() {
            self.related.push((place, label.into()));
        }
        self
    }

    /// Names the object it is about, as `Kind/name`.
    #[must_use]
    pub fn object(mut self, object: impl Into<String>) -> Self {
        self.object = Some(object.into());
        self
    }

    /// Names the value inside the object.
    #[must_use]
    pub fn path(mut self, path: impl fmt::Display) -> Self {
        self.path = Some(path.to_string());
        self
    }

    /// Says what to do, more precisely than the rule.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says which changes of the text mend it.
    #[must_use]
    pub(crate) fn mended_by(mut self, edits: impl IntoIterator<Item = Edit>) -> Self {
        self.edits.extend(edits);
        self
    }

    /// Whether it can be mended without a decision by a person.
    pub(crate) fn is_fixable(&self) -> bool {
        !self.edits.is_empty()
    }

    /// The precise advice, or the rule's.
    pub fn advice(&self) -> &str {
        self.help.as_deref().unwrap_or(self.rule.help)
    }

    /// Whether this fails the command.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(formatter, "{place}: ")?;
        }
        write!(formatter, "{}[{}]: {}", self.severity, self.rule.id, self.message)
    }
}

/// Whether any of the findings fails the command.
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}

/// The one order in which findings are shown: by file, place, rule and message.
pub fn compare(left: &Diagnostic, right: &Diagnostic) -> Ordering {
    fn key(diagnostic: &Diagnostic) -> (&str, u64, &str, &str) {
        let place = diagnostic.place.as_ref();
        (
            place.map_or("", |place| place.source.name()),
            place.map_or(0, Place::offset),
            diagnostic.rule.id,
            &diagnostic.message,
        )
    }
    key(left).cmp(&key(right))
}

/// Puts findings into the order of [`compare`], each once.
pub fn sort(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by(compare);
    diagnostics.dedup();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_whatever_it_quotes() {
        let rule = crate::rules::all().next().unwrap();
        assert_eq!(
            Diagnostic::new(rule, "no resource a\r\nb").message,
            r"no resource a\r\nb"
        );
    }
}
