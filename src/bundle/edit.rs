//! Edits of the author's text that preserve the surrounding comments and layout.
//!
//! Edits change only the files of a tree in memory, never files on disk. Each result is read back. If the form of a
//! file does not allow a change, the edit fails instead of producing a wrong value.

use super::BundleLimits;
use super::olm_yaml::FIELDS;
use crate::diagnostic::Edit;
use crate::source::{Place, line_break};
use crate::text::{self, Document, Format, Path, revision, source_edit, to_yaml};
use crate::tree::{Tree, TreeError};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ops::Range;

/// An error while applying edits.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The changed file exceeds a limit.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The value comes from an alias or a merge key, or is written in another form that cannot be edited in place.
    #[error(
        "{place}: {path} cannot be edited in place; write the value itself, without an anchor, an alias or a merge key"
    )]
    Form {
        /// The place of the value.
        place: Place,
        /// The path of the value inside the document.
        path: Path,
    },
}

/// The expected content of a document after the edits.
struct Expectation {
    place: Place,
    document: usize,
    path: Path,
    value: Value,
}

/// Edits to apply together.
#[derive(Default)]
pub(super) struct Edits {
    changes: Vec<Edit>,
    expectations: Vec<Expectation>,
}

impl Edits {
    fn change(&mut self, place: Place, replacement: String) {
        // An anchor and its aliases share the same text, so an edit may occur several times.
        let edit = Edit { place, replacement };
        if edit.place.span.is_empty() || !self.changes.contains(&edit) {
            self.changes.push(edit);
        }
    }

    fn remember(&mut self, document: &Document, path: &Path, value: Value) {
        self.expectations.push(Expectation {
            place: document.place(path),
            document: document.number(),
            path: path.clone(),
            value,
        });
    }

    /// Replaces a string, keeping its quotes.
    pub(super) fn replace_text(&mut self, document: &Document, path: &Path, text: &str) {
        let mut place = document.place(path);
        // A block scalar ends at the beginning of the next line.
        place.span.end = place.span.start + place.text().trim_end().len();
        let written = source_edit::in_its_quotes(document, &place, text);
        self.change(place, written);
        self.remember(document, path, json!(text));
    }

    /// Replaces parts of a string, given in the order of the string, and keeps the form of the rest.
    pub(super) fn replace_parts(&mut self, document: &Document, path: &Path, parts: &[(Range<usize>, &str)]) {
        let Some(text) = path.get(document.value()).and_then(Value::as_str) else {
            return;
        };
        let whole = with_parts(text, 0..text.len(), parts.iter().cloned());
        let places = document.scalar_places(path, parts.iter().map(|(range, _)| range.clone()));
        // A part that is written with escapes cannot be replaced alone.
        let is_verbatim = places
            .iter()
            .zip(parts)
            .all(|(place, (range, _))| text.get(range.clone()) == Some(place.text()));
        match (places.first(), places.last()) {
            (Some(first), Some(last)) if is_verbatim && parts.iter().all(|(range, _)| *range != (0..text.len())) => {
                let span = first.span.start..last.span.end;
                let written = places
                    .iter()
                    .zip(parts)
                    .map(|(place, (_, new))| (place.span.clone(), *new));
                let written = with_parts(document.source().text(), span.clone(), written);
                self.change(Place::new(document.source(), span), written);
                self.remember(document, path, json!(whole));
            }
            _ => self.replace_text(document, path, &whole),
        }
    }

