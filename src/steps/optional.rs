//! Optional manifests (proposal *optional-manifest*): the objects of a bundle that an install does not require.

use super::Content;
pub use crate::olm::optional_manifest::OptionalManifest;
use crate::olm::optional_manifest::{can_be_optional, entries};
pub(crate) use crate::olm::property::OPTIONAL_MANIFESTS as PROPERTY;
use serde_json::Value;

/// Returns the objects that the properties of a bundle list as optional. Malformed properties are ignored; `opmx bundle
/// validate` reports them.
pub fn named(content: &Content) -> Vec<OptionalManifest> {
    let properties = content.properties.iter().filter(|property| property.kind == PROPERTY);
    properties.flat_map(|property| entries(&property.value)).collect()
}

/// Whether an object of a bundle is optional.
pub fn is_optional(object: &Value, named: &[OptionalManifest]) -> bool {
    let kind = object.get("kind").and_then(Value::as_str).unwrap_or_default();
    can_be_optional(kind) && named.iter().any(|manifest| manifest.names(object))
}

#[cfg(test)]
mod tests {
    use super::super::content::tests::content;
    use super::*;
    use crate::olm::kinds::SPECIAL;
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

    /// The first group of the proposal's tests: an object is optional if the properties list it.
    #[test]
    fn a_manifest_is_matched_by_group_kind_namespace_and_name() {
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
    fn a_version_after_the_group_is_ignored() {
        let rule =
            listed(&json!([{"group": "autoscaling.k8s.io/v1", "kind": "VerticalPodAutoscaler", "name": "mine"}]));
        for version in ["v1", "v1beta2"] {
            let object = object(&format!("autoscaling.k8s.io/{version}"), "VerticalPodAutoscaler", None);
            assert!(is_optional(&object, &rule));
        }
    }

    #[test]
    fn built_in_kinds_are_never_optional() {
        for kind in SPECIAL.iter().map(|(_, kind)| *kind).chain(["Subscription"]) {
            let rule = listed(&json!([{"kind": kind, "name": "mine"}]));
            assert_eq!(rule.len(), 1);
            assert!(!is_optional(&object("v1", kind, None), &rule), "{kind}");
        }
        let rule = listed(&json!([{"kind": "Other", "name": "mine"}]));
        assert!(is_optional(&object("v1", "Other", None), &rule));
    }

    #[test]
    fn a_malformed_entry_matches_nothing() {
        assert_eq!(listed(&json!([1, {"kind": 2}, null])), []);
        assert_eq!(listed(&json!({"kind": "x"})), []);
    }
}
