//! What the service accounts of an operator hold once OLM has installed it, and from where.
//!
//! That is more than the ClusterServiceVersion asks for. Where the OperatorGroup has no target namespaces, OLM copies
//! every Role that it generates into a ClusterRole, so that what is asked for in one namespace holds in all of them.
//! Where it has some, the Roles are copied into each of them. The operator may write its own OperatorCondition, and
//! what serves webhooks or APIs may ask the API server who somebody is.

mod given;

use crate::cluster::State;
use crate::csv::{self, Csv};
use crate::kubernetes::rbac::Rule;
use crate::kubernetes::rbac::account::{Account, grants};
use crate::kubernetes::rbac::covering::{Granted, TooComplex, are_readable, cells, halves};
use crate::steps::Step;
use given::{Given, bound, certified, condition};
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The namespaces that an operator is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Targets {
    /// All of them.
    All,
    /// These.
    Namespaces(Vec<String>),
}

/// An operator after it was installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    /// The name of its ClusterServiceVersion.
    pub name: String,
    /// The namespaces that it is for.
    pub targets: Targets,
    /// The OperatorGroup that says so; nothing where none is known, and what the version supports is assumed.
    pub group: Option<String>,
    /// Its accounts, by name.
    pub accounts: Vec<AccountPermissions>,
    /// What could not be followed.
    pub notes: Vec<String>,
}

/// What an account holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountPermissions {
    /// The account.
    pub account: Account,
    /// What it holds: what holds everywhere first.
    pub permissions: Vec<Holding>,
}

/// A permission of an account.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Holding {
    /// What it is and where it holds.
    #[serde(flatten)]
    pub permission: super::Permission,
    /// Where it comes from.
    #[serde(serialize_with = "joined", rename = "reason")]
    pub reasons: Vec<String>,
}

fn joined<S: serde::Serializer>(reasons: &[String], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&reasons.join("; "))
}

/// Why an operator is for these namespaces.
impl fmt::Display for Operator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.group, &self.targets) {
            (Some(group), Targets::All) => write!(formatter, "the OperatorGroup {group} has no target namespaces"),
            (Some(group), Targets::Namespaces(names)) => {
                write!(formatter, "the OperatorGroup {group} is for {}", names.join(", "))
            }
            (None, Targets::All) => write!(
                formatter,
                "no OperatorGroup is given, and one without target namespaces is assumed, as the operator supports AllNamespaces"
            ),
            (None, Targets::Namespaces(names)) => write!(
                formatter,
                "no OperatorGroup is given, and one for {} is assumed, as the operator does not support AllNamespaces",
                names.join(", ")
            ),
        }
    }
}

/// What the accounts of the versions among these steps hold after the plan was applied in a namespace of the cluster.
///
/// # Errors
/// When it takes too many steps to compare the rules.
pub fn operators(steps: &[Step], namespace: &str, state: &State) -> Result<Vec<Operator>, TooComplex> {
    let versions = steps.iter().filter(|step| step.resource.kind == csv::KIND);
    versions
        .map(|version| operator(version, steps, namespace, state))
        .collect()
}

fn operator(version: &Step, steps: &[Step], namespace: &str, state: &State) -> Result<Operator, TooComplex> {
    let csv = Csv(&version.resource.manifest);
    let namespace = version.namespace(namespace);
    let (targets, group) = targets(csv, namespace, state);
    // What an `Install` holds beside versions is for no version by itself.
    let versions = steps.iter().filter(|step| step.resource.kind == csv::KIND);
    let versions: BTreeSet<&str> = versions.map(|step| &*step.resolving).collect();
    let is_own = |step: &&Step| step.resolving == version.resolving || !versions.contains(&*step.resolving);
    let own: Vec<&Step> = steps.iter().filter(is_own).collect();
    let mut notes = Vec::new();
    let mut given = bound(&own, namespace, &targets, state, &mut notes);
    given.push(condition(csv, namespace));
    given.extend(certified(csv, namespace));
    let all: BTreeSet<Account> = given.iter().flat_map(|given| given.accounts.iter().cloned()).collect();
    let accounts: Result<Vec<_>, TooComplex> = all
        .into_iter()
        .map(|account| {
            let permissions = holdings(&account, &given, state)?;
            Ok(AccountPermissions { account, permissions })
        })
        .collect();
    Ok(Operator {
        name: csv.name().to_owned(),
        targets,
        group,
        accounts: accounts?,
        notes,
    })
}

