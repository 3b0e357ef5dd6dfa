//! What holds back the upgrades of an operator: which resource says so, since when, and what lets them through.

use super::list::{Lists, find};
use super::said::Said;
use super::{Held, OperatorCondition, UPGRADEABLE, UPGRADING};
use crate::csv::GROUP;
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt;

/// Why the upgrades of an operator are held back, and by whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Hold {
    /// The resource, as `Kind/name`.
    pub condition: String,
    /// The condition that decides; `None` where the resource cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said: Option<Said>,
    /// Whether it is an override, and so an administrator who holds them back.
    pub by_override: bool,
    /// What stands in the status of the version that has to wait, in the words of OLM.
    pub message: String,
    /// What lets the upgrade through; `None` where the resource must be corrected first.
    #[serde(rename = "override", skip_serializing_if = "Option::is_none")]
    pub release: Option<Release>,
}

/// The change of a resource with which an administrator overrides what an operator says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Release {
    /// The resource as `plural.group`.
    pub resource: String,
    /// The name of the object.
    pub name: String,
    /// Its namespace, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// A JSON merge patch (RFC 7386). Overrides of other conditions stay.
    pub patch: Value,
}

/// The resource and its condition: `OperatorCondition/NAME says Upgradeable=False (Reason) since TIME`.
impl fmt::Display for Hold {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.said, self.by_override) {
            (Some(said), false) => write!(formatter, "{} says {said}", self.condition),
            (Some(said), true) => write!(formatter, "an override in {} says {said}", self.condition),
            (None, _) => write!(formatter, "{} cannot be read", self.condition),
        }
    }
}

impl Hold {
    /// The whole of it in one line: the words of OLM, who says so, and what an administrator can do.
    pub fn explained(&self) -> String {
        let remedy = match (&self.release, self.by_override) {
            (None, _) => "correct the resource",
            (Some(_), true) => "change the override to let the update through",
            (Some(_), false) => "an override in its spec.overrides lets the update through",
        };
        format!("{} ({self}; {remedy})", self.message)
    }
}

/// The hold that a refusal of a resource stands for.
pub(super) fn of(condition: OperatorCondition<'_>, lists: Option<&Lists<'_>>, held: &Held) -> Hold {
    let kind = match held {
        Held::Upgrading { .. } | Held::NotBegun { .. } => UPGRADING,
        _ => UPGRADEABLE,
    };
    let overriding = lists.and_then(|lists| find(&lists.overrides, kind));
    let reported = lists.and_then(|lists| find(&lists.reported, kind));
    Hold {
        condition: condition.label(),
        said: overriding.or(reported).map(Said::of),
        by_override: overriding.is_some(),
        message: held.message(),
        release: lists.map(|lists| release(condition, lists)),
    }
}

/// Overrides everything in the resource that may hold back an upgrade, whichever of it decides now.
fn release(condition: OperatorCondition<'_>, lists: &Lists<'_>) -> Release {
    let is_proposed = condition.text(&["kind"]) == "Condition";
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
            UPGRADEABLE => ("True", "an administrator lets the operator be upgraded"),
            _ => ("False", "an administrator takes the last upgrade as done"),
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
