//! The API groups that a platform itself serves and that no bundle provides.

/// The API groups that every OpenShift cluster serves. Operators define other groups that end with `.openshift.io`,
/// such as `hive.openshift.io`.
const GROUPS: [&str; 29] = [
    "apiserver.openshift.io",
    "apps.openshift.io",
    "authorization.openshift.io",
    "autoscaling.openshift.io",
    "build.openshift.io",
    "cloud.network.openshift.io",
    "cloudcredential.openshift.io",
    "config.openshift.io",
    "console.openshift.io",
    "controlplane.operator.openshift.io",
    "helm.openshift.io",
    "image.openshift.io",
    "imageregistry.operator.openshift.io",
    "ingress.operator.openshift.io",
    "insights.openshift.io",
    "machine.openshift.io",
    "machineconfiguration.openshift.io",
    "monitoring.openshift.io",
    "network.openshift.io",
    "network.operator.openshift.io",
    "oauth.openshift.io",
    "operator.openshift.io",
    "project.openshift.io",
    "quota.openshift.io",
    "route.openshift.io",
    "samples.operator.openshift.io",
    "security.openshift.io",
    "template.openshift.io",
    "user.openshift.io",
];

/// Whether a platform serves this group, so that the APIs in it are native dependencies.
pub(crate) fn is_platform_group(group: &str) -> bool {
    GROUPS.binary_search(&group).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_operators_are_not_platform_groups() {
        assert!(GROUPS.is_sorted());
        assert!(is_platform_group("config.openshift.io") && is_platform_group("operator.openshift.io"));
        assert!(!is_platform_group("hive.openshift.io") && !is_platform_group("cert-manager.io"));
    }
}
