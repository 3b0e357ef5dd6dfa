//! Optional manifests (proposal *optional-manifest*): reads the entries of the property `olm.manifests.optional`, and
//! updates them when the namespaces of objects change.

use super::kinds::SPECIAL;
use super::property::OPTIONAL_MANIFESTS as PROPERTY;
use crate::text::{Path, kind_of};
use serde::Deserialize;
use serde_json::Value;

/// The key of the list of entries.
pub(crate) const LIST: &str = "manifests";

/// An object that the property names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct OptionalManifest {
    /// The API group, `""` for the core group. A version after the group is ignored.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// The namespace in the manifest, `""` if it has none.
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
}

impl OptionalManifest {
    /// Returns whether the entry names this object.
    pub fn names(&self, object: &Value) -> bool {
        let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
        let group = |api_version: &str| api_version.split_once('/').map(|(group, _)| group.to_owned());
        let written = group(&self.group).unwrap_or_else(|| self.group.clone());
        written == group(text("/apiVersion")).unwrap_or_default()
            && self.kind == text("/kind")
            && self.namespace == namespace_of(object)
            && self.name == text("/metadata/name")
    }
}

/// Returns whether objects of a kind can be optional. Others belong to OLM, or every cluster serves them.
pub(crate) fn can_be_optional(kind: &str) -> bool {
    kind != "Subscription" && !SPECIAL.iter().any(|(_, special)| *special == kind)
}

/// Returns the entries of a value of the property, in order. Malformed entries are skipped.
pub fn entries(value: &Value) -> impl Iterator<Item = OptionalManifest> {
    let entries = list(value).into_iter().flatten();
    entries.filter_map(|entry| OptionalManifest::deserialize(entry).ok())
}

/// Returns the list of entries in a value of the property.
pub(crate) fn list(value: &Value) -> Option<&Vec<Value>> {
    value.get(LIST)?.as_array()
}

/// Returns what is wrong with a value of the property, each with its path in the value.
pub(crate) fn problems(value: &Value) -> Vec<(Path, String)> {
    let path = Path::root().key(LIST);
    let Some(list) = list(value) else {
        return vec![(path, without_list())];
    };
    let entries = list.iter().enumerate();
    entries
        .flat_map(|(index, entry)| problems_of_entry(entry, &path.index(index)))
        .collect()
}

/// Describes a value without a list of entries.
pub(crate) fn without_list() -> String {
    format!("the value of {PROPERTY} has no list named {LIST}")
}

/// Returns what is wrong with the entry at a path.
pub(crate) fn problems_of_entry(entry: &Value, path: &Path) -> Vec<(Path, String)> {
    let Value::Object(map) = entry else {
        let message = format!("an entry of {PROPERTY} is {}, not a map", kind_of(entry));
        return vec![(path.clone(), message)];
    };
    let mut found = Vec::new();
    for (key, required) in [("group", false), ("kind", true), ("namespace", false), ("name", true)] {
        let message = match map.get(key) {
            None | Some(Value::Null) if required => format!("an entry of {PROPERTY} has no {key}"),
            Some(Value::String(text)) if text.is_empty() && required => {
                format!("the {key} of an entry of {PROPERTY} is empty")
            }
            None | Some(Value::Null | Value::String(_)) => continue,
            Some(other) => format!(
                "the {key} of an entry of {PROPERTY} is {}, not a string",
                kind_of(other)
            ),
        };
        found.push((path.key(key), message));
    }
    found
}

/// Returns the value of the property after the namespaces of objects have changed. Each pair contains an object before
/// and after the change. Returns `None` if the value does not change.
pub fn moved<'v>(value: &Value, objects: &(impl Iterator<Item = (&'v Value, &'v Value)> + Clone)) -> Option<Value> {
    let mut moved = value.clone();
    for entry in moved.get_mut("manifests")?.as_array_mut()? {
        let Ok(named) = OptionalManifest::deserialize(&*entry) else {
            continue;
        };
        let Some((_, after)) = objects.clone().find(|(before, _)| named.names(before)) else {
            continue;
        };
        let (namespace, Some(entry)) = (namespace_of(after), entry.as_object_mut()) else {
            continue;
        };
        if namespace == named.namespace {
            continue;
        }
        if namespace.is_empty() {
            entry.shift_remove("namespace");
        } else {
            entry.insert("namespace".to_owned(), namespace.into());
        }
    }
    (moved != *value).then_some(moved)
}

fn namespace_of(object: &Value) -> &str {
    let namespace = object.pointer("/metadata/namespace");
    namespace.and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rule(namespace: Option<&str>) -> Value {
        let mut rule = json!({"apiVersion": "monitoring.coreos.com/v1", "kind": "PrometheusRule",
            "metadata": {"name": "my-rule"}});
        if let Some(namespace) = namespace {
            rule["metadata"]["namespace"] = namespace.into();
        }
        rule
    }

    #[test]
    fn an_optional_entry_follows_its_object() {
        let entry = |namespace: &str| json!({"group": "monitoring.coreos.com", "kind": "PrometheusRule", "namespace": namespace, "name": "my-rule"});
        let value = json!({"manifests": [entry("my-namespace"), entry("other"), 1]});
        let before = rule(Some("my-namespace"));
        let without = moved(&value, &[(&before, &rule(None))].into_iter()).unwrap();
        assert_eq!(without["manifests"][0].get("namespace"), None);
        assert_eq!(
            (&without["manifests"][1], &without["manifests"][2]),
            (&entry("other"), &json!(1))
        );
        let elsewhere = moved(&value, &[(&before, &rule(Some("b")))].into_iter()).unwrap();
        assert_eq!(elsewhere["manifests"][0]["namespace"], "b");
        assert_eq!(moved(&value, &[(&before, &before)].into_iter()), None);
        assert_eq!(
            moved(&json!({"files": []}), &[(&before, &rule(None))].into_iter()),
            None
        );
    }
}
