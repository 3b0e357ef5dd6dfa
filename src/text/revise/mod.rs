//! Changing what a document says with the smallest change of its text.
//!
//! Old and new value are compared as trees, and only what differs is written: comments, layout, quotes and the order of
//! keys stay. What is new looks like what stands beside it. A comment on the line of an item, and one directly above it,
//! go with the item.

mod align;
mod block;
mod flow;
mod layout;

use super::document::Document;
use super::limits::Limits;
use super::path::Path;
use super::read::read_source;
use crate::source::{Place, SourceFile};
use align::{Item, aligned};
use layout::Layout;
use serde_json::Value;
use std::ops::Range;

/// Why a document cannot say something else.
#[derive(Debug, thiserror::Error)]
pub enum ReviseError {
    /// What is to change stands behind an alias or a merge key, or in another form that a change of the text cannot
    /// reach.
    #[error("{place}: {} cannot be changed where it stands", named(path))]
    Form {
        /// Where it stands.
        place: Place,
        /// The value in the document.
        path: Path,
    },
}

fn named(path: &Path) -> String {
    if path.is_root() {
        "the document".to_owned()
    } else {
        path.to_string()
    }
}

/// The text of the document's file, changed so that the document says `value`. What is written is read back: where the
/// form of the text does not allow the change, that is an error and never another value.
///
/// # Errors
/// When the text has a form that cannot be changed.
pub fn revise(document: &Document, value: &Value) -> Result<String, ReviseError> {
    let text = document.source().text();
    if document.value() == value {
        return Ok(text.to_owned());
    }
    // With an end of the last line, which is then a line as the others.
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let lines = if text.ends_with('\n') {
        text.to_owned()
    } else {
        format!("{text}{newline}")
    };
    let mut revision = Revision {
        layout: Layout::new(document, &lines, newline),
        edits: Vec::new(),
        first: None,
    };
    revision.value(&Path::root(), document.value(), value);
    let path = revision.first.clone().unwrap_or_else(Path::root);
    let form = || ReviseError::Form {
        place: document.key_place(&path),
        path: path.clone(),
    };
    let revised = applied(&lines, revision.edits).ok_or_else(form)?;
    if !text.ends_with('\n')
        && let Some(cut) = revised.strip_suffix(newline)
        && says(document, cut, value)
    {
        return Ok(cut.to_owned());
    }
    if says(document, &revised, value) {
        Ok(revised)
    } else {
        Err(form())
    }
}

/// Whether the document reads as `value` in the changed text of its file.
fn says(document: &Document, text: &str, value: &Value) -> bool {
    let source = SourceFile::new(document.source().name(), text);
    let limits = Limits {
        file_bytes: usize::MAX,
        values: usize::MAX,
        documents: usize::MAX,
        depth: Limits::MOST_DEPTH,
    };
    let reading = read_source(&source, &limits);
    let mut documents = reading.documents.iter();
    let found = documents.find(|found| found.number() == document.number());
    found.is_some_and(|found| found.value() == value)
}

/// Other text in place of a range.
#[derive(Debug)]
struct TextEdit {
    range: Range<usize>,
    text: String,
}

/// The text with all edits made; none where two are about the same bytes.
fn applied(text: &str, mut edits: Vec<TextEdit>) -> Option<String> {
    // Edits are made in the order in which they were found where they begin at one place.
    edits.sort_by_key(|edit| (edit.range.start, !edit.range.is_empty()));
    let (mut out, mut end) = (String::with_capacity(text.len()), 0);
    for edit in edits {
        out.push_str(text.get(end..edit.range.start)?);
        out.push_str(&edit.text);
        end = edit.range.end;
    }
    out.push_str(text.get(end..)?);
    Some(out)
}

/// The edits of one document.
struct Revision<'d> {
    layout: Layout<'d>,
    edits: Vec<TextEdit>,
    /// The first value that was found to differ.
    first: Option<Path>,
}

impl Revision<'_> {
    fn edit(&mut self, range: Range<usize>, text: impl Into<String>) {
        let text = text.into();
        self.edits.push(TextEdit { range, text });
    }

    /// Makes one value of another.
    fn value(&mut self, path: &Path, old: &Value, new: &Value) {
        if old == new {
            return;
        }
        let items = match (old, new) {
            (Value::Object(old), Value::Object(new)) if old.keys().any(|key| new.contains_key(key)) => {
                align::keys(old, new)
            }
            (Value::Array(old), Value::Array(new)) if !old.is_empty() && !new.is_empty() => {
                let items = aligned(old.iter().map(align::identity), new.iter().map(align::identity));
                align::with_renamed(items, old, new)
            }
            _ => {
                self.first.get_or_insert_with(|| path.clone());
                return self.replace(path, old, new);
            }
        };
        let children = children(path, &items, &members(old), &members(new));
        if children.iter().any(|child| !matches!(child, Child::Kept { .. })) {
            self.first.get_or_insert_with(|| path.clone());
        }
        // What is added at the end of a value stands before what is added behind the value.
        for child in &children {
            if let Child::Kept { path, old, new } = child {
                self.value(path, old, new);
            }
        }
        if self.layout.is_flow(path) {
            self.flow(path, &children);
        } else {
            self.block(path, &children);
        }
    }

    /// Writes another value in place of one that has nothing in common with it.
    fn replace(&mut self, path: &Path, old: &Value, new: &Value) {
        if self.layout.in_flow(path) {
            self.replace_in_flow(path, new);
        } else {
            self.replace_in_block(path, old, new);
        }
    }
}

/// What becomes of an entry of a map or an item of a list.
enum Child<'v> {
    /// It stays, maybe with another value.
    Kept { path: Path, old: &'v Value, new: &'v Value },
    /// It goes.
    Removed { path: Path, old: &'v Value },
    /// It is new. Of a map it has a key.
    Added { key: Option<&'v str>, value: &'v Value },
}

/// The entries of a map with their keys, or the items of a list.
fn members(value: &Value) -> Vec<(Option<&str>, &Value)> {
    match value {
        Value::Object(map) => map.iter().map(|(key, value)| (Some(key.as_str()), value)).collect(),
        Value::Array(items) => items.iter().map(|item| (None, item)).collect(),
        _ => Vec::new(),
    }
}

fn children<'v>(
    path: &Path,
    items: &[Item],
    old: &[(Option<&'v str>, &'v Value)],
    new: &[(Option<&'v str>, &'v Value)],
) -> Vec<Child<'v>> {
    let of_old = |index: usize| {
        let (key, value) = old.get(index)?;
        let path = key.map_or_else(|| path.index(index), |key| path.key(key));
        Some((path, *value))
    };
    let child = |item: &Item| {
        Some(match *item {
            Item::Kept(index, other) => {
                let ((path, old), (_, new)) = (of_old(index)?, *new.get(other)?);
                Child::Kept { path, old, new }
            }
            Item::Removed(index) => {
                let (path, old) = of_old(index)?;
                Child::Removed { path, old }
            }
            Item::Added(index) => {
                let (key, value) = *new.get(index)?;
                Child::Added { key, value }
            }
        })
    };
    items.iter().filter_map(child).collect()
}

impl<'v> Child<'v> {
    /// Where it stands in the old text.
    fn old(&self) -> Option<(&Path, &'v Value)> {
        match self {
            Self::Kept { path, old, .. } | Self::Removed { path, old } => Some((path, old)),
            Self::Added { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests;
