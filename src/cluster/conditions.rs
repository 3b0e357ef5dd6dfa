//! Operator conditions: the state that an operator reports about itself, and whether OLM holds back its upgrade because
//! of that state.
//!
//! This module provides views of the `Condition` in the proposal operator-conditions, and of the `OperatorCondition`,
//! which OLM serves in versions v1 and v2. [`judge`] decides whether one of these resources holds back an upgrade, and
//! [`check`] matches operators and conditions.

mod check;
mod hold;
mod index;
mod list;
mod note;
mod phase;
mod proposed;
mod said;
mod starter;

pub(crate) use check::held_in;
pub use check::{Check, Upgrade, check, check_in, installed_in, lacks_conditions};
pub use hold::{Hold, Release};
pub(crate) use index::Conditions;
pub use note::Note;
pub(crate) use phase::REQUIREMENTS_UNKNOWN;
pub use phase::Unready;
pub use proposed::{ENVIRONMENT, aggregate, environment_patch, proposed};
pub use said::Said;
pub use starter::{Starter, starter};

use super::labels;
use crate::csv::{self, Csv, GROUP};
use crate::olm::releases::Feature;
use list::{Listed, find, lists};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

/// The condition by which an operator allows or refuses its upgrade. OLM compares the name exactly.
pub(crate) const UPGRADEABLE: &str = "Upgradeable";
/// The condition by which an operator reports that it is being upgraded. Only the proposal defines this condition.
pub(crate) const UPGRADING: &str = "Upgrading";
/// `status.reason` of a ClusterServiceVersion that has to wait because its predecessor refuses the upgrade.
pub(crate) const NOT_UPGRADEABLE: &str = "OperatorConditionNotUpgradeable";

/// The facts about an installed operator that [`check`] needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InstalledOperator<'a> {
    /// The name of the operator's ClusterServiceVersion.
    pub name: &'a str,
    /// The namespace; if it is unknown (`None`), conditions in all namespaces match.
    pub namespace: Option<&'a str>,
    /// `spec.version`.
    pub version: Option<&'a str>,
    /// The package, if known.
    pub package: Option<&'a str>,
    /// `status.phase`, if known.
    pub phase: Option<&'a str>,
    /// Whether OLM also replaces the version if it has failed: `spec.upgradeStrategy` of the OperatorGroup.
    pub fail_forward: bool,
}

impl<'a> InstalledOperator<'a> {
    /// Returns the operator of a ClusterServiceVersion; `None` if the object is of another kind, or is a copy that OLM
    /// keeps in the namespaces that an operator watches.
    pub fn of(object: &'a Value) -> Option<Self> {
        let csv = Csv(object);
        if csv.text(&["kind"]) != csv::KIND || csv.is_copied() {
            return None;
        }
        let text = |keys: &[&str]| Some(csv.text(keys)).filter(|text| !text.is_empty());
        let namespace = text(&["metadata", "namespace"]);
        // OLM labels a ClusterServiceVersion with <package>.<namespace>.
        let labels = csv.get(&["metadata", "labels"]).and_then(Value::as_object);
        let package = labels::operators(labels).next().map(|operator| {
            let package = namespace.and_then(|namespace| operator.strip_suffix(namespace)?.strip_suffix('.'));
            package.unwrap_or(operator)
        });
        Some(Self {
            name: csv.name(),
            namespace,
            version: text(&["spec", "version"]),
            package,
            phase: text(&["status", "phase"]),
            fail_forward: false,
        })
    }
}

/// A view of a `Condition` or an `OperatorCondition`.
#[derive(Debug, Clone, Copy)]
pub struct OperatorCondition<'a>(&'a Value);

impl<'a> OperatorCondition<'a> {
    /// Returns the view of an object; `None` if the object is of another kind.
    pub fn of(object: &'a Value) -> Option<Self> {
        let view = Self(object);
        let (group, _) = view.text(&["apiVersion"]).split_once('/')?;
        let known = ["Condition", "OperatorCondition"].contains(&view.text(&["kind"]));
        (group == GROUP && known).then_some(view)
    }

