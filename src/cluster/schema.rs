//! The keys of a what-if file as a JSON Schema.

use super::keys::{KEYS, Key, Shape};
use serde_json::{Map, Value, json};

/// The JSON Schema (draft 2020-12) of a what-if file.
///
/// It refuses what [`super::read`] refuses, but for names: that a name stands twice, or is of nothing.
pub fn json_schema() -> Value {
    let mut schema = Map::new();
    schema.insert(
        "$schema".to_owned(),
        json!("https://json-schema.org/draft/2020-12/schema"),
    );
    schema.insert("title".to_owned(), json!("What-if file of opmx, version 1"));
    let about = "A namespace of a cluster with its operators, for opmx resolve and opmx plan.";
    schema.insert("description".to_owned(), json!(about));
    schema.extend(map_of(KEYS));
    Value::Object(schema)
}

fn map_of(keys: &[Key]) -> Map<String, Value> {
    let property = |key: &Key| {
        let mut schema = Map::from_iter([("description".to_owned(), json!(key.about))]);
        schema.extend(shape(key));
        (key.name.to_owned(), Value::Object(schema))
    };
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), keys.iter().map(property).collect());
    let required: Vec<&str> = keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    let has = |name: &str| keys.iter().any(|key| key.name == name);
    let given = |name: &str| json!({"required": [name], "properties": {name: {"not": {"type": "null"}}}});
    if has("source") && has("packages") {
        schema.insert("not".to_owned(), json!({"allOf": [given("source"), given("packages")]}));
    }
    if has("reason") && has("code") {
        schema.insert("anyOf".to_owned(), json!([given("reason"), given("code")]));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

/// The value behind a key. A key with nothing behind it counts as absent.
fn shape(key: &Key) -> Map<String, Value> {
    let kind = |kind: &str| {
        if key.required {
            json!(kind)
        } else {
            json!([kind, "null"])
        }
    };
    let list = |items: Value| Map::from_iter([("type".to_owned(), kind("array")), ("items".to_owned(), items)]);
    match key.shape {
        Shape::Any => Map::new(),
        Shape::Text => {
            let mut schema = Map::from_iter([("type".to_owned(), kind("string"))]);
            if key.required {
                schema.insert("minLength".to_owned(), json!(1));
            }
            schema
        }
        Shape::Flag => Map::from_iter([("type".to_owned(), kind("boolean"))]),
        Shape::Number(least, most) => Map::from_iter([
            ("type".to_owned(), kind("integer")),
            ("minimum".to_owned(), json!(least)),
            ("maximum".to_owned(), json!(most)),
        ]),
        Shape::Choice(of) => {
            let choices = of.iter().map(|choice| json!(choice));
            let choices = choices.chain((!key.required).then_some(Value::Null)).collect();
            Map::from_iter([("enum".to_owned(), Value::Array(choices))])
        }
        Shape::TextList => list(json!({"type": "string"})),
        Shape::Objects(fields) => {
            let text = |name: &&str| ((*name).to_owned(), json!({"type": "string", "minLength": 1}));
            let properties: Map<String, Value> = fields.iter().map(text).collect();
            list(json!({"type": "object", "properties": properties, "required": fields}))
        }
        Shape::List(keys) => list(Value::Object(map_of(keys))),
    }
}
