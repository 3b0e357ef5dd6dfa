//! Reduces cluster objects to the parts that a command needs.

use crate::csv::{self, Csv};
use crate::kubernetes::{builtin, schema_digest};
use crate::olm::annotation::PROPERTIES;
use serde_json::{Map, Value, json};

/// Kinds that are kept whole: RBAC and OLM kinds.
const WHOLE: [&str; 12] = [
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
    "Operator",
    "Install",
];

/// The group and kind of the packages of all catalogs, with icons and descriptions. An API server of OLM computes
/// them, so they are neither installed nor checked against a definition.
const PACKAGES: (&str, &str) = ("packages.operators.coreos.com", "PackageManifest");

/// The fields of built-in kinds that are kept in addition to the identity.
const PARTS: [(&str, &[&str]); 6] = [
    ("APIService", &["metadata", "labels"]),
    ("Deployment", &["spec", "selector"]),
    ("Namespace", &["metadata", "labels"]),
    ("PriorityClass", &["value"]),
    ("PriorityClass", &["preemptionPolicy"]),
    ("Secret", &["type"]),
];

/// The fields of an immutable ConfigMap or Secret that are kept in addition to the identity.
const OF_IMMUTABLE: [&str; 3] = ["immutable", "data", "binaryData"];

/// The fields of a ClusterServiceVersion that are kept.
const OF_VERSION: [&[&str]; 15] = [
    &["apiVersion"],
    &["kind"],
    &["metadata", "name"],
    &["metadata", "namespace"],
    &["metadata", "labels"],
    &["metadata", "annotations", "olm.operatorNamespace"],
    &["metadata", "annotations", PROPERTIES],
    &["spec", "version"],
    &["spec", "replaces"],
    &["spec", "customresourcedefinitions", "owned"],
    &["spec", "customresourcedefinitions", "required"],
    &["spec", "apiservicedefinitions", "owned"],
    &["spec", "apiservicedefinitions", "required"],
    &["status", "phase"],
    &["status", "reason"],
];

/// The fields of a PackageManifest that are kept to find the operator that it belongs to.
const OF_PACKAGE: [&[&str]; 5] = [
    &["apiVersion"],
    &["kind"],
    &["metadata", "name"],
    &["metadata", "namespace"],
    &["metadata", "labels"],
];

/// The fields that are kept for each API that a ClusterServiceVersion owns or requires.
const OF_API: [&str; 4] = ["name", "group", "version", "kind"];

/// Returns the parts of an object that a resolution and a plan need: the identity and the APIs of a
/// ClusterServiceVersion, the names, versions and digests of the schemas of a CustomResourceDefinition, and the
/// identity of other objects, with the fields that the API server or OLM compares in an update. Roles, custom resources
/// and objects of OLM's other kinds are kept whole.
pub fn kept(object: Value) -> Value {
    let kind = object.get("kind").and_then(Value::as_str).unwrap_or_default();
    let api_version = object.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    let is_custom = !builtin::is_listed_group(group) && group != csv::GROUP && (group, kind) != PACKAGES;
    if WHOLE.contains(&kind) || is_custom {
        return object;
    }
    if kind == csv::KIND {
        return version(&object);
    }
    let mut kept = Value::Object(Map::new());
    let mut keep = |path: &[&str]| put(&mut kept, path, at(&object, path).cloned());
    keep(&["apiVersion"]);
    keep(&["kind"]);
    keep(&["metadata", "name"]);
    keep(&["metadata", "namespace"]);
    for (_, path) in PARTS.iter().filter(|(of, _)| *of == kind) {
        keep(path);
    }
    if ["ConfigMap", "Secret"].contains(&kind) && object.get("immutable") == Some(&Value::Bool(true)) {
        for key in OF_IMMUTABLE {
            keep(&[key]);
        }
    }
    if kind == "CustomResourceDefinition" {
        put(&mut kept, &["spec"], Some(definition(&object)));
        let conditions = object.pointer("/status/conditions").and_then(Value::as_array);
        let condition = |condition: &Value| json!({"type": condition.get("type"), "status": condition.get("status")});
        let conditions: Vec<Value> = conditions.into_iter().flatten().map(condition).collect();
        let stored = object.pointer("/status/storedVersions").cloned().unwrap_or_default();
        let status = json!({"storedVersions": stored, "conditions": conditions});
        put(&mut kept, &["status"], Some(status));
    }
    kept
}

