//! The permissions of an operator's service accounts after OLM has installed the operator, and their origins.
//!
//! The accounts get more permissions than the ClusterServiceVersion lists. If the OperatorGroup has no target
//! namespaces, OLM copies every Role that it generates into a ClusterRole, so that the permissions for one namespace
//! apply in all namespaces. Otherwise OLM copies the Roles into each target namespace. The operator may also update its
//! OperatorCondition, and accounts that serve webhooks or APIs may ask the API server to authenticate users. OLM also
//! gives everyone with the ClusterRoles for users access to the operator's APIs.

mod changed;
mod given;
mod provided;

use super::{Subject, with_roles_of};
use crate::cluster::{State, operator_groups};
use crate::csv::{self, Csv};
use crate::kubernetes::rbac::Rule;
use crate::kubernetes::rbac::account::{Account, Bindings, Grants};
use crate::kubernetes::rbac::covering::{Granted, TooComplex, are_readable, cells, halves};
use crate::kubernetes::selector::selects;
use crate::olm::install_mode::ALL_NAMESPACES;
use crate::steps::Step;
use changed::{extended, rebound};
use given::{Given, bound, certified, condition, own_accounts};
use provided::Users;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

/// The target namespaces of an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Targets {
    /// All namespaces.
    All,
    /// A list of namespaces.
    Namespaces(Vec<String>),
    /// The namespaces that the selector of the OperatorGroup selects, of which none are known.
    Selected,
}

/// An operator after its installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    /// The name of its ClusterServiceVersion.
    pub name: String,
    /// The target namespaces of the operator.
    pub targets: Targets,
    /// The OperatorGroup that sets the target namespaces. If `None`, the OperatorGroup is unknown, and the target
    /// namespaces follow from the supported install modes.
    pub group: Option<String>,
    /// The service accounts of the operator, and others that it grants permissions to, by name. Accounts without
    /// permissions are left out.
    pub accounts: Vec<AccountPermissions>,
    /// The users and groups that the bundle grants permissions to, and everyone with a ClusterRole that it or OLM
    /// extends.
    pub others: Vec<SubjectPermissions>,
    /// Notes about references that could not be followed.
    pub notes: Vec<String>,
}

/// The permissions of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountPermissions {
    /// The account.
    pub account: Account,
    /// The permissions; cluster-wide permissions come first.
    pub permissions: Vec<Holding>,
    /// The same permissions as the rules that grant them.
    pub grants: Grants,
}

/// The permissions that a bundle grants to users or groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubjectPermissions {
    /// The users or the group.
    pub subject: Subject,
    /// The permissions; cluster-wide permissions come first.
    pub permissions: Vec<Holding>,
    /// The same permissions as the rules that grant them.
    pub grants: Grants,
}

/// A permission of an account.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Holding {
    /// The permission with its namespaces.
    #[serde(flatten)]
    pub permission: super::Permission,
    /// The origins of the permission.
    #[serde(serialize_with = "joined", rename = "reason")]
    pub reasons: Vec<String>,
}

fn joined<S: serde::Serializer>(reasons: &[String], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&reasons.join("; "))
}

/// Explains the target namespaces of an operator.
impl fmt::Display for Operator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.group, &self.targets) {
            (Some(group), Targets::All) => write!(
                formatter,
                "the OperatorGroup {group} has no target namespaces, so it targets all namespaces"
            ),
            (Some(group), Targets::Namespaces(names)) if names.is_empty() => {
                write!(
                    formatter,
                    "the OperatorGroup {group} selects none of the Namespaces in the input"
                )
            }
            (Some(group), Targets::Namespaces(names)) => {
                write!(formatter, "the OperatorGroup {group} targets {}", names.join(", "))
            }
            (group, Targets::Selected) => write!(
                formatter,
                "the OperatorGroup {} selects namespaces by their labels, and the input contains no Namespaces",
                group.as_deref().unwrap_or_default()
            ),
            (None, Targets::All) => write!(
                formatter,
                "no OperatorGroup was specified, so one without target namespaces is assumed, because the operator supports AllNamespaces"
            ),
            (None, Targets::Namespaces(names)) => write!(
                formatter,
                "no OperatorGroup was specified, so one for {} is assumed, because the operator does not support AllNamespaces",
                names.join(", ")
            ),
        }
    }
}

/// Returns the operators among these steps, with the permissions of their accounts after the plan has been applied in a
/// namespace of the cluster.
///
/// # Errors
/// Returns an error if comparing the rules takes too many steps.
pub fn operators(steps: &[Step], namespace: &str, state: &State) -> Result<Vec<Operator>, TooComplex> {
    let mut seen = BTreeSet::new();
    let versions = steps.iter().filter(|step| step.resource.kind == csv::KIND);
    // OLM creates only the first of several versions with the same name.
    let created = versions.filter(|step| seen.insert((step.namespace(namespace), &*step.resource.name)));
    let mut bindings = Bindings::of(&state.objects);
    bindings.roles = with_roles_of(steps, namespace, bindings.roles)?;
    let mut cluster = Cluster {
        steps: StepsByVersion::of(steps),
        users: Users::of(&bindings.roles)?,
        bindings,
        groups: HashMap::new(),
        state,
    };
    created
        .map(|version| operator(version, namespace, &mut cluster))
        .collect()
}

