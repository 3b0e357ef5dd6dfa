//! Validation of objects against the structural schema of a CustomResourceDefinition.

use boon::{Compiler, Draft, SchemaIndex, Schemas, ValidationError};
use serde_json::{Map, Value, json};
use std::fmt;

/// The maximum length in characters of the problem description that is shown.
const LONGEST: usize = 300;
/// The name of the schema for the compiler.
const NAME: &str = "schema:structural";

/// The keys that contain named subschemas.
const NAMED: [&str; 3] = ["properties", "patternProperties", "definitions"];

/// Checks objects against a structural schema (`openAPIV3Schema`): types, required keys, bounds and patterns, like an
/// API server before it handles defaults, formats and rules.
pub(crate) struct Structure {
    schemas: Schemas,
    index: SchemaIndex,
}

/// A value that does not match the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Misfit {
    /// The path of the value, such as `spec.size`; empty for the whole object.
    pub path: String,
    /// A description of the problem.
    pub problem: String,
}

impl fmt::Display for Misfit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let colon = if self.path.is_empty() { "" } else { ": " };
        write!(formatter, "{}{colon}{:.LONGEST$}", self.path, self.problem)
    }
}

impl Structure {
    /// Compiles a schema. Returns `None` if the schema is not valid.
    pub(crate) fn of(schema: &Value) -> Option<Self> {
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        // OpenAPI 3.0 is based on this draft, in which `exclusiveMinimum` is a flag.
        compiler.set_default_draft(Draft::V4);
        compiler.add_resource(NAME, json_schema(schema)).ok()?;
        let index = compiler.compile(NAME, &mut schemas).ok()?;
        Some(Self { schemas, index })
    }

    /// Returns the first value that does not match the schema.
    pub(crate) fn misfit(&self, value: &Value) -> Option<Misfit> {
        let error = self.schemas.validate(value, self.index).err()?;
        Some(innermost(&error))
    }
}

/// Whether a value has this schema type. An unknown type accepts every value.
pub(crate) fn has_type(value: &Value, kind: &str) -> bool {
    match kind {
        "array" => value.is_array(),
        "boolean" => value.is_boolean(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "object" => value.is_object(),
        "string" => value.is_string(),
        _ => true,
    }
}

fn innermost(error: &ValidationError<'_, '_>) -> Misfit {
    error.causes.first().map_or_else(
        || Misfit {
            path: error
                .instance_location
                .to_string()
                .trim_start_matches('/')
                .replace('/', "."),
            problem: error.kind.to_string(),
        },
        innermost,
    )
}

/// Translates a structural schema to JSON Schema: `nullable` and `x-kubernetes-int-or-string` become types. All other
/// extensions are dropped because they are not checked.
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
        // Formats are not checked, `nullable` has become a type, and a structural schema never refers to other schemas.
        ("nullable" | "format" | "id" | "$id" | "$schema" | "$ref", _) => return None,
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
        Structure::of(schema).unwrap().misfit(value).is_none()
    }

    #[test]
    fn openapi_extensions_are_translated() {
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
    fn nested_schemas_are_translated_and_names_unchanged() {
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
        let misfit = Structure::of(&schema)
            .unwrap()
            .misfit(&json!({"nullable": true, "items": ["a", 1]}));
        let problem = "want null or string, but got number".to_owned();
        assert_eq!(
            misfit,
            Some(Misfit {
                path: "items.1".to_owned(),
                problem
            })
        );
        let named = json!({"type": "object", "properties": {"id": {"type": "string", "format": "uuid"}}});
        assert!(takes(&named, &json!({"id": "no uuid"})) && !takes(&named, &json!({"id": 1})));
    }

    #[test]
    fn a_value_that_is_not_a_schema_checks_nothing() {
        assert!(Structure::of(&json!({"type": "string", "pattern": "("})).is_none());
        assert!(Structure::of(&json!({"type": 7})).is_none());
    }
}
