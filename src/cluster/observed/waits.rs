//! The InstallPlans that the Subscriptions of all namespaces wait for.

use super::convert::{subscription, with_current_version};
use super::{Objects, home};
use crate::cluster::state::{State, Subscription, UnfinishedPlan, UpgradeStrategy};
use crate::cluster::unfinished::with_unfinished_plan;
use crate::csv::{self, Csv};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// An InstallPlan that a Subscription waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wait {
    pub(crate) plan: UnfinishedPlan,
    /// Whether OLM creates no other plan in the namespace.
    pub(crate) is_blocked: bool,
}

/// The OLM objects of a namespace.
#[derive(Default)]
struct Namespace<'a> {
    subscriptions: Vec<Csv<'a>>,
    versions: BTreeSet<&'a str>,
    plans: Vec<Csv<'a>>,
}

/// Returns the InstallPlans that Subscriptions among the objects of a state wait for, by the namespace and the
/// installed version of the Subscription.
pub(crate) fn waits_in(state: &State) -> BTreeMap<(String, String), Wait> {
    let objects = Objects(&state.objects);
    let mut namespaces: HashMap<&str, Namespace<'_>> = HashMap::new();
    for view in objects.of_kind("Subscription") {
        namespaces.entry(home(view)).or_default().subscriptions.push(view);
    }
    for view in objects.of_kind(csv::KIND) {
        if let Some(namespace) = namespaces.get_mut(home(view)) {
            namespace.versions.insert(view.name());
        }
    }
    for view in objects.of_kind("InstallPlan") {
        if let Some(namespace) = namespaces.get_mut(home(view)) {
            namespace.plans.push(view);
        }
    }
    let fail_forward = state.fail_forward_namespaces();
    let mut waits = BTreeMap::new();
    for (name, namespace) in &namespaces {
        let strategy = if fail_forward.contains(name) {
            UpgradeStrategy::FailForward
        } else {
            UpgradeStrategy::Default
        };
        let subscriptions = namespace.subscriptions.iter().map(|view| {
            let subscription = with_current_version(subscription(*view), &namespace.versions);
            with_unfinished_plan(subscription, *view, &namespace.versions, &namespace.plans, strategy)
        });
        let subscriptions: Vec<Subscription> = subscriptions.collect();
        let blocks = |to: &Subscription| to.install_plan.as_ref().is_some_and(|plan| plan.blocks);
        let is_blocked = subscriptions.iter().all(blocks);
        for to in subscriptions {
            if let (Some(installed), Some(plan)) = (to.installed_csv, to.install_plan) {
                waits.insert(((*name).to_owned(), installed), Wait { plan, is_blocked });
            }
        }
    }
    waits
}
