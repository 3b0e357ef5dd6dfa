//! The fields of a CustomResourceDefinition, as a tree.

use super::path::{anchor, short_digest};
use crate::text::canonical;
use serde_json::{Map, Value};

/// The number of levels of fields that are initially expanded.
const OPEN: usize = 3;

/// A definition that one or more versions of an operator include.
#[derive(Debug, Clone)]
pub(super) struct Definition {
    /// `<plural>.<group>`.
    pub(super) name: String,
    /// The digest that distinguishes definitions with the same name.
    pub(super) digest: String,
    pub(super) kind: String,
    pub(super) group: String,
    pub(super) plural: String,
    pub(super) short_names: Vec<String>,
    pub(super) scope: String,
    pub(super) conversion: String,
    pub(super) versions: Vec<ApiVersion>,
}

/// A version of an API.
#[derive(Debug, Clone)]
pub(super) struct ApiVersion {
    pub(super) name: String,
    pub(super) is_served: bool,
    pub(super) is_stored: bool,
    /// The deprecation warning, if the version is deprecated.
    pub(super) deprecated: Option<String>,
    pub(super) subresources: Vec<String>,
    /// The printed columns: name and path.
    pub(super) columns: Vec<(String, String)>,
    pub(super) description: String,
    /// The fields below the root, each after its parent.
    pub(super) fields: Vec<Field>,
}

/// A field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    /// The path, such as `spec.ports[].name`.
    pub(super) path: String,
    /// The anchor of the field on the page.
    pub(super) anchor: String,
    /// The last part of the path.
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) required: bool,
    pub(super) description: String,
    /// The names and values of the constraints on the field.
    pub(super) bounds: Vec<(&'static str, String)>,
    /// The depth of the field, counted from 0.
    pub(super) depth: usize,
    /// Whether the field is initially expanded.
    pub(super) is_open: bool,
    pub(super) has_fields: bool,
    /// The number of ancestors whose last descendant is this field; 0 if the field contains fields.
    pub(super) closes: usize,
}

impl Field {
    /// Returns the path up to the name.
    pub(super) fn parents(&self) -> &str {
        self.path.strip_suffix(&self.name).unwrap_or_default()
    }
}