/// The plan and the cluster, indexed once for all operators.
struct Cluster<'a> {
    steps: StepsByVersion<'a>,
    /// The bindings of the cluster, and the roles of the cluster and of all steps.
    bindings: Bindings<'a>,
    /// Everyone who gets access to the APIs of an operator.
    users: Users,
    /// The target namespaces and the name of the OperatorGroup in each namespace.
    groups: HashMap<&'a str, Option<(Targets, String)>>,
    state: &'a State,
}

/// The steps of a plan by the version that they belong to.
struct StepsByVersion<'a> {
    own: HashMap<&'a str, Vec<(usize, &'a Step)>>,
    /// The steps that belong to no version, as in an `Install` with other objects.
    of_none: Vec<(usize, &'a Step)>,
}

impl<'a> StepsByVersion<'a> {
    fn of(steps: &'a [Step]) -> Self {
        let versions = steps.iter().filter(|step| step.resource.kind == csv::KIND);
        let mut own: HashMap<&str, Vec<(usize, &Step)>> = versions.map(|step| (&*step.resolving, Vec::new())).collect();
        let mut of_none = Vec::new();
        for step in steps.iter().enumerate() {
            own.get_mut(&*step.1.resolving).unwrap_or(&mut of_none).push(step);
        }
        Self { own, of_none }
    }

    /// Returns the steps that belong to a version or to none, in their order.
    fn with(&self, version: &str) -> Vec<&'a Step> {
        let own = self.own.get(version).into_iter().flatten();
        let mut found: Vec<(usize, &Step)> = own.chain(&self.of_none).copied().collect();
        found.sort_by_key(|(place, _)| *place);
        found.into_iter().map(|(_, step)| step).collect()
    }
}

fn operator<'a>(version: &'a Step, namespace: &'a str, cluster: &mut Cluster<'a>) -> Result<Operator, TooComplex> {
    let csv = Csv(&version.resource.manifest);
    let namespace = version.namespace(namespace);
    let group = cluster.groups.entry(namespace);
    let group = group.or_insert_with(|| group_of(namespace, cluster.state));
    let (targets, group) = targets_in(csv, namespace, group.clone());
    let own = cluster.steps.with(&version.resolving);
    let mut notes = Vec::new();
    if let (Targets::Selected, Some(group)) = (&targets, &group) {
        notes.push(format!(
            "the OperatorGroup {group} selects namespaces by their labels, but the input contains no Namespaces, so the \
             permissions in the selected namespaces are not listed"
        ));
    }
    let accounts = own_accounts(csv, namespace);
    let mut given = bound(
        csv.name(),
        &own,
        &accounts,
        namespace,
        &targets,
        &cluster.bindings.roles,
        &mut notes,
    );
    given.extend(rebound(&own, &accounts, namespace, &cluster.bindings));
    given.extend(extended(&own, &cluster.bindings.roles));
    given.push(condition(csv, namespace));
    given.extend(certified(csv, namespace));
    given.extend(cluster.users.access(csv));
    // Accounts that only Deployments use may have permissions in the cluster.
    let mut of_accounts: BTreeMap<&Account, Vec<&Given>> =
        accounts.iter().map(|account| (account, Vec::new())).collect();
    let mut of_others: BTreeMap<&Subject, Vec<&Given>> = BTreeMap::new();
    for given in &given {
        for account in &given.accounts {
            of_accounts.entry(account).or_default().push(given);
        }
        for other in &given.others {
            of_others.entry(other).or_default().push(given);
        }
    }
    let holders: Result<Vec<_>, TooComplex> = of_accounts
        .into_iter()
        .map(|(account, own)| {
            let (before, _) = cluster.bindings.grants(account);
            Ok(AccountPermissions {
                permissions: holdings(&own, &before)?,
                grants: all_grants(&own, before),
                account: account.clone(),
            })
        })
        .filter(|held| !matches!(held, Ok(held) if held.permissions.is_empty()))
        .collect();
    let others: Result<Vec<_>, TooComplex> = of_others
        .into_iter()
        .map(|(subject, own)| {
            Ok(SubjectPermissions {
                subject: subject.clone(),
                permissions: holdings(&own, &Grants::default())?,
                grants: all_grants(&own, Grants::default()),
            })
        })
        .collect();
    Ok(Operator {
        name: csv.name().to_owned(),
        targets,
        group,
        accounts: holders?,
        others: others?,
        notes,
    })
}

/// Returns the target namespaces of the OperatorGroup, and the name of the OperatorGroup. Without an OperatorGroup, the
/// target namespaces follow from the install modes that the version supports.
pub fn targets(csv: Csv<'_>, namespace: &str, state: &State) -> (Targets, Option<String>) {
    targets_in(csv, namespace, group_of(namespace, state))
}

