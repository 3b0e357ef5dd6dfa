//! The namespace mapping of an `Install` (proposal *simplify-olm-apis*): content for one namespace is installed into
//! another one, and every reference to the first namespace is changed to the second.

use super::apis::Apis;
use super::handling;
use crate::kubernetes::{GroupVersionKind, rbac};
use crate::olm::optional_manifest;
use crate::olm::property::OPTIONAL_MANIFESTS;
use crate::steps::Content;
use serde_json::Value;

/// The namespace of namespaced objects that specify none.
const DEFAULT: &str = "default";

/// Paths of references to a Service. Each reference contains the namespace of the Service.
const SERVICES: [&str; 3] = [
    "/spec/service",
    "/spec/conversion/webhook/clientConfig/service",
    "/spec/conversion/webhookClientConfig/service",
];

/// A mapping from one namespace to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    /// The namespace in the content.
    pub from: String,
    /// The namespace in the cluster.
    pub to: String,
}

/// Maps the namespaces in a bundle: those of its objects, of the subjects of bindings, of Service references, and of
/// the objects that its properties list as optional. A namespaced object without a namespace is treated as being in
/// `default`. The first mapping of a namespace takes precedence.
pub fn map(content: &mut Content, mappings: &[Mapping], apis: &Apis) {
    let before = content.objects.clone();
    for object in std::iter::once(&mut content.csv).chain(&mut content.objects) {
        map_object(object, mappings, apis);
    }
    let moved = before.iter().zip(&content.objects);
    let named = content.properties.iter_mut();
    for property in named.filter(|property| property.kind == OPTIONAL_MANIFESTS) {
        if let Some(value) = optional_manifest::moved(&property.value, &moved) {
            property.value = value;
        }
    }
}

fn target<'m>(mappings: &'m [Mapping], namespace: &str) -> Option<&'m str> {
    let mapping = mappings.iter().find(|mapping| mapping.from == namespace)?;
    Some(&mapping.to)
}

fn map_object(object: &mut Value, mappings: &[Mapping], apis: &Apis) {
    let text = |object: &Value, path: &str| {
        let text = object.pointer(path).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    let gvk = GroupVersionKind::from_api_version(&text(object, "/apiVersion"), &text(object, "/kind"));
    if handling::is_namespaced(&gvk, apis) {
        let own = text(object, "/metadata/namespace");
        let own = if own.is_empty() { DEFAULT } else { &own };
        if let Some(to) = target(mappings, own)
            && let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut)
        {
            metadata.insert("namespace".to_owned(), to.into());
        }
    }
    if gvk.group == rbac::GROUP {
        let subjects = object.get_mut("subjects").and_then(Value::as_array_mut);
        subjects
            .into_iter()
            .flatten()
            .for_each(|subject| map_subject(subject, mappings));
    }
    for path in SERVICES {
        map_reference(object.pointer_mut(path), mappings);
    }
    let webhooks = object.get_mut("webhooks").and_then(Value::as_array_mut);
    for webhook in webhooks.into_iter().flatten() {
        map_reference(webhook.pointer_mut("/clientConfig/service"), mappings);
    }
}

fn map_reference(reference: Option<&mut Value>, mappings: &[Mapping]) {
    let Some(Value::String(namespace)) = reference.and_then(|reference| reference.get_mut("namespace")) else {
        return;
    };
    if let Some(to) = target(mappings, namespace) {
        to.clone_into(namespace);
    }
}

