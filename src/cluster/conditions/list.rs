//! Reads the lists of conditions in a resource, in every supported form.

use super::{Held, OperatorCondition};
use crate::text::kind_of;
use serde_json::Value;

/// The lists of conditions in a resource.
pub(super) struct Lists<'a> {
    /// The conditions that the operator reports.
    pub(super) reported: Vec<Listed<'a>>,
    /// The conditions that an administrator sets instead.
    pub(super) overrides: Vec<Listed<'a>>,
    /// The conditions that the operator has written for OLM to copy to the status.
    pub(super) written: Vec<Listed<'a>>,
    /// Whether `status.conditions` is one condition instead of a list.
    pub(super) single: bool,
}

/// A condition.
#[derive(Debug, Clone, Copy)]
pub(super) struct Listed<'a> {
    pub(super) kind: &'a str,
    pub(super) status: &'a str,
    pub(super) reason: Option<&'a str>,
    pub(super) message: &'a str,
    /// `lastTransitionTime`.
    pub(super) since: Option<&'a str>,
    pub(super) observed_generation: Option<i64>,
    /// Whether the status is a boolean instead of a string.
    pub(super) bare_status: bool,
}

impl Listed<'_> {
    /// Returns whether the condition states a generation of the resource other than this one.
    pub(super) fn is_outdated(&self, generation: i64) -> bool {
        self.observed_generation.is_some_and(|observed| observed != generation)
    }
}

/// Returns the first condition of a type, which is the one that OLM uses.
pub(super) fn find<'l, 'a>(list: &'l [Listed<'a>], kind: &str) -> Option<&'l Listed<'a>> {
    list.iter().find(|listed| listed.kind == kind)
}

pub(super) fn lists(condition: OperatorCondition<'_>) -> Result<Lists<'_>, Held> {
    let (reported, single) = read(condition, &["status", "conditions"], "status.conditions")?;
    let (overrides, _) = read(condition, &["spec", "overrides"], "spec.overrides")?;
    let (written, _) = read(condition, &["spec", "conditions"], "spec.conditions")?;
    let reported = if condition.is_new() { written.clone() } else { reported };
    Ok(Lists {
        reported,
        overrides,
        written,
        single,
    })
}

/// Reads a list of conditions, or a single condition instead of a list.
fn read<'a>(
    condition: OperatorCondition<'a>,
    keys: &[&str],
    field: &'static str,
) -> Result<(Vec<Listed<'a>>, bool), Held> {
    let (items, single) = match condition.get(keys) {
        None => return Ok((Vec::new(), false)),
        Some(Value::Array(items)) => (items.as_slice(), false),
        Some(single @ Value::Object(_)) => (std::slice::from_ref(single), true),
        Some(other) => return Err(unreadable(field, other)),
    };
    let listed: Result<Vec<_>, _> = items.iter().map(|item| listed(item).ok_or(item)).collect();
    listed
        .map(|listed| (listed, single))
        .map_err(|item| unreadable(field, item))
}

fn unreadable(field: &'static str, value: &Value) -> Held {
    let found = match value {
        Value::Array(_) => "a list of lists",
        Value::Object(_) => "a list with an entry that has no type",
        other => kind_of(other),
    };
    Held::Unreadable { field, found }
}

/// Reads an entry: a condition or, as in overrides of the proposal, the name of a condition to ignore.
fn listed(item: &Value) -> Option<Listed<'_>> {
    if let Value::String(name) = item {
        return Some(Listed {
            kind: name,
            status: "True",
            reason: None,
            message: "",
            since: None,
            observed_generation: None,
            bare_status: false,
        });
    }
    let text = |key: &str| item.get(key).and_then(Value::as_str);
    let status = match item.get("status") {
        Some(Value::Bool(true)) => Some("True"),
        Some(Value::Bool(false)) => Some("False"),
        _ => None,
    };
    Some(Listed {
        kind: text("type")?,
        status: status.or(text("status")).unwrap_or_default(),
        reason: text("reason"),
        message: text("message").unwrap_or_default(),
        since: text("lastTransitionTime"),
        observed_generation: item.get("observedGeneration").and_then(Value::as_i64),
        bare_status: status.is_some(),
    })
}
