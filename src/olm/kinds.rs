//! The kinds of objects in bundles of the media type `registry+v1`.

use super::releases::{Feature, Olm};

/// The kinds that opm accepts in a bundle, and that OLM v1 installs. As in OLM, only the kind is compared.
pub(crate) const KINDS: [&str; 22] = [
    "ClusterRole",
    "ClusterRoleBinding",
    "ClusterServiceVersion",
    "ConfigMap",
    "ConsoleCLIDownload",
    "ConsoleLink",
    "ConsolePlugin",
    "ConsoleQuickStart",
    "ConsoleYAMLSample",
    "CustomResourceDefinition",
    "NetworkPolicy",
    "PodDisruptionBudget",
    "PodMonitor",
    "PriorityClass",
    "PrometheusRule",
    "Role",
    "RoleBinding",
    "Secret",
    "Service",
    "ServiceAccount",
    "ServiceMonitor",
    "VerticalPodAutoscaler",
];

/// The kinds that OLM creates in special ways, each with its group, which is empty for the core group. As in OLM, an
/// object of another group is treated like the object of this group.
pub(crate) const SPECIAL: [(&str, &str); 10] = [
    ("", "ConfigMap"),
    ("", "Secret"),
    ("", "Service"),
    ("", "ServiceAccount"),
    ("apiextensions.k8s.io", "CustomResourceDefinition"),
    ("operators.coreos.com", "ClusterServiceVersion"),
    ("rbac.authorization.k8s.io", "ClusterRole"),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"),
    ("rbac.authorization.k8s.io", "Role"),
    ("rbac.authorization.k8s.io", "RoleBinding"),
];

/// Whether OLM v0 installs objects of a kind. A plan with an object of another kind fails, also if opm accepts the
/// kind.
pub(crate) fn is_installed(kind: &str) -> bool {
    Olm::Proposed.does(Feature::of_kind(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn olm_installs_every_kind_that_opm_accepts_except_pod_monitors() {
        let not_installed: Vec<&str> = KINDS.into_iter().filter(|kind| !is_installed(kind)).collect();
        assert_eq!(not_installed, ["PodMonitor"]);
        assert!(!is_installed("Deployment"));
    }
}
