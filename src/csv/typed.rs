//! A `ClusterServiceVersion` as OLM holds it: read into its types and written again.
//!
//! Fields that the types do not have are dropped on every level, names of fields are taken in any case, quantities are
//! written in their canonical form, and what is empty is left out or written as the type says ([`Presence`]).

#[rustfmt::skip]
mod fields;

pub use fields::CSV;

use crate::kubernetes::quantity;
use crate::text::{Path, kind_of};
use serde_json::{Map, Number, Value, json};

/// The type of a value.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// Whatever stands there.
    Any,
    /// A text.
    Text,
    /// True or false.
    Boolean,
    /// A whole number.
    Integer,
    /// A text or a number, such as `500m`.
    Quantity,
    /// A text or a whole number.
    IntOrString,
    /// A list of values of one type.
    List(&'static Shape),
    /// A map from any key to values of one type.
    Map(&'static Shape),
    /// A map with these keys.
    Object(&'static [Field]),
}

/// A key of an object, with the type of its value.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The key.
    pub name: &'static str,
    /// The type of the value.
    pub shape: Shape,
    /// When it is written.
    pub presence: Presence,
}

/// When a field is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Always, where nothing is given as the empty value of its type.
    Always,
    /// Always, where nothing is given as `null`.
    Nullable,
    /// Where it is not empty.
    Filled,
    /// Where it is given, also when it is empty.
    Given,
}

/// A value of another type than its field has: OLM cannot read such a ClusterServiceVersion.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path} is {found}, and must be {expected}")]
pub struct ShapeError {
    /// Where, from the top of the object.
    pub path: Path,
    /// What its field holds.
    pub expected: &'static str,
    /// What is there.
    pub found: String,
}

/// Reads a value by its type and writes it again.
///
/// # Errors
/// When a value is of another type than its field.
pub fn typed(value: &Value, shape: &Shape) -> Result<Value, ShapeError> {
    read(value, shape, &Path::root())
}

fn read(value: &Value, shape: &Shape, path: &Path) -> Result<Value, ShapeError> {
    if value.is_null() {
        return Ok(empty(shape));
    }
    match (shape, value) {
        (Shape::Any, _) | (Shape::Text | Shape::IntOrString, Value::String(_)) | (Shape::Boolean, Value::Bool(_)) => {
            Ok(value.clone())
        }
        (Shape::Integer | Shape::IntOrString, Value::Number(number)) => whole(number)
            .map(Value::from)
            .ok_or_else(|| mismatch(value, shape, path)),
        (Shape::Quantity, Value::String(text)) => quantity::canonical(text)
            .map(Value::from)
            .ok_or_else(|| mismatch(value, shape, path)),
        (Shape::Quantity, Value::Number(number)) => quantity::canonical(&number.to_string())
            .map(Value::from)
            .ok_or_else(|| mismatch(value, shape, path)),
        (Shape::List(of), Value::Array(items)) => {
            let items = items.iter().enumerate();
            items.map(|(index, item)| read(item, of, &path.index(index))).collect()
        }
        (Shape::Map(of), Value::Object(map)) => {
            let entries = map.iter();
            let read = entries.map(|(key, item)| Ok((key.clone(), read(item, of, &path.key(key))?)));
            read.collect::<Result<Map<_, _>, _>>().map(Value::Object)
        }
        (Shape::Object(fields), Value::Object(map)) => object(map, fields, path),
        _ => Err(mismatch(value, shape, path)),
    }
}

fn object(map: &Map<String, Value>, fields: &[Field], path: &Path) -> Result<Value, ShapeError> {
    let mut written = Map::new();
    for field in fields {
        // Of several keys that differ in case the last one counts, unless one of them is exact.
        let exact = map.get_key_value(field.name);
        let other = || map.iter().rfind(|(key, _)| key.eq_ignore_ascii_case(field.name));
        let given = exact.or_else(other).filter(|(_, value)| !value.is_null());
        let value = match given {
            Some((key, value)) => read(value, &field.shape, &path.key(key))?,
            None => match field.presence {
                Presence::Always => empty(&field.shape),
                Presence::Nullable => Value::Null,
                Presence::Filled | Presence::Given => continue,
            },
        };
        if field.presence != Presence::Filled || !is_empty(&value) {
            written.insert(field.name.to_owned(), value);
        }
    }
    Ok(Value::Object(written))
}

