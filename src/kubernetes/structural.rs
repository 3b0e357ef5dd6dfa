//! Whether objects have the structure that a CustomResourceDefinition demands.

use jsonschema::{Draft, Validator};
use serde_json::{Map, Value, json};

/// The keys below which a schema has further ones, by their names.
const NAMED: [&str; 3] = ["properties", "patternProperties", "definitions"];

/// The checker of a structural schema (`openAPIV3Schema`): types, required keys, bounds and patterns, as an API server
/// checks them before it looks at defaults, formats and rules. `None` where the schema is none.
pub fn validator(schema: &Value) -> Option<Validator> {
    let options = jsonschema::options();
    // OpenAPI 3.0 builds upon this draft: `exclusiveMinimum` is a flag there.
    let options = options.with_draft(Draft::Draft4).should_validate_formats(false);
    options.build(&json_schema(schema)).ok()
}

/// A structural schema as JSON Schema has it: `nullable` and `x-kubernetes-int-or-string` become types, and the other
/// extensions go, which a validation in advance does not ask.
fn json_schema(schema: &Value) -> Value {
    let Some(map) = schema.as_object() else {
        return schema.clone();
    };
    let mut read: Map<String, Value> = map.iter().filter_map(|(key, value)| translated(key, value)).collect();
    let is_set = |key: &str| map.get(key) == Some(&Value::Bool(true));
    if is_set("x-kubernetes-int-or-string") {
        read.insert("type".to_owned(), json!(["integer", "string"]));
    }
    if is_set("nullable") {
        if let Some(Value::Array(values)) = read.get_mut("enum") {
            values.push(Value::Null);
        }
        match read.get_mut("type") {
            Some(Value::Array(types)) => types.push("null".into()),
            Some(kind) => *kind = json!([kind, "null"]),
            None => {}
        }
    }
    Value::Object(read)
}

fn translated(key: &str, value: &Value) -> Option<(String, Value)> {
    let value = match (key, value) {
        ("nullable", _) => return None,
        (key, _) if key.starts_with("x-kubernetes-") => return None,
        (key, Value::Object(named)) if NAMED.contains(&key) => named
            .iter()
            .map(|(name, schema)| (name.clone(), json_schema(schema)))
            .collect(),
        ("items" | "additionalProperties" | "not", schema) => json_schema(schema),
        ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => schemas.iter().map(json_schema).collect(),
        (_, value) => value.clone(),
    };
    Some((key.to_owned(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(schema: &Value, value: &Value) -> bool {
        validator(schema).unwrap().is_valid(value)
    }

    #[test]
    fn what_openapi_says_in_other_words_is_understood() {
        let port = json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]});
        assert!(takes(&port, &json!(1)) && takes(&port, &json!("a")) && !takes(&port, &json!(true)));
        let nullable = json!({"type": "string", "nullable": true, "enum": ["a"]});
        assert!(takes(&nullable, &Value::Null) && takes(&nullable, &json!("a")) && !takes(&nullable, &json!(1)));
        assert!(!takes(&json!({"type": "string"}), &Value::Null));
        let above = json!({"type": "integer", "minimum": 1, "exclusiveMinimum": true});
        assert!(takes(&above, &json!(2)) && !takes(&above, &json!(1)));
        let either = json!({"x-kubernetes-int-or-string": true, "nullable": true});
        assert!(takes(&either, &Value::Null) && !takes(&either, &json!([])));
    }

    #[test]
    fn schemas_below_are_translated_and_names_are_left_alone() {
        let schema = json!({"type": "object", "required": ["nullable"], "properties": {
            "nullable": {"type": "boolean"},
            "items": {"type": "array", "items": {"type": "string", "nullable": true}},
            "x-kubernetes-names": {"type": "object", "additionalProperties": {"type": "integer", "nullable": true}}}});
        let value = json!({"nullable": true, "items": [null, "a"], "x-kubernetes-names": {"a": null}});
        assert!(takes(&schema, &value));
        for (path, wrong) in [
            ("/nullable", json!(null)),
            ("/items/0", json!(1)),
            ("/x-kubernetes-names/a", json!("b")),
        ] {
            let mut value = value.clone();
            *value.pointer_mut(path).unwrap() = wrong;
            assert!(!takes(&schema, &value), "{path}");
        }
        assert!(!takes(&schema, &json!({})));
    }

    #[test]
    fn what_is_no_schema_checks_nothing() {
        assert!(validator(&json!({"type": "string", "pattern": "("})).is_none());
        assert!(validator(&json!({"type": 7})).is_none());
    }
}
