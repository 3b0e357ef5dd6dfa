//! The built-in Kubernetes resources: plural names, kinds, scopes and versions.

/// One built-in resource.
#[derive(Debug, PartialEq, Eq)]
pub struct Builtin {
    /// The API group; `""` for the core group.
    pub group: &'static str,
    /// The plural name, as in RBAC rules.
    pub resource: &'static str,
    /// The kind of the objects.
    pub kind: &'static str,
    /// Whether the objects are namespaced.
    pub namespaced: bool,
    /// The versions by priority. opmx writes the first one.
    pub versions: &'static [&'static str],
}

/// The built-in API groups whose names do not end in `.k8s.io`.
const BARE_GROUPS: [&str; 6] = ["", "apps", "autoscaling", "batch", "extensions", "policy"];

/// Resources that have no kind; RBAC rules name them only for special verbs, such as `impersonate` and `approve`.
const VERB_ONLY: [(&str, &str); 6] = [
    ("", "groups"),
    ("", "uids"),
    ("", "users"),
    ("authentication.k8s.io", "uids"),
    ("authentication.k8s.io", "userextras"),
    ("certificates.k8s.io", "signers"),
];

/// Whether the group counts as built-in: either every cluster serves it, or the proposal *plain-k8s-bundles* treats it
/// as built-in because its name ends in `.k8s.io`.
pub(crate) fn is_builtin_group(group: &str) -> bool {
    is_bare_group(group) || group.ends_with(".k8s.io")
}

/// Whether the group is a built-in group, such as `apps`, whose name is not a domain. `TABLE` contains all resources of
/// these groups.
pub(crate) fn is_bare_group(group: &str) -> bool {
    BARE_GROUPS.contains(&group)
}

/// Whether `TABLE` contains resources of the group. Unlike [`is_builtin_group`], this excludes the groups of custom
/// resources whose names end in `.k8s.io`, such as `snapshot.storage.k8s.io`.
pub(crate) fn is_listed_group(group: &str) -> bool {
    TABLE.iter().any(|row| row.group == group)
}

/// Whether RBAC rules may name this resource although the API server stores no objects for it.
pub(crate) fn is_verb_only(group: &str, resource: &str) -> bool {
    VERB_ONLY.contains(&(group, resource))
}

/// Returns the built-in resource of this group and plural name.
pub fn find(group: &str, resource: &str) -> Option<&'static Builtin> {
    TABLE
        .binary_search_by(|row| (row.group, row.resource).cmp(&(group, resource)))
        .ok()
        .map(|index| &TABLE[index])
}

/// Returns all built-in resources, sorted by group and plural name.
pub fn all() -> &'static [Builtin] {
    TABLE
}

/// Returns the built-in resource of this group and kind.
pub(crate) fn find_kind(group: &str, kind: &str) -> Option<&'static Builtin> {
    TABLE.iter().find(|row| row.group == group && row.kind == kind)
}

const fn row(
    group: &'static str,
    resource: &'static str,
    kind: &'static str,
    namespaced: bool,
    versions: &'static [&'static str],
) -> Builtin {
    Builtin {
        group,
        resource,
        kind,
        namespaced,
        versions,
    }
}

const NAMESPACED: bool = true;
const CLUSTER: bool = false;

