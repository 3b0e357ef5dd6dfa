//! Checks structural schemas, which a cluster requires in a CRD.

use super::Report;
use super::resource::{PRESERVE, is_nothing, resource};
use super::versions::schemas;
use crate::kubernetes::structural::has_type;
use crate::rules;
use crate::text::{Path, Step, kind_of};
use serde_json::{Map, Value};

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];
/// Keywords of JSON Schema that a CRD must not use.
const FORBIDDEN: [&str; 6] = [
    "$ref",
    "additionalItems",
    "definitions",
    "dependencies",
    "id",
    "patternProperties",
];
/// Keywords that describe a value. They are not allowed where schemas are combined.
const DESCRIBING: [&str; 6] = [
    "additionalProperties",
    "default",
    "description",
    "nullable",
    "title",
    "type",
];
const INT_OR_STRING: &str = "x-kubernetes-int-or-string";
const EMBEDDED: &str = "x-kubernetes-embedded-resource";

pub(super) fn check(report: &mut Report<'_>) {
    if report.keeps_unknown_fields() {
        return;
    }
    if !report.is_beta() {
        for index in 0..report.list(&Path::from("spec.versions")).len() {
            let path = Path::from("spec.versions")
                .index(index)
                .key("schema")
                .key("openAPIV3Schema");
            if report.get(&path).is_none() {
                let name = report.text(&Path::from("spec.versions").index(index).key("name"));
                let message = format!("the version {name} has no schema");
                report.add(&rules::CRD_SCHEMA_MISSING, &path, message);
            }
        }
    }
    for mut path in schemas(report) {
        let Some(Value::Object(root)) = report.get(&path) else {
            report.add(&rules::CRD_SCHEMA_STRUCTURAL, &path, "the schema is not a map");
            continue;
        };
        if root.get("type").and_then(Value::as_str) != Some("object") {
            let message = "the type of the root is not \"object\"";
            report.add(&rules::CRD_SCHEMA_STRUCTURAL, &path.key("type"), message);
        }
        if root.get("additionalProperties").is_some_and(|value| !value.is_null()) {
            let message = "additionalProperties is not allowed at the root";
            report.add(
                &rules::CRD_SCHEMA_STRUCTURAL,
                &path.key("additionalProperties"),
                message,
            );
        }
        node(report, &mut path, root, true);
    }
}

/// The parts of a schema that the checks need, found in one pass because schemas are large.
#[derive(Default)]
struct Parts<'a> {
    kind: Option<&'a Value>,
    properties: Option<&'a Value>,
    items: Option<&'a Value>,
    additional: Option<&'a Value>,
    default: Option<&'a Value>,
    is_int_or_string: bool,
    preserves_unknown: bool,
    has_unique_items: bool,
    /// The forbidden keywords.
    forbidden: Vec<&'a str>,
    /// The keywords that combine schemas, and their values.
    combined: Vec<(&'a str, &'a Value)>,
}

impl<'a> Parts<'a> {
    fn of(schema: &'a Map<String, Value>) -> Self {
        let mut parts = Self::default();
        for (key, value) in schema.iter().filter(|(_, value)| !value.is_null()) {
            let is_true = value == &Value::Bool(true);
            match key.as_str() {
                "type" => parts.kind = Some(value),
                "properties" => parts.properties = Some(value),
                "items" => parts.items = Some(value),
                "additionalProperties" => parts.additional = Some(value),
                "default" => parts.default = Some(value),
                INT_OR_STRING => parts.is_int_or_string = is_true,
                PRESERVE => parts.preserves_unknown = is_true,
                "uniqueItems" => parts.has_unique_items = is_true,
                "allOf" | "anyOf" | "oneOf" | "not" => parts.combined.push((key, value)),
                key if FORBIDDEN.contains(&key) => parts.forbidden.push(key),
                _ => {}
            }
        }
        parts
    }

    fn kind(&self) -> &'a str {
        self.kind.and_then(Value::as_str).unwrap_or_default()
    }
}

