//! Differences as lines of a page.

use super::facts::Linked;
use std::collections::BTreeMap;

/// Lines about one subject.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) title: &'static str,
    pub(super) changes: Vec<Change>,
}

/// A line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Change {
    /// `added`, `removed` or `changed`.
    pub(super) kind: &'static str,
    pub(super) mark: &'static str,
    pub(super) what: String,
    pub(super) before: String,
    pub(super) after: String,
    /// Whether it may break what users have.
    pub(super) breaking: bool,
    pub(super) remarks: Vec<&'static str>,
    /// Where there is more about it.
    pub(super) path: Option<String>,
}

impl Change {
    pub(super) fn added(what: impl Into<String>) -> Self {
        Self {
            kind: "added",
            mark: "+",
            what: what.into(),
            ..Self::default()
        }
    }

    pub(super) fn removed(what: impl Into<String>) -> Self {
        Self {
            kind: "removed",
            mark: "−",
            what: what.into(),
            ..Self::default()
        }
    }

    pub(super) fn changed(what: impl Into<String>, before: impl Into<String>, after: impl Into<String>) -> Self {
        Self {
            kind: "changed",
            mark: "~",
            what: what.into(),
            before: before.into(),
            after: after.into(),
            ..Self::default()
        }
    }

    pub(super) fn breaking(mut self, breaking: bool) -> Self {
        self.breaking = breaking;
        self
    }

    pub(super) fn leading_to(mut self, path: Option<String>) -> Self {
        self.path = path;
        self
    }
}

/// A part, unless it has no lines.
pub(super) fn part(title: &'static str, changes: Vec<Change>) -> Option<Part> {
    (!changes.is_empty()).then_some(Part { title, changes })
}

/// What differs between values with names. `breaks` says of a name whether it breaks users that it goes.
pub(super) fn of_maps(
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
    going_breaks: bool,
) -> Vec<Change> {
    let mut changes = Vec::new();
    for (name, old) in before {
        match after.get(name) {
            None => changes.push(Change::removed(name).breaking(going_breaks)),
            Some(new) if new != old => changes.push(Change::changed(name, old, new)),
            Some(_) => {}
        }
    }
    let new = after.keys().filter(|name| !before.contains_key(*name));
    changes.extend(new.map(Change::added));
    changes.sort_by(|one, other| one.what.cmp(&other.what));
    changes
}

/// Facts by name, as one string each.
pub(super) fn facts(rows: &[(&'static str, Vec<Linked>)]) -> BTreeMap<String, String> {
    let text = |values: &[Linked]| {
        let values: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
        values.join(", ")
    };
    rows.iter()
        .map(|(name, values)| ((*name).to_owned(), text(values)))
        .collect()
}