/// The built-in resources, sorted by group and resource. Resources that newer clusters no longer serve are included,
/// because old operators still refer to them.
#[rustfmt::skip]
static TABLE: &[Builtin] = &[
    row("", "bindings", "Binding", NAMESPACED, &["v1"]),
    row("", "componentstatuses", "ComponentStatus", CLUSTER, &["v1"]),
    row("", "configmaps", "ConfigMap", NAMESPACED, &["v1"]),
    row("", "endpoints", "Endpoints", NAMESPACED, &["v1"]),
    row("", "events", "Event", NAMESPACED, &["v1"]),
    row("", "limitranges", "LimitRange", NAMESPACED, &["v1"]),
    row("", "namespaces", "Namespace", CLUSTER, &["v1"]),
    row("", "nodes", "Node", CLUSTER, &["v1"]),
    row("", "persistentvolumeclaims", "PersistentVolumeClaim", NAMESPACED, &["v1"]),
    row("", "persistentvolumes", "PersistentVolume", CLUSTER, &["v1"]),
    row("", "pods", "Pod", NAMESPACED, &["v1"]),
    row("", "podtemplates", "PodTemplate", NAMESPACED, &["v1"]),
    row("", "replicationcontrollers", "ReplicationController", NAMESPACED, &["v1"]),
    row("", "resourcequotas", "ResourceQuota", NAMESPACED, &["v1"]),
    row("", "secrets", "Secret", NAMESPACED, &["v1"]),
    row("", "serviceaccounts", "ServiceAccount", NAMESPACED, &["v1"]),
    row("", "services", "Service", NAMESPACED, &["v1"]),
    row("admissionregistration.k8s.io", "mutatingadmissionpolicies", "MutatingAdmissionPolicy", CLUSTER, &["v1", "v1beta1", "v1alpha1"]),
    row("admissionregistration.k8s.io", "mutatingadmissionpolicybindings", "MutatingAdmissionPolicyBinding", CLUSTER, &["v1", "v1beta1", "v1alpha1"]),
    row("admissionregistration.k8s.io", "mutatingwebhookconfigurations", "MutatingWebhookConfiguration", CLUSTER, &["v1", "v1beta1"]),
    row("admissionregistration.k8s.io", "validatingadmissionpolicies", "ValidatingAdmissionPolicy", CLUSTER, &["v1", "v1beta1", "v1alpha1"]),
    row("admissionregistration.k8s.io", "validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding", CLUSTER, &["v1", "v1beta1", "v1alpha1"]),
    row("admissionregistration.k8s.io", "validatingwebhookconfigurations", "ValidatingWebhookConfiguration", CLUSTER, &["v1", "v1beta1"]),
    row("apiextensions.k8s.io", "customresourcedefinitions", "CustomResourceDefinition", CLUSTER, &["v1", "v1beta1"]),
    row("apiregistration.k8s.io", "apiservices", "APIService", CLUSTER, &["v1", "v1beta1"]),
    row("apps", "controllerrevisions", "ControllerRevision", NAMESPACED, &["v1", "v1beta2", "v1beta1"]),
    row("apps", "daemonsets", "DaemonSet", NAMESPACED, &["v1", "v1beta2"]),
    row("apps", "deployments", "Deployment", NAMESPACED, &["v1", "v1beta2", "v1beta1"]),
    row("apps", "replicasets", "ReplicaSet", NAMESPACED, &["v1", "v1beta2"]),
    row("apps", "statefulsets", "StatefulSet", NAMESPACED, &["v1", "v1beta2", "v1beta1"]),
    row("auditregistration.k8s.io", "auditsinks", "AuditSink", CLUSTER, &["v1alpha1"]),
    row("authentication.k8s.io", "selfsubjectreviews", "SelfSubjectReview", CLUSTER, &["v1", "v1beta1", "v1alpha1"]),
    row("authentication.k8s.io", "tokenreviews", "TokenReview", CLUSTER, &["v1", "v1beta1"]),
    row("authorization.k8s.io", "localsubjectaccessreviews", "LocalSubjectAccessReview", NAMESPACED, &["v1", "v1beta1"]),
    row("authorization.k8s.io", "selfsubjectaccessreviews", "SelfSubjectAccessReview", CLUSTER, &["v1", "v1beta1"]),
    row("authorization.k8s.io", "selfsubjectrulesreviews", "SelfSubjectRulesReview", CLUSTER, &["v1", "v1beta1"]),
    row("authorization.k8s.io", "subjectaccessreviews", "SubjectAccessReview", CLUSTER, &["v1", "v1beta1"]),
    row("autoscaling", "horizontalpodautoscalers", "HorizontalPodAutoscaler", NAMESPACED, &["v2", "v1", "v2beta2", "v2beta1"]),
    row("batch", "cronjobs", "CronJob", NAMESPACED, &["v1", "v1beta1", "v2alpha1"]),
    row("batch", "jobs", "Job", NAMESPACED, &["v1"]),
    row("certificates.k8s.io", "certificatesigningrequests", "CertificateSigningRequest", CLUSTER, &["v1", "v1beta1"]),
    row("certificates.k8s.io", "clustertrustbundles", "ClusterTrustBundle", CLUSTER, &["v1beta1", "v1alpha1"]),
    row("certificates.k8s.io", "podcertificaterequests", "PodCertificateRequest", NAMESPACED, &["v1beta1"]),
    row("coordination.k8s.io", "leasecandidates", "LeaseCandidate", NAMESPACED, &["v1beta1", "v1alpha2"]),
    row("coordination.k8s.io", "leases", "Lease", NAMESPACED, &["v1", "v1beta1"]),
    row("discovery.k8s.io", "endpointslices", "EndpointSlice", NAMESPACED, &["v1", "v1beta1"]),
    row("events.k8s.io", "events", "Event", NAMESPACED, &["v1", "v1beta1"]),
    row("extensions", "daemonsets", "DaemonSet", NAMESPACED, &["v1beta1"]),
    row("extensions", "deployments", "Deployment", NAMESPACED, &["v1beta1"]),
    row("extensions", "ingresses", "Ingress", NAMESPACED, &["v1beta1"]),
    row("extensions", "networkpolicies", "NetworkPolicy", NAMESPACED, &["v1beta1"]),
    row("extensions", "podsecuritypolicies", "PodSecurityPolicy", CLUSTER, &["v1beta1"]),
    row("extensions", "replicasets", "ReplicaSet", NAMESPACED, &["v1beta1"]),
    row("flowcontrol.apiserver.k8s.io", "flowschemas", "FlowSchema", CLUSTER, &["v1", "v1beta3", "v1beta2", "v1beta1"]),
    row("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations", "PriorityLevelConfiguration", CLUSTER, &["v1", "v1beta3", "v1beta2", "v1beta1"]),
    row("internal.apiserver.k8s.io", "storageversions", "StorageVersion", CLUSTER, &["v1alpha1"]),
    row("metrics.k8s.io", "nodes", "NodeMetrics", CLUSTER, &["v1beta1"]),
    row("metrics.k8s.io", "pods", "PodMetrics", NAMESPACED, &["v1beta1"]),
    row("networking.k8s.io", "ingressclasses", "IngressClass", CLUSTER, &["v1", "v1beta1"]),
    row("networking.k8s.io", "ingresses", "Ingress", NAMESPACED, &["v1", "v1beta1"]),
    row("networking.k8s.io", "ipaddresses", "IPAddress", CLUSTER, &["v1", "v1beta1"]),
    row("networking.k8s.io", "networkpolicies", "NetworkPolicy", NAMESPACED, &["v1"]),
    row("networking.k8s.io", "servicecidrs", "ServiceCIDR", CLUSTER, &["v1", "v1beta1"]),
    row("node.k8s.io", "runtimeclasses", "RuntimeClass", CLUSTER, &["v1", "v1beta1", "v1alpha1"]),
    row("policy", "evictions", "Eviction", NAMESPACED, &["v1", "v1beta1"]),
    row("policy", "poddisruptionbudgets", "PodDisruptionBudget", NAMESPACED, &["v1", "v1beta1"]),
    row("policy", "podsecuritypolicies", "PodSecurityPolicy", CLUSTER, &["v1beta1"]),
    row("rbac.authorization.k8s.io", "clusterrolebindings", "ClusterRoleBinding", CLUSTER, &["v1", "v1beta1", "v1alpha1"]),
    row("rbac.authorization.k8s.io", "clusterroles", "ClusterRole", CLUSTER, &["v1", "v1beta1", "v1alpha1"]),
    row("rbac.authorization.k8s.io", "rolebindings", "RoleBinding", NAMESPACED, &["v1", "v1beta1", "v1alpha1"]),
    row("rbac.authorization.k8s.io", "roles", "Role", NAMESPACED, &["v1", "v1beta1", "v1alpha1"]),
    row("resource.k8s.io", "deviceclasses", "DeviceClass", CLUSTER, &["v1", "v1beta2", "v1beta1"]),
    row("resource.k8s.io", "devicetaintrules", "DeviceTaintRule", CLUSTER, &["v1beta2", "v1alpha3"]),
    row("resource.k8s.io", "resourceclaims", "ResourceClaim", NAMESPACED, &["v1", "v1beta2", "v1beta1"]),
    row("resource.k8s.io", "resourceclaimtemplates", "ResourceClaimTemplate", NAMESPACED, &["v1", "v1beta2", "v1beta1"]),
    row("resource.k8s.io", "resourcepoolstatusrequests", "ResourcePoolStatusRequest", CLUSTER, &["v1alpha3"]),
    row("resource.k8s.io", "resourceslices", "ResourceSlice", CLUSTER, &["v1", "v1beta2", "v1beta1"]),
    row("scheduling.k8s.io", "podgroups", "PodGroup", NAMESPACED, &["v1alpha2"]),
    row("scheduling.k8s.io", "priorityclasses", "PriorityClass", CLUSTER, &["v1", "v1beta1"]),
    row("scheduling.k8s.io", "workloads", "Workload", NAMESPACED, &["v1alpha2"]),
    row("settings.k8s.io", "podpresets", "PodPreset", NAMESPACED, &["v1alpha1"]),
    row("storage.k8s.io", "csidrivers", "CSIDriver", CLUSTER, &["v1", "v1beta1"]),
    row("storage.k8s.io", "csinodes", "CSINode", CLUSTER, &["v1", "v1beta1"]),
    row("storage.k8s.io", "csistoragecapacities", "CSIStorageCapacity", NAMESPACED, &["v1", "v1beta1", "v1alpha1"]),
    row("storage.k8s.io", "storageclasses", "StorageClass", CLUSTER, &["v1", "v1beta1"]),
    row("storage.k8s.io", "volumeattachments", "VolumeAttachment", CLUSTER, &["v1", "v1beta1", "v1alpha1"]),
    row("storage.k8s.io", "volumeattributesclasses", "VolumeAttributesClass", CLUSTER, &["v1", "v1beta1", "v1alpha1"]),
    row("storagemigration.k8s.io", "storageversionmigrations", "StorageVersionMigration", CLUSTER, &["v1beta1"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        for row in TABLE {
            assert_eq!(find(row.group, row.resource), Some(row));
            assert!(!row.versions.is_empty() && is_builtin_group(row.group), "{row:?}");
        }
        assert_eq!(find("", "pods").map(|row| row.kind), Some("Pod"));
        assert_eq!(find("metrics.k8s.io", "pods").map(|row| row.kind), Some("PodMetrics"));
        assert_eq!(find("", "deployments"), None);
        assert_eq!(
            find_kind("apps", "Deployment").map(|row| row.resource),
            Some("deployments")
        );
    }

    #[test]
    fn only_groups_ending_in_dot_k8s_io_are_built_in() {
        assert!(is_builtin_group("storage.k8s.io") && is_builtin_group("batch") && is_builtin_group(""));
        for group in ["cluster.x-k8s.io", "nfd.k8s-sigs.io", "k8s.io", "route.openshift.io"] {
            assert!(!is_builtin_group(group), "{group}");
        }
    }
}
