//! Decodes objects into the types of a table and encodes them again, as Go programs do.
//!
//! Unknown fields are dropped at every level, and field names match case-insensitively. Quantities are converted to
//! their canonical form. Empty values are omitted or written according to the [`Presence`] of the field.

use super::{Field, Presence, Problem, Shape, check_as_go};
use crate::kubernetes::quantity;
use serde_json::{Map, Number, Value, json};

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
    let other = || map.iter().rfind(|(key, _)| key.eq_ignore_ascii_case(name));
    let (key, value) = map.get_key_value(name).or_else(other)?;
    Some((key, value))
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
        let given = entry(map, field.key).filter(|(_, value)| !value.is_null());
        let value = match (given, field.presence) {
            (Some((_, value)), _) => written(value, &field.shape),
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
