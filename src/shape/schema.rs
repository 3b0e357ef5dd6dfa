//! Converts tables to JSON Schemas, for editors and for programs that check files without opmx.

use super::{Field, Presence, Shape};
use serde_json::{Map, Value, json};

/// The JSON Schema draft with the best editor support.
pub(crate) const DRAFT_7: &str = "http://json-schema.org/draft-07/schema#";

/// The newest JSON Schema draft.
pub(crate) const DRAFT_2020_12: &str = "https://json-schema.org/draft/2020-12/schema";

/// Returns the JSON Schema for a file. It rejects the same files as [`super::check`].
pub fn json_schema(draft: &str, title: &str, about: &str, shape: &Shape) -> Value {
    let mut schema = Map::new();
    schema.insert("$schema".to_owned(), json!(draft));
    schema.insert("title".to_owned(), json!(title));
    describe(&mut schema, about);
    schema.extend(schema_of(shape));
    Value::Object(schema)
}

fn describe(schema: &mut Map<String, Value>, about: &str) {
    if !about.is_empty() {
        schema.insert("description".to_owned(), json!(about));
    }
}

fn schema_of(shape: &Shape) -> Map<String, Value> {
    let schema = match shape {
        Shape::Any => json!({}),
        Shape::Text => json!({"type": "string"}),
        Shape::Boolean => json!({"type": "boolean"}),
        Shape::Integer => json!({"type": "integer"}),
        Shape::Within(least, i64::MAX) => json!({"type": "integer", "minimum": least}),
        Shape::Within(least, most) => json!({"type": "integer", "minimum": least, "maximum": most}),
        Shape::Quantity => json!({"type": ["string", "number"]}),
        Shape::IntOrString => json!({"type": ["string", "integer"]}),
        Shape::Choice(choices) => json!({"type": "string", "enum": choices}),
        Shape::Syntax(syntax) => match syntax.longest {
            None => json!({"type": "string", "pattern": syntax.pattern}),
            Some(longest) => json!({"type": "string", "pattern": syntax.pattern, "maxLength": longest}),
        },
        Shape::OneOf(shapes, _) => {
            let schemas: Vec<Map<String, Value>> = shapes.iter().map(schema_of).collect();
            if schemas.iter().all(|schema| schema.keys().eq(["type"])) {
                let types: Vec<&Value> = schemas.iter().flat_map(Map::values).collect();
                json!({"type": types})
            } else {
                json!({"anyOf": schemas})
            }
        }
        Shape::List(Shape::Any) => json!({"type": "array"}),
        Shape::List(shape) => json!({"type": "array", "items": schema_of(shape)}),
        Shape::Map(known, others) => {
            let mut schema = map_of(known, false);
            if !matches!(others, Shape::Any) {
                schema.insert("additionalProperties".to_owned(), Value::Object(schema_of(others)));
            }
            return schema;
        }
        Shape::Object(fields) => {
            let mut schema = map_of(fields, true);
            schema.insert("additionalProperties".to_owned(), json!(false));
            return schema;
        }
    };
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

/// Returns the schema of a map with these keys. If `nullable` is set, keys that need no value may be `null`.
fn map_of(fields: &[Field], nullable: bool) -> Map<String, Value> {
    let mut schema = Map::from_iter([("type".to_owned(), json!("object"))]);
    if !fields.is_empty() {
        let properties: Map<String, Value> = fields
            .iter()
            .map(|field| (field.key.to_owned(), Value::Object(property(field, nullable))))
            .collect();
        schema.insert("properties".to_owned(), Value::Object(properties));
    }
    let required: Vec<&str> = fields
        .iter()
        .filter(|field| field.presence.is_certain())
        .map(|field| field.key)
        .collect();
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema
}

fn property(field: &Field, nullable: bool) -> Map<String, Value> {
    let mut schema = Map::new();
    describe(&mut schema, field.about);
    schema.extend(schema_of(&field.shape));
    if field.presence == Presence::NotEmpty {
        let least = if matches!(field.shape, Shape::List(_)) {
            "minItems"
        } else {
            "minLength"
        };
        schema.insert(least.to_owned(), json!(1));
    }
    if nullable && matches!(field.presence, Presence::Optional | Presence::Nullable) {
        or_null(&mut schema);
    }
    schema
}

fn or_null(schema: &mut Map<String, Value>) {
    for (keyword, null) in [
        ("type", json!("null")),
        ("anyOf", json!({"type": "null"})),
        ("enum", Value::Null),
    ] {
        match schema.get_mut(keyword) {
            Some(Value::Array(choices)) => choices.push(null),
            Some(kind) => *kind = Value::Array(vec![kind.take(), null]),
            None => {}
        }
    }
}
