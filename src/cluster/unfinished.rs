//! The InstallPlans that Subscriptions wait for.

use super::state::{Subscription, UnfinishedPlan, UpgradeStrategy};
use crate::csv::Csv;
use serde_json::Value;
use std::collections::BTreeSet;

/// The phase of an InstallPlan that waits for approval.
pub(crate) const REQUIRES_APPROVAL: &str = "RequiresApproval";
/// The phase of an InstallPlan that failed.
pub(crate) const FAILED: &str = "Failed";
/// The phase of an InstallPlan whose objects were created.
const COMPLETE: &str = "Complete";
/// The state of a Subscription whose current version does not exist.
const UPGRADE_PENDING: &str = "UpgradePending";
/// The state of such a Subscription if its InstallPlan failed in a namespace in which failed upgrades may be upgraded.
/// In other namespaces, OLM changes the state to `UpgradePending` before it resolves.
const UPGRADE_FAILED: &str = "UpgradeFailed";

/// Adds the InstallPlan that a Subscription waits for. OLM creates no other plan while all Subscriptions of a namespace
/// refer to a plan and are in the state `UpgradePending`: their current version does not exist. `versions` and `plans`
/// are the ClusterServiceVersions and the InstallPlans of the namespace.
pub(super) fn with_unfinished_plan(
    subscription: Subscription,
    view: Csv<'_>,
    versions: &BTreeSet<&str>,
    plans: &[Csv<'_>],
    strategy: UpgradeStrategy,
) -> Subscription {
    let name = view.text(&["status", "installPlanRef", "name"]);
    let state = view.text(&["status", "state"]);
    let waits = !name.is_empty() && [UPGRADE_PENDING, UPGRADE_FAILED].contains(&state);
    let has_failed = state == UPGRADE_FAILED;
    let exists = |csv: &String| versions.contains(csv.as_str());
    if !waits || subscription.current_csv.as_ref().is_some_and(exists) {
        return subscription;
    }
    let plan = plans.iter().find(|plan| plan.name() == name);
    if plan.is_none() && !plans.is_empty() {
        // OLM forgets a deleted plan together with its version, and resolves again.
        return Subscription {
            current_csv: subscription.installed_csv.clone().filter(exists),
            ..subscription
        };
    }
    let names = plan.and_then(|plan| plan.get(&["spec", "clusterServiceVersionNames"])?.as_array());
    let names = names.into_iter().flatten().filter_map(Value::as_str);
    let mut versions: Vec<String> = names.map(str::to_owned).collect();
    if versions.is_empty() {
        versions.extend(subscription.current_csv.clone());
    }
    let phase = match plan {
        Some(plan) => plan.text(&["status", "phase"]),
        None if has_failed => FAILED,
        None => phase(view),
    };
    let unfinished = UnfinishedPlan {
        name: name.to_owned(),
        versions,
        phase: phase.to_owned(),
        // Without the plan, OLM keeps the state.
        blocks: !(strategy == UpgradeStrategy::FailForward && (plan.is_some() || has_failed) && phase == FAILED),
    };
    Subscription {
        install_plan: Some(unfinished),
        ..subscription
    }
}

impl UnfinishedPlan {
    /// Returns the state of the plan in words. `versions` is the list of its versions, and `is_blocked` means that OLM
    /// creates no other plan in the namespace.
    pub(crate) fn explained(&self, versions: &str, is_blocked: bool) -> String {
        let Self { name, phase, .. } = self;
        let (state, way_out) = match &**phase {
            REQUIRES_APPROVAL => ("waits for approval", "you approve or delete it"),
            FAILED => ("failed", "you delete it"),
            COMPLETE => ("is complete, although not all of its versions exist", "you delete it"),
            _ => ("is not complete", "it is complete, or you delete it"),
        };
        let consequence = if is_blocked {
            format!("; OLM creates no other plan until {way_out}")
        } else {
            String::new()
        };
        format!("the InstallPlan {name} with {versions} {state}{consequence}")
    }
}

/// Returns the phase of the InstallPlan according to the conditions of its Subscription; empty if unknown.
fn phase(view: Csv<'_>) -> &str {
    let conditions = view.get(&["status", "conditions"]).and_then(Value::as_array);
    let conditions = conditions.into_iter().flatten().map(Csv);
    let mut phases = conditions
        .filter(|condition| condition.text(&["status"]) == "True")
        .filter_map(|condition| match condition.text(&["type"]) {
            "InstallPlanFailed" => Some(FAILED),
            // For this condition, the reason is the phase.
            "InstallPlanPending" => Some(condition.text(&["reason"])),
            _ => None,
        });
    phases.next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::cluster::state::{Subscription, UnfinishedPlan};
    use crate::cluster::{State, observe};
    use serde_json::{Value, json};

    const VERSION: &str = "operators.coreos.com/v1alpha1";

    fn object(kind: &str, name: &str, spec: &Value, status: &Value) -> Value {
        json!({"apiVersion": VERSION, "kind": kind, "metadata": {"name": name, "namespace": "garden"}, "spec": spec,
            "status": status})
    }

    fn waiting(conditions: &Value) -> Value {
        let status = json!({"installedCSV": "rake.v1.0.0", "currentCSV": "rake.v1.1.0", "state": "UpgradePending",
            "installPlanRef": {"name": "install-abc"}, "conditions": conditions});
        object("Subscription", "rake", &json!({"name": "rake"}), &status)
    }

    fn plan(name: &str, phase: &str) -> Value {
        let versions = json!(["rake.v1.1.0", "lamp.v1.0.0"]);
        object(
            "InstallPlan",
            name,
            &json!({"clusterServiceVersionNames": versions}),
            &json!({"phase": phase}),
        )
    }

    fn observed(objects: Vec<Value>) -> Subscription {
        let mut state = State {
            objects,
            ..State::default()
        };
        observe(&mut state, None).unwrap();
        state.subscriptions.swap_remove(0)
    }

    fn found(objects: Vec<Value>) -> Option<(String, bool)> {
        observed(objects).install_plan.map(|plan| (plan.phase, plan.blocks))
    }

    #[test]
    fn a_subscription_waits_for_its_plan_until_the_current_version_exists() {
        let expected = UnfinishedPlan {
            name: "install-abc".to_owned(),
            versions: vec!["rake.v1.1.0".to_owned(), "lamp.v1.0.0".to_owned()],
            phase: "RequiresApproval".to_owned(),
            blocks: true,
        };
        let objects = vec![waiting(&json!([])), plan("install-abc", "RequiresApproval")];
        assert_eq!(observed(objects.clone()).install_plan, Some(expected));
        let version = object("ClusterServiceVersion", "rake.v1.1.0", &json!({}), &json!({}));
        assert_eq!(found([objects.clone(), vec![version]].concat()), None);
        for (pointer, value) in [
            ("/status/installPlanRef", Value::Null),
            ("/status/state", json!("AtLatestKnown")),
        ] {
            let mut other = objects.clone();
            *other[0].pointer_mut(pointer).unwrap() = value;
            assert_eq!(found(other), None, "{pointer}");
        }
    }

    #[test]
    fn without_the_plan_the_conditions_of_the_subscription_describe_it() {
        let of = |kind: &str, reason: &str, status: &str| {
            let condition = json!({"type": kind, "reason": reason, "status": status});
            found(vec![waiting(&json!([condition]))]).unwrap().0
        };
        assert_eq!(of("InstallPlanPending", "RequiresApproval", "True"), "RequiresApproval");
        assert_eq!(of("InstallPlanFailed", "InstallComponentFailed", "True"), "Failed");
        assert_eq!(of("InstallPlanFailed", "InstallComponentFailed", "False"), "");
        assert_eq!(of("CatalogSourcesUnhealthy", "x", "True"), "");
    }

    #[test]
    fn a_deleted_plan_is_forgotten_together_with_its_version() {
        let version = object("ClusterServiceVersion", "rake.v1.0.0", &json!({}), &json!({}));
        let subscription = observed(vec![waiting(&json!([])), plan("install-other", "Complete"), version]);
        assert_eq!(subscription.install_plan, None);
        assert_eq!(subscription.current_csv.as_deref(), Some("rake.v1.0.0"));
    }

    #[test]
    fn a_failed_plan_does_not_block_others_if_failed_upgrades_may_be_upgraded() {
        let group = |strategy: &str| {
            json!({"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup",
                "metadata": {"name": "g", "namespace": "garden"}, "spec": {"upgradeStrategy": strategy}})
        };
        let of = |phase: &str, strategy: &str| {
            let objects = vec![waiting(&json!([])), plan("install-abc", phase), group(strategy)];
            found(objects).unwrap().1
        };
        assert!(of("Failed", "Default"));
        assert!(!of("Failed", "TechPreviewUnsafeFailForward"));
        assert!(of("RequiresApproval", "TechPreviewUnsafeFailForward"));
        let mut failed = waiting(&json!([]));
        failed["status"]["state"] = json!("UpgradeFailed");
        let of = |strategy: &str, plans: Vec<Value>| found([vec![failed.clone(), group(strategy)], plans].concat());
        let with = |blocks: bool| Some(("Failed".to_owned(), blocks));
        for plans in [vec![plan("install-abc", "Failed")], Vec::new()] {
            assert_eq!(of("TechPreviewUnsafeFailForward", plans.clone()), with(false));
            assert_eq!(of("Default", plans), with(true));
        }
    }
}
