//! Checks the schemas of CustomResourceDefinitions: defaults, patterns, keys of lists, and validation rules.

mod defaults;
mod lists;
mod root;
mod validation_rules;

use super::part::Part;
use crate::pattern::schema::{MOST_PATTERNS, problem};
use crate::rules;
use crate::text::{Path, Step};
use serde_json::{Map, Value};

/// The maximum number of values of enums that are compared with the defaults of a CustomResourceDefinition.
const MOST_COMPARISONS: usize = 5_000_000;

impl Part<'_> {
    /// Checks the schemas of all versions. Clusters no longer accept CustomResourceDefinitions of `v1beta1`.
    pub(super) fn schemas(&mut self) {
        if self.object.gvk().version != "v1" {
            return;
        }
        let versions = Path::from("spec.versions");
        let (mut patterns, mut comparisons) = (MOST_PATTERNS, MOST_COMPARISONS);
        for (index, version) in self.list(&versions).iter().enumerate() {
            if let Some(Value::Object(schema)) = version.pointer("/schema/openAPIV3Schema") {
                let path = versions.index(index).key("schema").key("openAPIV3Schema");
                let mut walk = Walk {
                    part: self,
                    path,
                    patterns,
                    comparisons,
                    is_correlated: true,
                };
                let has_status = version.pointer("/subresources/status").is_some_and(Value::is_object);
                walk.root(schema, has_status);
                walk.schema(schema, Role::Value);
                (patterns, comparisons) = (walk.patterns, walk.comparisons);
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

const CORRECT_PATTERN: &str = "Correct the pattern; the API server uses the syntax of RE2.";
const EMBEDDED: &str = "x-kubernetes-embedded-resource";
const LIST_TYPE: &str = "x-kubernetes-list-type";
const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";

/// The fields that every Kubernetes object has.
const META: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// What a schema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A value.
    Value,
    /// The values of a map, whose defaults the API server does not compare with the schema; or the metadata of an
    /// object, whose defaults it compares as parts of the object.
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
    /// The number of values of enums that may still be compared with defaults.
    comparisons: usize,
    /// Whether the API server finds the previous value of what the schema describes when an object is updated.
    is_correlated: bool,
}

impl Walk<'_, '_> {
    /// Checks a schema and its parts. On return, the path is unchanged.
    fn schema(&mut self, schema: &Map<String, Value>, role: Role) {
        let describes = role != Role::Condition;
        let is_resource = self.is_resource();
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
                    let is_resource = describes && (is_resource || is_set(schema, EMBEDDED));
                    for (name, part) in parts {
                        let is_meta = is_resource && META.contains(&name.as_str());
                        self.below(name.as_str(), part, if is_meta { Role::MapValue } else { role });
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
    let (mut schema, mut is_resource) = (schema, is_resource);
    for (depth, name) in chain.iter().enumerate() {
        let is_own = (is_resource || is_set(schema, EMBEDDED)) && META.contains(&name.as_str());
        if is_own
            || is_set(schema, PRESERVE)
            || schema.contains_key("additionalProperties")
            || type_of(schema) != "object"
        {
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

fn is_set(schema: &Map<String, Value>, key: &str) -> bool {
    schema.get(key) == Some(&Value::Bool(true))
}
