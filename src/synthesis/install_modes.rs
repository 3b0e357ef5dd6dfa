//! Infers the install modes of an operator from its manifests.

use super::deployments::service_account;
use super::watching::{TARGET_NAMESPACES, WATCH_NAMESPACE, field_of, is_own_namespace};
use crate::kubernetes::rbac::role::Roles;
use crate::kubernetes::rbac::{self, ALL, Rule};
use crate::manifest::{Object, of_kind};
use crate::olm::install_mode::{ALL_NAMESPACES, INSTALL_MODES, OWN_NAMESPACE, SINGLE_NAMESPACE};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The namespaces that an operator watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Watched {
    /// The target namespaces of the OperatorGroup.
    Targets,
    /// The namespace in which the operator runs.
    Own,
    /// All namespaces.
    All,
}

/// Returns a value for `installModes`.
pub(super) fn inferred(objects: &[Object]) -> Value {
    let watched = watched(objects);
    INSTALL_MODES
        .iter()
        .map(|mode| json!({"type": mode, "supported": supports(watched, mode)}))
        .collect()
}

/// Whether the install mode is inferred as supported.
pub(super) fn inferred_mode(objects: &[Object], mode: &str) -> bool {
    supports(watched(objects), mode)
}

fn supports(watched: Watched, mode: &str) -> bool {
    match mode {
        ALL_NAMESPACES => watched != Watched::Own,
        OWN_NAMESPACE => watched != Watched::All,
        SINGLE_NAMESPACE => watched == Watched::Targets,
        _ => false,
    }
}

/// Whether a CustomResourceDefinition uses a conversion webhook, which OLM supports only for all namespaces.
pub(super) fn has_conversion(objects: &[Object]) -> bool {
    let mut strategies = objects
        .iter()
        .map(|object| object.text(&["spec", "conversion", "strategy"]));
    strategies.any(|strategy| strategy == Some("Webhook"))
}

/// Returns the namespaces that the operator can watch. An operator that reads no namespace may need all of them, like
/// one that may watch the bundle's own kinds in the whole cluster.
fn watched(objects: &[Object]) -> Watched {
    let variables = || {
        of_kind(objects, "apps", "Deployment").flat_map(|deployment| {
            let containers = deployment.list(&["spec", "template", "spec", "containers"]).iter();
            let variables =
                containers.flat_map(|container| container.get("env").and_then(Value::as_array).into_iter().flatten());
            variables.map(move |variable| (deployment, variable))
        })
    };
    let selects_own = |(deployment, variable): (&Object, &Value)| {
        variable.get("name").and_then(Value::as_str) == Some(WATCH_NAMESPACE) && is_own_namespace(deployment, variable)
    };
    if has_conversion(objects) {
        Watched::All
    } else if variables().any(|(_, variable)| field_of(variable) == Some(TARGET_NAMESPACES)) {
        Watched::Targets
    } else if variables().any(selects_own) && !watches_cluster(objects) {
        Watched::Own
    } else {
        Watched::All
    }
}

/// Whether a ClusterRoleBinding lets the operator list or watch the bundle's own kinds in the whole cluster. Other
/// permissions in the cluster, such as those for reviewing tokens, do not tell what the operator watches.
fn watches_cluster(objects: &[Object]) -> bool {
    let accounts: BTreeSet<&str> = of_kind(objects, "apps", "Deployment")
        .map(|deployment| service_account(deployment).0)
        .collect();
    let of_operator = |subject: &Value| {
        let text = |key: &str| subject.get(key).and_then(Value::as_str);
        text("kind") == Some("ServiceAccount") && text("name").is_some_and(|name| accounts.contains(name))
    };
    let roles = Roles::of(objects.iter().map(Object::value));
    let bindings = objects
        .iter()
        .filter(|object| object.gvk().is(rbac::GROUP, "ClusterRoleBinding"));
    let mut granted = bindings
        .filter(|binding| binding.list(&["subjects"]).iter().any(of_operator))
        .filter_map(|binding| roles.rules("ClusterRole", binding.text(&["roleRef", "name"])?, ""))
        .flatten();
    let own: Vec<(&str, &str)> = objects.iter().filter_map(own_resource).collect();
    granted.any(|rule| lets_watch(&rule, &own))
}

/// Returns the group and the plural name that a CustomResourceDefinition defines.
fn own_resource(object: &Object) -> Option<(&str, &str)> {
    let is_definition = object.gvk().is("apiextensions.k8s.io", "CustomResourceDefinition");
    let definition = is_definition.then_some(object)?;
    Some((
        definition.text(&["spec", "group"])?,
        definition.text(&["spec", "names", "plural"])?,
    ))
}

