//! Conditions that tell administrators that an operator allows no upgrade, or that an override replaces the operator's
//! report.

use super::component::Component;
use super::normal::Condition;
use crate::cluster::conditions::{
    Check, Conditions, InstalledOperator, NOT_UPGRADEABLE, OperatorCondition, Said, UPGRADEABLE, check,
};
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};

/// Returns the condition resources in `all` that belong to ClusterServiceVersions in `own`, except those that are in
/// `own` themselves.
pub(super) fn resources<'a>(own: &[Component<'a>], all: &Conditions<'a>) -> Vec<Component<'a>> {
    let versions = own.iter().filter_map(|csv| InstalledOperator::of(csv.0));
    let found: BTreeMap<_, _> = versions.flat_map(|version| all.of_operator(&version)).collect();
    let known: HashSet<*const Value> = own.iter().map(|known| std::ptr::from_ref(known.0)).collect();
    let objects = found.into_values().map(OperatorCondition::object);
    let unknown = objects.filter(|object| !known.contains(&std::ptr::from_ref(*object)));
    unknown.map(Component).collect()
}

/// Returns the conditions of the operator as a whole that follow from the reports of its installed version.
pub(super) fn of(own: &[Component<'_>], installed: Option<&str>) -> Vec<Condition> {
    let versions = own.iter().filter_map(|csv| InstalledOperator::of(csv.0));
    let versions: Vec<_> = versions.filter(|version| Some(version.name) == installed).collect();
    let resources = own.iter().filter(|object| OperatorCondition::of(object.0).is_some());
    let resources: Vec<Value> = resources.map(|object| object.0.clone()).collect();
    let checks = check(&resources, &versions).into_iter();
    checks
        .filter(|check| Some(check.operator.as_str()) == installed)
        .flat_map(|check| match &check.held_by {
            Some(hold) => {
                let said = hold.said.as_ref();
                let reason = said.and_then(|said| said.reason.clone());
                vec![Condition {
                    kind: UPGRADEABLE.to_owned(),
                    status: "False".to_owned(),
                    reason: Some(reason.unwrap_or_else(|| NOT_UPGRADEABLE.to_owned())),
                    message: Some(hold.explained()),
                    last_update_time: None,
                    last_transition_time: said.and_then(|said| said.last_transition_time.clone()),
                }]
            }
            None => check.overridden.iter().map(|said| overridden(&check, said)).collect(),
        })
        .collect()
}

fn overridden(check: &Check, said: &Said) -> Condition {
    let resource = check.condition.as_deref().unwrap_or_default();
    Condition {
        kind: said.kind.clone(),
        status: "Unknown".to_owned(),
        reason: Some("Overridden".to_owned()),
        message: Some(format!(
            "{resource} reports {said}, but an entry in its spec.overrides takes precedence"
        )),
        last_update_time: None,
        last_transition_time: said.last_transition_time.clone(),
    }
}
