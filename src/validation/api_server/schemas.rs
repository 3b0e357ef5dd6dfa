//! Checks the schemas of CustomResourceDefinitions: defaults, patterns, keys of lists, and validation rules.

mod lists;
mod root;
mod validation_rules;

use super::part::Part;
use crate::kubernetes::structural::has_type;
use crate::pattern::schema::{LONGEST_PATTERN, MOST_PATTERNS, compile, problem};
use crate::rules;
use crate::text::{Path, Step};
use serde_json::{Map, Value};

impl Part<'_> {
    /// Checks the schemas of all versions. Clusters no longer accept CustomResourceDefinitions of `v1beta1`.
    pub(super) fn schemas(&mut self) {
        if self.object.gvk().version != "v1" {
            return;
        }
        let versions = Path::from("spec.versions");
        let mut patterns = MOST_PATTERNS;
        for (index, version) in self.list(&versions).iter().enumerate() {
            if let Some(Value::Object(schema)) = version.pointer("/schema/openAPIV3Schema") {
                let path = versions.index(index).key("schema").key("openAPIV3Schema");
                let mut walk = Walk {
                    part: self,
                    path,
                    patterns,
                    is_correlated: true,
                };
                let has_status = version.pointer("/subresources/status").is_some_and(Value::is_object);
                walk.root(schema, has_status);
                walk.schema(schema, Role::Value);
                patterns = walk.patterns;
                self.replicas(schema, version, &versions.index(index));
            }
        }
    }

    /// Checks that the field for the number of replicas exists. Another check reports a field outside `spec`.
    fn replicas(&mut self, schema: &Map<String, Value>, version: &Value, at: &Path) {
        let written = version.pointer("/subresources/scale/specReplicasPath");
        let Some(fields) = written.and_then(Value::as_str).and_then(|path| path.strip_prefix('.')) else {
            return;
        };
        let chain: Vec<String> = fields.split('.').map(str::to_owned).collect();
        if let Some((depth, _)) = undefined(schema, &chain, true).filter(|_| fields.starts_with("spec.")) {
            let path = at.key("subresources").key("scale").key("specReplicasPath");
            let message = format!("the schema has no field .{}", chain[..=depth].join("."));
            self.report(&rules::CRD_SCALE_FIELD, &path, message);
        }
    }
}

const CORRECT_DEFAULT: &str = "Use a default that the schema accepts, or change the schema.";
const CORRECT_PATTERN: &str = "Correct the pattern; the API server uses the syntax of RE2.";
const LIST_TYPE: &str = "x-kubernetes-list-type";
const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";

/// What a schema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A value.
    Value,
    /// The values of a map. The API server does not compare their defaults with the schema.
    MapValue,
    /// A condition on a value that another schema describes.
    Condition,
}

/// A walk through the schema of a version. Schemas are large, so one path is extended in place.
struct Walk<'w, 'a> {
    part: &'w mut Part<'a>,
    path: Path,
    /// The number of patterns that may still be compiled.
    patterns: usize,
    /// Whether the API server finds the previous value of what the schema describes when an object is updated.
    is_correlated: bool,
}

