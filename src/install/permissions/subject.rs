//! The subjects that an install grants permissions to, and the permissions that they hold after one install but not
//! after others.

use super::{Need, Operator, Permission, Purpose, approved, not_held};
use crate::kubernetes::rbac::Rule;
use crate::kubernetes::rbac::account::{Account, Grants};
use crate::kubernetes::rbac::covering::{TooComplex, halves};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::collections::BTreeMap;
use std::fmt;

/// A subject of a binding.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A service account.
    Account(Account),
    /// A user.
    User(String),
    /// A group, such as that of all users.
    Group(String),
    /// Everyone who is bound to a ClusterRole.
    Holders(String),
}

impl Subject {
    fn parts(&self) -> (&'static str, &str) {
        match self {
            Self::Account(account) => ("ServiceAccount", &account.name),
            Self::User(name) => ("User", name),
            Self::Group(name) => ("Group", name),
            Self::Holders(name) => ("ClusterRole", name),
        }
    }
}

/// Formats an account as `NAMESPACE/NAME`, users and groups as their kind and name, and the others in words.
impl fmt::Display for Subject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, self.parts()) {
            (Self::Account(account), _) => account.fmt(formatter),
            (Self::Holders(name), _) => write!(formatter, "everyone with ClusterRole {name}"),
            (_, (kind, name)) => write!(formatter, "{kind} {name}"),
        }
    }
}

/// Serializes the fields that the subject has in a binding. Those who are bound to a ClusterRole are serialized as its
/// kind and name.
impl Serialize for Subject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (kind, name) = self.parts();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("kind", kind)?;
        map.serialize_entry("name", name)?;
        if let Self::Account(account) = self {
            map.serialize_entry("namespace", &account.namespace)?;
        }
        map.end()
    }
}

/// Permissions that a subject gains.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Gain {
    /// The subject.
    pub subject: Subject,
    /// The permissions, merged for readability.
    pub permissions: Vec<Permission>,
}

/// Returns what the subjects of an operator hold in addition to what they hold after the installs of other versions,
/// and to the permissions that count as approved for everyone. The name of each version counts as that of `new`,
/// because some permissions apply to the objects with this name.
///
/// # Errors
/// Returns an error if comparing the rules takes too many steps.
pub fn gained(new: &Operator, others: &[Operator], for_all: &Grants) -> Result<Vec<Gain>, TooComplex> {
    let mut before: BTreeMap<Subject, Grants> = BTreeMap::new();
    for other in others {
        for (subject, grants) in subjects(other) {
            let known = before.remove(&subject).unwrap_or_default();
            before.insert(subject, approved(&needs_of(grants, (&other.name, &new.name)), known));
        }
    }
    let mut gains = Vec::new();
    for (subject, grants) in subjects(new) {
        let known = before.get(&subject).cloned().unwrap_or_default();
        let needs = needs_of(grants, (&new.name, &new.name));
        let permissions = not_held(&needs, &known.with(for_all.clone()))?;
        if !permissions.is_empty() {
            gains.push(Gain { subject, permissions });
        }
    }
    Ok(gains)
}

/// Returns all subjects of an operator with their permissions.
fn subjects(operator: &Operator) -> impl Iterator<Item = (Subject, &Grants)> {
    let accounts = operator.accounts.iter();
    let accounts = accounts.map(|held| (Subject::Account(held.account.clone()), &held.grants));
    let others = operator.others.iter();
    accounts.chain(others.map(|held| (held.subject.clone(), &held.grants)))
}

/// Returns permissions as [`Need`]s, so that they can be compared. The object name `from` becomes `to`.
fn needs_of(grants: &Grants, (from, to): (&str, &str)) -> Vec<Need> {
    let places = grants
        .namespaces
        .iter()
        .map(|(name, rules)| (Some(name.clone()), rules));
    let needs = std::iter::once((None, &grants.cluster)).chain(places);
    let needs = needs.map(|(namespace, rules)| {
        let mut rules: Vec<Rule> = rules.iter().flat_map(halves).collect();
        for name in rules.iter_mut().flat_map(|rule| &mut rule.resource_names) {
            if name == from {
                to.clone_into(name);
            }
        }
        Need {
            namespace,
            rules,
            purpose: Purpose::Operator,
            unless: None,
            is_condition: false,
        }
    });
    needs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::install::permissions::Targets;
    use crate::install::permissions::accounts::AccountPermissions;

    fn operator(name: &str, place: Option<&str>, rules: Vec<Rule>) -> Operator {
        let mut grants = Grants::default();
        grants.add(place, rules);
        Operator {
            name: name.to_owned(),
            targets: Targets::All,
            group: None,
            accounts: vec![AccountPermissions {
                account: "ns/op".parse().unwrap(),
                permissions: Vec::new(),
                grants,
            }],
            others: Vec::new(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn a_permission_that_differs_only_by_the_version_name_is_not_gained() {
        let condition = |name: &str| vec![Rule::new("", "conditions", &["get"]).named(name)];
        let (old, new) = (
            operator("a.v1", None, condition("a.v1")),
            operator("a.v2", None, condition("a.v2")),
        );
        assert_eq!(gained(&new, &[old], &Grants::default()).unwrap(), []);
    }

    #[test]
    fn a_permission_extended_to_the_cluster_is_gained() {
        let secrets = || vec![Rule::new("", "secrets", &["get"])];
        let (old, new) = (
            operator("a.v1", Some("ns"), secrets()),
            operator("a.v2", None, secrets()),
        );
        let gains = gained(&new, std::slice::from_ref(&old), &Grants::default()).unwrap();
        assert_eq!((gains.len(), gains[0].subject.to_string()), (1, "ns/op".to_owned()));
        assert_eq!(gains[0].permissions[0].namespaces, Vec::<String>::new());
        assert_eq!(
            gained(&old, std::slice::from_ref(&new), &Grants::default()).unwrap(),
            []
        );
        let mut approved = Grants::default();
        approved.add(None, secrets());
        assert_eq!(gained(&new, &[old], &approved).unwrap(), []);
    }
}