/// Checks a schema that describes a value. On return, `path` is unchanged.
fn node(report: &mut Report<'_>, path: &mut Path, schema: &Map<String, Value>, is_root: bool) {
    let parts = Parts::of(schema);
    let is_open = parts.is_int_or_string || parts.preserves_unknown;
    if parts.kind().is_empty() && !is_open && !is_root {
        report.add(
            &rules::CRD_SCHEMA_STRUCTURAL,
            &path.key("type"),
            "this part of the schema has no type",
        );
    }
    if parts.kind() == "array" && !parts.items.is_some_and(Value::is_object) {
        report.add(
            &rules::CRD_SCHEMA_STRUCTURAL,
            &path.key("items"),
            "an array has no items schema",
        );
    }
    keywords(report, path, &parts);
    default(report, path, &parts);
    let is_embedded = schema.get(EMBEDDED) == Some(&Value::Bool(true));
    if is_root || is_embedded {
        resource(report, path, schema, is_root);
    }
    if parts.is_int_or_string {
        for (key, is_set) in [(PRESERVE, parts.preserves_unknown), (EMBEDDED, is_embedded)] {
            if is_set {
                let message = format!("{key} conflicts with {INT_OR_STRING}");
                let help = format!("Remove {key} or {INT_OR_STRING}.");
                report.add_with_help(&rules::CRD_SCHEMA_STRUCTURAL, &path.key(key), message, &help);
            }
        }
    }
    for (key, combined, mut path) in combinations(path, &parts) {
        let is_int_or_string = (parts.is_int_or_string && key != "not") || repeats_types(schema, key);
        combination(report, &mut path, combined, schema, is_int_or_string);
    }
    visit_parts(path, &parts, |path, below| match below {
        Value::Object(below) => node(report, path, below, false),
        Value::Bool(_) => {}
        other => {
            let message = format!("a schema must be a map, but this is {}", kind_of(other));
            report.add(&rules::CRD_SCHEMA_STRUCTURAL, path, message);
        }
    });
}

/// Visits the schemas of the parts of a value with their paths. Schemas are large, so one path is extended in place.
fn visit_parts(path: &mut Path, parts: &Parts<'_>, mut visit: impl FnMut(&mut Path, &Value)) {
    if let Some(properties) = parts.properties.and_then(Value::as_object) {
        path.push("properties");
        for (name, part) in properties {
            path.push(name.as_str());
            visit(path, part);
            path.pop();
        }
        path.pop();
    }
    for (key, part) in [("items", parts.items), ("additionalProperties", parts.additional)] {
        if let Some(part) = part.filter(|part| !part.is_array()) {
            path.push(key);
            visit(path, part);
            path.pop();
        }
    }
}

/// Returns the schemas that are combined with this one.
fn combinations<'a>(path: &Path, parts: &Parts<'a>) -> Vec<(&'a str, &'a Map<String, Value>, Path)> {
    let mut all = Vec::new();
    for (key, value) in &parts.combined {
        let path = path.key(key);
        if *key == "not" {
            all.extend(value.as_object().map(|not| (*key, not, path)));
        } else {
            let items = value.as_array().into_iter().flatten().enumerate();
            all.extend(items.filter_map(|(index, item)| Some((*key, item.as_object()?, path.index(index)))));
        }
    }
    all
}

/// Whether a schema combines the types of an int-or-string, which the API server accepts for every value.
fn repeats_types(schema: &Map<String, Value>, key: &str) -> bool {
    let first_of_all = || schema.get("allOf").and_then(|all| all.get(0));
    let types = match key {
        "anyOf" => schema.get(key),
        "allOf" => first_of_all().and_then(|first| first.get("anyOf")),
        _ => None,
    };
    let is_type = |schema: &Value, kind: &str| {
        let schema = schema.as_object();
        schema.is_some_and(|schema| schema.len() == 1 && schema.get("type").is_some_and(|found| found == kind))
    };
    match types.and_then(Value::as_array).map(Vec::as_slice) {
        Some([first, second]) => is_type(first, "integer") && is_type(second, "string"),
        _ => false,
    }
}