/// Returns the parts of the spec of a CustomResourceDefinition that are kept.
fn definition(object: &Value) -> Value {
    let at = |path: &str| object.pointer(path).cloned().unwrap_or_default();
    let versions = object.pointer("/spec/versions").and_then(Value::as_array);
    let version = |version: &Value| {
        let mut kept = json!({"name": version.get("name"), "served": version.get("served")});
        put(
            &mut kept,
            &[schema_digest::KEY],
            schema_digest::of(version).map(Value::String),
        );
        kept
    };
    let versions: Vec<Value> = versions.into_iter().flatten().map(version).collect();
    json!({"group": at("/spec/group"), "names": at("/spec/names"), "scope": at("/spec/scope"),
        "conversion": {"strategy": at("/spec/conversion/strategy")}, "version": at("/spec/version"),
        "versions": versions})
}

/// Returns an object whole, with two exceptions. Of a ClusterServiceVersion that OLM copied from another namespace,
/// only the identity, the origin and the owners are kept, because there may be one in every namespace. Of a
/// PackageManifest, only the identity, the labels and the owners are kept.
pub fn kept_whole(object: Value) -> Value {
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
    let group = text("apiVersion").split_once('/').map_or("", |(group, _)| group);
    let mut kept = if (group, text("kind")) == (csv::GROUP, csv::KIND) && Csv(&object).is_copied() {
        version(&object)
    } else if (group, text("kind")) == PACKAGES {
        let mut kept = Value::Object(Map::new());
        for path in OF_PACKAGE {
            put(&mut kept, path, at(&object, path).cloned());
        }
        kept
    } else {
        return object;
    };
    let owners = object.pointer("/metadata/ownerReferences").cloned();
    put(&mut kept, &["metadata", "ownerReferences"], owners);
    kept
}

/// Returns the parts of a ClusterServiceVersion that are kept. The other parts are mostly descriptions and icons. OLM
/// may copy a ClusterServiceVersion to every namespace; only the identity and the origin of these copies are used.
fn version(object: &Value) -> Value {
    let mut kept = Value::Object(Map::new());
    let is_copied = Csv(object).is_copied();
    let of_original = |path: &&[&str]| path.starts_with(&["spec"]) || path.ends_with(&[PROPERTIES]);
    for path in OF_VERSION.into_iter().filter(|path| !(is_copied && of_original(path))) {
        let found = match at(object, path) {
            Some(Value::Array(apis)) => Some(apis.iter().map(api).collect()),
            found => found.cloned(),
        };
        put(&mut kept, path, found);
    }
    kept
}

fn api(api: &Value) -> Value {
    let of_api = OF_API
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), api.get(key)?.clone())));
    Value::Object(of_api.collect())
}

fn at<'a>(object: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(object, |value, key| value.get(key))
}

