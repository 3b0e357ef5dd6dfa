//! Validation of objects against the structural schema of a CustomResourceDefinition.

use super::formats::{FORMATS, known};
use crate::pattern::schema::{for_unicode, problem};
use boon::{Compiler, Draft, SchemaIndex, Schemas, UrlLoader, ValidationError};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::error::Error;
use std::fmt;

/// The maximum length in characters of the problem description that is shown.
const LONGEST: usize = 300;
/// The name of the schema for the compiler.
const NAME: &str = "schema:structural";

/// The keywords that are checked and that contain no schemas. API servers refuse all other keywords of JSON Schema that
/// would affect the result, such as references.
const CHECKED: [&str; 14] = [
    "type",
    "enum",
    "required",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
];

/// Checks objects against a structural schema (`openAPIV3Schema`): types, required keys, bounds, patterns and formats,
/// like an API server before it handles defaults and rules. Patterns that are too large are not checked, and neither
/// are formats that the module `formats` does not know.
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
    /// Compiles a schema. Returns `None` if the schema is not valid. `patterns` is the number of patterns that may
    /// still be compiled, which is reduced; further patterns are not checked.
    pub(crate) fn of(schema: &Value, patterns: &mut usize) -> Option<Self> {
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        // OpenAPI 3.0 is based on this draft, in which `exclusiveMinimum` is a flag.
        compiler.set_default_draft(Draft::V4);
        compiler.use_loader(Box::new(NoLoader));
        compiler.enable_format_assertions();
        for format in FORMATS {
            compiler.register_format(format);
        }
        compiler.add_resource(NAME, json_schema(schema, patterns)).ok()?;
        let index = compiler.compile(NAME, &mut schemas).ok()?;
        Some(Self { schemas, index })
    }

    /// Returns the first value that does not match the schema.
    pub(crate) fn misfit(&self, value: &Value) -> Option<Misfit> {
        let error = self.schemas.validate(value, self.index).err()?;
        Some(innermost(&error))
    }
}

/// Loads no schemas, because a structural schema refers to no other documents. The default loader reads files.
struct NoLoader;

