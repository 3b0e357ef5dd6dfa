//! What the service accounts of an operator hold once OLM has installed it, and from where.
//!
//! That is more than the ClusterServiceVersion asks for. Where the OperatorGroup has no target namespaces, OLM copies every
//! Role that it generates into a ClusterRole, so that what is asked for in one namespace holds in all of them. Where it has
//! some, the Roles are copied into each of them. The operator may write its own OperatorCondition, and what serves webhooks
//! or APIs may ask the API server who somebody is.

use crate::cluster::State;
use crate::csv::{self, Csv};
use crate::kubernetes::rbac::account::{Account, grants};
use crate::kubernetes::rbac::covering::{TooManyAtoms, atoms, count_atoms, uncovered};
use crate::kubernetes::rbac::{self, Rule};
use crate::steps::Step;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Where the role stands with which API servers beside the first one read how requests are signed.
const SYSTEM_NAMESPACE: &str = "kube-system";
/// The account of a Pod that names none.
const DEFAULT_ACCOUNT: &str = "default";

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
/// When the rules say more than can be taken apart.
pub fn operators(steps: &[Step], namespace: &str, state: &State) -> Result<Vec<Operator>, TooManyAtoms> {
    let versions = steps.iter().filter(|step| step.resource.kind == csv::KIND);
    versions
        .map(|version| operator(version, steps, namespace, state))
        .collect()
}

/// Rules that accounts are given, where, and why.
struct Given {
    accounts: BTreeSet<Account>,
    /// The namespaces; nothing for all of them.
    namespaces: Vec<String>,
    rules: Vec<Rule>,
    reason: String,
}