/// Checks a schema that only restricts the values that `described` describes, and must not add anything.
fn combination(
    report: &mut Report<'_>,
    path: &mut Path,
    schema: &Map<String, Value>,
    described: &Map<String, Value>,
    int_or_string: bool,
) {
    for (key, value) in schema {
        let nothing = is_nothing(value) && !["additionalProperties", "default"].contains(&key.as_str());
        // A combined schema may repeat the types of an int-or-string: integer and string.
        let extension = key.starts_with("x-kubernetes-");
        let describing = DESCRIBING.contains(&key.as_str()) && !(int_or_string && key == "type");
        if !nothing && !value.is_null() && (extension || describing) {
            let message = format!("{key} is not allowed where schemas are combined");
            report.add(&rules::CRD_SCHEMA_STRUCTURAL, &path.key(key), message);
        }
    }
    let parts = Parts::of(schema);
    keywords(report, path, &parts);
    if parts
        .properties
        .is_some_and(|properties| properties.get("metadata").is_some())
    {
        let message = "metadata is not allowed where schemas are combined";
        report.add(
            &rules::CRD_SCHEMA_STRUCTURAL,
            &path.key("properties").key("metadata"),
            message,
        );
    }
    for (_, combined, mut path) in combinations(path, &parts) {
        combination(report, &mut path, combined, described, int_or_string);
    }
    visit_parts(path, &parts, |path, below| {
        let Value::Object(below) = below else {
            return;
        };
        let named = match path.steps() {
            [.., Step::Key(list), Step::Key(name)] if **list == *"properties" => {
                described.get("properties").and_then(|all| all.get(&**name))
            }
            [.., Step::Key(name)] => described.get(&**name),
            _ => None,
        };
        match named {
            Some(Value::Object(named)) => {
                let is_int_or_string = named.get(INT_OR_STRING) == Some(&Value::Bool(true));
                combination(report, path, below, named, is_int_or_string);
            }
            Some(_) => {}
            None => {
                let message = "this combined schema describes a part that the main schema does not describe";
                report.add(&rules::CRD_SCHEMA_STRUCTURAL, path, message);
            }
        }
    });
}

fn keywords(report: &mut Report<'_>, path: &Path, parts: &Parts<'_>) {
    for key in &parts.forbidden {
        let message = format!("a CustomResourceDefinition must not use {key}");
        report.add(&rules::CRD_SCHEMA_KEYWORD, &path.key(key), message);
    }
    if parts.has_unique_items {
        let message = "uniqueItems must not be true; use \"x-kubernetes-list-type: set\" instead";
        report.add(&rules::CRD_SCHEMA_KEYWORD, &path.key("uniqueItems"), message);
    }
    if parts.items.is_some_and(Value::is_array) {
        let message = "items must be one schema for all items, not a list";
        report.add(&rules::CRD_SCHEMA_KEYWORD, &path.key("items"), message);
    }
    let properties = parts.properties.and_then(Value::as_object);
    if properties.is_some_and(|properties| !properties.is_empty())
        && parts
            .additional
            .is_some_and(|additional| additional != &Value::Bool(true))
    {
        let message = "additionalProperties conflicts with properties";
        report.add(&rules::CRD_SCHEMA_KEYWORD, &path.key("additionalProperties"), message);
    }
    match parts.kind {
        None => {}
        Some(Value::String(kind)) if kind.is_empty() || TYPES.contains(&kind.as_str()) => {}
        Some(other) => {
            let shown = other
                .as_str()
                .map_or_else(|| kind_of(other).to_owned(), |kind| format!("{kind:?}"));
            let message = format!("{shown} is not a type");
            report.add(&rules::CRD_SCHEMA_TYPE, &path.key("type"), message);
        }
    }
}

/// Checks that a default is a value of the schema's type.
fn default(report: &mut Report<'_>, path: &Path, parts: &Parts<'_>) {
    let (Some(value), kind) = (parts.default, parts.kind()) else {
        return;
    };
    if !has_type(value, kind) {
        let message = format!("the default is {}, but the type is {kind}", kind_of(value));
        report.add(&rules::CRD_SCHEMA_DEFAULT, &path.key("default"), message);
    }
}
