//! Optional manifests (proposal *optional-manifest*): which objects of a bundle an install may do without.

use super::Content;
use serde::Deserialize;
use serde_json::Value;

/// The property that names them.
pub(crate) const PROPERTY: &str = "olm.manifests.optional";

/// Kinds that an install never does without: they are OLM's own, or every cluster has them.
const NEVER: [&str; 11] = [
    "ClusterServiceVersion",
    "CustomResourceDefinition",
    "Subscription",
    "Secret",
    "ServiceAccount",
    "Role",
    "RoleBinding",
    "ClusterRole",
    "ClusterRoleBinding",
    "Service",
    "ConfigMap",
];

/// One object that is named as optional.
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
            && self.namespace == text("/metadata/namespace")
            && self.name == text("/metadata/name")
    }
}

/// All that the properties of a bundle name as optional. What is of another shape names nothing; `opmx bundle validate`
/// says so.
pub fn named(content: &Content) -> Vec<OptionalManifest> {
    let properties = content.properties.iter().filter(|property| property.kind == PROPERTY);
    let lists = properties.filter_map(|property| property.value.get("manifests")?.as_array());
    lists
        .flatten()
        .filter_map(|manifest| OptionalManifest::deserialize(manifest).ok())
        .collect()
}

/// Whether an object of a bundle is optional.
pub fn is_optional(object: &Value, named: &[OptionalManifest]) -> bool {
    let kind = object.get("kind").and_then(Value::as_str).unwrap_or_default();
    !NEVER.contains(&kind) && named.iter().any(|manifest| manifest.names(object))
}

#[cfg(test)]
mod tests {
    use super::super::content::tests::content;
    use super::*;
    use crate::olm::property::Property;
    use serde_json::json;

    fn object(api_version: &str, kind: &str, namespace: Option<&str>) -> Value {
        let mut object = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "mine"}});
        if let Some(namespace) = namespace {
            object["metadata"]["namespace"] = namespace.into();
        }
        object
    }

    fn listed(entries: &Value) -> Vec<OptionalManifest> {
        let mut content = content(json!({}), Vec::new());
        content.properties.push(Property {
            kind: PROPERTY.to_owned(),
            value: json!({"manifests": entries}),
        });
        named(&content)
    }

    /// The first group of the proposal's tests: an object is optional as the properties say.
    #[test]
    fn a_manifest_is_optional_by_group_kind_namespace_and_name() {
        let rule = listed(
            &json!([{"group": "monitoring.coreos.com", "kind": "PrometheusRule", "namespace": "ns", "name": "mine"}]),
        );
        assert_eq!(rule.len(), 1);
        let with = |api_version, kind, namespace| is_optional(&object(api_version, kind, namespace), &rule);
        assert!(with("monitoring.coreos.com/v1", "PrometheusRule", Some("ns")));
        assert!(
            with("monitoring.coreos.com/v9", "PrometheusRule", Some("ns")),
            "any version"
        );
        assert!(!with("monitoring.coreos.com/v1", "PrometheusRule", None));
        assert!(!with("monitoring.coreos.com/v1", "PrometheusRule", Some("other")));
        assert!(!with("monitoring.coreos.com/v1", "ServiceMonitor", Some("ns")));
        assert!(!with("other.example.com/v1", "PrometheusRule", Some("ns")));
        assert!(!with("v1", "PrometheusRule", Some("ns")));
    }

    #[test]
    fn a_version_behind_the_group_does_not_count() {
        let rule =
            listed(&json!([{"group": "autoscaling.k8s.io/v1", "kind": "VerticalPodAutoscaler", "name": "mine"}]));
        for version in ["v1", "v1beta2"] {
            let object = object(&format!("autoscaling.k8s.io/{version}"), "VerticalPodAutoscaler", None);
            assert!(is_optional(&object, &rule));
        }
    }

    #[test]
    fn kinds_that_every_cluster_has_are_never_optional() {
        for kind in NEVER {
            let rule = listed(&json!([{"kind": kind, "name": "mine"}]));
            assert_eq!(rule.len(), 1);
            assert!(!is_optional(&object("v1", kind, None), &rule), "{kind}");
        }
        let rule = listed(&json!([{"kind": "Other", "name": "mine"}]));
        assert!(is_optional(&object("v1", "Other", None), &rule));
    }

    #[test]
    fn an_entry_of_another_shape_names_nothing() {
        assert_eq!(listed(&json!([1, {"kind": 2}, null])), []);
        assert_eq!(listed(&json!({"kind": "x"})), []);
    }
}
