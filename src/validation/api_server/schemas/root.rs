//! Checks the root of the schema of a custom resource.

use super::{META, Walk};
use serde_json::{Map, Value};

/// Keys that the root must not have if the status is a subresource, because the API server validates it separately.
const NOT_WITH_STATUS: [&str; 12] = [
    "allOf",
    "anyOf",
    "default",
    "enum",
    "maxProperties",
    "minProperties",
    "not",
    "oneOf",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
];

impl Walk<'_, '_> {
    pub(super) fn root(&mut self, schema: &Map<String, Value>, has_status: bool) {
        if schema.get("nullable") == Some(&Value::Bool(true)) {
            let message = "the root of the schema must not be nullable".to_owned();
            self.part
                .refuse(&self.path.key("nullable"), message, "Remove nullable.");
        }
        for key in NOT_WITH_STATUS {
            if has_status && schema.get(key).is_some_and(|value| !is_nothing(value)) {
                let message = format!("{key} is not allowed at the root of a schema whose status is a subresource");
                let help = format!("Move {key} to the property spec, or use x-kubernetes-validations.");
                self.part.refuse(&self.path.key(key), message, &help);
            }
        }
        for name in META {
            let properties = schema.get("properties").and_then(Value::as_object);
            let Some(Value::Object(property)) = properties.and_then(|properties| properties.get(name)) else {
                continue;
            };
            let path = self.path.key("properties").key(name);
            let mut nested = vec![(path.clone(), property)];
            let parts = property
                .get("properties")
                .and_then(Value::as_object)
                .into_iter()
                .flatten();
            nested.extend(
                parts.filter_map(|(part, schema)| Some((path.key("properties").key(part), schema.as_object()?))),
            );
            for (path, schema) in nested {
                if schema.get("default").is_some_and(|default| !default.is_null()) {
                    let message = format!("{name} of a custom resource must not have a default");
                    self.part.refuse(&path.key("default"), message, "Remove the default.");
                }
            }
        }
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}