impl UrlLoader for NoLoader {
    fn load(&self, _: &str) -> Result<Value, Box<dyn Error>> {
        Err("schemas must not refer to other documents".into())
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

/// Translates a structural schema to JSON Schema: `nullable` and `x-kubernetes-int-or-string` become types. Everything
/// that is not checked is dropped, and so is everything that JSON Schema forbids, but that API servers ignore, such as
/// empty lists.
fn json_schema(schema: &Value, patterns: &mut usize) -> Value {
    let map = match schema {
        Value::Object(map) => map,
        // A list of schemas is not a structural schema. Dropping it would check less, so the whole schema is not valid.
        Value::Array(_) => return Value::Null,
        other => return other.clone(),
    };
    let read = map.iter().filter_map(|(key, value)| translated(key, value, patterns));
    let mut read: Map<String, Value> = read.collect();
    for (exclusive, limit) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        if !read.contains_key(limit) {
            read.remove(exclusive);
        }
    }
    let is_set = |key: &str| map.get(key) == Some(&Value::Bool(true));
    // API servers check formats only of strings.
    if !["", "string"].contains(&map.get("type").and_then(Value::as_str).unwrap_or_default())
        && !is_set("x-kubernetes-int-or-string")
    {
        read.remove("format");
    }
    if is_set("x-kubernetes-int-or-string") {
        read.insert("type".to_owned(), json!(["integer", "string"]));
    }
    if is_set("nullable") {
        if let Some(Value::Array(values)) = read.get_mut("enum")
            && !values.contains(&Value::Null)
        {
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

fn translated(key: &str, value: &Value, patterns: &mut usize) -> Option<(String, Value)> {
    let value = match (key, value) {
        (_, Value::Null) => return None,
        ("properties", Value::Object(named)) => named
            .iter()
            .map(|(name, schema)| (name.clone(), part(schema, patterns)))
            .collect(),
        ("items" | "additionalProperties" | "not", schema) => json_schema(schema, patterns),
        ("allOf" | "anyOf" | "oneOf" | "required" | "enum", Value::Array(items)) if items.is_empty() => return None,
        ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => {
            schemas.iter().map(|schema| part(schema, patterns)).collect()
        }
        ("required" | "enum", Value::Array(items)) => distinct(items),
        ("type", Value::String(kind)) if kind.is_empty() => return None,
        ("format", Value::String(name)) => known(name)?.into(),
        (key, Value::Number(number)) if is_ignored(key, number.as_f64()?) => return None,
        // The compiler reports an invalid pattern.
        ("pattern", Value::String(pattern)) if problem(pattern).is_some() => value.clone(),
        ("pattern", Value::String(pattern)) => {
            *patterns = patterns.checked_sub(1)?;
            for_unicode(pattern)?.into()
        }
        (key, value) if CHECKED.contains(&key) => value.clone(),
        _ => return None,
    };
    Some((key.to_owned(), value))
}

/// Translates a schema in a list or map of schemas, where API servers read `null` as the schema of every value.
fn part(schema: &Value, patterns: &mut usize) -> Value {
    match schema {
        Value::Null => json!({}),
        schema => json_schema(schema, patterns),
    }
}

/// Whether JSON Schema forbids a number as the value of a keyword.
fn is_ignored(key: &str, number: f64) -> bool {
    match key {
        "multipleOf" => number <= 0.0,
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => number < 0.0,
        _ => false,
    }
}

/// Returns the first of equal items. JSON Schema does not distinguish `1` and `1.0`.
fn distinct(items: &[Value]) -> Value {
    let mut seen = HashSet::new();
    let is_new = |item: &&Value| match item.as_f64() {
        Some(number) => seen.insert(number.to_string()),
        None => seen.insert(item.to_string()),
    };
    items.iter().filter(is_new).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::schema::{LONGEST_PATTERN, MOST_PATTERNS};

    fn takes(schema: &Value, value: &Value) -> bool {
        structure(schema).unwrap().misfit(value).is_none()
    }

    fn structure(schema: &Value) -> Option<Structure> {
        Structure::of(schema, &mut MOST_PATTERNS.clone())
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
        let misfit = structure(&schema)
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
    }

    #[test]
    fn strings_are_checked_against_the_formats_that_api_servers_check() {
        let named = |kind: &str, format: &str| json!({"properties": {"a": {"type": kind, "format": format}}});
        for format in ["ipv4", "date-time", "datetime", "uuid"] {
            assert!(!takes(&named("string", format), &json!({"a": "nope"})), "{format}");
        }
        assert!(takes(&named("string", "ipv4"), &json!({"a": "10.0.0.1"})));
        for format in ["hostname", "uri", "email", "regex", "json-pointer", "time", "int32", ""] {
            assert!(takes(&named("string", format), &json!({"a": "~2 ("})), "{format}");
        }
        assert!(takes(&named("integer", "ipv4"), &json!({"a": 1})));
        let either = json!({"x-kubernetes-int-or-string": true, "format": "date"});
        assert!(takes(&either, &json!(1)) && !takes(&either, &json!("one")));
        let problem = structure(&named("string", "ipv4"))
            .unwrap()
            .misfit(&json!({"a": "nope"}));
        assert_eq!(
            problem.unwrap().to_string(),
            "a: 'nope' is not valid ipv4: the string does not have this format"
        );
    }

    #[test]
    fn what_json_schema_forbids_and_api_servers_ignore_does_not_stop_the_checks() {
        for (odd, wrong) in [
            (json!({"required": []}), json!(1)),
            (json!({"required": ["a", "a"]}), json!({})),
            (json!({"enum": []}), json!(1)),
            (json!({"enum": [{"b": 1}, {"b": 1}, 1, 1.0]}), json!({"b": 2})),
            (json!({"allOf": [], "anyOf": null, "oneOf": []}), json!(1)),
            (json!({"allOf": [null]}), json!(1)),
            (json!({"nullable": true, "enum": [{}, null]}), json!({"b": 2})),
            (json!({"exclusiveMinimum": false, "exclusiveMaximum": true}), json!(1)),
            (json!({"exclusiveMinimum": true, "minimum": null}), json!(1)),
            (
                json!({"pattern": null, "not": null, "items": null, "additionalProperties": null}),
                json!(1),
            ),
            (json!({"properties": {"a": null}}), json!(1)),
            (json!({"minLength": -1, "maxItems": -1, "multipleOf": 0}), json!(1)),
        ] {
            let mut schema = json!({"type": "object"});
            schema.as_object_mut().unwrap().extend(odd.as_object().unwrap().clone());
            assert!(
                structure(&schema).is_some_and(|structure| structure.misfit(&wrong).is_some()),
                "{odd}"
            );
        }
        let either = json!({"type": "", "x-kubernetes-int-or-string": true, "nullable": true});
        assert!(takes(&either, &json!(null)) && !takes(&either, &json!([])));
        assert!(takes(&json!({"type": ""}), &json!(1)));
        assert!(takes(
            &json!({"properties": {"a": null}, "required": ["b", "a", "a"]}),
            &json!({"a": 1, "b": 2})
        ));
    }

    #[test]
    fn a_value_that_is_not_a_schema_checks_nothing() {
        assert!(structure(&json!({"type": "string", "pattern": "("})).is_none());
        assert!(structure(&json!({"type": 7})).is_none());
        assert!(structure(&json!({"type": "array", "items": [{"type": "string"}]})).is_none());
    }

    #[test]
    fn a_schema_opens_no_files() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), r#"{"enum": ["the content of the file"]}"#).unwrap();
        let reference = json!({"$ref": format!("file://{}", file.path().display())});
        for schema in [
            json!({"dependencies": {"kind": reference}}),
            json!({"patternProperties": {"^kind$": reference}}),
            json!({"properties": {"kind": reference}}),
            json!({"properties": {"kind": {"allOf": [reference]}}}),
            json!({"definitions": {"a": reference}, "allOf": [{"$ref": "#/definitions/a"}]}),
            reference.clone(),
        ] {
            assert!(takes(&schema, &json!({"kind": "A"})), "{schema}");
        }
        for schema in [
            json!({"properties": {"kind": {"type": "array", "items": [reference]}}}),
            json!({"properties": [reference]}),
        ] {
            let misfit = structure(&schema).and_then(|structure| structure.misfit(&json!({"kind": ["A"]})));
            assert!(misfit.is_none(), "{schema}");
        }
    }

    #[test]
    fn references_between_parts_of_a_schema_are_ignored() {
        let mut dependencies = json!({"kind": {"$ref": "#/dependencies/a0"}, "a64": {"type": "object"}});
        for depth in 0..64 {
            let next = json!({"$ref": format!("#/dependencies/a{}", depth + 1)});
            dependencies[format!("a{depth}")] = json!({"allOf": [next, next]});
        }
        assert!(takes(&json!({"dependencies": dependencies}), &json!({"kind": "A"})));
    }

    #[test]
    fn patterns_have_the_meaning_of_go_up_to_their_limits() {
        let named = |pattern: &str| json!({"type": "string", "pattern": pattern});
        assert!(takes(&named(r"^\d+[a&&b]$"), &json!("1&")) && !takes(&named(r"^\d+[a&&b]$"), &json!("1c")));
        assert!(takes(&named("^[^a]{3}$"), &json!("äöü")) && !takes(&named("^[^a]{3}$"), &json!("äaü")));
        // Too large when compiled, and too long.
        assert!(takes(&named(r"^[\p{L}]{59}$"), &json!("1")));
        assert!(takes(
            &named(&format!("^{}$", "a".repeat(LONGEST_PATTERN))),
            &json!("1")
        ));
        let two = json!({"properties": {"a": named("^a$"), "b": named("^b$")}});
        let both_wrong = json!({"a": "x", "b": "x"});
        for (limit, left, is_checked) in [(0, 0, [false, false]), (1, 0, [true, false]), (3, 1, [true, true])] {
            let mut patterns = limit;
            let structure = Structure::of(&two, &mut patterns).unwrap();
            assert_eq!(patterns, left);
            for (name, is_checked) in ["a", "b"].into_iter().zip(is_checked) {
                let value = json!({name: both_wrong[name]});
                assert_eq!(structure.misfit(&value).is_some(), is_checked, "{limit} {name}");
            }
        }
    }
}
