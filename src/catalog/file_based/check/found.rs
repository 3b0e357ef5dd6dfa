//! Findings before their places are known: a document, and a path in it. Only documents with findings are read again.

use crate::diagnostic::Diagnostic;
use crate::rules::{self, Rule};
use crate::text::Path;

/// A document of the catalog: the number of its file, and its number in that file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct DocumentId {
    pub(super) file: usize,
    pub(super) number: usize,
}

impl DocumentId {
    /// The value at a path, which [`Path::parse`] reads.
    pub(super) fn at(self, path: &str) -> At {
        self.path(Path::parse(path))
    }

    pub(super) fn path(self, path: Path) -> At {
        At {
            document: self,
            place: Inside::Value(path),
        }
    }
}

/// Where something is wrong.
#[derive(Debug, Clone)]
pub(super) struct At {
    pub(super) document: DocumentId,
    pub(super) place: Inside,
}

/// A place inside a document.
#[derive(Debug, Clone)]
pub(super) enum Inside {
    /// The value at a path; where there is none, the last one on the way.
    Value(Path),
    /// The key that leads to it.
    Key(Path),
    /// A line, from 1 for the first of the document.
    Line(usize),
}

/// A finding without its places.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) diagnostic: Diagnostic,
    pub(super) at: At,
    pub(super) related: Vec<(At, String)>,
}

impl Found {
    pub(super) fn new(rule: &'static Rule, message: impl Into<String>, at: At) -> Self {
        Self {
            diagnostic: Diagnostic::new(rule, message),
            at,
            related: Vec::new(),
        }
    }

    /// Says what to do, more precisely than the rule.
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.diagnostic.help = Some(help.into());
        self
    }

    /// Says that this is probably what was meant, where it is known.
    pub(super) fn meant(self, nearest: Option<&str>) -> Self {
        match nearest {
            Some(nearest) => {
                let help = format!("Did you mean {nearest:?}? {}", self.diagnostic.rule.help);
                self.help(help)
            }
            None => self,
        }
    }

    /// Makes a wrong type inside the value of a property a finding about the property.
    pub(super) fn is_of_property(&mut self) {
        if self.diagnostic.rule == &rules::CATALOG_FIELD_TYPE {
            self.diagnostic.rule = &rules::CATALOG_PROPERTY;
        }
    }

    /// Does not fail the command by it.
    pub(super) fn warning(mut self) -> Self {
        self.diagnostic.severity = rules::Severity::Warning;
        self
    }

    /// Adds a second place, with a word about it.
    pub(super) fn also(mut self, at: At, label: impl Into<String>) -> Self {
        self.related.push((at, label.into()));
        self
    }
}