fn operator(version: &Step, steps: &[Step], namespace: &str, state: &State) -> Result<Operator, TooManyAtoms> {
    let csv = Csv(&version.resource.manifest);
    let (targets, group) = targets(csv, namespace, state);
    let own: Vec<&Step> = steps
        .iter()
        .filter(|step| step.resolving == version.resolving)
        .collect();
    let mut notes = Vec::new();
    let mut given = bound(&own, namespace, &targets, state, &mut notes);
    given.push(condition(csv, namespace));
    given.extend(certified(csv, namespace));
    count_atoms(given.iter().flat_map(|given| &given.rules))?;
    let all: BTreeSet<Account> = given.iter().flat_map(|given| given.accounts.iter().cloned()).collect();
    let accounts: Result<Vec<_>, TooManyAtoms> = all
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

/// What the bindings among the steps give.
fn bound(steps: &[&Step], namespace: &str, targets: &Targets, state: &State, notes: &mut Vec<String>) -> Vec<Given> {
    let mut given = Vec::new();
    for step in steps {
        let kind = step.resource.kind.as_str();
        let everywhere = kind == "ClusterRoleBinding";
        if !everywhere && kind != "RoleBinding" {
            continue;
        }
        let (name, manifest) = (&step.resource.name, &step.resource.manifest);
        let text = |path: &str| manifest.pointer(path).and_then(Value::as_str).unwrap_or_default();
        let (role_kind, role) = (text("/roleRef/kind"), text("/roleRef/name"));
        let Some(rules) = rules_of(role_kind, role, steps, namespace, state) else {
            notes.push(format!(
                "{kind} {name} refers to {role_kind} {role}, which is not among what was read"
            ));
            continue;
        };
        let accounts = subjects(manifest, (!everywhere).then_some(namespace));
        // Of what OLM generates the step names the kind, and the manifest does not.
        let is_generated = manifest.get("kind").is_none();
        let mut give = |namespaces: &[String], rules: Vec<Rule>, reason: String| {
            given.push(Given {
                accounts: accounts.clone(),
                namespaces: namespaces.to_vec(),
                rules,
                reason,
            });
        };
        let here = [namespace.to_owned()];
        match targets {
            _ if everywhere && is_generated => give(&[], rules, format!("ClusterRole {role}")),
            _ if !is_generated => {
                let place = if everywhere { &[][..] } else { &here[..] };
                give(place, rules, format!("{kind} {name} of the bundle"));
            }
            Targets::All => {
                let reason =
                    format!("Role {role}, which OLM copies into a ClusterRole, as there are no target namespaces");
                give(&[], rules, reason);
                let namespaces = Rule::new("", "namespaces", &["get", "list", "watch"]);
                let reason = format!("OLM adds it to the ClusterRole that it copies the Role {role} into");
                give(&[], vec![namespaces], reason);
            }
            Targets::Namespaces(names) => {
                let mut others: Vec<String> = names.iter().filter(|name| *name != namespace).cloned().collect();
                if others.is_empty() {
                    give(&here, rules, format!("Role {role}"));
                } else {
                    others.insert(0, namespace.to_owned());
                    give(
                        &others,
                        rules,
                        format!("Role {role}, which OLM copies into each target namespace"),
                    );
                }
            }
        }
    }
    given
}

/// The service accounts that a binding names.
fn subjects(binding: &Value, namespace: Option<&str>) -> BTreeSet<Account> {
    let subjects = binding.get("subjects").and_then(Value::as_array);
    let accounts = subjects.into_iter().flatten().filter_map(|subject| {
        let text = |key: &str| subject.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        Some(Account {
            namespace: text("namespace").or(namespace)?.to_owned(),
            name: text("name")
                .filter(|_| text("kind") == Some("ServiceAccount"))?
                .to_owned(),
        })
    });
    accounts.collect()
}

/// The rules of a role: one of the steps, one of the cluster, or one that every cluster has.
fn rules_of(kind: &str, name: &str, steps: &[&Step], namespace: &str, state: &State) -> Option<Vec<Rule>> {
    let mut own = steps
        .iter()
        .filter(|step| step.resource.kind == kind && step.resource.name == name);
    if let Some(step) = own.next() {
        return Some(Rule::read_all(&step.resource.manifest));
    }
    let mut existing = state.objects.iter().filter(|object| {
        let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
        let here = kind == "ClusterRole" || text("/metadata/namespace") == namespace;
        text("/apiVersion").starts_with(rbac::GROUP) && text("/kind") == kind && text("/metadata/name") == name && here
    });
    if let Some(role) = existing.next() {
        return Some(Rule::read_all(role));
    }
    (kind == "ClusterRole" && name == "system:auth-delegator").then(delegation)
}

/// What `system:auth-delegator` allows.
fn delegation() -> Vec<Rule> {
    vec![
        Rule::new("authentication.k8s.io", "tokenreviews", &["create"]),
        Rule::new("authorization.k8s.io", "subjectaccessreviews", &["create"]),
    ]
}

/// OLM lets the accounts of a version write its OperatorCondition. A version that names none has the default one.
fn condition(csv: Csv<'_>, namespace: &str) -> Given {
    let entries = ["permissions", "clusterPermissions"];
    let entries = entries
        .iter()
        .flat_map(|key| csv.list(&["spec", "install", "spec", key]));
    let account = |name: &str| Account {
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    };
    let mut accounts: BTreeSet<Account> = entries
        .filter_map(|entry| entry.get("serviceAccountName").and_then(Value::as_str))
        .map(account)
        .collect();
    if accounts.is_empty() {
        accounts.insert(account(DEFAULT_ACCOUNT));
    }
    let rule = Rule::new(csv::GROUP, "operatorconditions", &["get", "update", "patch"]);
    Given {
        accounts,
        namespaces: vec![namespace.to_owned()],
        rules: vec![rule.named(csv.name())],
        reason: format!(
            "Role {}, with which OLM lets the operator write its OperatorCondition",
            csv.name()
        ),
    }
}

/// What OLM gives to the account of each Deployment that serves webhooks or APIs, with the certificate for it.
fn certified(csv: Csv<'_>, namespace: &str) -> Vec<Given> {
    let served = |keys: &[&str]| -> BTreeSet<String> {
        let names = csv
            .list(keys)
            .iter()
            .filter_map(|entry| entry.get("deploymentName")?.as_str());
        names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
    };
    let webhooks = served(&["spec", "webhookdefinitions"]);
    let services = served(&["spec", "apiservicedefinitions", "owned"]);
    let mut given = Vec::new();
    for deployment in webhooks.union(&services) {
        let mut deployments = csv.deployments().iter();
        let Some(written) = deployments.find(|written| written.get("name").and_then(Value::as_str) == Some(deployment))
        else {
            continue;
        };
        let account = written
            .pointer("/spec/template/spec/serviceAccountName")
            .and_then(Value::as_str);
        let accounts = BTreeSet::from([Account {
            namespace: namespace.to_owned(),
            name: account
                .filter(|name| !name.is_empty())
                .unwrap_or(DEFAULT_ACCOUNT)
                .to_owned(),
        }]);
        let what = match (webhooks.contains(deployment), services.contains(deployment)) {
            (true, true) => "webhooks and APIs",
            (true, false) => "webhooks",
            (false, _) => "APIs",
        };
        let service = format!("{deployment}-service");
        let mut give = |namespaces: &[&str], rules: Vec<Rule>, role: String| {
            given.push(Given {
                accounts: accounts.clone(),
                namespaces: namespaces.iter().map(|name| (*name).to_owned()).collect(),
                rules,
                reason: format!("{role}, for the {what} that Deployment {deployment} serves"),
            });
        };
        let certificate = format!("{service}-cert");
        let secret = Rule::new("", "secrets", &["get"]).named(&certificate);
        give(&[namespace], vec![secret], format!("Role {certificate}"));
        let binding = format!("ClusterRoleBinding {service}-system:auth-delegator to system:auth-delegator");
        give(&[], delegation(), binding);
        let reader = "extension-apiserver-authentication";
        let rule = Rule::new("", "configmaps", &["get", "list", "watch"]).named(reader);
        give(
            &[SYSTEM_NAMESPACE],
            vec![rule],
            format!("RoleBinding {service}-auth-reader to {reader}-reader"),
        );
    }
    given
}

/// What is given to one account, put together: each resource once for each place, with all its verbs and reasons.
fn holdings(account: &Account, given: &[Given], state: &State) -> Result<Vec<Holding>, TooManyAtoms> {
    // Places sort with the whole cluster first.
    type Key = (Vec<String>, Rule);
    let mut merged: BTreeMap<Key, (Vec<String>, Vec<String>)> = BTreeMap::new();
    let mut add = |namespaces: &[String], rule: &Rule, reason: &str| {
        for atom in atoms(rule) {
            let verbs = atom.verbs.clone();
            let what = Rule {
                verbs: Vec::new(),
                ..atom
            };
            let (known, reasons) = merged.entry((namespaces.to_vec(), what)).or_default();
            for verb in verbs {
                if !known.contains(&verb) {
                    known.push(verb);
                }
            }
            if !reasons.iter().any(|known| known == reason) {
                reasons.push(reason.to_owned());
            }
        }
    };
    let own: Vec<&Given> = given.iter().filter(|given| given.accounts.contains(account)).collect();
    for given in &own {
        given
            .rules
            .iter()
            .for_each(|rule| add(&given.namespaces, rule, &given.reason));
    }
    let (before, _) = grants(&state.objects, account);
    count_atoms(before.cluster.iter().chain(before.namespaces.values().flatten()))?;
    let known = |namespace: Option<&String>| -> Vec<Rule> {
        let here = own.iter().filter(|given| {
            given.namespaces.is_empty() || namespace.is_some_and(|name| given.namespaces.contains(name))
        });
        here.flat_map(|given| given.rules.iter().cloned()).collect()
    };
    let places = before.namespaces.iter().map(|(name, rules)| (Some(name), rules));
    for (namespace, rules) in std::iter::once((None, &before.cluster)).chain(places) {
        for rule in uncovered(&known(namespace), rules) {
            let place: Vec<String> = namespace.cloned().into_iter().collect();
            add(&place, &rule, "a binding that is in the cluster already");
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
