//! The bundles that OLM v1 does not install from a catalog.

use super::Bundle;
use crate::csv::Csv;
use crate::olm::install_mode::INSTALL_MODES;
use crate::olm::property::{CONSTRAINT, GVK_REQUIRED, K8S_V1, LABEL, MEDIA_TYPE, PACKAGE_REQUIRED};

/// Returns the reasons why OLM v1 does not install a bundle, each as a clause about the bundle. What `csv` does not
/// state gives no reason, because a catalog may contain only a part of a ClusterServiceVersion, or none.
pub(crate) fn refusals(bundle: &Bundle, csv: Csv<'_>) -> Vec<&'static str> {
    let mut properties = bundle.properties.iter();
    let is_plain = properties.any(|property| {
        let value = || serde_json::from_str::<String>(&property.value);
        &*property.kind == MEDIA_TYPE && value().is_ok_and(|value| value == K8S_V1)
    });
    let [.., all_namespaces] = INSTALL_MODES;
    let supports_all = csv.supports(all_namespaces);
    let supports_other = INSTALL_MODES
        .into_iter()
        .any(|mode| mode != all_namespaces && csv.supports(mode));
    let mut webhooks = csv.list(&["spec", "webhookdefinitions"]).iter();
    let converts = webhooks.any(|webhook| webhook.get("type").is_some_and(|kind| kind == "ConversionWebhook"));
    let refusals = [
        (has_dependencies(bundle), "it has dependencies"),
        (
            !csv.list(&["spec", "installModes"]).is_empty() && !supports_all,
            "it does not support the install mode AllNamespaces",
        ),
        (
            converts && supports_other,
            "it has a conversion webhook, but supports install modes other than AllNamespaces",
        ),
        (
            !csv.list(&["spec", "apiservicedefinitions", "owned"]).is_empty(),
            "it serves APIs through an APIService",
        ),
        (is_plain, "its media type is k8s+v1"),
        (
            bundle.image.as_deref() == Some(""),
            "the catalog contains its manifests instead of its image",
        ),
    ];
    let held = refusals.into_iter().filter(|(is_held, _)| *is_held);
    held.map(|(_, reason)| reason).collect()
}

/// Returns whether a bundle has dependencies of a type that OLM v1 rejects. It ignores dependencies on labels.
fn has_dependencies(bundle: &Bundle) -> bool {
    const REJECTED: [&str; 3] = [GVK_REQUIRED, PACKAGE_REQUIRED, CONSTRAINT];
    let mut properties = bundle.properties.iter();
    let mut dependencies = bundle.dependencies.iter();
    properties.any(|property| REJECTED.contains(&&*property.kind))
        || dependencies.any(|dependency| &*dependency.kind != LABEL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{ManifestsId, Property};
    use serde_json::{Value, json};

    fn bundle(properties: &[(&str, Value)], dependencies: &[&str], image: &str) -> Bundle {
        let property = |kind: &str, value: &Value| Property::new(kind, value.to_string());
        Bundle {
            name: "rake.v1.0.0".into(),
            version: None,
            image: Some(image.into()),
            properties: properties.iter().map(|(kind, value)| property(kind, value)).collect(),
            dependencies: dependencies.iter().map(|kind| property(kind, &json!({}))).collect(),
            manifests: ManifestsId(0),
        }
    }

    #[test]
    fn each_limit_of_olm_v1_is_a_reason() {
        const IMAGE: &str = "registry.example.com/rake:v1";
        let mode = |name: &str| json!({"type": name, "supported": true});
        let csv = |spec: Value| json!({ "spec": spec });
        let all = csv(json!({"installModes": [mode("AllNamespaces")]}));
        let own = csv(json!({"installModes": [mode("OwnNamespace")]}));
        let converting = |modes: &[&str]| {
            let modes: Vec<Value> = modes.iter().map(|name| mode(name)).collect();
            csv(json!({"installModes": modes, "webhookdefinitions": [{"type": "ConversionWebhook"}]}))
        };
        let serving = csv(json!({"apiservicedefinitions": {"owned": [{"name": "v1.example.com"}]}}));
        let usual = || bundle(&[], &[], IMAGE);
        for (bundle, csv, expected) in [
            (usual(), Value::Null, ""),
            (usual(), all.clone(), ""),
            (usual(), converting(&["AllNamespaces"]), ""),
            (bundle(&[], &[LABEL], IMAGE), all.clone(), ""),
            (bundle(&[], &["olm.package"], IMAGE), all.clone(), "has dependencies"),
            (
                bundle(&[(GVK_REQUIRED, json!({}))], &[], IMAGE),
                all.clone(),
                "has dependencies",
            ),
            (usual(), own, "does not support the install mode AllNamespaces"),
            (
                usual(),
                converting(&["AllNamespaces", "OwnNamespace"]),
                "conversion webhook",
            ),
            (usual(), serving, "APIService"),
            (
                bundle(&[(MEDIA_TYPE, json!(K8S_V1))], &[], IMAGE),
                all.clone(),
                "k8s+v1",
            ),
            (bundle(&[], &[], ""), all, "instead of its image"),
        ] {
            let found = refusals(&bundle, Csv(&csv));
            let is_expected = match expected {
                "" => found.is_empty(),
                _ => matches!(found[..], [only] if only.contains(expected)),
            };
            assert!(is_expected, "expected {expected:?}: {found:?}");
        }
    }
}
