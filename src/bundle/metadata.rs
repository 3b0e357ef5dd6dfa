//! The dependencies and properties files: lists of `{type, value}`.

use crate::diagnostic::{Diagnostic, Edit};
use crate::rules;
use crate::shape;
use crate::source::Place;
use crate::text::{Document, Format, Path, canonical, kind_of, source_edit};
use serde_json::Value;
use std::ops::Range;

/// One entry of a dependencies or properties file.
#[derive(Debug, Clone)]
pub struct TypedValue {
    /// The type, such as `olm.package`.
    pub kind: String,
    /// The value, with its keys in their original order.
    pub value: Value,
    /// The value as stored in an index: compact and sorted if it comes from YAML, verbatim if it comes from a JSON
    /// file.
    pub stored: String,
    /// The place of the entry.
    pub place: Place,
    document: Document,
    path: Path,
    value_path: Path,
}

impl TypedValue {
    /// Returns the place of the value at `path` inside the value, or of its nearest ancestor.
    pub(crate) fn place_of(&self, path: &Path) -> Place {
        self.document.place(&self.value_path.join(path))
    }

    /// Returns the place of the key that leads to `path` inside the value.
    pub(crate) fn key_place_of(&self, path: &Path) -> Place {
        self.document.key_place(&self.value_path.join(path))
    }

    /// Returns the place of the bytes `range` of the string at `path` inside the value.
    pub(crate) fn scalar_place_of(&self, path: &Path, range: Range<usize>) -> Place {
        self.document.scalar_place(&self.value_path.join(path), range)
    }

    /// Returns an edit that replaces the string at `path` inside the value, if the string is on one line.
    pub fn rewrite(&self, path: &Path, text: &str) -> Option<Edit> {
        source_edit::rewrite(&self.document, &self.value_path.join(path), text)
    }

    /// Returns an edit that puts quotes around the number or boolean at `path` inside the value.
    pub(crate) fn quote(&self, path: &Path) -> Option<Edit> {
        source_edit::quote(&self.document, &self.value_path.join(path))
    }

    /// Finds the key that differs from `key` only in its capitalization, in the map at `path` inside the value. Returns
    /// its place, and the edit that corrects it.
    pub(crate) fn miscapitalized(&self, path: &Path, key: &str) -> Option<(Place, Option<Edit>)> {
        let written = source_edit::miscapitalized(&self.document, &self.value_path.join(path), key)?;
        let edit = source_edit::recapitalize(&self.document, &written, key);
        Some((self.document.key_place(&written), edit))
    }

    /// Returns the path of the value in the document.
    pub(crate) fn value_path(&self) -> &Path {
        &self.value_path
    }

    /// Returns the document and the path of the entry itself: its type, its value and any other keys.
    pub fn entry(&self) -> (&Document, &Path) {
        (&self.document, &self.path)
    }
}

/// Returns the key and the value of a field in a metadata file or in an entry of its list. As in opm, the key may be
/// capitalized differently.
pub(crate) fn field<'v>(of: &'v Value, key: &str) -> Option<(&'v str, &'v Value)> {
    shape::entry(of.as_object()?, key)
}

/// Whether the document contains a non-empty top-level list `key`.
pub(super) fn has_list(document: &Document, key: &str) -> bool {
    let list = field(document.value(), key).and_then(|(_, list)| list.as_array());
    list.is_some_and(|list| !list.is_empty())
}

/// Reads the entries of the top-level list `key`.
pub(super) fn entries(document: &Document, key: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<TypedValue> {
    let mut entries = Vec::new();
    let Some((key, list)) = field(document.value(), key) else {
        return entries;
    };
    for (index, entry) in list.as_array().into_iter().flatten().enumerate() {
        let path = Path::root().key(key).index(index);
        let kind = field(entry, "type")
            .and_then(|(_, kind)| kind.as_str())
            .unwrap_or_default();
        if kind.is_empty() {
            let message = if entry.is_object() {
                format!("{path} has no type")
            } else {
                format!("{path} is {}, not a map with type and value", kind_of(entry))
            };
            diagnostics.push(Diagnostic::new(&rules::METADATA_ENTRY_SHAPE, message).at(document.place(&path)));
            continue;
        }
        let written = field(entry, "value");
        let value = written.map_or(Value::Null, |(_, value)| value.clone());
        let value_path = path.key(written.map_or("value", |(key, _)| key));
        let stored = match document.format() {
            Format::Json if written.is_some() => document.place(&value_path).text().to_owned(),
            _ => canonical::to_string(&value),
        };
        entries.push(TypedValue {
            kind: kind.to_owned(),
            value,
            stored,
            place: document.place(&path),
            document: document.clone(),
            path,
            value_path,
        });
    }
    entries
}
