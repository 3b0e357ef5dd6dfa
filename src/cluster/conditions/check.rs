//! Operators and their conditions, put together.

use super::{Held, Hold, InstalledOperator, Judgement, NOT_UPGRADEABLE, OperatorCondition, Progress, Said, judge};
use crate::cluster::State;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// How far the last upgrade of an operator is, from its conditions and its phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Upgrade {
    /// It is done.
    Done,
    /// The operator is at it.
    Upgrading,
    /// It has not begun.
    NotStarted,
    /// The phase of the ClusterServiceVersion is another one than `Succeeded`.
    NotDone,
    /// Nothing tells.
    Unknown,
}

/// What is to be said of an operator and one condition resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// The name of the ClusterServiceVersion. Of a condition whose operator is not there, its own name.
    pub operator: String,
    /// The namespace, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The installed version, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The condition resource as `Kind/name`; `None` where there is none, which allows every upgrade.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// Whether OLM upgrades the operator.
    pub upgradeable: bool,
    /// [`NOT_UPGRADEABLE`], where it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// What stands in the status of the version that has to wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Who holds it back, since when, and what lets the upgrade through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_by: Option<Hold>,
    /// What the operator says that an override sets aside.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overridden: Vec<Said>,
    /// What the operator says that OLM does not know, for people.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Said>,
    /// How far the last upgrade is.
    pub upgrade: Upgrade,
    /// What a person should know about the resource.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// [`check`] for all that a what-if file or dumps say of a cluster.
pub fn check_in(state: &State) -> Vec<Check> {
    check(&conditions_in(state), &installed_in(state))
}

/// Puts operators and conditions together: an entry for each operator and condition of it, one for each operator
/// without any, and one for each condition whose operator is not among these. Objects of other kinds are passed over.
pub fn check(conditions: &[Value], installed: &[InstalledOperator<'_>]) -> Vec<Check> {
    let conditions: Vec<_> = conditions.iter().filter_map(OperatorCondition::of).collect();
    let mut checks = Vec::new();
    for operator in installed {
        let own: Vec<_> = conditions
            .iter()
            .filter(|condition| condition.is_of(operator))
            .collect();
        if own.is_empty() {
            checks.push(checked(operator, None));
        }
        checks.extend(own.into_iter().map(|condition| checked(operator, Some(*condition))));
    }
    for condition in conditions {
        if !installed.iter().any(|operator| condition.is_of(operator)) {
            let alone = InstalledOperator {
                name: condition.owners().next().unwrap_or(condition.name()),
                namespace: condition.namespace(),
                ..InstalledOperator::default()
            };
            checks.push(checked(&alone, Some(condition)));
        }
    }
    let key = |check: &Check| (check.namespace.clone(), check.operator.clone(), check.condition.clone());
    checks.sort_by_cached_key(key);
    checks
}

fn checked(operator: &InstalledOperator<'_>, condition: Option<OperatorCondition<'_>>) -> Check {
    let judgement = condition.map(|condition| judge(condition, operator.version));
    let by_phase = || match operator.phase {
        Some("Succeeded") => Upgrade::Done,
        Some(_) => Upgrade::NotDone,
        None => Upgrade::Unknown,
    };
    let upgrade = match judgement.as_ref().map(|judgement| &judgement.progress) {
        None | Some(Progress::Unsaid) => by_phase(),
        Some(Progress::Upgrading { .. }) => Upgrade::Upgrading,
        Some(Progress::Done) => Upgrade::Done,
        Some(Progress::NotStarted { .. }) => Upgrade::NotStarted,
    };
    let held = judgement.as_ref().and_then(|judgement| judgement.held.as_ref());
    let notes = judgement.iter().flat_map(|judgement| &judgement.notes);
    let listed = |of: fn(&Judgement) -> &Vec<Said>| judgement.as_ref().map(of).cloned().unwrap_or_default();
    let namespace = operator.namespace.or(condition.and_then(OperatorCondition::namespace));
    let mut held_by = judgement.as_ref().and_then(|judgement| judgement.hold.clone());
    if let Some(release) = held_by.as_mut().and_then(|hold| hold.release.as_mut())
        && release.namespace.is_none()
    {
        release.namespace = namespace.map(str::to_owned);
    }
    Check {
        operator: operator.name.to_owned(),
        namespace: namespace.map(str::to_owned),
        version: operator.version.map(str::to_owned),
        condition: condition.map(OperatorCondition::label),
        upgradeable: held.is_none(),
        reason: held.map(|_| NOT_UPGRADEABLE),
        message: held.map(Held::message),
        held_by,
        overridden: listed(|judgement| &judgement.overridden),
        conditions: listed(|judgement| &judgement.others),
        upgrade,
        notes: notes.map(ToString::to_string).collect(),
    }
}

/// The operators in a namespace of a what-if file or of dumps that OLM does not upgrade, and why: [`held`] for what is
/// installed there.
pub(crate) fn held_in(state: &State, namespace: &str) -> BTreeMap<String, Hold> {
    let here = |operator: &InstalledOperator<'_>| operator.namespace.is_none_or(|own| own == namespace);
    let installed: Vec<_> = installed_in(state).into_iter().filter(here).collect();
    held(&conditions_in(state), &installed)
}

/// The conditions of a state, and those among its objects.
fn conditions_in(state: &State) -> Vec<Value> {
    let all = state.conditions.iter().chain(&state.objects);
    all.filter(|object| OperatorCondition::of(object).is_some())
        .cloned()
        .collect()
}

/// The operators that are installed: those that a state names, which are in its namespace, and those among its objects.
pub fn installed_in(state: &State) -> Vec<InstalledOperator<'_>> {
    let named = state.installed.iter().map(|installed| InstalledOperator {
        name: &installed.name,
        namespace: Some(&state.namespace),
        version: installed.version.as_deref(),
        package: installed.package.as_deref(),
        phase: Some(&installed.phase),
    });
    let others: Vec<_> = state.objects.iter().filter_map(InstalledOperator::of).collect();
    let is_object = |named: &InstalledOperator<'_>| {
        let mut others = others.iter();
        others.any(|other| (other.name, other.namespace) == (named.name, named.namespace))
    };
    let named: Vec<_> = named.filter(|named| !is_object(named)).collect();
    [named, others].concat()
}

/// The operators that OLM does not upgrade, by the names of their ClusterServiceVersions, and why: what a resolver may
/// offer them is to stay.
pub fn held(conditions: &[Value], installed: &[InstalledOperator<'_>]) -> BTreeMap<String, Hold> {
    let conditions: Vec<_> = conditions.iter().filter_map(OperatorCondition::of).collect();
    let why = |operator: &InstalledOperator<'_>| {
        let own = conditions.iter().filter(|condition| condition.is_of(operator));
        own.map(|condition| judge(*condition, operator.version))
            .find_map(|judgement| judgement.hold)
    };
    let entry = |operator: &InstalledOperator<'_>| Some((operator.name.to_owned(), why(operator)?));
    installed.iter().filter_map(entry).collect()
}
