//! The namespace mapping of an Install: `spec.namespaces` is applied to every field of a manifest that names a
//! namespace, and to the properties that refer to manifests.

use crate::steps::Content;
use crate::steps::optional;
use serde_json::Value;
use std::collections::BTreeMap;

/// The namespace that represents objects without a namespace.
pub const DEFAULT: &str = "default";

/// The prefixes of users and groups that represent service accounts in Kubernetes, followed by a namespace.
const IDENTITIES: [&str; 2] = ["system:serviceaccount:", "system:serviceaccounts:"];

/// The namespaces to replace, with their replacements.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mapping(pub BTreeMap<String, String>);

impl Mapping {
    /// Returns the default namespace to install into: the replacement of [`DEFAULT`], otherwise the only replacement.
    pub fn target(&self) -> Option<&str> {
        let mut all = self.0.values();
        let only = all.next().filter(|first| all.all(|other| other == *first));
        self.0.get(DEFAULT).or(only).map(String::as_str)
    }

    /// Maps the namespaces in the objects of a bundle, and in the properties that refer to them.
    pub fn apply_to(&self, content: &mut Content) {
        content.objects.iter_mut().for_each(|object| self.apply(object));
        let named = content.properties.iter_mut();
        for property in named.filter(|property| property.kind == optional::PROPERTY) {
            let listed = property.value.get_mut("manifests").and_then(Value::as_array_mut);
            for entry in listed.into_iter().flatten() {
                self.replace(entry.get_mut("namespace"));
            }
        }
    }

    /// Maps the namespaces in an object: its own namespace, and those of binding subjects and of the Services behind
    /// webhooks, conversions and APIServices.
    pub fn apply(&self, object: &mut Value) {
        self.replace(object.pointer_mut("/metadata/namespace"));
        let kind = object
            .get("kind")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        match kind.as_str() {
            "RoleBinding" | "ClusterRoleBinding" => {
                for subject in list_mut(object, "/subjects") {
                    self.replace(subject.get_mut("namespace"));
                    self.replace_identity(subject);
                }
            }
            "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration" => {
                for webhook in list_mut(object, "/webhooks") {
                    self.replace(webhook.pointer_mut("/clientConfig/service/namespace"));
                }
            }
            "CustomResourceDefinition" => {
                for service in [
                    "/spec/conversion/webhook/clientConfig",
                    "/spec/conversion/webhookClientConfig",
                ] {
                    self.replace(object.pointer_mut(&format!("{service}/service/namespace")));
                }
            }
            "APIService" => self.replace(object.pointer_mut("/spec/service/namespace")),
            _ => {}
        }
    }

    fn replace(&self, namespace: Option<&mut Value>) {
        if let Some(namespace) = namespace
            && let Some(to) = namespace.as_str().and_then(|from| self.0.get(from))
        {
            *namespace = Value::from(to.as_str());
        }
    }

    /// Maps the namespace in a user or group that represents a service account, or all service accounts of a namespace.
    fn replace_identity(&self, subject: &mut Value) {
        let is_one = ["User", "Group"].contains(&subject.get("kind").and_then(Value::as_str).unwrap_or_default());
        let Some(name) = subject.get_mut("name").filter(|_| is_one) else {
            return;
        };
        let text = name.as_str().unwrap_or_default();
        let mapped = IDENTITIES.iter().find_map(|prefix| {
            let rest = text.strip_prefix(prefix)?;
            let (namespace, account) = rest.split_once(':').unwrap_or((rest, ""));
            let to = self.0.get(namespace)?;
            let colon = if account.is_empty() { "" } else { ":" };
            Some(format!("{prefix}{to}{colon}{account}"))
        });
        if let Some(mapped) = mapped {
            *name = mapped.into();
        }
    }
}