impl Definition {
    /// Reads a definition. Returns `None` if the object has another kind.
    pub(super) fn read(object: &Value) -> Option<Self> {
        if object.get("kind")?.as_str()? != crate::steps::CRD {
            return None;
        }
        let text = |pointer: &str| {
            object
                .pointer(pointer)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let list = |pointer: &str| {
            object
                .pointer(pointer)
                .and_then(Value::as_array)
                .map(Vec::as_slice)
                .unwrap_or_default()
        };
        let mut versions: Vec<ApiVersion> = list("/spec/versions")
            .iter()
            .map(|version| served(version, object))
            .collect();
        if versions.is_empty() {
            let single = serde_json::json!({"name": text("/spec/version"), "served": true, "storage": true});
            versions.push(served(&single, object));
        }
        // Readers want the stored and served versions first. Definitions list their newest version last.
        versions.reverse();
        versions.sort_by_key(|version| (!version.is_stored, !version.is_served));
        Some(Self {
            name: text("/metadata/name"),
            digest: short_digest(canonical::to_string(object).as_bytes()),
            kind: text("/spec/names/kind"),
            group: text("/spec/group"),
            plural: text("/spec/names/plural"),
            short_names: strings(list("/spec/names/shortNames")),
            scope: text("/spec/scope"),
            conversion: text("/spec/conversion/strategy"),
            versions,
        })
    }
}

fn strings(list: &[Value]) -> Vec<String> {
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn served(version: &Value, object: &Value) -> ApiVersion {
    let is = |key: &str| version.get(key).and_then(Value::as_bool).unwrap_or_default();
    let text = |key: &str| version.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let schema = version.pointer("/schema/openAPIV3Schema");
    let schema = schema.or_else(|| object.pointer("/spec/validation/openAPIV3Schema"));
    let columns = version.get("additionalPrinterColumns").and_then(Value::as_array);
    let columns = columns.into_iter().flatten().map(|column| {
        let of = |key: &str| column.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        (of("name"), of("jsonPath"))
    });
    let subresources = version.get("subresources").and_then(Value::as_object);
    let name = text("name");
    let mut fields = Vec::new();
    if let Some(schema) = schema {
        for (field, inside, required) in properties(schema) {
            // Every object contains these fields.
            if !["apiVersion", "kind", "metadata"].contains(&field) {
                walk(&name, "", field, inside, required, 0, &mut fields);
            }
        }
    }
    let mut depths: Vec<usize> = fields.iter().map(|field: &Field| field.depth).collect();
    depths.push(0);
    for (field, next) in fields.iter_mut().zip(depths.into_iter().skip(1)) {
        field.has_fields = next > field.depth;
        field.closes = field.depth.saturating_sub(next);
    }
    ApiVersion {
        is_served: is("served"),
        is_stored: is("storage"),
        deprecated: is("deprecated").then(|| text("deprecationWarning")),
        subresources: subresources.into_iter().flat_map(Map::keys).cloned().collect(),
        columns: columns.collect(),
        description: schema.map(|schema| text_of(schema, "description")).unwrap_or_default(),
        fields,
        name,
    }
}

fn text_of(schema: &Value, key: &str) -> String {
    schema.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Returns the fields of a schema by name, and whether each is required.
fn properties(schema: &Value) -> Vec<(&str, &Value, bool)> {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|required| required == name));
    let fields = schema.get("properties").and_then(Value::as_object);
    let mut fields: Vec<_> = fields
        .into_iter()
        .flatten()
        .map(|(name, field)| (name.as_str(), field, is_required(name)))
        .collect();
    fields.sort_by_key(|(name, ..)| *name);
    fields
}

fn walk(version: &str, above: &str, name: &str, schema: &Value, required: bool, depth: usize, fields: &mut Vec<Field>) {
    let path = if above.is_empty() {
        name.to_owned()
    } else {
        format!("{above}.{name}")
    };
    // A list or a map is shown as one field together with its items.
    let (mut suffix, mut inner) = (String::new(), schema);
    loop {
        if let Some(items) = inner.get("items").filter(|items| items.is_object()) {
            suffix.push_str("[]");
            inner = items;
        } else if let Some(values) = inner.get("additionalProperties").filter(|values| values.is_object()) {
            suffix.push_str(".<key>");
            inner = values;
        } else {
            break;
        }
    }
    fields.push(Field {
        anchor: anchor(&format!("{version}.{path}")),
        name: name.to_owned(),
        kind: kind(schema),
        required,
        description: text_of(schema, "description"),
        bounds: bounds(schema, inner),
        depth,
        is_open: depth < OPEN - 1,
        has_fields: false,
        closes: 0,
        path: path.clone(),
    });
    let below = format!("{path}{suffix}");
    for (name, field, required) in properties(inner) {
        walk(version, &below, name, field, required, depth + 1, fields);
    }
}

/// Returns the type for display.
fn kind(schema: &Value) -> String {
    let is = |key: &str| schema.get(key) == Some(&Value::Bool(true));
    if is("x-kubernetes-int-or-string") {
        return "integer or string".to_owned();
    }
    if is("x-kubernetes-embedded-resource") {
        return "Kubernetes object".to_owned();
    }
    let name = text_of(schema, "type");
    match (&*name, schema.get("items"), schema.get("additionalProperties")) {
        ("array", Some(items), _) => format!("list of {}", kind(items)),
        ("object", _, Some(values)) if values.is_object() => format!("map of {}", kind(values)),
        ("object", ..) if schema.get("properties").is_none() => "any object".to_owned(),
        ("", ..) if is("x-kubernetes-preserve-unknown-fields") => "any".to_owned(),
        ("", ..) => "any".to_owned(),
        _ => match text_of(schema, "format") {
            format if format.is_empty() => name,
            format => format!("{name} ({format})"),
        },
    }
}

/// The constraints that are shown for a field, and for the items of a list or a map.
const BOUNDS: [(&str, &str); 16] = [
    ("default", "default"),
    ("enum", "one of"),
    ("minimum", "at least"),
    ("maximum", "at most"),
    ("exclusiveMinimum", "minimum excluded"),
    ("exclusiveMaximum", "maximum excluded"),
    ("multipleOf", "multiple of"),
    ("minLength", "minimum length"),
    ("maxLength", "maximum length"),
    ("pattern", "pattern"),
    ("minItems", "minimum items"),
    ("maxItems", "maximum items"),
    ("uniqueItems", "unique items"),
    ("minProperties", "minimum entries"),
    ("maxProperties", "maximum entries"),
    ("nullable", "may be null"),
];

fn bounds(schema: &Value, inner: &Value) -> Vec<(&'static str, String)> {
    let shown = |value: &Value| match value {
        Value::String(text) if !text.is_empty() => text.clone(),
        Value::Array(items) => {
            let items: Vec<String> = items
                .iter()
                .map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned))
                .collect();
            items.join(", ")
        }
        other => other.to_string(),
    };
    let mut said: Vec<(&'static str, String)> = Vec::new();
    let both = if std::ptr::eq(schema, inner) {
        vec![schema]
    } else {
        vec![schema, inner]
    };
    for schema in both {
        for (key, words) in BOUNDS {
            if let Some(value) = schema.get(key).filter(|value| !matches!(value, Value::Bool(false))) {
                said.push((words, shown(value)));
            }
        }
        let rules = schema.get("x-kubernetes-validations").and_then(Value::as_array);
        for rule in rules.into_iter().flatten() {
            let of = |key: &str| rule.get(key).and_then(Value::as_str).unwrap_or_default();
            let (written, message) = (of("rule"), of("message"));
            let text = if message.is_empty() {
                written.to_owned()
            } else {
                format!("{written} ({message})")
            };
            said.push(("rule", text));
        }
        let keys = schema.get("x-kubernetes-list-map-keys").and_then(Value::as_array);
        if let Some(keys) = keys {
            said.push(("list keys", strings(keys).join(", ")));
        }
    }
    said.dedup();
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_field_has_a_path_a_type_and_bounds() {
        let object = json!({"kind": "CustomResourceDefinition", "metadata": {"name": "pads.example.com"}, "spec": {
        "group": "example.com", "scope": "Namespaced", "names": {"kind": "Pad", "plural": "pads"},
        "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
            "type": "object", "properties": {
                "metadata": {"type": "object"},
                "spec": {"type": "object", "required": ["ports"], "properties": {
                    "ports": {"type": "array", "minItems": 1, "items": {"type": "object", "properties": {
                        "name": {"type": "string", "maxLength": 15}}}},
                    "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                    "size": {"x-kubernetes-int-or-string": true, "default": 3},
                    "mode": {"type": "string", "enum": ["a", "b"]},
                }},
            }}}}]}});
        let definition = Definition::read(&object).unwrap();
        let fields = &definition.versions[0].fields;
        let rows: Vec<String> = fields
            .iter()
            .map(|field| format!("{} {} {:?} {}", field.path, field.kind, field.bounds, field.closes))
            .collect();
        assert_eq!(
            rows,
            [
                "spec object [] 0",
                "spec.labels map of string [] 0",
                "spec.mode string [(\"one of\", \"a, b\")] 0",
                "spec.ports list of object [(\"minimum items\", \"1\")] 0",
                "spec.ports[].name string [(\"maximum length\", \"15\")] 1",
                "spec.size integer or string [(\"default\", \"3\")] 1",
            ]
        );
        assert!(fields[3].required && fields[3].has_fields && !fields[4].has_fields);
        assert_eq!(
            Definition::read(&json!({"kind": "Service"})).map(|found| found.name),
            None
        );
        assert!(Definition::read(&json!({"kind": "CustomResourceDefinition", "spec": 1})).is_some());
    }
}