    /// Returns the object.
    pub(crate) fn object(self) -> &'a Value {
        self.0
    }

    /// Returns `metadata.name`.
    pub fn name(self) -> &'a str {
        self.text(&["metadata", "name"])
    }

    /// Returns `metadata.namespace`, if it is set.
    pub fn namespace(self) -> Option<&'a str> {
        Some(self.text(&["metadata", "namespace"])).filter(|namespace| !namespace.is_empty())
    }

    /// Returns `Kind/name`, as shown in messages.
    pub fn label(self) -> String {
        format!("{}/{}", self.text(&["kind"]), self.name())
    }

    /// Returns whether the resource belongs to this operator.
    ///
    /// An `OperatorCondition` in OLM has the name of its ClusterServiceVersion. A `Condition` can have any name. It
    /// belongs to the ClusterServiceVersion that owns it. Without an owner, it belongs to the operator that its label
    /// names.
    pub fn is_of(self, operator: &InstalledOperator<'_>) -> bool {
        if let (Some(own), Some(other)) = (self.namespace(), operator.namespace)
            && own != other
        {
            return false;
        }
        if self.name() == operator.name {
            return true;
        }
        if !self.is_proposed() {
            return false;
        }
        let owners: Vec<&str> = self.owners().collect();
        if !owners.is_empty() {
            return owners.contains(&operator.name);
        }
        operator.package.is_some_and(|package| {
            let with_namespace = operator.namespace.map(|namespace| format!("{package}.{namespace}"));
            let labels = self.get(&["metadata", "labels"]).and_then(Value::as_object);
            let is_own = |labelled: &str| {
                let whole = with_namespace.as_deref();
                labels::is_name_of(labelled, package) || whole.is_some_and(|name| labels::is_name_of(labelled, name))
            };
            labels::operators(labels).any(is_own)
        })
    }

    /// Returns the ClusterServiceVersions that own the resource.
    fn owners(self) -> impl Iterator<Item = &'a str> {
        let owners = self.get(&["metadata", "ownerReferences"]).and_then(Value::as_array);
        let text = |owner: &'a Value, key| owner.get(key).and_then(Value::as_str).unwrap_or_default();
        owners
            .into_iter()
            .flatten()
            .filter(move |owner| text(owner, "kind") == csv::KIND)
            .map(move |owner| text(owner, "name"))
    }

    fn get(self, keys: &[&str]) -> Option<&'a Value> {
        let value = keys.iter().try_fold(self.0, |value, key| value.get(key));
        value.filter(|value| !value.is_null())
    }

    fn text(self, keys: &[&str]) -> &'a str {
        self.get(keys).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns whether the resource is a `Condition`, which only the proposal describes.
    pub(super) fn is_proposed(self) -> bool {
        self.text(&["kind"]) == "Condition"
    }

    /// Returns `metadata.generation`, or 0 if it is not set.
    fn generation(self) -> i64 {
        let generation = self.get(&["metadata", "generation"]);
        generation.and_then(Value::as_i64).unwrap_or(0)
    }

    /// Returns `status.version`, also if it is written as a number.
    pub(super) fn version(self) -> Option<Cow<'a, str>> {
        match self.get(&["status", "version"])? {
            Value::String(text) => Some(Cow::Borrowed(text)),
            Value::Number(number) => Some(Cow::Owned(number.to_string())),
            _ => None,
        }
    }

    /// Returns whether OLM has not yet copied the operator's conditions to the status: whether the resource is an
    /// `OperatorCondition` v2 without a status.
    fn is_new(self) -> bool {
        let v2 = self.text(&["kind"]) == "OperatorCondition" && self.text(&["apiVersion"]).ends_with("/v2");
        v2 && self.get(&["status"]).is_none()
    }
}

