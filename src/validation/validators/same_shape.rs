//! Finds objects of a removed API version that have the same meaning in the next version, without any change.

use crate::manifest::Object;
use semver::Version;
use serde_json::Value;

/// A removed API version, its kinds, the next API version, and the first Kubernetes version that serves the next API
/// version.
struct Successor {
    removed: &'static str,
    kinds: &'static [&'static str],
    api_version: &'static str,
    since: Version,
    /// Returns whether an object means the same in both versions.
    same: fn(&Object) -> bool,
}

/// Removed API versions whose successor has no changes, or only changes that can be detected in the object. The source
/// is the Kubernetes deprecated API migration guide.
static SUCCESSORS: [Successor; 12] = [
    Successor {
        removed: "scheduling.k8s.io/v1beta1",
        kinds: &["PriorityClass"],
        api_version: "scheduling.k8s.io/v1",
        since: Version::new(1, 14, 0),
        same: always,
    },
    Successor {
        removed: "rbac.authorization.k8s.io/v1beta1",
        kinds: &["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"],
        api_version: "rbac.authorization.k8s.io/v1",
        since: Version::new(1, 8, 0),
        same: always,
    },
    Successor {
        removed: "apiregistration.k8s.io/v1beta1",
        kinds: &["APIService"],
        api_version: "apiregistration.k8s.io/v1",
        since: Version::new(1, 10, 0),
        same: always,
    },
    Successor {
        removed: "coordination.k8s.io/v1beta1",
        kinds: &["Lease"],
        api_version: "coordination.k8s.io/v1",
        since: Version::new(1, 14, 0),
        same: always,
    },
    Successor {
        removed: "networking.k8s.io/v1beta1",
        kinds: &["IngressClass"],
        api_version: "networking.k8s.io/v1",
        since: Version::new(1, 19, 0),
        same: always,
    },
    Successor {
        removed: "storage.k8s.io/v1beta1",
        kinds: &["StorageClass", "VolumeAttachment", "CSINode"],
        api_version: "storage.k8s.io/v1",
        since: Version::new(1, 17, 0),
        same: always,
    },
    Successor {
        removed: "storage.k8s.io/v1beta1",
        kinds: &["CSIDriver"],
        api_version: "storage.k8s.io/v1",
        since: Version::new(1, 19, 0),
        same: always,
    },
    Successor {
        removed: "admissionregistration.k8s.io/v1beta1",
        kinds: &["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
        api_version: "admissionregistration.k8s.io/v1",
        since: Version::new(1, 16, 0),
        same: says_all_that_changed,
    },
    Successor {
        removed: "batch/v1beta1",
        kinds: &["CronJob"],
        api_version: "batch/v1",
        since: Version::new(1, 21, 0),
        same: always,
    },
    Successor {
        removed: "policy/v1beta1",
        kinds: &["PodDisruptionBudget"],
        api_version: "policy/v1",
        since: Version::new(1, 21, 0),
        same: selects_the_same,
    },
    Successor {
        removed: "node.k8s.io/v1beta1",
        kinds: &["RuntimeClass"],
        api_version: "node.k8s.io/v1",
        since: Version::new(1, 20, 0),
        same: always,
    },
    Successor {
        removed: "autoscaling/v2beta2",
        kinds: &["HorizontalPodAutoscaler"],
        api_version: "autoscaling/v2",
        since: Version::new(1, 23, 0),
        same: always,
    },
];

/// Returns the API version that the object can use instead without any other change. Returns `None` if a person must
/// check the object, or if `oldest`, the oldest Kubernetes version that the operator runs on, does not serve that API
/// version yet.
pub(super) fn successor(object: &Object, oldest: Option<&Version>) -> Option<&'static str> {
    let gvk = object.gvk();
    let written = gvk.api_version();
    let found = SUCCESSORS.iter().find(|successor| {
        successor.removed == written && successor.kinds.contains(&gvk.kind.as_str()) && (successor.same)(object)
    })?;
    oldest
        .is_none_or(|oldest| *oldest >= found.since)
        .then_some(found.api_version)
}

fn always(_: &Object) -> bool {
    true
}

/// Returns whether the budget selects the same pods in both versions: an empty selector used to select nothing, and now
/// selects everything.
fn selects_the_same(budget: &Object) -> bool {
    match budget.get(&["spec", "selector"]) {
        None | Some(Value::Null) => true,
        Some(Value::Object(selector)) => selector.values().any(|part| match part {
            Value::Object(labels) => !labels.is_empty(),
            Value::Array(expressions) => !expressions.is_empty(),
            _ => false,
        }),
        Some(_) => false,
    }
}

/// Returns whether the configuration sets all fields that changed: some defaults are different, and two fields are now
/// required.
fn says_all_that_changed(configuration: &Object) -> bool {
    let webhooks = configuration.list(&["webhooks"]);
    let written = |webhook: &Value, key: &str| webhook.get(key).is_some_and(|value| !value.is_null());
    let mut names: Vec<&Value> = webhooks.iter().filter_map(|webhook| webhook.get("name")).collect();
    names.sort_by_key(ToString::to_string);
    names.dedup();
    names.len() == webhooks.len()
        && webhooks.iter().all(|webhook| {
            let side_effects = webhook.get("sideEffects").and_then(Value::as_str).unwrap_or_default();
            let reviews = webhook.get("admissionReviewVersions").and_then(Value::as_array);
            ["failurePolicy", "matchPolicy", "timeoutSeconds"]
                .iter()
                .all(|key| written(webhook, key))
                && ["None", "NoneOnDryRun"].contains(&side_effects)
                && reviews.is_some_and(|reviews| !reviews.is_empty())
        })
}
