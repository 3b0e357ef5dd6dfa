//! Changes a document while keeping the surrounding comments, layout and quotes. Each change is an [`Edit`], if the
//! form of the text allows the change; reading the changed text again shows whether the change had the intended effect.

use super::document::{Document, Format};
use super::emit::{double_quoted, is_printable, to_yaml};
use super::path::{Path, Step};
use super::read::Reading;
use crate::diagnostic::{Diagnostic, Edit};
use crate::rules;
use crate::source::{Place, SourceFile};
use serde_json::{Value, json};
use std::ops::Range;
use std::sync::Arc;

/// Writes a scalar with the quotes of the old scalar at `place`.
pub(crate) fn in_its_quotes(document: &Document, place: &Place, text: &str) -> String {
    match (document.format(), place.text().chars().next()) {
        (Format::Json, _) => json!(text).to_string(),
        (_, Some('\'')) if text.chars().all(is_printable) => format!("'{}'", text.replace('\'', "''")),
        (_, Some('"' | '\'')) => {
            let mut quoted = String::new();
            double_quoted(text, &mut quoted);
            quoted
        }
        _ => to_yaml(&json!(text)).trim_end().to_owned(),
    }
}

/// Replaces the scalar at `path` with another string.
pub(crate) fn rewrite(document: &Document, path: &Path, text: &str) -> Option<Edit> {
    let place = on_one_line(document, path)?;
    let replacement = in_its_quotes(document, &place, text);
    Some(Edit { place, replacement })
}

/// Adds quotes around the unquoted number or boolean at `path`.
pub(crate) fn quote(document: &Document, path: &Path) -> Option<Edit> {
    let scalar = matches!(path.get(document.value())?, Value::Number(_) | Value::Bool(_));
    let place = on_one_line(document, path).filter(|_| scalar)?;
    let replacement = json!(place.text()).to_string();
    Some(Edit { place, replacement })
}

/// Removes the quotes around the number or boolean at `path`.
pub(crate) fn unquote(document: &Document, path: &Path) -> Option<Edit> {
    let text = path.get(document.value())?.as_str()?;
    let place = on_one_line(document, path)?;
    let inner = place.text().strip_prefix(['"', '\''])?.strip_suffix(['"', '\''])?;
    let replacement = (inner == text).then(|| inner.to_owned())?;
    Some(Edit { place, replacement })
}

/// Adds brackets around the string at `path`, so that the value becomes a list of one item. Skips a string with commas,
/// which may be meant as several items.
pub(crate) fn enlist(document: &Document, path: &Path) -> Option<Edit> {
    let text = path.get(document.value())?.as_str()?;
    let place = on_one_line(document, path).filter(|_| !text.contains(','))?;
    let plain = !place.text().starts_with(['"', '\'']) && text.contains(['[', ']', '{', '}', '#', ':']);
    let item = if plain {
        json!(text).to_string()
    } else {
        place.text().to_owned()
    };
    Some(Edit {
        place,
        replacement: format!("[{item}]"),
    })
}

/// Replaces the list at `path` with the only string in it.
pub(crate) fn delist(document: &Document, path: &Path) -> Option<Edit> {
    let [Value::String(_)] = path.get(document.value())?.as_array()?.as_slice() else {
        return None;
    };
    let place = trimmed(document.place(path));
    let item = on_one_line(document, &path.index(0))?;
    let inner = place.text().strip_prefix('[')?.strip_suffix(']')?;
    // A comment between the brackets would be lost.
    (inner.trim() == item.text()).then(|| Edit {
        replacement: item.text().to_owned(),
        place,
    })
}

/// Corrects the capitalization of the last key of `path`. Returns `None` if it differs from `key` in more than the
/// capitalization, or if the map already has `key`.
pub(crate) fn recapitalize(document: &Document, path: &Path, key: &str) -> Option<Edit> {
    let taken = path.parent()?.key(key).get(document.value()).is_some();
    let place = trimmed(document.key_place(path));
    let Some(Step::Key(old)) = path.steps().last() else {
        return None;
    };
    let written = place.text().trim_matches(['"', '\'']);
    (!taken && old.eq_ignore_ascii_case(key) && *written == **old).then(|| Edit {
        replacement: in_its_quotes(document, &place, key),
        place,
    })
}

/// Returns the path of the only key of the map at `map` that differs from `key` in its capitalization alone. Returns
/// `None` if the map also has `key`.
pub(crate) fn miscapitalized(document: &Document, map: &Path, key: &str) -> Option<Path> {
    let fields = map.get(document.value())?.as_object()?;
    let mut same = fields.keys().filter(|written| written.eq_ignore_ascii_case(key));
    let written = same.next().filter(|written| *written != key)?;
    same.next().is_none().then(|| map.key(written))
}