fn list_mut<'a>(object: &'a mut Value, pointer: &str) -> impl Iterator<Item = &'a mut Value> {
    let list = object.pointer_mut(pointer).and_then(Value::as_array_mut);
    list.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::olm::property::Property;
    use crate::steps::tests::content;
    use proptest::prelude::*;
    use proptest::sample::select;
    use serde_json::json;

    fn mapping(pairs: &[(&str, &str)]) -> Mapping {
        let pairs = pairs.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned()));
        Mapping(pairs.collect())
    }

    /// One object of each kind that contains namespaces, with this namespace in every field.
    fn everywhere(namespace: &str) -> Vec<Value> {
        let service = json!({"clientConfig": {"service": {"name": "s", "namespace": namespace}}});
        let subjects = json!([{"kind": "ServiceAccount", "name": "a", "namespace": namespace},
            {"kind": "User", "name": format!("system:serviceaccount:{namespace}:a")},
            {"kind": "Group", "name": format!("system:serviceaccounts:{namespace}")},
            {"kind": "Group", "name": "system:serviceaccounts"}]);
        vec![
            json!({"kind": "PrometheusRule", "apiVersion": "monitoring.coreos.com/v1",
                "metadata": {"name": "my-rule", "namespace": namespace}}),
            json!({"kind": "RoleBinding", "metadata": {"namespace": namespace}, "subjects": subjects}),
            json!({"kind": "ClusterRoleBinding", "metadata": {}, "subjects": subjects}),
            json!({"kind": "ValidatingWebhookConfiguration", "webhooks": [service, service]}),
            json!({"kind": "MutatingWebhookConfiguration", "webhooks": [service]}),
            json!({"kind": "CustomResourceDefinition", "spec": {"conversion": {"webhook": service}}}),
            json!({"kind": "APIService", "spec": {"service": {"name": "s", "namespace": namespace}}}),
        ]
    }

    fn named(namespace: &str) -> Vec<Property> {
        let entry = json!({"group": "monitoring.coreos.com", "kind": "PrometheusRule", "namespace": namespace, "name": "my-rule"});
        vec![Property {
            kind: optional::PROPERTY.to_owned(),
            value: json!({"manifests": [entry]}),
        }]
    }

    /// S73: the mapping is applied everywhere.
    #[test]
    fn s73_every_field_that_names_the_namespace_is_mapped() {
        let mut bundle = content(json!({}), everywhere("my-namespace"));
        bundle.properties = named("my-namespace");
        mapping(&[("my-namespace", "operators"), ("operators", "elsewhere")]).apply_to(&mut bundle);
        assert_eq!(bundle.objects, everywhere("operators"), "once, and not again");
        assert_eq!(bundle.properties, named("operators"));
        let untouched = bundle.clone();
        mapping(&[("default", "x")]).apply_to(&mut bundle);
        assert_eq!(bundle, untouched);
        let mut text =
            json!({"kind": "ConfigMap", "metadata": {"name": "my-namespace"}, "data": {"namespace": "my-namespace"}});
        let before = text.clone();
        mapping(&[("my-namespace", "operators")]).apply(&mut text);
        assert_eq!(text, before, "data is no namespace field");
    }

    #[test]
    fn the_target_is_the_mapping_of_default_or_the_only_mapping() {
        assert_eq!(mapping(&[]).target(), None);
        assert_eq!(mapping(&[("a", "x"), ("default", "y")]).target(), Some("y"));
        assert_eq!(mapping(&[("a", "x"), ("b", "x")]).target(), Some("x"));
        assert_eq!(mapping(&[("a", "x"), ("b", "y")]).target(), None);
    }

    const NAMES: [&str; 4] = ["default", "my-namespace", "operators", "kube-system"];

    proptest! {
        /// S73: with any mapping, manifests, RBAC and properties agree on the namespace, and an optional manifest stays
        /// optional.
        #[test]
        fn s73_the_mapping_is_consistent(
            pairs in prop::collection::btree_map(select(&NAMES[..]), select(&NAMES[..]), 0..4),
            namespace in select(&NAMES[..]),
        ) {
            let pairs: Vec<(&str, &str)> = pairs.into_iter().collect();
            let mapping = mapping(&pairs);
            let mut bundle = content(json!({}), everywhere(namespace));
            bundle.properties = named(namespace);
            mapping.apply_to(&mut bundle);
            let to = mapping.0.get(namespace).map_or(namespace, String::as_str).to_owned();
            prop_assert_eq!(&bundle.objects, &everywhere(&to));
            prop_assert_eq!(&bundle.properties, &named(&to));
            let named = optional::named(&bundle);
            prop_assert!(optional::is_optional(&bundle.objects[0], &named));
        }
    }
}
