//! Lists of entries in documents: read as plain data, and written with their unknown fields.

use super::DraftError;
use crate::catalog::file_based::{Deprecation, Schema, WrittenEntry};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// Reads the entries of a document.
pub(super) fn items<T: DeserializeOwned>(document: &Value, of: &str) -> Result<Vec<T>, DraftError> {
    let entries = document.get("entries").cloned().unwrap_or_default();
    let read: Result<Option<Vec<T>>, _> = serde_json::from_value(entries);
    let items = read.map_err(|source| DraftError::Entries {
        of: of.to_owned(),
        source,
    })?;
    Ok(items.unwrap_or_default())
}

/// Returns the items of a list in a document.
pub(super) fn of<'d>(document: &'d Value, field: &str) -> &'d [Value] {
    document.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns the document with new items in a list, or `None` if it already has these items.
pub(super) fn with(document: &Value, field: &str, items: Vec<Value>) -> Option<Value> {
    if of(document, field) == items {
        return None;
    }
    let mut changed: Map<String, Value> = document.as_object().cloned()?;
    changed.insert(field.to_owned(), items.into());
    Some(Value::Object(changed))
}

/// Returns the document of a channel with these entries, or `None` if it already has them.
pub(super) fn with_entries(document: &Value, entries: &[WrittenEntry]) -> Option<Value> {
    let named = |old| Some((Value::as_str(Value::get(old, "name")?)?, old));
    // If two entries have the same name, the first one is used.
    let old: HashMap<&str, &Value> = of(document, "entries").iter().rev().filter_map(named).collect();
    let written = entries.iter().map(|entry| {
        let known = old.get(entry.name.as_str());
        let mut value = known.map_or_else(|| json!({"name": entry.name}), |known| (*known).clone());
        set(&mut value, "replaces", &entry.replaces.as_str().into());
        set(&mut value, "skips", &entry.skips.clone().into());
        set(&mut value, "skipRange", &entry.skip_range.as_str().into());
        value
    });
    with(document, "entries", written.collect())
}

/// Sets a field. An empty value removes the field; a field that is already empty is kept.
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

/// Returns the document of deprecations with these entries, or `None` if it already has them.
pub(super) fn with_deprecations(document: &Value, deprecations: &[Deprecation]) -> Option<Value> {
    let about = |old| {
        let text = |field: &str| Value::as_str(Value::pointer(old, field)?);
        (
            (text("/reference/schema"), text("/reference/name").unwrap_or_default()),
            old,
        )
    };
    let old: HashMap<(Option<&str>, &str), &Value> = of(document, "entries").iter().rev().map(about).collect();
    let written = deprecations.iter().map(|deprecation| {
        let schema = deprecation.reference.schema.as_ref().map(Schema::name);
        let name = &*deprecation.reference.name;
        let new = || {
            let mut reference = json!({"schema": schema.unwrap_or_default()});
            set(&mut reference, "name", &name.into());
            json!({"reference": reference})
        };
        let mut value = old.get(&(schema, name)).map_or_else(new, |known| (*known).clone());
        set(&mut value, "message", &deprecation.message.as_str().into());
        value
    });
    with(document, "entries", written.collect())
}