/// Returns the place of a scalar that is written on one line, with neither anchor nor tag.
fn on_one_line(document: &Document, path: &Path) -> Option<Place> {
    let value = path.get(document.value())?;
    let place = trimmed(document.place(path));
    let form = place.text();
    let scalar = !value.is_object() && !value.is_array() && !value.is_null();
    let bare = !form.is_empty() && !form.contains(['\n', '\r']) && !form.starts_with(['&', '*', '!', '|', '>']);
    (scalar && bare).then_some(place)
}

fn trimmed(mut place: Place) -> Place {
    place.span.end = place.span.start + place.text().trim_end().len();
    place
}

/// Applies edits to the text of one file; returns `None` if two of them change the same bytes.
pub(crate) fn apply(source: &Arc<SourceFile>, edits: &[&Edit]) -> Option<Edited> {
    let mut sorted: Vec<&Edit> = Vec::new();
    for edit in edits {
        // An anchor and its aliases share the same text, so the same edit may be listed several times.
        if !sorted.contains(edit) {
            sorted.push(edit);
        }
    }
    sorted.sort_by_key(|edit| (edit.place.span.start, edit.place.span.end));
    let mut edited = Edited::default();
    let mut end = 0;
    for (index, edit) in sorted.iter().enumerate() {
        let span = &edit.place.span;
        edited.text.push_str(source.text().get(end..span.start)?);
        source.text().get(span.clone())?;
        if index > 0 && span.start == end && span.is_empty() {
            return None;
        }
        let start = edited.text.len();
        edited.text.push_str(&edit.replacement);
        edited.spans.push((span.clone(), start..edited.text.len()));
        end = span.end;
    }
    edited.text.push_str(source.text().get(end..)?);
    Some(edited)
}

/// The text of a file after edits.
#[derive(Debug, Default)]
pub(crate) struct Edited {
    /// The text.
    pub text: String,
    // The range of each change, before and after.
    spans: Vec<(Range<usize>, Range<usize>)>,
}

impl Edited {
    /// Returns whether the values of the documents differ only where the text was changed, and whether each edit
    /// changed exactly one value. Documents that could not be read before are not compared.
    pub(crate) fn only_its_values_differ(&self, before: &Reading, after: &Reading) -> bool {
        before.documents.iter().all(|old| {
            let mut documents = after.documents.iter();
            documents
                .find(|new| new.number() == old.number())
                .is_some_and(|new| self.explains(old, new, &before.diagnostics))
        })
    }

    fn explains(&self, old: &Document, new: &Document, findings: &[Diagnostic]) -> bool {
        let mut differences = Vec::new();
        compare(old.value(), new.value(), &Path::root(), &mut differences);
        let mut changed: Vec<(bool, Place)> = Vec::new();
        differences.iter().all(|difference| {
            let (path, sides) = match difference {
                Difference::Gone(path) => (path, &[false][..]),
                Difference::New(path) => (path, &[true][..]),
                Difference::Changed(path) => (path, &[false, true][..]),
            };
            // If two values have the same place, the edit of an alias would also change its anchor.
            let first = (sides == [true], if sides == [true] { new } else { old }.place(path));
            let again = changed.contains(&first);
            changed.push(first);
            let touched = sides.iter().any(|now| {
                let document = if *now { new } else { old };
                let (key, value) = (document.key_place(path).span, document.place(path).span);
                self.touches(&(key.start.min(value.start)..value.end.max(key.end)), *now)
            });
            // The document knows only one place of a key that appears twice.
            let key = match path.steps().last() {
                Some(Step::Key(key)) => &**key,
                _ => "",
            };
            let twice = |finding: &Diagnostic| {
                finding.rule == &rules::YAML_DUPLICATE_KEY
                    && finding.place.as_ref().is_some_and(|place| {
                        place.text().trim_matches(['"', '\'']) == key && self.touches(&place.span, false)
                    })
            };
            !again && (touched || findings.iter().any(twice))
        })
    }

    /// Returns whether a range touches a change. If `now` is set, the range refers to the changed text, otherwise to
    /// the original text.
    fn touches(&self, range: &Range<usize>, now: bool) -> bool {
        self.spans.iter().any(|(before, after)| {
            let span = if now { after } else { before };
            span.start <= range.end && range.start <= span.end
        })
    }
}

/// A difference between two values.
enum Difference {
    Gone(Path),
    New(Path),
    Changed(Path),
}

fn compare(old: &Value, new: &Value, path: &Path, found: &mut Vec<Difference>) {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            for (key, value) in old {
                match new.get(key) {
                    Some(other) => compare(value, other, &path.key(key), found),
                    None => found.push(Difference::Gone(path.key(key))),
                }
            }
            let added = new.keys().filter(|key| !old.contains_key(*key));
            found.extend(added.map(|key| Difference::New(path.key(key))));
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                compare(old, new, &path.index(index), found);
            }
        }
        _ if old == new => {}
        _ => found.push(Difference::Changed(path.clone())),
    }
}
