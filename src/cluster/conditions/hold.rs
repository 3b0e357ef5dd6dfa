//! Describes a hold on the upgrades of an operator: which resource holds them back, since when, and which change allows
//! them.

use super::list::{Lists, find};
use super::note;
use super::said::Said;
use super::{Held, OperatorCondition, UPGRADEABLE, UPGRADING};
use crate::csv::GROUP;
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt;

/// The reason why the upgrades of an operator are held back, and the resource that holds them back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Hold {
    /// The resource, as `Kind/name`.
    pub condition: String,
    /// The condition that decides; `None` if the resource cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said: Option<Said>,
    /// Whether an administrator's override holds the upgrades back.
    pub by_override: bool,
    /// The message in the status of the version that has to wait, in OLM's words.
    pub message: String,
    /// The change that allows the upgrade; `None` if the resource must be corrected first.
    #[serde(rename = "override", skip_serializing_if = "Option::is_none")]
    pub release: Option<Release>,
}

/// The change by which an administrator overrides an operator's report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Release {
    /// The resource as `plural.group`.
    pub resource: String,
    /// The name of the object.
    pub name: String,
    /// The namespace of the object, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// A JSON merge patch (RFC 7386). Overrides of other conditions are kept.
    pub patch: Value,
}

/// Displays the resource and its condition: `OperatorCondition/NAME reports Upgradeable=False (Reason) since TIME`.
impl fmt::Display for Hold {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.said, self.by_override) {
            (Some(said), false) => write!(formatter, "{} reports {said}", self.condition),
            (Some(said), true) => write!(formatter, "an override in {} sets {said}", self.condition),
            (None, _) => write!(formatter, "{} cannot be read", self.condition),
        }
    }
}

impl Hold {
    /// Returns the hold in one line: OLM's message, the resource that holds upgrades back, and advice for an
    /// administrator.
    pub fn explained(&self) -> String {
        let remedy = match (&self.release, self.by_override) {
            (None, _) => "correct the resource",
            (Some(_), true) => "change the override to allow the update",
            (Some(_), false) => "add an override to its spec.overrides to allow the update",
        };
        format!("{} ({self}; {remedy})", self.message)
    }
}

/// Returns the hold that results from a refusal by a resource.
pub(super) fn of(condition: OperatorCondition<'_>, lists: Option<&Lists<'_>>, held: &Held) -> Hold {
    let kind = held.kind();
    let overriding = lists.and_then(|lists| find(&lists.overrides, kind));
    let reported = lists.and_then(|lists| find(&lists.reported, kind));
    // A cluster cannot contain a resource with such a name, so there is nothing to patch.
    let releasable = lists.filter(|_| note::of_names(condition).is_empty());
    Hold {
        condition: condition.label(),
        said: overriding.or(reported).map(Said::of),
        by_override: overriding.is_some(),
        message: held.message(),
        release: releasable.map(|lists| release(condition, lists)),
    }
}

/// Returns the change that overrides every condition of the resource that can hold back an upgrade, regardless of the
/// condition that currently decides.
fn release(condition: OperatorCondition<'_>, lists: &Lists<'_>) -> Release {
    let is_proposed = condition.is_proposed();
    let said = |kind: &&&str| find(&lists.reported, kind).is_some() || find(&lists.overrides, kind).is_some();
    let deciding: Vec<&str> = [UPGRADEABLE, UPGRADING].iter().filter(said).copied().collect();
    let kind_of = |item: &Value| {
        item.as_str()
            .or(item.get("type").and_then(Value::as_str))
            .map(str::to_owned)
    };
    let others = condition.get(&["spec", "overrides"]).and_then(Value::as_array);
    let others = others.into_iter().flatten().cloned();
    let others = others.filter(|item| kind_of(item).is_none_or(|kind| !deciding.contains(&kind.as_str())));
    let ours = deciding.iter().map(|kind| {
        if is_proposed {
            return json!(kind);
        }
        let (status, message) = match *kind {
            UPGRADEABLE => ("True", "an administrator allows the upgrade"),
            _ => ("False", "an administrator treats the last upgrade as complete"),
        };
        json!({"type": kind, "status": status, "reason": "Overridden", "message": message})
    });
    let overrides: Vec<Value> = others.chain(ours).collect();
    let plural = if is_proposed {
        "conditions"
    } else {
        "operatorconditions"
    };
    Release {
        resource: format!("{plural}.{GROUP}"),
        name: condition.name().to_owned(),
        namespace: condition.namespace().map(str::to_owned),
        patch: json!({"spec": {"overrides": overrides}}),
    }
}
