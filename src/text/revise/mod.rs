//! Changes the value of a document with a minimal change to its text.
//!
//! The old and the new value are compared as trees, and only differences are written: comments, layout, quotes and the
//! order of keys are kept. New entries look like their neighbors. A comment on the line of an item, or directly above
//! it, is removed with the item.

mod align;
mod block;
mod flow;
mod layout;
mod sequence;

use super::document::Document;
use super::limits::Limits;
use super::path::Path;
use super::read::read_source;
use crate::diagnostic::Edit;
use crate::source::{Place, SourceFile, line_break};
use layout::Layout;
use sequence::{Item, aligned};
use serde_json::Value;
use std::ops::Range;

/// The reason why a document cannot be changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReviseError {
    /// The value comes from an alias or a merge key, or has some other form that an edit of the text cannot change.
    #[error("{place}: {} cannot be edited in place", named(path))]
    Form {
        /// The place of the value.
        place: Place,
        /// The path of the value in the document.
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

/// Returns the text of the document's file, changed so that the value of the document is `value`. The result is read
/// back, so a document whose form does not allow the change results in an error, never in a different value.
///
/// # Errors
/// Returns an error if the text has a form that cannot be changed.
pub fn revise(document: &Document, value: &Value) -> Result<String, ReviseError> {
    revised(document, &Path::root(), value, value)
}

/// Returns the text in which the value at `path` is `value`, so that the value of the document is `whole`.
fn revised(document: &Document, path: &Path, value: &Value, whole: &Value) -> Result<String, ReviseError> {
    let text = document.source().text();
    if document.value() == whole {
        return Ok(text.to_owned());
    }
    // The last line gets a line break, like all other lines.
    let newline = line_break(text);
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
    if let Some(old) = path.get(document.value()) {
        revision.value(path, old, value);
    }
    let path = revision.first.clone().unwrap_or_else(|| path.clone());
    let form = || ReviseError::Form {
        place: document.key_place(&path),
        path: path.clone(),
    };
    let revised = applied(&lines, revision.edits).ok_or_else(form)?;
    if !text.ends_with('\n')
        && let Some(cut) = revised.strip_suffix(newline)
        && says(document, cut, whole)
    {
        return Ok(cut.to_owned());
    }
    if says(document, &revised, whole) {
        Ok(revised)
    } else {
        Err(form())
    }
}

/// Returns the edit that changes the value at `path` into `value` with a minimal change to the text; `None` if the form
/// of the text does not allow the change.
pub(crate) fn revision(document: &Document, path: &Path, value: &Value) -> Option<Edit> {
    let mut whole = document.value().clone();
    *path.get_mut(&mut whole)? = value.clone();
    let (old, new) = (document.source().text(), revised(document, path, value, &whole).ok()?);
    let same = |(one, other): &((usize, char), char)| one.1 == *other;
    let start = old.char_indices().zip(new.chars()).take_while(same).last();
    let start = start.map_or(0, |((at, letter), _)| at + letter.len_utf8());
    let (old_rest, new_rest) = (old.get(start..)?, new.get(start..)?);
    let letters = old_rest.chars().rev().zip(new_rest.chars().rev());
    let back: usize = letters
        .take_while(|(one, other)| one == other)
        .map(|(letter, _)| letter.len_utf8())
        .sum();
    Some(Edit {
        place: Place::new(document.source(), start..old.len() - back),
        replacement: new_rest.get(..new_rest.len() - back)?.to_owned(),
    })
}

/// Returns whether the document has the value `value` if the text of its file is changed to `text`.
fn says(document: &Document, text: &str, value: &Value) -> bool {
    let source = SourceFile::new(document.source().name(), text);
    let reading = read_source(&source, &Limits::UNLIMITED);
    let mut documents = reading.documents.iter();
    let found = documents.find(|found| found.number() == document.number());
    found.is_some_and(|found| found.value() == value)
}

/// The replacement of a range of text.
#[derive(Debug)]
struct TextEdit {
    range: Range<usize>,
    text: String,
}

/// Applies all edits to the text; returns `None` if two of them change the same bytes.
fn applied(text: &str, mut edits: Vec<TextEdit>) -> Option<String> {
    // Of edits that begin at the same position, insertions come first, in the order in which they were found.
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
    /// The path of the first difference that was found.
    first: Option<Path>,
}

impl Revision<'_> {
    fn edit(&mut self, range: Range<usize>, text: impl Into<String>) {
        let text = text.into();
        self.edits.push(TextEdit { range, text });
    }

    /// Changes the old value into the new one.
    fn value(&mut self, path: &Path, old: &Value, new: &Value) {
        if old == new {
            return;
        }
        let items = match (old, new) {
            (Value::Object(old), Value::Object(new)) if old.keys().any(|key| new.contains_key(key)) => {
                align::keys(old, new)
            }
            (Value::Array(old), Value::Array(new)) if !old.is_empty() && !new.is_empty() => {
                let (names, new_names) = align::identities(old, new);
                let items = aligned(&names, &new_names);
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
        // Additions at the end of a value come before additions after the value.
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

    /// Replaces a whole value.
    fn replace(&mut self, path: &Path, old: &Value, new: &Value) {
        if self.layout.in_flow(path) {
            self.replace_in_flow(path, new);
        } else {
            self.replace_in_block(path, old, new);
        }
    }
}

/// The fate of a map entry or a list item.
enum Child<'v> {
    /// The child is kept, possibly with a different value.
    Kept { path: Path, old: &'v Value, new: &'v Value },
    /// The child is removed.
    Removed { path: Path, old: &'v Value },
    /// The child is new; in a map, it has a key.
    Added { key: Option<&'v str>, value: &'v Value },
}

/// Returns the map entries with their keys, or the list items.
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
    /// Returns the path and the value in the old document.
    fn old(&self) -> Option<(&Path, &'v Value)> {
        match self {
            Self::Kept { path, old, .. } | Self::Removed { path, old } => Some((path, old)),
            Self::Added { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests;
