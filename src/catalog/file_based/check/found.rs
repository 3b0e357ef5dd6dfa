//! Findings whose lines are not known yet: each has a document, and a path in the document. Only documents with
//! findings are read again.

use crate::catalog::file_based::Schema;
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
    /// Returns the location of the value at a path, which [`Path::parse`] parses.
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

/// The position of a finding.
#[derive(Debug, Clone)]
pub(super) struct At {
    pub(super) document: DocumentId,
    pub(super) place: Inside,
}

/// A position inside a document.
#[derive(Debug, Clone)]
pub(super) enum Inside {
    /// The value at a path; if it is absent, the last existing value on the path.
    Value(Path),
    /// The key at a path.
    Key(Path),
    /// A line, counted from 1 at the start of the document.
    Line(usize),
}

/// A finding that is not located yet.
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

    /// Sets advice that is more specific than the rule's advice.
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.diagnostic.help = Some(help.into());
        self
    }

    /// Adds a suggestion, if there is one.
    pub(super) fn meant(self, nearest: Option<&str>) -> Self {
        match nearest {
            Some(nearest) => {
                let help = format!("Did you mean {nearest:?}? {}", self.diagnostic.rule.help);
                self.help(help)
            }
            None => self,
        }
    }

    /// Turns a finding about a wrong type inside the value of a property into a finding about the property.
    pub(super) fn is_of_property(&mut self) {
        if self.diagnostic.rule == &rules::CATALOG_FIELD_TYPE {
            self.diagnostic.rule = &rules::CATALOG_PROPERTY;
        }
    }

    /// Returns whether the finding is about a missing item, which may be in a part of the catalog that cannot be read.
    pub(super) fn seeks(&self) -> bool {
        [
            &rules::CATALOG_PACKAGE_MISSING,
            &rules::CATALOG_PACKAGE_EMPTY,
            &rules::CATALOG_DEFAULT_CHANNEL,
            &rules::CATALOG_ENTRY_BUNDLE,
            &rules::CATALOG_BUNDLE_UNLISTED,
            &rules::CATALOG_DEPRECATION_REFERENCE,
        ]
        .into_iter()
        .chain(Schema::singles().map(|(_, rule)| rule))
        .any(|rule| rule == self.diagnostic.rule)
    }

    /// Makes the finding a warning, so that it does not make the command fail.
    pub(super) fn warning(mut self) -> Self {
        self.diagnostic.severity = rules::Severity::Warning;
        self
    }

    /// Sets the items that the finding is about.
    pub(super) fn about<'n>(mut self, names: impl IntoIterator<Item = &'n str>) -> Self {
        self.diagnostic.about = names.into_iter().map(str::to_owned).collect();
        self
    }

    /// Adds a related position, with a label.
    pub(super) fn also(mut self, at: At, label: impl Into<String>) -> Self {
        self.related.push((at, label.into()));
        self
    }
}
