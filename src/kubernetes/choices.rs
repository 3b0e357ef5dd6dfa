//! The fields of built-in kinds whose values the API server limits to a few strings. The API documents of Kubernetes
//! describe them only in prose.

/// Returns the values that a field of a type can have, or `None` if they are not limited. Also returns `None` for types
/// of beta and alpha versions, because their values differ between Kubernetes releases.
pub(super) fn of(of_type: &str, field: &str) -> Option<&'static [&'static str]> {
    let kind = of_type.rsplit('.').next().unwrap_or_default();
    let (.., choices) = CHOICES
        .iter()
        .find(|(types, name, _)| *name == field && types.contains(&kind))?;
    let is_stable = !of_type.contains("beta") && !of_type.contains("alpha");
    is_stable.then_some(*choices)
}

const CONTAINERS: &[&str] = &["Container", "EphemeralContainer"];
const WEBHOOKS: &[&str] = &["MutatingWebhook", "ValidatingWebhook"];

/// Each row contains types, the name of a field that these types have, and the values of the field.
const CHOICES: &[(&[&str], &str, &[&str])] = &[
    (CONTAINERS, "imagePullPolicy", &["Always", "IfNotPresent", "Never"]),
    (
        CONTAINERS,
        "terminationMessagePolicy",
        &["File", "FallbackToLogsOnError"],
    ),
    (
        &["ContainerPort", "ServicePort", "NetworkPolicyPort"],
        "protocol",
        &["TCP", "UDP", "SCTP"],
    ),
    (&["HTTPGetAction"], "scheme", &["HTTP", "HTTPS"]),
    (&["PodSpec"], "restartPolicy", &["Always", "OnFailure", "Never"]),
    (
        &["PodSpec"],
        "dnsPolicy",
        &["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"],
    ),
    (
        &["PodSpec", "PriorityClass"],
        "preemptionPolicy",
        &["Never", "PreemptLowerPriority"],
    ),
    (
        &["SeccompProfile"],
        "type",
        &["RuntimeDefault", "Localhost", "Unconfined"],
    ),
    (
        &["Toleration"],
        "effect",
        &["NoSchedule", "PreferNoSchedule", "NoExecute"],
    ),
    (&["Toleration"], "operator", &["Exists", "Equal", "Lt", "Gt"]),
    (
        &["NodeSelectorRequirement"],
        "operator",
        &["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"],
    ),
    (
        &["LabelSelectorRequirement"],
        "operator",
        &["In", "NotIn", "Exists", "DoesNotExist"],
    ),
    (
        &["TopologySpreadConstraint"],
        "whenUnsatisfiable",
        &["DoNotSchedule", "ScheduleAnyway"],
    ),
    (&["DeploymentStrategy"], "type", &["Recreate", "RollingUpdate"]),
    (
        &["StatefulSetUpdateStrategy", "DaemonSetUpdateStrategy"],
        "type",
        &["OnDelete", "RollingUpdate"],
    ),
    (
        &["StatefulSetSpec"],
        "podManagementPolicy",
        &["OrderedReady", "Parallel"],
    ),
    (&["CronJobSpec"], "concurrencyPolicy", &["Allow", "Forbid", "Replace"]),
    (
        &["ServiceSpec"],
        "type",
        &["ClusterIP", "NodePort", "LoadBalancer", "ExternalName"],
    ),
    (&["ServiceSpec"], "sessionAffinity", &["None", "ClientIP"]),
    (&["ServiceSpec"], "externalTrafficPolicy", &["Cluster", "Local"]),
    (&["ServiceSpec"], "internalTrafficPolicy", &["Cluster", "Local"]),
    (
        &["ServiceSpec"],
        "ipFamilyPolicy",
        &["SingleStack", "PreferDualStack", "RequireDualStack"],
    ),
    (&["NetworkPolicySpec"], "policyTypes", &["Ingress", "Egress"]),
    (
        &["PersistentVolumeClaimSpec"],
        "accessModes",
        &["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"],
    ),
    (&["PersistentVolumeClaimSpec"], "volumeMode", &["Block", "Filesystem"]),
    (
        &["PodDisruptionBudgetSpec"],
        "unhealthyPodEvictionPolicy",
        &["IfHealthyBudget", "AlwaysAllow"],
    ),
    (&["Subject"], "kind", &["User", "Group", "ServiceAccount"]),
    (&["RoleRef"], "kind", &["Role", "ClusterRole"]),
    (&["RoleRef"], "apiGroup", &["rbac.authorization.k8s.io"]),
    (WEBHOOKS, "failurePolicy", &["Fail", "Ignore"]),
    (WEBHOOKS, "matchPolicy", &["Exact", "Equivalent"]),
    (&["MutatingWebhook"], "reinvocationPolicy", &["Never", "IfNeeded"]),
    (&["RuleWithOperations"], "scope", &["*", "Cluster", "Namespaced"]),
];

#[cfg(test)]
mod tests {
    use super::super::fields::{Fields, Type};
    use super::*;

    fn typed(api_version: &str, kind: &str, path: &str) -> Option<Type> {
        let mut at = Type::Object(Fields::of_kind(api_version, kind)?);
        for name in path.split('.') {
            while let Type::List(inner) | Type::Map(inner) = at {
                at = *inner;
            }
            let Type::Object(fields) = at else { return None };
            at = fields.get(name)?.clone();
        }
        Some(at)
    }

    #[test]
    fn fields_of_stable_kinds_have_their_choices() {
        let policy = typed("apps/v1", "Deployment", "spec.template.spec.containers.imagePullPolicy");
        assert_eq!(policy, Some(Type::Choice(&["Always", "IfNotPresent", "Never"])));
        let types = typed("networking.k8s.io/v1", "NetworkPolicy", "spec.policyTypes");
        assert_eq!(types, Some(Type::List(Box::new(Type::Choice(&["Ingress", "Egress"])))));
        let subject = typed("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "subjects.kind");
        assert_eq!(subject, Some(Type::Choice(&["User", "Group", "ServiceAccount"])));
        let beta = typed(
            "admissionregistration.k8s.io/v1beta1",
            "ValidatingWebhookConfiguration",
            "webhooks.sideEffects",
        );
        assert_eq!(beta, Some(Type::Text));
    }

    #[test]
    fn every_row_refers_to_a_field_of_kubernetes() {
        let text = include_str!("fields.txt");
        for (types, field, _) in CHOICES {
            for of in *types {
                let mut blocks = text.split("\n\n");
                let is_it = |block: &str| {
                    let name = block.lines().next().unwrap_or_default();
                    let has = |line: &str| line.trim_start().split(' ').next() == Some(*field);
                    name.rsplit('.').next() == Some(*of) && block.lines().skip(1).any(has)
                };
                assert!(blocks.any(is_it), "{of}.{field}");
            }
        }
    }
}