/// Whether a rule allows to list or watch one of these resources, given as group and plural name, or all resources.
fn lets_watch(rule: &Rule, own: &[(&str, &str)]) -> bool {
    let lists = |list: &[String], name: &str| list.iter().any(|listed| listed == name || listed == ALL);
    let covers = |group: &str, resource: &str| lists(&rule.api_groups, group) && lists(&rule.resources, resource);
    let is_own = own.iter().any(|(group, resource)| covers(group, resource));
    (is_own || covers(ALL, ALL)) && (lists(&rule.verbs, "list") || lists(&rule.verbs, "watch"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::{Layout, Manifests};
    use crate::text::Limits;

    fn supported(manifests: &[Value]) -> Vec<String> {
        let mut read = Manifests::default();
        for manifest in manifests {
            let text = manifest.to_string();
            read.read_file("a.yaml", text.as_bytes(), Layout::Flat, &Limits::default());
        }
        let modes = inferred(&read.objects);
        let modes = modes.as_array().unwrap().iter();
        let supported = modes.filter(|mode| mode["supported"] == true);
        supported
            .map(|mode| mode["type"].as_str().unwrap().to_owned())
            .collect()
    }

    fn deployment(field: &str) -> Value {
        let env = json!([{"name": "WATCH_NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": field}}}]);
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "op"},
            "spec": {"template": {"spec": {"containers": [{"name": "op", "env": env}]}}}})
    }

    const RBAC: &str = "rbac.authorization.k8s.io/v1";

    fn object(api_version: &str, kind: &str, spec: &Value) -> Value {
        json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}, "spec": spec})
    }

    #[test]
    fn an_operator_that_watches_its_own_namespace_supports_only_that() {
        let own = deployment("metadata.namespace");
        let role = object(RBAC, "RoleBinding", &Value::Null);
        for field in ["metadata.namespace", "metadata.annotations['olm.operatorNamespace']"] {
            assert_eq!(supported(&[deployment(field), role.clone()]), ["OwnNamespace"]);
        }
        let webhook = json!({"conversion": {"strategy": "Webhook"}});
        let crd = object("apiextensions.k8s.io/v1", "CustomResourceDefinition", &webhook);
        assert_eq!(supported(&[own, crd]), ["AllNamespaces"]);
        let targets = deployment(TARGET_NAMESPACES);
        assert_eq!(
            supported(&[targets]),
            ["OwnNamespace", "SingleNamespace", "AllNamespaces"]
        );
        assert_eq!(supported(&[deployment("metadata.name"), role]), ["AllNamespaces"]);
    }

    #[test]
    fn an_operator_that_watches_the_fixed_namespace_of_its_deployment_supports_only_its_own() {
        let fixed = |namespace: &str, value: &str| {
            let mut deployment = deployment("");
            deployment["metadata"]["namespace"] = json!(namespace);
            let container = &mut deployment["spec"]["template"]["spec"]["containers"][0];
            container["env"] = json!([{"name": "WATCH_NAMESPACE", "value": value}]);
            supported(&[deployment])
        };
        assert_eq!(fixed("op-system", "op-system"), ["OwnNamespace"]);
        assert_eq!(fixed("op-system", "other"), ["AllNamespaces"]);
        assert_eq!(fixed("op-system", ""), ["AllNamespaces"]);
    }

    #[test]
    fn permissions_in_the_cluster_count_only_if_the_operator_may_watch_its_own_kinds() {
        let definition = object(
            "apiextensions.k8s.io/v1",
            "CustomResourceDefinition",
            &json!({"group": "example.com", "names": {"plural": "ponds"}}),
        );
        let with = |account: &str, role: &str, rule: &Value| {
            let binding = json!({"apiVersion": RBAC, "kind": "ClusterRoleBinding", "metadata": {"name": "a"},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
                "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": "op"}]});
            let role = json!({"apiVersion": RBAC, "kind": "ClusterRole", "metadata": {"name": "a"}, "rules": [rule]});
            supported(&[deployment("metadata.namespace"), definition.clone(), binding, role])
        };
        let rule = |group: &str, resource: &str, verb: &str| json!({"apiGroups": [group], "resources": [resource], "verbs": ["get", verb]});
        for (group, resource, verb) in [
            ("authentication.k8s.io", "tokenreviews", "create"),
            ("", "nodes", "watch"),
            ("other.example.com", "ponds", "watch"),
            ("example.com", "ponds/status", "watch"),
            ("example.com", "ponds", "update"),
        ] {
            let modes = with("default", "a", &rule(group, resource, verb));
            assert_eq!(modes, ["OwnNamespace"], "{group} {resource} {verb}");
        }
        for (group, resource, verb) in [
            ("example.com", "ponds", "list"),
            ("example.com", "ponds", "watch"),
            ("example.com", "*", "*"),
            ("*", "*", "watch"),
        ] {
            let modes = with("default", "a", &rule(group, resource, verb));
            assert_eq!(modes, ["AllNamespaces"], "{group} {resource} {verb}");
        }
        let watch = || rule("example.com", "ponds", "watch");
        assert_eq!(with("another", "a", &watch()), ["OwnNamespace"]);
        assert_eq!(with("default", "missing", &watch()), ["OwnNamespace"]);
        assert_eq!(with("default", "cluster-admin", &watch()), ["AllNamespaces"]);
    }
}
