//! The API versions that Kubernetes no longer serves.

use super::GroupVersionKind;

/// A minor version of Kubernetes 1, and the API versions that it is the first to no longer serve, each with its kinds.
pub(crate) struct Removal {
    /// The minor version.
    pub(crate) minor: u64,
    apis: &'static [(&'static str, &'static [&'static str])],
}

impl Removal {
    /// Whether this version removed a kind in this API version.
    pub(crate) fn covers(&self, api_version: &str, kind: &str) -> bool {
        let mut apis = self.apis.iter();
        apis.any(|(removed, kinds)| *removed == api_version && kinds.contains(&kind))
    }
}

/// Returns the minor version of Kubernetes 1 that removed a kind in this API version.
pub(crate) fn removed_in(gvk: &GroupVersionKind) -> Option<u64> {
    let api_version = gvk.api_version();
    let mut removals = REMOVALS.iter();
    let removal = removals.find(|removal| removal.covers(&api_version, &gvk.kind))?;
    Some(removal.minor)
}

/// The removals, from the oldest version.
pub(crate) static REMOVALS: [Removal; 3] = [
    Removal {
        minor: 22,
        apis: &[
            ("apiextensions.k8s.io/v1beta1", &["CustomResourceDefinition"]),
            ("scheduling.k8s.io/v1beta1", &["PriorityClass"]),
            (
                "rbac.authorization.k8s.io/v1beta1",
                &["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"],
            ),
            ("apiregistration.k8s.io/v1beta1", &["APIService"]),
            ("authentication.k8s.io/v1beta1", &["TokenReview"]),
            (
                "authorization.k8s.io/v1beta1",
                &[
                    "LocalSubjectAccessReview",
                    "SelfSubjectAccessReview",
                    "SubjectAccessReview",
                ],
            ),
            (
                "admissionregistration.k8s.io/v1beta1",
                &["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
            ),
            ("coordination.k8s.io/v1beta1", &["Lease"]),
            ("extensions/v1beta1", &["Ingress"]),
            ("networking.k8s.io/v1beta1", &["Ingress", "IngressClass"]),
            (
                "storage.k8s.io/v1beta1",
                &["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"],
            ),
            ("certificates.k8s.io/v1beta1", &["CertificateSigningRequest"]),
        ],
    },
    Removal {
        minor: 25,
        apis: &[
            ("batch/v1beta1", &["CronJob"]),
            ("discovery.k8s.io/v1beta1", &["EndpointSlice"]),
            ("events.k8s.io/v1beta1", &["Event"]),
            ("autoscaling/v2beta1", &["HorizontalPodAutoscaler"]),
            ("policy/v1beta1", &["PodDisruptionBudget", "PodSecurityPolicy"]),
            ("node.k8s.io/v1beta1", &["RuntimeClass"]),
        ],
    },
    Removal {
        minor: 26,
        apis: &[("autoscaling/v2beta2", &["HorizontalPodAutoscaler"])],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_api_version_is_removed_once_and_not_before_it_existed() {
        let of = |api_version, kind| removed_in(&GroupVersionKind::from_api_version(api_version, kind));
        assert_eq!(of("policy/v1beta1", "PodDisruptionBudget"), Some(25));
        assert_eq!(of("apiextensions.k8s.io/v1beta1", "CustomResourceDefinition"), Some(22));
        assert_eq!(of("policy/v1", "PodDisruptionBudget"), None);
        assert_eq!(of("policy/v1beta1", "Eviction"), None);
        for (index, removal) in REMOVALS.iter().enumerate() {
            for (api_version, kinds) in removal.apis {
                for kind in *kinds {
                    let covering = REMOVALS.iter().filter(|other| other.covers(api_version, kind));
                    assert_eq!(covering.count(), 1, "{api_version} {kind}");
                }
            }
            assert!(index == 0 || REMOVALS[index - 1].minor < removal.minor);
        }
    }
}