/// What a type holds where nothing is given.
fn empty(shape: &Shape) -> Value {
    match shape {
        Shape::Any | Shape::List(_) | Shape::Map(_) => Value::Null,
        Shape::Text => json!(""),
        Shape::Boolean => json!(false),
        Shape::Integer | Shape::IntOrString => json!(0),
        Shape::Quantity => json!("0"),
        Shape::Object(fields) => object(&Map::new(), fields, &Path::root()).unwrap_or_default(),
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

fn whole(number: &Number) -> Option<i64> {
    number.as_i64().or_else(|| {
        let float = number.as_f64().filter(|float| float.fract() == 0.0)?;
        format!("{float:.0}").parse().ok()
    })
}

fn mismatch(value: &Value, shape: &Shape, path: &Path) -> ShapeError {
    let expected = match shape {
        Shape::Any => "a value",
        Shape::Text => "a text",
        Shape::Boolean => "true or false",
        Shape::Integer => "a whole number",
        Shape::Quantity => "a quantity such as 500m or 1Gi",
        Shape::IntOrString => "a text or a whole number",
        Shape::List(_) => "a list",
        Shape::Map(_) | Shape::Object(_) => "a map",
    };
    let found = match value {
        Value::String(text) if matches!(shape, Shape::Quantity) => format!("{text:?}"),
        Value::Number(number) => number.to_string(),
        other => kind_of(other).to_owned(),
    };
    ShapeError {
        path: path.clone(),
        expected,
        found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_version_gets_what_olm_always_writes() {
        let written = typed(&json!({}), &CSV).unwrap();
        assert_eq!(
            written,
            json!({
                "metadata": {},
                "spec": {
                    "apiservicedefinitions": {}, "cleanup": {"enabled": false}, "customresourcedefinitions": {},
                    "displayName": "", "install": {"spec": {"deployments": null}, "strategy": ""}, "provider": {},
                },
                "status": {"cleanup": {}},
            })
        );
    }

    fn container(container: &Value) -> Value {
        let csv = json!({"spec": {"install": {"spec": {"deployments": [
            {"name": "a", "spec": {"template": {"spec": {"containers": [container]}}}}
        ]}}}});
        let written = typed(&csv, &CSV).unwrap();
        written["spec"]["install"]["spec"]["deployments"][0]["spec"]["template"]["spec"]["containers"][0].clone()
    }

    #[test]
    fn unknown_and_empty_fields_go_and_given_pointers_stay() {
        let written = container(&json!({
            "Name": "c", "bogus": 1, "tty": false, "command": [],
            "env": [{"name": "A", "value": ""}, {"name": "B", "valueFrom": {"resourceFieldRef": {"resource": "x"}}}],
            "securityContext": {"allowPrivilegeEscalation": false, "runAsUser": 0, "privileged": null},
            "resources": {"limits": {"cpu": "1000m", "memory": 1_048_576}},
            "livenessProbe": {"initialDelaySeconds": 0, "httpGet": {"port": "http"}},
        }));
        assert_eq!(
            written,
            json!({
                "env": [{"name": "A"}, {"name": "B", "valueFrom": {"resourceFieldRef": {"divisor": "0", "resource": "x"}}}],
                "livenessProbe": {"httpGet": {"port": "http"}},
                "name": "c",
                "resources": {"limits": {"cpu": "1", "memory": "1048576"}},
                "securityContext": {"allowPrivilegeEscalation": false, "runAsUser": 0},
            })
        );
    }

    #[test]
    fn writing_twice_changes_nothing() {
        let csv = json!({"metadata": {"name": "a", "annotations": {"x": "y"}}, "spec": {
            "selector": {"matchLabels": {"a": "b"}}, "customresourcedefinitions": {"owned": [
                {"name": "a.b", "kind": "A", "version": "v1", "resources": [{"kind": "Pod", "version": "v1"}]}]}}});
        let once = typed(&csv, &CSV).unwrap();
        assert_eq!(
            once["spec"]["customresourcedefinitions"]["owned"][0]["resources"][0]["name"],
            ""
        );
        assert_eq!(typed(&once, &CSV).unwrap(), once);
    }

    #[test]
    fn a_value_of_another_type_is_named() {
        let wrong = |csv: Value| typed(&csv, &CSV).unwrap_err().to_string();
        assert_eq!(
            wrong(json!({"spec": {"replaces": 1}})),
            "spec.replaces is 1, and must be a text"
        );
        assert_eq!(
            wrong(json!({"spec": {"skips": ["a", {}]}})),
            "spec.skips[1] is a map, and must be a text"
        );
        let limits = json!({"spec": {"install": {"spec": {"deployments": [{"spec": {"template": {"spec": {
            "overhead": {"cpu": "much"}}}}}]}}}});
        assert_eq!(
            wrong(limits),
            "spec.install.spec.deployments[0].spec.template.spec.overhead.cpu is \"much\", \
             and must be a quantity such as 500m or 1Gi"
        );
    }
}
