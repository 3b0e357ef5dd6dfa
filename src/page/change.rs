//! The lines of a page that describe differences.

use super::csv_facts::Linked;
use std::collections::BTreeMap;

/// A part of a page: a title, and the differences in one subject.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) title: &'static str,
    pub(super) changes: Vec<Change>,
}

/// A line that describes one difference.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Change {
    /// `added`, `removed` or `changed`.
    pub(super) kind: &'static str,
    pub(super) mark: &'static str,
    pub(super) what: String,
    pub(super) before: String,
    pub(super) after: String,
    /// Whether the change may break users.
    pub(super) breaking: bool,
    pub(super) remarks: Vec<String>,
    /// The path of the page that shows the details.
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

impl Part {
    /// Returns the anchor of the part on its page.
    pub(super) fn id(&self) -> String {
        self.title.to_lowercase().replace(' ', "-")
    }
}

/// Returns a part, or `None` if `changes` is empty.
pub(super) fn part(title: &'static str, changes: Vec<Change>) -> Option<Part> {
    (!changes.is_empty()).then_some(Part { title, changes })
}

/// Compares named values. `going_breaks` specifies whether the removal of a value breaks users.
pub(super) fn of_maps(
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
    going_breaks: bool,
) -> Vec<Change> {
    let mut changes = Vec::new();
    for (name, old) in before {
        match after.get(name) {
            None => changes.push(Change {
                before: old.clone(),
                ..Change::removed(name).breaking(going_breaks)
            }),
            Some(new) if new != old => changes.push(Change::changed(name, old, new)),
            Some(_) => {}
        }
    }
    let new = after.iter().filter(|(name, _)| !before.contains_key(*name));
    changes.extend(new.map(|(name, new)| Change {
        after: new.clone(),
        ..Change::added(name)
    }));
    changes.sort_by(|one, other| one.what.cmp(&other.what));
    changes
}

/// Returns the facts by name, each as a single string.
pub(super) fn facts(rows: &[(&'static str, Vec<Linked>)]) -> BTreeMap<String, String> {
    let text = |values: &[Linked]| {
        let values: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
        values.join(", ")
    };
    rows.iter()
        .map(|(name, values)| ((*name).to_owned(), text(values)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_and_removed_values_are_described() {
        let map = |name: &str, value: &str| BTreeMap::from([(name.to_owned(), value.to_owned())]);
        let changes = of_maps(
            &map("Support", "Garden tools"),
            &map("Repository", "https://example.com"),
            false,
        );
        let lines = changes
            .iter()
            .map(|change| [change.mark, &change.what, &change.before, &change.after]);
        assert_eq!(
            lines.collect::<Vec<_>>(),
            [
                ["+", "Repository", "", "https://example.com"],
                ["−", "Support", "Garden tools", ""]
            ]
        );
    }
}