impl Walk<'_, '_> {
    /// Checks a schema and its parts. On return, the path is unchanged.
    fn schema(&mut self, schema: &Map<String, Value>, role: Role) {
        let describes = role != Role::Condition;
        for (key, value) in schema {
            match (key.as_str(), value) {
                ("pattern", Value::String(pattern)) => self.pattern(pattern),
                ("default", value) if role == Role::Value => self.default_value(schema, value),
                (LIST_TYPE, Value::String(kind)) if describes => self.list_type(schema, kind),
                (lists::MAP_KEYS, Value::Array(keys)) if describes => self.map_keys(schema, keys),
                (lists::MAP_TYPE, Value::String(kind)) if describes => self.map_type(schema, kind),
                (PRESERVE, Value::Bool(false)) => self.preserve(),
                ("x-kubernetes-validations", Value::Array(rules)) if describes => self.rules(schema, rules),
                ("required", Value::Array(names)) if describes => self.required(schema, names),
                ("items" | "additionalProperties" | "not", part) => {
                    let role = match key.as_str() {
                        "not" => Role::Condition,
                        "additionalProperties" if describes => Role::MapValue,
                        _ => role,
                    };
                    let is_correlated = self.is_correlated;
                    self.is_correlated &= key != "items" || schema.get(LIST_TYPE).is_some_and(|kind| kind == "map");
                    self.below(key.as_str(), part, role);
                    self.is_correlated = is_correlated;
                }
                ("properties", Value::Object(parts)) => {
                    self.path.push("properties");
                    for (name, part) in parts {
                        self.below(name.as_str(), part, role);
                    }
                    self.path.pop();
                }
                ("allOf" | "anyOf" | "oneOf", Value::Array(parts)) => {
                    self.path.push(key.as_str());
                    for (index, part) in parts.iter().enumerate() {
                        self.below(index, part, Role::Condition);
                    }
                    self.path.pop();
                }
                _ => {}
            }
        }
    }

    fn below(&mut self, step: impl Into<Step>, schema: &Value, role: Role) {
        if let Value::Object(schema) = schema {
            self.path.push(step);
            self.schema(schema, role);
            self.path.pop();
        }
    }

    fn preserve(&mut self) {
        let message = format!("{PRESERVE} is false, but the API server accepts only true");
        self.part.refuse(&self.path.key(PRESERVE), message, "Remove the key.");
    }

    fn pattern(&mut self, pattern: &str) {
        if let Some(problem) = problem(pattern) {
            let message = format!("the pattern `{pattern}` is not a regular expression: {problem}");
            self.part.refuse(&self.path.key("pattern"), message, CORRECT_PATTERN);
        }
    }

    /// Checks that the schema accepts its default. Another check reports defaults of the wrong type.
    fn default_value(&mut self, schema: &Map<String, Value>, default: &Value) {
        if default.is_null() || !has_type(default, type_of(schema)) {
            return;
        }
        let problem = not_listed(schema, default)
            .or_else(|| out_of_range(schema, default))
            .or_else(|| of_wrong_size(schema, default))
            .or_else(|| self.not_matched(schema, default));
        if let Some(message) = problem {
            self.part.refuse(&self.path.key("default"), message, CORRECT_DEFAULT);
        }
    }

    fn not_matched(&mut self, schema: &Map<String, Value>, default: &Value) -> Option<String> {
        let (pattern, string) = (schema.get("pattern")?.as_str()?, default.as_str()?);
        // Compiled patterns match bytes, which are characters only in ASCII.
        if !string.is_ascii() || string.len() > LONGEST_PATTERN {
            return None;
        }
        self.patterns = self.patterns.checked_sub(1)?;
        let regex = compile(pattern)?;
        let matches = regex.is_match(string.as_bytes());
        (!matches).then(|| format!("the default {default} does not match the pattern `{pattern}`"))
    }

    /// Checks that an object can have the properties that it must have.
    fn required(&mut self, schema: &Map<String, Value>, names: &[Value]) {
        for (index, name) in names.iter().enumerate() {
            let Some(name) = name.as_str() else { continue };
            if let Some((_, properties)) = undefined(schema, &[name.to_owned()], self.is_resource()) {
                let path = self.path.key("required").index(index);
                let message = format!("{name} is required, but is not among the properties");
                let finding = self.part.finding(&rules::CRD_SCHEMA_REQUIRED, &path, message);
                let meant = self.part.similar(name, properties.keys().map(String::as_str));
                self.part.findings.push(match meant {
                    Some(meant) => finding.help(format!("Did you mean {meant}?")),
                    None => finding,
                });
            }
        }
    }