/// Returns the target namespaces and the name of the OperatorGroup in a namespace.
fn group_of(namespace: &str, state: &State) -> Option<(Targets, String)> {
    let groups = operator_groups(&state.objects, namespace);
    let group = Csv(groups.first()?);
    Some((of_group(group, &state.objects), group.name().to_owned()))
}

fn targets_in(csv: Csv<'_>, namespace: &str, group: Option<(Targets, String)>) -> (Targets, Option<String>) {
    match group {
        Some((targets, group)) => (targets, Some(group)),
        None if csv.supports(ALL_NAMESPACES) => (Targets::All, None),
        None => (Targets::Namespaces(vec![namespace.to_owned()]), None),
    }
}

/// Returns the target namespaces of an OperatorGroup. A selector applies to the Namespaces among `objects`, unless the
/// status lists the namespaces that OLM has selected.
pub(in crate::install) fn of_group(group: Csv<'_>, objects: &[Value]) -> Targets {
    let named = |keys: &[&str]| -> Vec<String> {
        let names = group.list(keys).iter().filter_map(Value::as_str);
        names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
    };
    let names = named(&["spec", "targetNamespaces"]);
    if !names.is_empty() {
        return Targets::Namespaces(names);
    }
    let of_status = group.list(&["status", "namespaces"]);
    if !of_status.is_empty() {
        return match named(&["status", "namespaces"]) {
            names if names.is_empty() => Targets::All,
            names => Targets::Namespaces(names),
        };
    }
    let conditions = |key: &str| group.get(&["spec", "selector", key]).is_some_and(is_not_empty);
    if !conditions("matchLabels") && !conditions("matchExpressions") {
        return Targets::All;
    }
    let namespaces = objects.iter().filter(|object| {
        let text = |key: &str| object.get(key).and_then(Value::as_str);
        (text("apiVersion"), text("kind")) == (Some("v1"), Some("Namespace"))
    });
    let mut namespaces = namespaces.peekable();
    let Some(selector) = group.get(&["spec", "selector"]).filter(|_| namespaces.peek().is_some()) else {
        return Targets::Selected;
    };
    let unlabelled = Map::new();
    let selected = namespaces.filter(|namespace| {
        let labels = namespace.pointer("/metadata/labels").and_then(Value::as_object);
        selects(selector, labels.unwrap_or(&unlabelled))
    });
    Targets::Namespaces(selected.map(|namespace| Csv(namespace).name().to_owned()).collect())
}

/// Whether a list or map has at least one entry. OLM treats a selector without entries like an absent one.
fn is_not_empty(value: &Value) -> bool {
    value.as_array().is_some_and(|list| !list.is_empty()) || value.as_object().is_some_and(|map| !map.is_empty())
}

/// Returns the rules that a subject is given, and those that it had `before`.
fn all_grants(own: &[&Given], before: Grants) -> Grants {
    let mut all = before;
    for given in own {
        if given.namespaces.is_empty() {
            all.add(None, given.rules.iter().cloned());
        }
        for namespace in &given.namespaces {
            all.add(Some(namespace), given.rules.iter().cloned());
        }
    }
    all
}

/// Merges the permissions that a subject is given and those that it had `before`: returns one entry per resource and
/// set of namespaces, with all verbs and reasons. If these entries would be too many for a person to read, returns one
/// entry per rule instead.
fn holdings(own: &[&Given], before: &Grants) -> Result<Vec<Holding>, TooComplex> {
    // The whole cluster sorts first.
    type Key = (Vec<String>, Rule);
    let given_in = |namespace: Option<&String>| -> Vec<usize> {
        let applies = |given: &Given| {
            given.namespaces.is_empty() || namespace.is_some_and(|name| given.namespaces.contains(name))
        };
        let here = own.iter().enumerate().filter(|(_, given)| applies(given));
        here.map(|(place, _)| place).collect()
    };
    // Many namespaces may have the same bindings.
    let mut places: BTreeMap<(Vec<usize>, &Vec<Rule>), Vec<String>> = BTreeMap::new();
    for (namespace, rules) in &before.namespaces {
        let same = places.entry((given_in(Some(namespace)), rules)).or_default();
        same.push(namespace.clone());
    }
    let cluster = ((given_in(None), &before.cluster), Vec::new());
    let mut kept = Vec::new();
    for ((given, rules), namespaces) in std::iter::once(cluster).chain(places) {
        let given = given.into_iter().filter_map(|place| own.get(place));
        let known: Vec<&Rule> = given.flat_map(|given| &given.rules).collect();
        kept.push((namespaces, Granted::of(known).uncovered(rules)?));
    }
    let held = own
        .iter()
        .map(|given| (&given.namespaces, &given.rules, &*given.reason));
    let kept = kept.iter();
    let kept = kept.map(|(place, rules)| (place, rules, "an existing binding in the cluster"));
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
            // Bindings in a namespace grant nothing on paths.
            for row in rows.filter(|row| namespaces.is_empty() || row.non_resource_urls.is_empty()) {
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
