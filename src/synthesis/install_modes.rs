//! Infers the install modes of an operator from its manifests.

use crate::kubernetes::rbac;
use crate::manifest::Object;
use crate::olm::install_mode::{ALL_NAMESPACES, INSTALL_MODES, OWN_NAMESPACE, SINGLE_NAMESPACE};
use serde_json::{Value, json};

/// The field of a pod that contains the target namespaces of the OperatorGroup.
pub(super) const TARGET_NAMESPACES: &str = "metadata.annotations['olm.targetNamespaces']";

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
/// one with permissions in the whole cluster.
fn watched(objects: &[Object]) -> Watched {
    let variables = || {
        let deployments = objects.iter().filter(|object| object.gvk().is("apps", "Deployment"));
        let containers =
            deployments.flat_map(|deployment| deployment.list(&["spec", "template", "spec", "containers"]));
        containers.flat_map(|container| container.get("env").and_then(Value::as_array).into_iter().flatten())
    };
    let takes = |variable: &Value, field: &str| {
        let path = variable
            .pointer("/valueFrom/fieldRef/fieldPath")
            .and_then(Value::as_str);
        path == Some(field)
    };
    let is_cluster_wide = || {
        objects
            .iter()
            .any(|object| object.gvk().is(rbac::GROUP, "ClusterRoleBinding"))
    };
    let of_watch = |variable: &Value| variable.get("name").and_then(Value::as_str) == Some("WATCH_NAMESPACE");
    if has_conversion(objects) {
        Watched::All
    } else if variables().any(|variable| takes(variable, TARGET_NAMESPACES)) {
        Watched::Targets
    } else if variables().any(|variable| of_watch(variable) && takes(variable, "metadata.namespace"))
        && !is_cluster_wide()
    {
        Watched::Own
    } else {
        Watched::All
    }
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

    #[test]
    fn an_operator_that_watches_its_own_namespace_supports_only_that() {
        let own = deployment("metadata.namespace");
        let object = |api_version: &str, kind: &str, spec: Value| json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}, "spec": spec});
        let rbac = "rbac.authorization.k8s.io/v1";
        let role = object(rbac, "RoleBinding", Value::Null);
        assert_eq!(supported(&[own.clone(), role.clone()]), ["OwnNamespace"]);
        let cluster = object(rbac, "ClusterRoleBinding", Value::Null);
        assert_eq!(supported(&[own.clone(), cluster]), ["AllNamespaces"]);
        let webhook = json!({"conversion": {"strategy": "Webhook"}});
        let crd = object("apiextensions.k8s.io/v1", "CustomResourceDefinition", webhook);
        assert_eq!(supported(&[own, crd]), ["AllNamespaces"]);
        let targets = deployment(TARGET_NAMESPACES);
        assert_eq!(
            supported(&[targets]),
            ["OwnNamespace", "SingleNamespace", "AllNamespaces"]
        );
        assert_eq!(supported(&[deployment("metadata.name"), role]), ["AllNamespaces"]);
    }
}
