//! Lists of entries in documents: read as plain data, and written with the fields that nobody here knows.

use super::DraftError;
use crate::catalog::file_based::{Deprecation, Schema, WrittenEntry};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// The entries of a document.
pub(super) fn items<T: DeserializeOwned>(document: &Value, of: &str) -> Result<Vec<T>, DraftError> {
    let entries = document.get("entries").cloned().unwrap_or_default();
    let read: Result<Option<Vec<T>>, _> = serde_json::from_value(entries);
    let items = read.map_err(|source| DraftError::Entries {
        of: of.to_owned(),
        source,
    })?;
    Ok(items.unwrap_or_default())
}

/// The items of a list in a document.
pub(super) fn of<'d>(document: &'d Value, field: &str) -> &'d [Value] {
    document.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The document with other items in a list; none where it has them.
pub(super) fn with(document: &Value, field: &str, items: Vec<Value>) -> Option<Value> {
    if of(document, field) == items {
        return None;
    }
    let mut changed: Map<String, Value> = document.as_object().cloned()?;
    changed.insert(field.to_owned(), items.into());
    Some(Value::Object(changed))
}

/// The document of a channel with these entries; none where it has them.
pub(super) fn with_entries(document: &Value, entries: &[WrittenEntry]) -> Option<Value> {
    let old = of(document, "entries");
    let written = entries.iter().map(|entry| {
        let named = |old: &&Value| old.get("name").and_then(Value::as_str) == Some(&entry.name);
        let mut value = old
            .iter()
            .find(named)
            .cloned()
            .unwrap_or_else(|| json!({"name": entry.name}));
        set(&mut value, "replaces", &entry.replaces.as_str().into());
        set(&mut value, "skips", &entry.skips.clone().into());
        set(&mut value, "skipRange", &entry.skip_range.as_str().into());
        value
    });
    with(document, "entries", written.collect())
}

/// Gives a field a value. An empty one is not written, and stays as it is where it says the same.
fn set(entry: &mut Value, field: &str, value: &Value) {
    let is_empty = |value: &Value| match value {
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        value => value.is_null(),
    };
    let Some(entry) = entry.as_object_mut() else { return };
    let before = entry.get(field).cloned().unwrap_or_default();
    if before == *value || (is_empty(&before) && is_empty(value)) {
        return;
    }
    if is_empty(value) {
        entry.shift_remove(field);
    } else {
        entry.insert(field.to_owned(), value.clone());
    }
}

/// The document of deprecations with these entries; none where it has them.
pub(super) fn with_deprecations(document: &Value, deprecations: &[Deprecation]) -> Option<Value> {
    let old = of(document, "entries");
    let written = deprecations.iter().map(|deprecation| {
        let schema = deprecation.reference.schema.as_ref().map(Schema::name);
        let name = &*deprecation.reference.name;
        let about = |old: &&Value| {
            let text = |field: &str| old.pointer(field).and_then(Value::as_str);
            text("/reference/schema") == schema && text("/reference/name").unwrap_or_default() == name
        };
        let mut value = old.iter().find(about).cloned().unwrap_or_else(|| {
            let mut reference = json!({"schema": schema.unwrap_or_default()});
            set(&mut reference, "name", &name.into());
            json!({"reference": reference})
        });
        set(&mut value, "message", &deprecation.message.as_str().into());
        value
    });
    with(document, "entries", written.collect())
}