/// Maps the namespace of a subject. The namespace is in a field, or in the name of a user or group that represents
/// service accounts.
fn map_subject(subject: &mut Value, mappings: &[Mapping]) {
    let kind = subject.get("kind").and_then(Value::as_str).unwrap_or_default();
    let (prefix, separator) = match kind {
        "ServiceAccount" => return map_reference(Some(subject), mappings),
        "User" => ("system:serviceaccount:", ":"),
        "Group" => ("system:serviceaccounts:", ""),
        _ => return,
    };
    let name = subject.get("name").and_then(Value::as_str).unwrap_or_default();
    let Some(rest) = name.strip_prefix(prefix) else {
        return;
    };
    let (namespace, account) = rest.split_once(':').unwrap_or((rest, ""));
    if let Some(to) = target(mappings, namespace) {
        subject["name"] = format!("{prefix}{to}{separator}{account}").into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kubernetes::rbac::account::{Account, grants};
    use crate::olm::property::Property;
    use crate::steps::content::tests::content;
    use crate::steps::optional;
    use proptest::prelude::*;
    use serde_json::json;

    fn mapping(from: &str, to: &str) -> Mapping {
        Mapping {
            from: from.to_owned(),
            to: to.to_owned(),
        }
    }

    fn mapped(object: Value, mappings: &[Mapping]) -> Value {
        let mut content = content(json!({}), vec![object]);
        map(&mut content, mappings, &Apis::default());
        content.objects.remove(0)
    }

    #[test]
    fn everything_that_names_the_namespace_is_mapped() {
        let mappings = [mapping("default", "operators"), mapping("a", "b")];
        let config = |metadata: Value| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
        let unnamed = mapped(config(json!({"name": "c"})), &mappings);
        assert_eq!(unnamed["metadata"]["namespace"], "operators");
        let other = config(json!({"name": "c", "namespace": "other"}));
        assert_eq!(mapped(other.clone(), &mappings), other);
        let cluster = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "c"},
            "subjects": [{"kind": "ServiceAccount", "name": "s", "namespace": "a"}, {"kind": "User", "name": "system:serviceaccount:a:s"},
                {"kind": "Group", "name": "system:serviceaccounts:a"}, {"kind": "Group", "name": "a"}]});
        let cluster = mapped(cluster, &mappings);
        assert_eq!(cluster["metadata"].get("namespace"), None);
        let subjects = json!([{"kind": "ServiceAccount", "name": "s", "namespace": "b"}, {"kind": "User", "name": "system:serviceaccount:b:s"},
            {"kind": "Group", "name": "system:serviceaccounts:b"}, {"kind": "Group", "name": "a"}]);
        assert_eq!(cluster["subjects"], subjects);
        let service = json!({"name": "s", "namespace": "a"});
        let hooks = json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": "w"}, "webhooks": [{"clientConfig": {"service": service}}]});
        assert_eq!(
            mapped(hooks, &mappings)["webhooks"][0]["clientConfig"]["service"]["namespace"],
            "b"
        );
        let served = json!({"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": "v1.g"},
            "spec": {"service": service}});
        assert_eq!(mapped(served, &mappings)["spec"]["service"]["namespace"], "b");
    }

    const NAMESPACES: [Option<&str>; 4] = [None, Some("default"), Some("a"), Some("b")];
    const KINDS: [(&str, &str); 4] = [
        ("monitoring.coreos.com/v1", "PrometheusRule"),
        ("monitoring.coreos.com/v1", "ServiceMonitor"),
        ("networking.k8s.io/v1", "NetworkPolicy"),
        ("console.openshift.io/v1", "ConsoleLink"),
    ];

    fn named(api_version: &str, kind: &str, name: &str, namespace: Option<&str>) -> Value {
        let mut object = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}});
        if let Some(namespace) = namespace {
            object["metadata"]["namespace"] = namespace.into();
        }
        object
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        /// The namespace mapping is consistent in manifests, RBAC and properties: optional manifests stay optional, and
        /// an account has the same permissions in the new namespaces as in the old ones.
        #[test]
        fn what_is_mapped_means_the_same(
            objects in prop::collection::vec((0..KINDS.len(), 0..NAMESPACES.len(), any::<bool>()), 0..6),
            bindings in prop::collection::vec((0..NAMESPACES.len(), 0..NAMESPACES.len(), any::<bool>()), 0..5),
            targets in prop::collection::vec(0..4usize, 3),
        ) {
            // Distinct targets, so that no two namespaces become the same.
            let spare = ["x", "y", "z"];
            let mappings: Vec<Mapping> = ["default", "a", "b"]
                .iter()
                .zip(spare)
                .zip(&targets)
                .filter(|(_, choice)| **choice > 0)
                .map(|((from, to), _)| mapping(from, to))
                .collect();
            let to = |namespace: &str| target(&mappings, namespace).unwrap_or(namespace).to_owned();
            let mut all = Vec::new();
            let mut entries = Vec::new();
            for (index, (kind, namespace, optional)) in objects.iter().enumerate() {
                let (api_version, kind) = KINDS[*kind];
                let namespace = NAMESPACES[*namespace].filter(|_| kind != "ConsoleLink");
                let name = format!("o{index}");
                if *optional {
                    let group = api_version.split_once('/').unwrap().0;
                    entries.push(json!({"group": group, "kind": kind, "name": name, "namespace": namespace.unwrap_or("")}));
                }
                all.push(named(api_version, kind, &name, namespace));
            }
            let rbac_version = "rbac.authorization.k8s.io/v1";
            for (index, (place, subject, cluster)) in bindings.iter().enumerate() {
                let place = NAMESPACES[*place].unwrap_or(DEFAULT);
                let subject_in = NAMESPACES[*subject].unwrap_or(place);
                let (kind, namespace) = if *cluster { ("ClusterRole", None) } else { ("Role", Some(place)) };
                let name = format!("r{index}");
                let mut role = named(rbac_version, kind, &name, namespace);
                role["rules"] = json!([{"apiGroups": [""], "resources": [format!("things{index}")], "verbs": ["get"]}]);
                let mut binding = named(rbac_version, &format!("{kind}Binding"), &name, namespace);
                binding["roleRef"] = json!({"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name});
                binding["subjects"] = json!([{"kind": "ServiceAccount", "name": "s", "namespace": subject_in}]);
                all.extend([role, binding]);
            }
            let mut content = content(json!({}), all);
            content.properties = vec![Property::new(optional::PROPERTY, json!({"manifests": entries}))];
            let before = content.clone();
            map(&mut content, &mappings, &Apis::default());

            let optional_of = |content: &Content| -> Vec<bool> {
                let named = optional::named(content);
                content.objects.iter().map(|object| optional::is_optional(object, &named)).collect()
            };
            prop_assert_eq!(optional_of(&before), optional_of(&content));
            for namespace in ["default", "a", "b"] {
                let account = |namespace: String| Account { namespace, name: "s".to_owned() };
                let (held, _) = grants(&before.objects, &account(namespace.to_owned()));
                let (holds, _) = grants(&content.objects, &account(to(namespace)));
                let places = held.namespaces.into_iter();
                let places: std::collections::BTreeMap<_, _> =
                    places.map(|(place, rules)| (to(&place), rules)).collect();
                prop_assert_eq!((&held.cluster, &places), (&holds.cluster, &holds.namespaces));
            }
        }
    }
}