/// The reason why OLM does not upgrade an operator. Displayed in OLM's words if OLM has a message for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Held {
    /// The operator, or an administrator's override, refuses the upgrade.
    NotUpgradeable {
        /// The message of the condition or of the override.
        message: String,
    },
    /// The operator has not reported its state since the resource was changed.
    Outdated {
        /// The type of the condition.
        kind: &'static str,
        /// The status that the operator reported before.
        status: String,
    },
    /// The operator is already being upgraded. OLM then waits as if the operator had refused, because the installed
    /// version is not ready yet.
    Upgrading {
        /// The message of the condition.
        message: String,
    },
    /// The operator reports that no upgrade is in progress, but names a version other than the installed one, so its
    /// last upgrade has not started.
    NotBegun {
        /// The version that the operator names.
        reached: String,
        /// The installed version.
        installed: String,
    },
    /// The resource has the wrong form; OLM treats every read error as a refusal.
    Unreadable {
        /// The field.
        field: &'static str,
        /// The type that was found, such as `a string`.
        found: &'static str,
    },
}

impl Held {
    /// Returns `status.message` of the ClusterServiceVersion that has to wait. As in OLM, some words appear twice in
    /// the message.
    pub fn message(&self) -> String {
        format!("operator is not upgradeable: {self}")
    }

    /// Returns the condition that decides; for a resource that cannot be read, the one that releases of OLM consider.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Outdated { kind, .. } => kind,
            Self::Upgrading { .. } | Self::NotBegun { .. } => UPGRADING,
            Self::NotUpgradeable { .. } | Self::Unreadable { .. } => UPGRADEABLE,
        }
    }

    /// Returns the feature of OLM that holds back the upgrade.
    pub(super) fn feature(&self) -> Feature {
        match self.kind() {
            UPGRADING => Feature::UpgradingCondition,
            _ => Feature::UpgradeableCondition,
        }
    }
}

impl fmt::Display for Held {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUpgradeable { message } => write!(formatter, "the operator is not upgradeable: {message}"),
            Self::Outdated { kind, status } => {
                write!(
                    formatter,
                    "the operatorcondition status {kind:?}={status:?} is outdated"
                )
            }
            Self::Upgrading { message } => write!(formatter, "the operator is being upgraded: {message}"),
            Self::NotBegun { reached, installed } => {
                write!(
                    formatter,
                    "the operator is at {reached}, and has not started its upgrade to {installed}"
                )
            }
            Self::Unreadable { field, found } => write!(formatter, "{field} is {found}, not a list of conditions"),
        }
    }
}

/// The progress of the last upgrade of an operator, according to its condition `Upgrading`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// The condition does not specify the progress, so the phase of the ClusterServiceVersion is used.
    Unsaid,
    /// The upgrade is in progress.
    Upgrading {
        /// The message of the condition.
        message: String,
    },
    /// The upgrade is complete.
    Done,
    /// The version in the status is not the installed one, so the upgrade has not started.
    NotStarted {
        /// The version in the status.
        reached: String,
        /// The installed version.
        installed: String,
    },
}

/// The consequences of a condition resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The reason why upgrades are held back, if any.
    pub held: Option<Held>,
    /// The resource that holds upgrades back, when it began to do so, and the change that allows upgrades; set whenever
    /// [`Judgement::held`] is set.
    pub hold: Option<Hold>,
    /// The progress of the last upgrade.
    pub progress: Progress,
    /// The operator's conditions that an override replaces.
    pub overridden: Vec<Said>,
    /// The operator's conditions that have no effect on OLM and are only informational.
    pub others: Vec<Said>,
    /// Notes for people about the resource.
    pub notes: Vec<Note>,
}

