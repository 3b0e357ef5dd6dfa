//! What a plan needs to know of an object in a cluster.

use serde_json::{Map, Value, json};

/// Kinds of which everything counts: who may do what, and OLM's own.
const WHOLE: [&str; 10] = [
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "OperatorGroup",
    "Subscription",
    "OperatorCondition",
    "Condition",
    "InstallPlan",
    "CatalogSource",
];

/// Takes from an object what a plan needs: of a CustomResourceDefinition which names and versions it has, of a role all
/// of it, of all else which object it is.
pub fn kept(object: Value) -> Value {
    let kind = object.get("kind").and_then(Value::as_str).unwrap_or_default();
    if WHOLE.contains(&kind) {
        return object;
    }
    let mut kept = Map::new();
    for key in ["apiVersion", "kind"] {
        kept.extend(object.get(key).map(|value| (key.to_owned(), value.clone())));
    }
    let mut metadata = Map::new();
    for key in ["name", "namespace"] {
        let value = object.get("metadata").and_then(|metadata| metadata.get(key));
        metadata.extend(value.map(|value| (key.to_owned(), value.clone())));
    }
    kept.insert("metadata".to_owned(), Value::Object(metadata));
    if kind == "CustomResourceDefinition" {
        let at = |path: &str| object.pointer(path).cloned().unwrap_or_default();
        let versions = object.pointer("/spec/versions").and_then(Value::as_array);
        let version = |version: &Value| json!({"name": version.get("name"), "served": version.get("served")});
        let versions: Vec<Value> = versions.into_iter().flatten().map(version).collect();
        let spec = json!({"group": at("/spec/group"), "names": at("/spec/names"), "scope": at("/spec/scope"),
            "version": at("/spec/version"), "versions": versions});
        kept.insert("spec".to_owned(), spec);
        let status = json!({"storedVersions": at("/status/storedVersions")});
        kept.insert("status".to_owned(), status);
    }
    Value::Object(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_stay_whole_and_schemas_go() {
        let role = json!({"kind": "Role", "metadata": {"name": "r", "labels": {}}, "rules": [1]});
        assert_eq!(kept(role.clone()), role);
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "n", "uid": "1"},
            "data": {"a": "c2VjcmV0"}});
        assert_eq!(
            kept(secret),
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "n"}})
        );
        let definition = json!({"kind": "CustomResourceDefinition", "metadata": {"name": "a.b"}, "spec": {
            "group": "b", "names": {"kind": "A"}, "scope": "Cluster", "versions": [{"name": "v1", "served": true, "schema": {"x": 1}}]},
            "status": {"storedVersions": ["v1"], "conditions": []}});
        let kept = kept(definition);
        assert_eq!(kept["spec"]["versions"], json!([{"name": "v1", "served": true}]));
        assert_eq!(kept["status"], json!({"storedVersions": ["v1"]}));
    }
}