fn put(whole: &mut Value, path: &[&str], found: Option<Value>) {
    let Some(found) = found else { return };
    let place = path.iter().fold(whole, |value, key| &mut value[*key]);
    *place = found;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_kept_whole_and_schemas_dropped() {
        let role = json!({"kind": "Role", "metadata": {"name": "r", "labels": {}}, "rules": [1]});
        assert_eq!(kept(role.clone()), role);
        let custom =
            json!({"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "f"}, "spec": {"a": 1}});
        assert_eq!(kept(custom.clone()), custom);
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "n", "uid": "1"},
            "data": {"a": "c2VjcmV0"}});
        assert_eq!(
            kept(secret),
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "n"}})
        );
        let definition = json!({"kind": "CustomResourceDefinition", "metadata": {"name": "a.b"}, "spec": {
            "group": "b", "names": {"kind": "A"}, "scope": "Cluster", "versions": [{"name": "v1", "served": true, "schema": {"x": 1}}]},
            "status": {"storedVersions": ["v1"], "conditions": [{"type": "Established", "status": "True", "message": "m"}]}});
        let kept = kept(definition);
        assert_eq!(kept["spec"]["versions"], json!([{"name": "v1", "served": true}]));
        let conditions = json!([{"type": "Established", "status": "True"}]);
        assert_eq!(
            kept["status"],
            json!({"storedVersions": ["v1"], "conditions": conditions})
        );
    }

    #[test]
    fn custom_resources_are_kept_whole_even_if_their_group_ends_like_a_built_in_one() {
        let of = |group: &str| json!({"apiVersion": format!("{group}/v1"), "kind": "A", "metadata": {"name": "a"}, "spec": 1});
        for group in ["example.com", "snapshot.storage.k8s.io", "gateway.networking.k8s.io"] {
            assert_eq!(kept(of(group)), of(group));
        }
        for group in ["storage.k8s.io", "networking.k8s.io", "apps"] {
            assert_eq!(kept(of(group)).get("spec"), None, "{group}");
        }
    }

    #[test]
    fn data_is_kept_only_if_it_is_immutable() {
        let of = |immutable: bool| {
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "immutable": immutable,
                "data": {"a": "1"}, "binaryData": {"b": "AA=="}})
        };
        assert_eq!(kept(of(true)), of(true));
        let identity = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}});
        assert_eq!(kept(of(false)), identity);
    }

    #[test]
    fn fields_that_cannot_change_are_kept() {
        let secret =
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "type": "kubernetes.io/tls"});
        assert_eq!(kept(secret.clone()), secret);
        let class = json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "c"},
            "value": 1, "preemptionPolicy": "Never"});
        assert_eq!(kept(class.clone()), class);
    }

    #[test]
    fn only_identity_and_apis_of_a_version_are_kept() {
        let kept_too = json!({
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "ClusterServiceVersion",
            "metadata": {"name": "a", "annotations": {PROPERTIES: "{}"}},
            "spec": {"version": "1.0.0", "customresourcedefinitions": {"owned": [{"name": "as.b", "version": "v1", "kind": "A"}]}},
            "status": {"phase": "Succeeded"},
        });
        let mut whole = kept_too.clone();
        whole["metadata"]["annotations"]["alm-examples"] = json!("[]");
        whole["spec"]["icon"] = json!([{"base64data": "AA=="}]);
        whole["spec"]["customresourcedefinitions"]["owned"][0]["description"] = json!("An A");
        assert_eq!(kept(whole), kept_too);
    }

    #[test]
    fn only_identity_and_origin_of_a_copied_version_are_kept() {
        let kept_too = json!({
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "ClusterServiceVersion",
            "metadata": {"name": "a", "namespace": "there", "labels": {"olm.copiedFrom": "here"},
                "annotations": {"olm.operatorNamespace": "here"}},
            "status": {"phase": "Succeeded", "reason": "Copied"},
        });
        let mut whole = kept_too.clone();
        whole["metadata"]["annotations"][PROPERTIES] = json!("{}");
        whole["spec"] = json!({"version": "1.0.0", "replaces": "b",
            "customresourcedefinitions": {"owned": [{"name": "as.b", "version": "v1", "kind": "A"}]}});
        assert_eq!(kept(whole), kept_too);
    }

    #[test]
    fn of_a_package_manifest_the_content_of_the_catalog_is_not_kept() {
        let package = |metadata: Value| json!({"apiVersion": "packages.operators.coreos.com/v1", "kind": "PackageManifest", "metadata": metadata});
        let mut whole = package(
            json!({"name": "p", "namespace": "n", "labels": {"catalog": "c"}, "uid": "1",
            "ownerReferences": [{"kind": "CatalogSource", "name": "c"}]}),
        );
        whole["spec"] = json!({});
        whole["status"] = json!({"channels": [{"currentCSVDesc": {"icon": [{"base64data": "AA=="}]}}]});
        assert_eq!(kept(whole.clone()), package(json!({"name": "p", "namespace": "n"})));
        let with_owner = json!({"name": "p", "namespace": "n", "labels": {"catalog": "c"},
            "ownerReferences": [{"kind": "CatalogSource", "name": "c"}]});
        assert_eq!(kept_whole(whole.clone()), package(with_owner));
        whole["kind"] = json!("Other");
        assert_eq!(kept(whole.clone()), whole);
        assert_eq!(kept_whole(whole.clone()), whole);
    }

    #[test]
    fn everything_else_is_kept_whole_except_copied_versions() {
        let original = json!({
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "ClusterServiceVersion",
            "metadata": {"name": "a", "namespace": "here", "labels": {}, "annotations": {"olm.operatorNamespace": "here"},
                "ownerReferences": [{"kind": "ClusterServiceVersion", "name": "b"}]},
            "spec": {"version": "1.0.0", "icon": [{"base64data": "AA=="}]},
            "status": {"phase": "Succeeded", "reason": "InstallSucceeded"},
        });
        assert_eq!(kept_whole(original.clone()), original);
        let secret =
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"a": "c2VjcmV0"}});
        assert_eq!(kept_whole(secret.clone()), secret);
        for (pointer, value) in [
            ("/metadata/labels", json!({"olm.copiedFrom": "here"})),
            ("/metadata/annotations", json!({"olm.operatorNamespace": "elsewhere"})),
            ("/status/reason", json!("Copied")),
        ] {
            let mut copy = original.clone();
            *copy.pointer_mut(pointer).unwrap() = value;
            let mut kept_too = copy.clone();
            kept_too.as_object_mut().unwrap().shift_remove("spec");
            assert_eq!(kept_whole(copy), kept_too);
        }
        let mut other = original;
        other["apiVersion"] = json!("example.com/v1");
        other["status"]["reason"] = json!("Copied");
        assert_eq!(kept_whole(other.clone()), other);
    }
}
