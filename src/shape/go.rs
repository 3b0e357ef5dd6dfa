//! Decodes objects into the types of a table and encodes them again, as Go programs do.
//!
//! Unknown fields are dropped at every level, and field names match case-insensitively. Quantities are converted to
//! their canonical form. Empty values are omitted or written according to the [`Presence`] of the field.

use super::{Field, Presence, Problem, Shape, check_as_go};
use crate::kubernetes::quantity;
use crate::text::Path;
use serde_json::{Map, Number, Value, json};
use std::borrow::Cow;

/// Decodes a value according to its types, and encodes it again.
///
/// # Errors
/// Returns an error if the type of a value does not match its field.
pub fn typed(value: &Value, shape: &Shape) -> Result<Value, Problem> {
    match check_as_go(value, shape, 1).pop() {
        Some(problem) => Err(problem),
        None => Ok(written(value, shape)),
    }
}

/// Returns the entry of a map with the key `name` or, if there is none, the last entry whose key differs only in case.
pub(crate) fn entry<'m>(map: &'m Map<String, Value>, name: &str) -> Option<(&'m str, &'m Value)> {
    let other = || map.iter().rfind(|(key, _)| is_field(key, name));
    let (key, value) = map.get_key_value(name).or_else(other)?;
    Some((key, value))
}

/// Whether Go programs store the value of a key in the field with this name, which is plain ASCII. They compare letters
/// in any case; two letters beyond ASCII are the uppercase of an ASCII letter.
pub(crate) fn is_field(key: &str, name: &str) -> bool {
    let folded = |letter: char| match letter {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        letter => letter.to_ascii_lowercase(),
    };
    key.chars().map(folded).eq(name.chars().map(folded))
}

pub(super) fn whole(number: &Number) -> Option<i64> {
    number.as_i64().or_else(|| {
        let float = number.as_f64().filter(|float| float.fract() == 0.0)?;
        format!("{float:.0}").parse().ok()
    })
}

/// Returns the canonical form of a quantity.
pub(super) fn quantity(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => quantity::canonical(text),
        Value::Number(number) => quantity::canonical(&number.to_string()),
        _ => None,
    }
}

fn written(value: &Value, shape: &Shape) -> Value {
    let other_form = match (shape, value) {
        (_, Value::Null) => Some(empty(shape)),
        (Shape::Integer | Shape::IntOrString, Value::Number(number)) => whole(number).map(Value::from),
        (Shape::Quantity, _) => quantity(value).map(Value::from),
        (Shape::List(shape), Value::Array(items)) => Some(items.iter().map(|item| written(item, shape)).collect()),
        (Shape::Map(_, shape), Value::Object(map)) => {
            let entries = map.iter().map(|(key, value)| (key.clone(), written(value, shape)));
            Some(entries.collect())
        }
        (Shape::Object(fields), Value::Object(map)) => Some(object(map, fields)),
        _ => None,
    };
    other_form.unwrap_or_else(|| value.clone())
}

fn object(map: &Map<String, Value>, fields: &[Field]) -> Value {
    let mut all = Map::new();
    for field in fields {
        let given = stored(map, field).filter(|value| !value.is_null());
        let value = match (given, field.presence) {
            (Some(value), _) => written(&value, &field.shape),
            (None, Presence::Always) => empty(&field.shape),
            (None, Presence::Nullable) => Value::Null,
            (None, _) => continue,
        };
        if field.presence != Presence::Filled || !is_empty(&value) {
            all.insert(field.key.to_owned(), value);
        }
    }
    Value::Object(all)
}

/// Returns the value that a field has after decoding. Several spellings of one field are decoded in the order of their
/// bytes: a map keeps what later spellings do not set, and any other value is replaced.
fn stored<'m>(map: &'m Map<String, Value>, field: &Field) -> Option<Cow<'m, Value>> {
    let mut spelled: Vec<(&String, &Value)> = map.iter().filter(|(key, _)| is_field(key, field.key)).collect();
    spelled.sort_by_key(|(key, _)| *key);
    let (_, last) = spelled.pop()?;
    if spelled.is_empty() || !matches!(field.shape, Shape::Object(_)) {
        return Some(Cow::Borrowed(last));
    }
    let mut all = Value::Null;
    for value in spelled.into_iter().map(|(_, value)| value).chain([last]) {
        set(&mut all, value);
    }
    Some(Cow::Owned(all))
}

/// Replaces a value, except for the keys of a map that the new map does not have.
fn set(into: &mut Value, value: &Value) {
    match (into, value) {
        (Value::Object(own), Value::Object(map)) => {
            for (key, value) in map {
                set(own.entry(key).or_insert(Value::Null), value);
            }
        }
        (_, Value::Null) => {}
        (into, _) => *into = value.clone(),
    }
}

/// Returns the empty value of a type.
fn empty(shape: &Shape) -> Value {
    match shape {
        Shape::Any | Shape::List(_) | Shape::Map(..) | Shape::OneOf(..) => Value::Null,
        Shape::Text | Shape::Choice(_) | Shape::Syntax(_) => json!(""),
        Shape::Boolean => json!(false),
        Shape::Integer | Shape::Within(..) | Shape::IntOrString => json!(0),
        Shape::Quantity => json!("0"),
        Shape::Object(fields) => object(&Map::new(), fields),
    }
}

/// Returns the paths of the fields in a typed value that are `null`, although a program always writes them. The API
/// server drops `null`, and rejects an object whose CustomResourceDefinition requires such a field.
pub(crate) fn unset(value: &Value, shape: &Shape) -> Vec<Path> {
    let mut found = Vec::new();
    add_unset(value, shape, &Path::root(), &mut found);
    found
}

fn add_unset(value: &Value, shape: &Shape, at: &Path, found: &mut Vec<Path>) {
    match (shape, value) {
        (Shape::List(shape), Value::Array(items)) => {
            for (index, item) in items.iter().enumerate() {
                add_unset(item, shape, &at.index(index), found);
            }
        }
        (Shape::Map(_, shape), Value::Object(map)) => {
            for (key, value) in map {
                add_unset(value, shape, &at.key(key), found);
            }
        }
        (Shape::Object(fields), Value::Object(map)) => {
            for field in *fields {
                match map.get(field.key) {
                    Some(Value::Null) if field.presence.is_certain() => found.push(at.key(field.key)),
                    Some(value) => add_unset(value, &field.shape, &at.key(field.key), found),
                    None => {}
                }
            }
        }
        _ => {}
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
    }
}