    /// Whether the schema at the path is that of a custom resource.
    fn is_resource(&self) -> bool {
        matches!(self.path.steps().last(), Some(Step::Key(key)) if **key == *"openAPIV3Schema")
    }
}

/// Returns the index of the first of these nested fields that an object cannot have according to its schema, with the
/// fields that it can have. `is_resource` says whether the object is a Kubernetes object.
fn undefined<'s>(
    schema: &'s Map<String, Value>,
    chain: &[String],
    is_resource: bool,
) -> Option<(usize, &'s Map<String, Value>)> {
    const EMBEDDED: &str = "x-kubernetes-embedded-resource";
    let (mut schema, mut is_resource) = (schema, is_resource);
    for (depth, name) in chain.iter().enumerate() {
        let is_set = |key: &str| schema.get(key).is_some_and(|value| *value == Value::Bool(true));
        let is_own = (is_resource || is_set(EMBEDDED)) && ["apiVersion", "kind", "metadata"].contains(&name.as_str());
        if is_own || is_set(PRESERVE) || schema.contains_key("additionalProperties") || type_of(schema) != "object" {
            return None;
        }
        let properties = schema.get("properties")?.as_object()?;
        let Some(part) = properties.get(name) else {
            return Some((depth, properties));
        };
        schema = part.as_object()?;
        is_resource = false;
    }
    None
}

fn type_of(schema: &Map<String, Value>) -> &str {
    schema.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn not_listed(schema: &Map<String, Value>, default: &Value) -> Option<String> {
    let values = schema.get("enum")?.as_array()?;
    let is_listed = values.is_empty() || values.iter().any(|value| is_same(value, default));
    (!is_listed).then(|| format!("the default {default} is not one of the values of enum"))
}

/// Whether the API server accepts a default as this value of an enum. The API server converts the default to the type
/// of the value: if the value is an integer, it ignores the fraction of the default.
fn is_same(value: &Value, default: &Value) -> bool {
    match default.as_f64() {
        Some(number) if value.is_f64() => value.as_f64() == Some(number),
        Some(number) => value.as_f64() == Some(number.trunc()),
        None => value == default,
    }
}

fn out_of_range(schema: &Map<String, Value>, default: &Value) -> Option<String> {
    let number = default.as_f64()?;
    // For an integer, the API server ignores the fraction of a limit.
    let limit = |key: &str| {
        let limit = schema.get(key)?.as_f64()?;
        Some(if default.is_f64() { limit } else { limit.trunc() })
    };
    let is_exclusive = |key: &str| schema.get(key) == Some(&Value::Bool(true));
    if let Some(minimum) = limit("minimum") {
        if number < minimum {
            return Some(format!("the default {default} is less than the minimum {minimum}"));
        }
        if number <= minimum && is_exclusive("exclusiveMinimum") {
            return Some(format!("the default {default} is the exclusive minimum"));
        }
    }
    if let Some(maximum) = limit("maximum") {
        if number > maximum {
            return Some(format!("the default {default} is greater than the maximum {maximum}"));
        }
        if number >= maximum && is_exclusive("exclusiveMaximum") {
            return Some(format!("the default {default} is the exclusive maximum"));
        }
    }
    None
}

fn of_wrong_size(schema: &Map<String, Value>, default: &Value) -> Option<String> {
    let (count, unit, least, most) = match default {
        Value::String(string) => (string.chars().count(), "length", "minLength", "maxLength"),
        Value::Array(items) => (items.len(), "number of items", "minItems", "maxItems"),
        _ => return None,
    };
    let limit = |key: &str| usize::try_from(schema.get(key)?.as_u64()?).ok();
    let broken = if limit(least).is_some_and(|limit| count < limit) {
        least
    } else if limit(most).is_some_and(|limit| count > limit) {
        most
    } else {
        return None;
    };
    let limit = &schema[broken];
    Some(format!("the {unit} of the default is {count}, but {broken} is {limit}"))
}
