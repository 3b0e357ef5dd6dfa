//! Matches operators with their conditions.

use super::{
    Conditions, Held, Hold, InstalledOperator, Judgement, NOT_UPGRADEABLE, OperatorCondition, Progress,
    REQUIREMENTS_UNKNOWN, Said, Unready, judge,
};
use crate::cluster::State;
use crate::cluster::observed::{Wait, waits_in};
use crate::cluster::openshift::{OpenShiftLimit, limits_in};
use crate::cluster::unfinished::{FAILED, REQUIRES_APPROVAL};
use crate::olm::releases::{Feature, Olm};
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The progress of the last upgrade of an operator, determined from its conditions and its phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Upgrade {
    /// The upgrade is complete.
    Done,
    /// The operator is being upgraded.
    Upgrading,
    /// The upgrade has not started.
    NotStarted,
    /// The phase of the ClusterServiceVersion is not `Succeeded`.
    NotDone,
    /// The InstallPlan of the upgrade waits for approval.
    AwaitsApproval,
    /// The InstallPlan of the upgrade failed.
    Failed,
    /// The progress of the upgrade is unknown.
    Unknown,
}

/// The result for an operator and one condition resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// The name of the ClusterServiceVersion. For a condition whose operator is not installed, the name of the owner;
    /// if it has no owner, the name of the condition.
    pub operator: String,
    /// The namespace, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The installed version, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The condition resource as `Kind/name`; `None` if the operator has none, which allows every upgrade.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// Whether OLM upgrades the operator.
    pub upgradeable: bool,
    /// The reason in the status of the version that has to wait, if OLM does not upgrade the operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// The reason in words: the message in the status of the version that has to wait or, because OLM writes none for
    /// the phase of the installed version, the words of [`Unready`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The resource that holds the upgrade back, when it began to do so, and the change that allows the upgrade.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_by: Option<Hold>,
    /// The operator's conditions that an override replaces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overridden: Vec<Said>,
    /// The operator's conditions that OLM does not know and that are only informational.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Said>,
    /// The last version of OpenShift that the operator supports, if it limits the version. Only [`check_in`] sets it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub openshift: Option<OpenShiftLimit>,
    /// The progress of the last upgrade.
    pub upgrade: Upgrade,
    /// Notes for people about the resource, about the InstallPlan of the last upgrade, and about the upgrade of the
    /// cluster.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Runs [`check`] on the cluster that a what-if file or dumps describe. The upgrade of an operator whose Subscription
/// waits for an InstallPlan is not complete. Also reports the operators that block the upgrade of an OpenShift cluster.
pub fn check_in(state: &State) -> Vec<Check> {
    let mut checks = check(&conditions_in(state), &installed_in(state));
    let (waits, limits) = (waits_in(state), limits_in(state));
    let mut told = BTreeSet::new();
    for check in &mut checks {
        let place = (check.namespace.clone().unwrap_or_default(), check.operator.clone());
        let is_first = told.insert(place.clone());
        if let Some(Wait { plan, is_blocked }) = waits.get(&place) {
            if check.upgrade == Upgrade::Done {
                check.upgrade = match plan.phase.as_str() {
                    REQUIRES_APPROVAL => Upgrade::AwaitsApproval,
                    FAILED => Upgrade::Failed,
                    _ => Upgrade::NotDone,
                };
            }
            if is_first {
                let versions = plan.versions.join(", ");
                check.notes.push(plan.explained(&versions, *is_blocked));
            }
        }
        check.openshift = limits.get(&place).cloned();
        let limit = check.openshift.as_ref().filter(|_| is_first);
        check.notes.extend(limit.and_then(|limit| limit.message.clone()));
    }
    checks
}