/// The namespaces that the OperatorGroup names, and its name. Where there is none, the version says what it supports.
fn targets(csv: Csv<'_>, namespace: &str, state: &State) -> (Targets, Option<String>) {
    let mut groups = state.objects.iter().map(Csv).filter(|group| {
        group.text(&["kind"]) == "OperatorGroup" && group.text(&["metadata", "namespace"]) == namespace
    });
    let Some(group) = groups.next() else {
        let modes = csv.list(&["spec", "installModes"]).iter();
        let mut supported = modes.filter(|mode| mode.get("supported") == Some(&Value::Bool(true)));
        let everywhere = supported.any(|mode| mode.get("type").and_then(Value::as_str) == Some("AllNamespaces"));
        let targets = if everywhere {
            Targets::All
        } else {
            Targets::Namespaces(vec![namespace.to_owned()])
        };
        return (targets, None);
    };
    let named = |keys: &[&str]| -> Vec<String> {
        let names = group.list(keys).iter().filter_map(Value::as_str);
        names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
    };
    // A selector has no names of its own: OLM writes down what it selects.
    let names = match named(&["spec", "targetNamespaces"]) {
        names if names.is_empty() => named(&["status", "namespaces"]),
        names => names,
    };
    let targets = if names.is_empty() {
        Targets::All
    } else {
        Targets::Namespaces(names)
    };
    (targets, Some(group.name().to_owned()))
}

/// What is given to one account, put together: each resource once for each place, with all its verbs and reasons. Where
/// that is more than somebody reads, each rule once.
fn holdings(account: &Account, given: &[Given], state: &State) -> Result<Vec<Holding>, TooComplex> {
    // Places sort with the whole cluster first.
    type Key = (Vec<String>, Rule);
    let own: Vec<&Given> = given.iter().filter(|given| given.accounts.contains(account)).collect();
    let (before, _) = grants(&state.objects, account);
    let known = |namespace: Option<&String>| -> Vec<&Rule> {
        let here = own.iter().filter(|given| {
            given.namespaces.is_empty() || namespace.is_some_and(|name| given.namespaces.contains(name))
        });
        here.flat_map(|given| &given.rules).collect()
    };
    let mut kept = Vec::new();
    let places = before.namespaces.iter().map(|(name, rules)| (Some(name), rules));
    for (namespace, rules) in std::iter::once((None, &before.cluster)).chain(places) {
        let place: Vec<String> = namespace.cloned().into_iter().collect();
        kept.push((place, Granted::of(known(namespace)).uncovered(rules)?));
    }
    let held = own
        .iter()
        .map(|given| (&given.namespaces, &given.rules, &*given.reason));
    let kept = kept.iter();
    let kept = kept.map(|(place, rules)| (place, rules, "a binding that is in the cluster already"));
    let held: Vec<(&Vec<String>, &Vec<Rule>, &str)> = held.chain(kept).collect();
    let is_readable = are_readable(held.iter().flat_map(|(_, rules, _)| *rules));
    let mut merged: BTreeMap<Key, (Vec<String>, Vec<String>)> = BTreeMap::new();
    for (namespaces, rules, reason) in held {
        for rule in rules {
            let rows: &mut dyn Iterator<Item = Rule> = if is_readable {
                &mut cells(rule)
            } else {
                &mut halves(rule)
            };
            for row in rows {
                let verbs = row.verbs.clone();
                let what = Rule {
                    verbs: Vec::new(),
                    ..row
                };
                let (known, reasons) = merged.entry((namespaces.clone(), what)).or_default();
                for verb in verbs {
                    if !known.contains(&verb) {
                        known.push(verb);
                    }
                }
                if !reasons.iter().any(|known| known == reason) {
                    reasons.push(reason.to_owned());
                }
            }
        }
    }
    let holding = |((namespaces, what), (verbs, reasons)): (Key, (Vec<String>, Vec<String>))| Holding {
        permission: super::Permission {
            rule: Rule { verbs, ..what },
            namespaces,
        },
        reasons,
    };
    Ok(merged.into_iter().map(holding).collect())
}

#[cfg(test)]
mod tests;