    /// Sets a key of a map: replaces the existing value, or inserts the key at its placeholder comment or before the
    /// first key that has no comment above it.
    pub(super) fn set(&mut self, document: &Document, map: &Path, key: &str, value: &Value) {
        let path = map.key(key);
        let keys = map.get(document.value()).and_then(Value::as_object);
        let mut keys = keys.into_iter().flat_map(|keys| keys.keys());
        let Some(first) = keys.next() else {
            return;
        };
        let flow = is_flow(document, map);
        let present = path.get(document.value());
        if let Some(old) = present
            && can_be_revised(old, value)
            && let Some(edit) = revision(document, &path, value)
        {
            self.change(edit.place, edit.replacement);
            return self.remember(document, &path, value.clone());
        }
        let simple = |value: &Value| !value.is_object() && !value.is_array();
        match present {
            Some(_) if flow => self.change(document.place(&path), inside_brackets(document, value)),
            Some(old)
                if simple(old) && simple(value) && !old.is_null() && !document.place(&path).text().contains('\n') =>
            {
                let place = document.place(&path);
                let written = match value.as_str() {
                    Some(text) => source_edit::in_its_quotes(document, &place, text),
                    None => scalar(value),
                };
                self.change(place, written);
            }
            Some(_) => {
                let start = document.key_place(&path).span.start;
                let end = document.place(&path).span.end.max(document.key_place(&path).span.end);
                self.entry(document, start..end, key, value);
            }
            None => {
                // A comment above a key belongs to that key.
                let start_of = |key: &String| document.key_place(&map.key(key)).span.start;
                let mut starts = std::iter::once(first).chain(keys).map(start_of);
                let start = starts.find(|start| flow || !has_comment_above(document, *start));
                let start = start.unwrap_or_else(|| start_of(first));
                if let Some(line) = placeholder(document, map, key).filter(|_| !flow) {
                    let written = lines(document, &to_yaml(&json!({ key: value })));
                    self.change(Place::new(document.source(), line), written.trim_end().to_owned());
                } else if flow {
                    let text = format!("{}: {value}, ", json!(key));
                    self.change(Place::new(document.source(), start..start), text);
                } else {
                    self.entry(document, start..start, key, value);
                }
            }
        }
        self.remember(document, &path, value.clone());
    }

    /// Replaces a range with `key: value` in block style. The range is empty for a new entry.
    fn entry(&mut self, document: &Document, range: std::ops::Range<usize>, key: &str, value: &Value) {
        let text = document.source().text();
        let newline = line_break(text);
        let line = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        // The dashes of the enclosing lists count as indentation.
        let indent = text[line..range.start].replace('-', " ");
        let written = to_yaml(&json!({ key: value }));
        let mut entry = String::new();
        for (number, line) in written.lines().enumerate() {
            if number > 0 {
                entry.push_str(newline);
                if !line.is_empty() {
                    entry.push_str(&indent);
                }
            }
            entry.push_str(line);
        }
        if range.is_empty() {
            entry.push_str(newline);
            entry.push_str(&indent);
        } else {
            // The text after the old value, such as a line end and a comment, stays.
            let old = &text[range.clone()];
            let mut end = range.start + old.trim_end().len();
            if end == range.start {
                end = range.end;
            }
            let missing = text[end..]
                .chars()
                .next()
                .is_some_and(|next| !['\n', '\r', ' '].contains(&next));
            if missing {
                entry.push_str(newline);
                entry.push_str(&indent);
            }
            return self.change(Place::new(document.source(), range.start..end), entry);
        }
        self.change(Place::new(document.source(), range), entry);
    }

    /// Inserts maps before the first item of a list of maps, or creates the list.
    pub(super) fn extend(&mut self, document: &Document, map: &Path, key: &str, items: &[Value]) {
        let path = map.key(key);
        let present = path.get(document.value()).and_then(Value::as_array);
        let present: Vec<Value> = present.cloned().unwrap_or_default();
        let whole: Vec<Value> = items.iter().chain(&present).cloned().collect();
        let start = document.place(&path.index(0)).span.start;
        let text = document.source().text();
        let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let before = &text[line..start];
        let flow: Vec<String> = items.iter().map(Value::to_string).collect();
        if present.is_empty() || before.contains('#') {
            return self.set(document, map, key, &Value::from(whole));
        }
        let place = Place::new(document.source(), start..start);
        if is_flow(document, &path) {
            self.change(place, format!("{}, ", flow.join(", ")));
        } else if before.trim() == "-" {
            let lines: Vec<String> = items
                .iter()
                .map(|item| format!("{}{}{before}", in_flow(item), line_break(text)))
                .collect();
            self.change(place, lines.concat());
        } else {
            return self.set(document, map, key, &Value::from(whole));
        }
        for (index, item) in items.iter().enumerate() {
            self.remember(document, &path.index(index), item.clone());
        }
    }