/// Matches operators with conditions. Returns an entry for each operator and each of its conditions, one for each
/// operator without a condition, and one for each condition whose operator is not installed. Objects of other kinds are
/// skipped.
pub fn check(conditions: &[Value], installed: &[InstalledOperator<'_>]) -> Vec<Check> {
    let conditions = Conditions::among(conditions);
    let mut checks = Vec::new();
    let mut matched: BTreeSet<usize> = BTreeSet::new();
    for operator in installed {
        let own = conditions.of_operator(operator);
        if own.is_empty() {
            checks.push(checked(operator, None));
        }
        matched.extend(own.iter().map(|(place, _)| *place));
        checks.extend(own.into_iter().map(|(_, condition)| checked(operator, Some(condition))));
    }
    for (place, condition) in conditions.all().iter().copied().enumerate() {
        if !matched.contains(&place) {
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
    // OLM checks the conditions first.
    let unready = Unready::of(operator).filter(|_| held.is_none());
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
        upgradeable: held.is_none() && unready.is_none(),
        reason: held
            .map(|_| NOT_UPGRADEABLE)
            .or(unready.as_ref().map(|_| REQUIREMENTS_UNKNOWN)),
        message: held.map(Held::message).or(unready.as_ref().map(ToString::to_string)),
        held_by,
        overridden: listed(|judgement| &judgement.overridden),
        conditions: listed(|judgement| &judgement.others),
        openshift: None,
        upgrade,
        notes: notes.map(ToString::to_string).collect(),
    }
}

/// Like [`held`], but for the operators in one namespace of the cluster that a what-if file or dumps describe.
pub(crate) fn held_in(state: &State, namespace: &str, olm: &Olm) -> BTreeMap<String, Hold> {
    let here = |operator: &InstalledOperator<'_>| operator.namespace.is_none_or(|own| own == namespace);
    let installed: Vec<_> = installed_in(state).into_iter().filter(here).collect();
    held(&conditions_in(state), &installed, olm)
}

/// Returns whether the input lists installed operators of a cluster, but none of the conditions that OLM creates with
/// them, so that whether an operator refuses its upgrade is unknown.
pub fn lacks_conditions(state: &State) -> bool {
    let mut objects = state.objects.iter();
    objects.any(|object| InstalledOperator::of(object).is_some()) && conditions_in(state).is_empty()
}

/// Returns the conditions of a state, including those among its objects.
fn conditions_in(state: &State) -> Vec<Value> {
    let all = state.conditions.iter().chain(&state.objects);
    all.filter(|object| OperatorCondition::of(object).is_some())
        .cloned()
        .collect()
}

/// Returns the installed operators: those that the state lists, which are in its namespace, and those among its
/// objects.
pub fn installed_in(state: &State) -> Vec<InstalledOperator<'_>> {
    let fail_forward = state.fail_forward_namespaces();
    let named = state.installed.iter().map(|installed| InstalledOperator {
        name: &installed.name,
        namespace: Some(&state.namespace),
        version: installed.version.as_deref(),
        package: installed.package.as_deref(),
        phase: Some(&installed.phase),
        fail_forward: fail_forward.contains(&*state.namespace),
    });
    let others = state.objects.iter().filter_map(InstalledOperator::of);
    let others = others.map(|operator| InstalledOperator {
        fail_forward: operator.namespace.is_some_and(|own| fail_forward.contains(own)),
        ..operator
    });
    let others: Vec<_> = others.collect();
    let is_object = |named: &InstalledOperator<'_>| {
        let mut others = others.iter();
        others.any(|other| (other.name, other.namespace) == (named.name, named.namespace))
    };
    let named: Vec<_> = named.filter(|named| !is_object(named)).collect();
    [named, others].concat()
}

/// Returns the operators that OLM does not upgrade, each with the reason. The keys are the names of the
/// ClusterServiceVersions. A resolver must not change these operators.
///
/// Only the conditions that this OLM considers count.
pub(super) fn held(conditions: &[Value], installed: &[InstalledOperator<'_>], olm: &Olm) -> BTreeMap<String, Hold> {
    let conditions = conditions.iter().filter_map(OperatorCondition::of);
    let considered = conditions.filter(|condition| olm.does(Feature::ProposedCondition) || !condition.is_proposed());
    let conditions = Conditions::of(considered.collect());
    let considers = |judgement: &Judgement| {
        let held = judgement.held.as_ref();
        held.is_some_and(|held| olm.does(held.feature()))
    };
    let why = |operator: &InstalledOperator<'_>| {
        let own = conditions.of_operator(operator).into_iter();
        own.map(|(_, condition)| judge(condition, operator.version))
            .filter(considers)
            .find_map(|judgement| judgement.hold)
    };
    let entry = |operator: &InstalledOperator<'_>| Some((operator.name.to_owned(), why(operator)?));
    installed.iter().filter_map(entry).collect()
}
