//! Checks the schemas of custom resources and embedded resources: their API version, kind and metadata.

use super::Report;
use crate::rules;
use crate::text::Path;
use serde_json::{Map, Value};

pub(super) const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";
/// Keywords that the schema of the metadata of a custom resource must not have.
const METADATA_KEYWORDS: [&str; 29] = [
    "additionalProperties",
    "allOf",
    "anyOf",
    "description",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "nullable",
    "oneOf",
    "pattern",
    "required",
    "title",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-map-type",
    PRESERVE,
    "x-kubernetes-validations",
];

const PLAIN: &str = "Use metadata: {type: object}; the API server knows the fields of the metadata.";

/// Checks the schema of a custom resource, or of an object that is embedded in one.
pub(super) fn resource(report: &mut Report<'_>, path: &Path, schema: &Map<String, Value>, is_root: bool) {
    let rule = &rules::CRD_SCHEMA_STRUCTURAL;
    let is_given = |key: &str| schema.get(key).is_some_and(|value| !value.is_null());
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, wanted) in [("apiVersion", "string"), ("kind", "string"), ("metadata", "object")] {
        let Some(Value::Object(property)) = properties.and_then(|properties| properties.get(name)) else {
            continue;
        };
        let path = path.key("properties").key(name);
        let kind = property.get("type").and_then(Value::as_str).unwrap_or_default();
        // Another check reports a missing type.
        if !kind.is_empty() && kind != wanted {
            report.add(rule, &path.key("type"), format!("the type of {name} must be {wanted}"));
        }
        if is_root && name == "metadata" {
            metadata(report, &path, property);
        }
    }
    if is_root {
        return;
    }
    if schema.get("type").is_none_or(|kind| kind != "object") {
        let message = "the type of an embedded resource must be object";
        report.add(rule, &path.key("type"), message);
    }
    if is_given("additionalProperties") {
        let message = "additionalProperties is not allowed for an embedded resource";
        let help = "Remove additionalProperties, and describe the properties.";
        report.add_with_help(rule, &path.key("additionalProperties"), message, help);
    }
    if schema.get("properties").is_none_or(is_nothing) && schema.get(PRESERVE) != Some(&Value::Bool(true)) {
        let message = format!("an embedded resource needs properties, or {PRESERVE}");
        let help = format!("Describe the properties, or set {PRESERVE}: true.");
        report.add_with_help(rule, &path.key("properties"), message, &help);
    }
}

/// Checks that the schema of the metadata of a custom resource describes only the name.
fn metadata(report: &mut Report<'_>, path: &Path, schema: &Map<String, Value>) {
    let rule = &rules::CRD_SCHEMA_STRUCTURAL;
    let properties = schema.get("properties").and_then(Value::as_object);
    for name in properties.into_iter().flat_map(Map::keys) {
        if !["name", "generateName"].contains(&name.as_str()) {
            let message = format!("the schema of metadata must not describe {name}, only name and generateName");
            report.add_with_help(rule, &path.key("properties").key(name), message, PLAIN);
        }
    }
    for (key, value) in schema {
        if METADATA_KEYWORDS.contains(&key.as_str()) && !is_nothing(value) {
            let message = format!("the schema of metadata must not have {key}, only properties name and generateName");
            report.add_with_help(rule, &path.key(key), message, PLAIN);
        }
    }
}

/// Whether a value has no effect in a schema, or possibly none.
pub(super) fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(string) => string.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(true) | Value::Number(_) => false,
    }
}
