//! Objects as programs in Go hold them: read into the types of a table and written again.
//!
//! Fields that the types do not have are dropped on every level, names of fields are taken in any case, quantities are
//! written in their canonical form, and what is empty is left out or written as the type says ([`Presence`]).

use super::{Field, Presence, Problem, Shape, check_as_go};
use crate::kubernetes::quantity;
use serde_json::{Map, Number, Value, json};

/// Reads a value by its types and writes it again.
///
/// # Errors
/// When a value is of another type than its field.
pub fn typed(value: &Value, shape: &Shape) -> Result<Value, Problem> {
    match check_as_go(value, shape, 1).pop() {
        Some(problem) => Err(problem),
        None => Ok(written(value, shape)),
    }
}

/// The field of a map: of several keys that differ in case the last one counts, unless one of them is exact.
pub(super) fn entry<'m>(map: &'m Map<String, Value>, name: &str) -> Option<(&'m str, &'m Value)> {
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

/// The canonical form of a quantity.
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

/// What a type holds where nothing is given.
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