/// Decides whether OLM upgrades an operator of this version, according to a condition resource: by OLM's rules for
/// `Upgradeable`, and by the proposal's rules for `Upgrading`.
///
/// An override of `Upgradeable` takes precedence over the operator's report. Without an override, the operator's report
/// decides, unless it refers to another generation of the resource: a report about another generation blocks upgrades.
/// OLM treats a missing generation as 0, both in an `OperatorCondition` and in its condition `Upgradeable`. In the
/// proposal, a report that states no generation is current.
pub fn judge(condition: OperatorCondition<'_>, version: Option<&str>) -> Judgement {
    let lists = match lists(condition) {
        Ok(lists) => lists,
        Err(held) => {
            return Judgement {
                hold: Some(hold::of(condition, None, &held)),
                held: Some(held),
                progress: Progress::Unsaid,
                overridden: Vec::new(),
                others: Vec::new(),
                notes: Vec::new(),
            };
        }
    };
    let mut notes = note::of(condition, &lists);
    let outdated = outdated_upgrading(condition, &lists);
    let progress = match outdated {
        Some(_) => Progress::Unsaid,
        None => progress(condition, &lists, version, &mut notes),
    };
    let upgrading = match &progress {
        Progress::Upgrading { message } => Some(Held::Upgrading {
            message: message.clone(),
        }),
        Progress::NotStarted { reached, installed } => Some(Held::NotBegun {
            reached: reached.clone(),
            installed: installed.clone(),
        }),
        Progress::Unsaid | Progress::Done => None,
    };
    let held = upgradeable(condition, &lists).or(outdated).or(upgrading);
    let is_known = |listed: &&Listed<'_>| note::SUPPORTED.contains(&listed.kind);
    let is_overridden = |listed: &&Listed<'_>| find(&lists.overrides, listed.kind).is_some();
    let reported = || lists.reported.iter();
    Judgement {
        hold: held.as_ref().map(|held| hold::of(condition, Some(&lists), held)),
        held,
        progress,
        overridden: reported()
            .filter(is_known)
            .filter(is_overridden)
            .map(Said::of)
            .collect(),
        others: reported().filter(|listed| !is_known(listed)).map(Said::of).collect(),
        notes,
    }
}

fn upgradeable(condition: OperatorCondition<'_>, lists: &list::Lists<'_>) -> Option<Held> {
    let refused = |listed: &Listed<'_>| Held::NotUpgradeable {
        message: listed.message.to_owned(),
    };
    if let Some(by_person) = find(&lists.overrides, UPGRADEABLE) {
        return (by_person.status != "True").then(|| refused(by_person));
    }
    let reported = find(&lists.reported, UPGRADEABLE)?;
    let is_outdated = if condition.is_proposed() {
        reported.is_outdated(condition.generation())
    } else {
        !condition.is_new() && condition.generation() != reported.observed_generation.unwrap_or(0)
    };
    if is_outdated {
        return Some(outdated(UPGRADEABLE, reported));
    }
    (reported.status == "False").then(|| refused(reported))
}

/// Returns the reason to block upgrades if the condition `Upgrading` refers to another generation of the resource.
fn outdated_upgrading(condition: OperatorCondition<'_>, lists: &list::Lists<'_>) -> Option<Held> {
    let reported = find(&lists.reported, UPGRADING).filter(|_| find(&lists.overrides, UPGRADING).is_none())?;
    let is_outdated = ["True", "False"].contains(&reported.status) && reported.is_outdated(condition.generation());
    is_outdated.then(|| outdated(UPGRADING, reported))
}

fn outdated(kind: &'static str, reported: &Listed<'_>) -> Held {
    let status = reported.status.to_owned();
    Held::Outdated { kind, status }
}

fn progress(
    condition: OperatorCondition<'_>,
    lists: &list::Lists<'_>,
    version: Option<&str>,
    notes: &mut Vec<Note>,
) -> Progress {
    if find(&lists.overrides, UPGRADING).is_some() {
        return Progress::Unsaid;
    }
    let Some(reported) = find(&lists.reported, UPGRADING) else {
        return Progress::Unsaid;
    };
    match reported.status {
        "True" => Progress::Upgrading {
            message: reported.message.to_owned(),
        },
        "False" => {
            let written = condition.version().unwrap_or_default();
            let reached = written.strip_prefix('v').unwrap_or(&written);
            match version {
                Some(installed) if !reached.is_empty() && installed != reached => Progress::NotStarted {
                    reached: reached.to_owned(),
                    installed: installed.to_owned(),
                },
                _ => Progress::Done,
            }
        }
        _ => {
            notes.push(Note::UpgradingUnknown);
            Progress::Unsaid
        }
    }
}

#[cfg(test)]
mod tests;
