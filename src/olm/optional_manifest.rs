//! Optional manifests (proposal *optional-manifest*): how the property `olm.manifests.optional` names an object, and
//! how it goes on naming the object when that gets another namespace.

use serde::Deserialize;
use serde_json::Value;

/// One object that the property names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct OptionalManifest {
    /// API group, `""` for the core group. A version behind it does not count.
    pub group: String,
    /// Kind.
    pub kind: String,
    /// The namespace that the manifest itself names, `""` where it names none.
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
}

impl OptionalManifest {
    /// Whether this is the object that is meant.
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

/// The objects that a value of the property names, in its order. What is of another shape names nothing.
pub fn entries(value: &Value) -> impl Iterator<Item = OptionalManifest> {
    let list = value.get("manifests").and_then(Value::as_array);
    let entries = list.into_iter().flatten();
    entries.filter_map(|entry| OptionalManifest::deserialize(entry).ok())
}

/// The value of the property once objects have other namespaces: each pair is an object before and after. `None` where
/// the value stays as it is.
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
    fn an_entry_follows_its_object() {
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