    /// Applies the edits to the files of a tree.
    pub(super) fn apply(self, tree: &mut Tree, limits: &BundleLimits) -> Result<(), EditError> {
        let origin = match tree.origin().trim_end_matches('/') {
            "" => String::new(),
            origin => format!("{origin}/"),
        };
        let inside = |name: &str| name.strip_prefix(&origin).unwrap_or(name).to_owned();
        let mut files: BTreeMap<String, Vec<Edit>> = BTreeMap::new();
        for change in self.changes {
            files
                .entry(inside(change.place.source.name()))
                .or_default()
                .push(change);
        }
        let mut written = BTreeMap::new();
        for (path, mut changes) in files {
            let Some(first) = changes.first() else { continue };
            let mut text = first.place.source.text().to_owned();
            // At the same position, an insertion comes before a replacement, so it is made after it.
            changes.sort_by_key(|change| (std::cmp::Reverse(change.place.span.start), change.place.span.is_empty()));
            for change in changes {
                text.replace_range(change.place.span, &change.replacement);
            }
            let reading = text::read(&path, text.as_bytes(), &limits.text);
            written.insert(path.clone(), reading.documents);
            tree.insert(&path, text.into_bytes(), &limits.tree)?;
        }
        for expected in self.expectations {
            let documents = written.get(&inside(expected.place.source.name()));
            let document =
                documents.and_then(|documents| documents.iter().find(|one| one.number() == expected.document));
            if document.and_then(|document| expected.path.get(document.value())) != Some(&expected.value) {
                return Err(EditError::Form {
                    place: expected.place,
                    path: expected.path,
                });
            }
        }
        Ok(())
    }
}

/// Returns the text in `span`, with replaced parts. The parts must not overlap.
fn with_parts<'t>(text: &str, span: Range<usize>, parts: impl Iterator<Item = (Range<usize>, &'t str)>) -> String {
    let mut replaced = String::new();
    let mut end = span.start;
    for (range, new) in parts {
        replaced.push_str(text.get(end..range.start).unwrap_or_default());
        replaced.push_str(new);
        end = range.end;
    }
    replaced.push_str(text.get(end..span.end).unwrap_or_default());
    replaced
}

/// Whether the line above the line of this position is a comment.
fn has_comment_above(document: &Document, at: usize) -> bool {
    let text = document.source().text();
    let mut above = text[..at].rsplit('\n').skip(1);
    above.next().is_some_and(|line| line.trim_start().starts_with('#'))
}

/// Finds the placeholder comment that a new `olm.yaml` contains for a key without a value.
fn placeholder(document: &Document, map: &Path, key: &str) -> Option<Range<usize>> {
    let field = FIELDS.iter().find(|field| field.key == key)?;
    let text = document.source().text();
    let comment = format!("# {key}: {}", field.example);
    let mut start = 0;
    let mut lines = text.split_inclusive('\n').map(|line| {
        let range = start..start + line.trim_end().len();
        start += line.len();
        range
    });
    let is_root = map.steps().is_empty() && document.format() == Format::Yaml;
    lines.find(|line| is_root && text[line.clone()] == comment)
}

/// Whether a map or list is written in flow style, with brackets.
fn is_flow(document: &Document, path: &Path) -> bool {
    document.format() == Format::Json || document.place(path).text().trim_start().starts_with(['{', '['])
}

/// Whether a list or map can be changed item by item, which keeps the comments inside it.
fn can_be_revised(old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::Array(old), Value::Array(new)) => !old.is_empty() && !new.is_empty(),
        (Value::Object(old), Value::Object(new)) => !old.is_empty() && !new.is_empty(),
        _ => false,
    }
}

/// Returns lines with the line breaks of a document.
fn lines(document: &Document, text: &str) -> String {
    text.replace('\n', line_break(document.source().text()))
}

/// Formats a value as YAML on one line.
fn scalar(value: &Value) -> String {
    to_yaml(value).trim_end().to_owned()
}

/// Formats a value for use inside brackets.
fn inside_brackets(document: &Document, value: &Value) -> String {
    match value.as_str() {
        Some(text) if document.format() == Format::Yaml && is_plain(text) => text.to_owned(),
        _ => value.to_string(),
    }
}

/// Whether a string needs no quotes, not even inside brackets.
fn is_plain(text: &str) -> bool {
    let simple = |letter: char| letter.is_ascii_alphanumeric() || ['.', '-', '/'].contains(&letter);
    text.chars().all(simple) && scalar(&json!(text)) == text
}

/// Formats a map of strings in flow style on one line.
fn in_flow(item: &Value) -> String {
    let Some(map) = item.as_object() else {
        return item.to_string();
    };
    let entries: Vec<String> = map
        .iter()
        .map(|(key, value)| match value.as_str() {
            Some(text) if is_plain(text) => format!("{key}: {text}"),
            _ => format!("{key}: {value}"),
        })
        .collect();
    format!("{{{}}}", entries.join(", "))
}
