//! The table of `olm.yaml` as a JSON Schema, for editors and for programs that check the file without opmx.

use super::schema::RELEASE_LENGTH;
use super::{FIELDS, Field, Shape};
use serde_json::{Map, Value, json};

/// What [`crate::kubernetes::names::is_csv_name`] takes, or nothing.
const NAME: &str = r"^$|^(?=.{1,63}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";

/// A semantic version, or nothing.
const VERSION: &str = r"^$|^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$";

/// The pre-release of a semantic version, or nothing.
const RELEASE: &str = r"^$|^(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*$";

/// The JSON Schema (draft 7, which editors know best) of `metadata/olm.yaml`.
///
/// It refuses what [`super::check`] reports, an unknown key too. What no schema can say is left to opmx: a key or an
/// install mode that stands twice, a version that replaces itself, and everything that depends on the manifests.
pub fn json_schema() -> Value {
    let mut schema = Map::new();
    schema.insert("$schema".to_owned(), json!("http://json-schema.org/draft-07/schema#"));
    schema.insert("title".to_owned(), json!("metadata/olm.yaml of a k8s+v1 bundle"));
    let about =
        "What an operator's plain manifests cannot say about it. opmx infers the rest of the ClusterServiceVersion.";
    schema.insert("description".to_owned(), json!(about));
    schema.extend(map_of(FIELDS, true));
    Value::Object(schema)
}

/// A map with these keys and no other.
fn map_of(fields: &[Field], root: bool) -> Map<String, Value> {
    let properties: Map<String, Value> = fields
        .iter()
        .map(|field| (field.key.to_owned(), Value::Object(property(field, root))))
        .collect();
    let required: Vec<&str> = fields
        .iter()
        .filter(|field| field.required)
        .map(|field| field.key)
        .collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

/// The value behind one key. A key with nothing behind it counts as absent.
fn property(field: &Field, root: bool) -> Map<String, Value> {
    let mut schema = Map::from_iter([("description".to_owned(), json!(field.about))]);
    schema.extend(shape(field.shape));
    let list = matches!(field.shape, Shape::List(_) | Shape::TextList);
    if field.required {
        if list {
            schema.insert("minItems".to_owned(), json!(1));
        } else if root {
            schema.insert("minLength".to_owned(), json!(1));
        }
    } else if let Some(Value::String(kind)) = schema.get("type") {
        let kinds = json!([kind, "null"]);
        schema.insert("type".to_owned(), kinds);
    } else if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
        choices.push(json!({"type": "null"}));
    }
    if let Some(Value::Array(choices)) = schema.get_mut("enum")
        && !field.required
    {
        choices.push(Value::Null);
    }
    if field.key == "installModes" {
        let supported =
            json!({"type": "object", "properties": {"supported": {"const": true}}, "required": ["supported"]});
        schema.insert("contains".to_owned(), supported);
    }
    schema
}

fn shape(shape: Shape) -> Map<String, Value> {
    let schema = match shape {
        Shape::Any => json!({}),
        Shape::Text => json!({"type": "string"}),
        Shape::Name => json!({"type": "string", "pattern": NAME}),
        Shape::Version => json!({"type": "string", "pattern": VERSION}),
        Shape::Release => json!({"type": "string", "pattern": RELEASE, "maxLength": RELEASE_LENGTH}),
        Shape::Choice(of, _) => json!({"type": "string", "enum": of}),
        Shape::Boolean => json!({"type": "boolean"}),
        Shape::TextList => json!({"type": "array", "items": {"type": "string"}}),
        Shape::TextMap => json!({"type": "object", "additionalProperties": {"type": "string"}}),
        Shape::AnnotationMap(known) => {
            let values = json!(["string", "object", "array"]);
            let known: Map<String, Value> = known
                .iter()
                .map(|field| {
                    (
                        field.key.to_owned(),
                        json!({"description": field.about, "type": values}),
                    )
                })
                .collect();
            json!({"type": "object", "properties": known, "additionalProperties": {"type": values}})
        }
        Shape::Map(fields) => Value::Object(map_of(fields, false)),
        Shape::List(fields) => json!({"type": "array", "items": map_of(fields, false)}),
        Shape::Icon(fields) => {
            let image = Value::Object(map_of(fields, false));
            json!({"anyOf": [{"type": "string"}, image, {"type": "array", "items": image}]})
        }
    };
    match schema {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
