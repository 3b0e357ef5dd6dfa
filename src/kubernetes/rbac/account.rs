//! The permissions that the bindings of a cluster grant to a service account.

use super::role::Roles;
use super::{GROUP, Rule};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;
use std::str::FromStr;

/// A service account, written `NAMESPACE/NAME`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Account {
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
}

/// The error for a string that does not name a service account.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a service account; use NAMESPACE/NAME")]
pub struct AccountError {
    /// The string.
    pub text: String,
}

impl FromStr for Account {
    type Err = AccountError;

    fn from_str(text: &str) -> Result<Self, AccountError> {
        // The API server uses the long form as the user name of a service account.
        let short = text.strip_prefix("system:serviceaccount:");
        let parts = match short {
            Some(short) => short.split_once(':'),
            None => text.split_once('/'),
        };
        match parts {
            Some((namespace, name))
                if super::super::names::is_dns1123_label(namespace)
                    && super::super::names::is_dns1123_subdomain(name) =>
            {
                Ok(Self {
                    namespace: namespace.to_owned(),
                    name: name.to_owned(),
                })
            }
            _ => Err(AccountError { text: text.to_owned() }),
        }
    }
}

impl fmt::Display for Account {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.namespace, self.name)
    }
}

impl Account {
    /// Returns the user name that the API server assigns to the account.
    pub(crate) fn user(&self) -> String {
        format!("system:serviceaccount:{}:{}", self.namespace, self.name)
    }

    /// Returns the groups that the API server assigns to the account.
    pub(crate) fn groups(&self) -> [String; 3] {
        let own = format!("system:serviceaccounts:{}", self.namespace);
        [
            "system:serviceaccounts".to_owned(),
            own,
            "system:authenticated".to_owned(),
        ]
    }

    /// Whether a subject of a binding is this account, or a group that contains it. `namespace` is the namespace of the
    /// binding.
    pub(crate) fn is(&self, subject: &Value, namespace: Option<&str>) -> bool {
        let named = self.named();
        Named::of(subject, namespace).is_some_and(|subject| named.iter().any(|own| own.borrowed() == subject))
    }

    /// Returns the subjects that are this account, or a group that contains it.
    fn named(&self) -> [Named<String>; 5] {
        let [all, of_namespace, authenticated] = self.groups().map(Named::Group);
        [
            Named::Account(self.namespace.clone(), self.name.clone()),
            Named::User(self.user()),
            all,
            of_namespace,
            authenticated,
        ]
    }
}

/// A subject of a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Named<T> {
    /// A service account: its namespace and name.
    Account(T, T),
    /// A user.
    User(T),
    /// A group.
    Group(T),
}

impl<'a> Named<&'a str> {
    /// Reads a subject of a binding in a namespace. Returns `None` for a subject of another kind, or without a
    /// namespace.
    pub(crate) fn of(subject: &'a Value, namespace: Option<&'a str>) -> Option<Self> {
        let text = |key: &str| subject.get(key).and_then(Value::as_str).unwrap_or_default();
        let name = text("name");
        match text("kind") {
            "ServiceAccount" => {
                let own = Some(text("namespace")).filter(|namespace| !namespace.is_empty());
                Some(Self::Account(own.or(namespace)?, name))
            }
            "User" => Some(Self::User(name)),
            "Group" => Some(Self::Group(name)),
            _ => None,
        }
    }
}

impl Named<String> {
    fn borrowed(&self) -> Named<&str> {
        match self {
            Self::Account(namespace, name) => Named::Account(namespace, name),
            Self::User(name) => Named::User(name),
            Self::Group(name) => Named::Group(name),
        }
    }
}

/// The rules granted to a subject, in the whole cluster and in single namespaces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grants {
    /// The rules for the whole cluster.
    pub cluster: Vec<Rule>,
    /// The rules for single namespaces, by the name of the namespace.
    pub namespaces: BTreeMap<String, Vec<Rule>>,
}

impl Grants {
    /// Returns the rules that apply in a namespace, including those for the whole cluster. For `None`, returns only the
    /// rules for the whole cluster.
    pub fn within(&self, namespace: Option<&str>) -> Vec<Rule> {
        let own = namespace.and_then(|namespace| self.namespaces.get(namespace));
        self.cluster.iter().chain(own.into_iter().flatten()).cloned().collect()
    }

    /// Adds rules for one namespace, or for the cluster.
    pub(crate) fn add(&mut self, namespace: Option<&str>, rules: impl IntoIterator<Item = Rule>) {
        match namespace {
            None => self.cluster.extend(rules),
            Some(namespace) => self.namespaces.entry(namespace.to_owned()).or_default().extend(rules),
        }
    }

    /// Returns the union of two grants.
    #[must_use]
    pub fn with(mut self, others: Self) -> Self {
        self.cluster.extend(others.cluster);
        for (namespace, rules) in others.namespaces {
            self.namespaces.entry(namespace).or_default().extend(rules);
        }
        self
    }
}

/// Returns the rules that the bindings among `objects` grant to an account, and a message for each binding that is
/// ignored because its role is not among the objects. Skips objects of other kinds. `Bindings` does this for several
/// accounts.
pub fn grants<'a>(objects: impl IntoIterator<Item = &'a Value>, account: &Account) -> (Grants, Vec<String>) {
    Bindings::of(objects).grants(account)
}

/// Returns the rules that the bindings among `objects` grant to the subjects that `is_meant` selects. The arguments of
/// `is_meant` are a subject and the namespace of its binding.
pub(super) fn grants_to<'a>(
    objects: impl IntoIterator<Item = &'a Value>,
    is_meant: impl Fn(&Value, Option<&str>) -> bool,
) -> (Grants, Vec<String>) {
    let bindings = Bindings::of(objects);
    let meant = bindings.all.iter().filter(|binding| {
        let namespace = namespace_of(binding);
        subjects(binding).any(|subject| is_meant(subject, namespace))
    });
    bindings.granted(meant)
}

/// The bindings and roles among some objects.
#[derive(Debug, Default)]
pub(crate) struct Bindings<'a> {
    /// The roles that the bindings refer to.
    pub(crate) roles: Roles<'a>,
    all: Vec<&'a Value>,
    /// The positions of the bindings of each subject.
    by_subject: HashMap<Named<&'a str>, Vec<usize>>,
    /// The positions of the bindings to each role, by its kind, its namespace (empty for a ClusterRole) and its name.
    by_role: HashMap<[&'a str; 3], Vec<usize>>,
}

impl<'a> Bindings<'a> {
    /// Reads the bindings and roles among objects.
    pub(crate) fn of(objects: impl IntoIterator<Item = &'a Value>) -> Self {
        let objects: Vec<&Value> = objects.into_iter().collect();
        let mut made = Self {
            roles: Roles::of(objects.iter().copied()),
            ..Self::default()
        };
        for object in objects {
            let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
            let is_binding = ["RoleBinding", "ClusterRoleBinding"].contains(&text("kind"));
            if !is_binding || !text("apiVersion").starts_with(GROUP) {
                continue;
            }
            let namespace = namespace_of(object);
            for subject in subjects(object).filter_map(|subject| Named::of(subject, namespace)) {
                made.by_subject.entry(subject).or_default().push(made.all.len());
            }
            let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
            let role = match (text("/roleRef/kind"), namespace) {
                // A ClusterRoleBinding cannot refer to a Role.
                ("Role", None) => None,
                ("Role", Some(namespace)) => Some(["Role", namespace, text("/roleRef/name")]),
                (kind, _) => Some([kind, "", text("/roleRef/name")]),
            };
            if let Some(role) = role {
                made.by_role.entry(role).or_default().push(made.all.len());
            }
            made.all.push(object);
        }
        made
    }

    /// Like [`grants`].
    pub(crate) fn grants(&self, account: &Account) -> (Grants, Vec<String>) {
        let named = account.named();
        let places = named.iter().filter_map(|named| self.by_subject.get(&named.borrowed()));
        // Several subjects of a binding may be the account.
        let places: BTreeSet<usize> = places.flatten().copied().collect();
        self.granted(places.into_iter().filter_map(|place| self.all.get(place)))
    }

    /// Returns the bindings to a role, each with its namespace, which is `None` for a ClusterRoleBinding. `namespace`
    /// is the namespace of a Role, and ignored for a ClusterRole.
    pub(crate) fn to_role<'b>(
        &'b self,
        kind: &'b str,
        namespace: &'b str,
        name: &'b str,
    ) -> impl Iterator<Item = (&'a Value, Option<&'a str>)> + 'b {
        let namespace = if kind == "ClusterRole" { "" } else { namespace };
        let places = self.by_role.get(&[kind, namespace, name]).into_iter().flatten();
        let found = places.filter_map(|place| self.all.get(*place).copied());
        found.map(|binding| (binding, namespace_of(binding)))
    }

    fn granted<'b>(&self, bindings: impl Iterator<Item = &'b &'a Value>) -> (Grants, Vec<String>)
    where
        'a: 'b,
    {
        let (mut grants, mut notes) = (Grants::default(), Vec::new());
        // Many bindings may refer to one role, and many roles may contain the same rules.
        let (mut seen, mut known) = (HashSet::new(), HashMap::<_, HashSet<Rule>>::new());
        for binding in bindings {
            let text = |path: &str| binding.pointer(path).and_then(Value::as_str).unwrap_or_default();
            let (kind, name) = (text("/roleRef/kind"), text("/roleRef/name"));
            let namespace = namespace_of(binding);
            if seen.contains(&(namespace, kind, name)) {
                continue;
            }
            let rules = match (kind, namespace) {
                // A ClusterRoleBinding cannot refer to a Role.
                ("Role", None) => None,
                _ => self.roles.rules(kind, name, namespace.unwrap_or_default()),
            };
            match rules {
                Some(rules) => {
                    seen.insert((namespace, kind, name));
                    let known = known.entry(namespace).or_default();
                    grants.add(namespace, rules.into_iter().filter(|rule| known.insert(rule.clone())));
                }
                None => notes.push(format!(
                    "{}/{} refers to {kind}/{name}, which is not among the objects, so the binding is ignored",
                    text("/kind"),
                    text("/metadata/name"),
                )),
            }
        }
        (grants, notes)
    }
}

/// Returns the namespace of a RoleBinding; `None` for a ClusterRoleBinding.
fn namespace_of(binding: &Value) -> Option<&str> {
    let text = |path: &str| binding.pointer(path).and_then(Value::as_str).unwrap_or_default();
    (text("/kind") == "RoleBinding").then(|| text("/metadata/namespace"))
}

fn subjects(binding: &Value) -> impl Iterator<Item = &Value> {
    let subjects = binding.get("subjects").and_then(Value::as_array);
    subjects.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(kind: &str, namespace: &str, name: &str, more: &Value) -> Value {
        let mut object = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind,
            "metadata": {"name": name, "namespace": namespace},
        });
        if namespace.is_empty() {
            object["metadata"].as_object_mut().unwrap().remove("namespace");
        }
        for (key, value) in more.as_object().unwrap() {
            object[key] = value.clone();
        }
        object
    }

    fn role(kind: &str, namespace: &str, name: &str, resource: &str) -> Value {
        let rules = json!({"rules": [{"apiGroups": [""], "resources": [resource], "verbs": ["get"]}]});
        object(kind, namespace, name, &rules)
    }

    fn binding(namespace: &str, role: (&str, &str), subject: &Value) -> Value {
        let kind = if namespace.is_empty() {
            "ClusterRoleBinding"
        } else {
            "RoleBinding"
        };
        let more = json!({"roleRef": {"kind": role.0, "name": role.1}, "subjects": [subject]});
        object(kind, namespace, "binding", &more)
    }

    #[test]
    fn rules_that_several_bindings_or_roles_grant_are_kept_once() {
        let user = json!({"kind": "User", "name": "u"});
        let mut objects = vec![
            role("ClusterRole", "", "a", "pods"),
            role("ClusterRole", "", "b", "pods"),
        ];
        for name in ["a", "b"] {
            let binding = binding("", ("ClusterRole", name), &user);
            objects.extend([binding.clone(), binding]);
        }
        let (granted, notes) = grants_to(&objects, |subject, _| *subject == user);
        assert_eq!((resources(&granted.cluster), notes.len()), (vec!["pods"], 0));
    }

    fn resources(rules: &[Rule]) -> Vec<&str> {
        rules.iter().map(|rule| rule.resources[0].as_str()).collect()
    }

    #[test]
    fn bindings_grant_permissions_in_their_namespace() {
        let account: Account = "ns/sa".parse().unwrap();
        let own = json!({"kind": "ServiceAccount", "name": "sa"});
        let objects = [
            role("ClusterRole", "", "c", "nodes"),
            role("Role", "ns", "r", "pods"),
            role("Role", "other", "r", "secrets"),
            binding("ns", ("Role", "r"), &own),
            binding("other", ("Role", "r"), &own),
            binding(
                "other",
                ("ClusterRole", "c"),
                &json!({"kind": "ServiceAccount", "name": "sa", "namespace": "ns"}),
            ),
            binding(
                "",
                ("ClusterRole", "c"),
                &json!({"kind": "User", "name": "system:serviceaccount:ns:sa"}),
            ),
            binding(
                "",
                ("Role", "r"),
                &json!({"kind": "Group", "name": "system:serviceaccounts:ns"}),
            ),
            binding("", ("ClusterRole", "c"), &own),
        ];
        let (grants, notes) = grants(&objects, &account);
        let is_meant = |subject: &Value, namespace: Option<&str>| account.is(subject, namespace);
        assert_eq!((grants.clone(), notes.clone()), grants_to(&objects, is_meant));
        assert_eq!(resources(&grants.cluster), ["nodes"]);
        assert_eq!(resources(&grants.within(Some("ns"))), ["nodes", "pods"]);
        assert_eq!(resources(&grants.within(Some("other"))), ["nodes", "nodes"]);
        assert_eq!(
            notes,
            ["ClusterRoleBinding/binding refers to Role/r, which is not among the objects, so the binding is ignored"]
        );
    }

    #[test]
    fn a_binding_that_names_an_account_twice_grants_its_rules_once() {
        let account: Account = "ns/sa".parse().unwrap();
        let mut binding = binding("ns", ("Role", "r"), &json!({"kind": "ServiceAccount", "name": "sa"}));
        let group = json!({"kind": "Group", "name": "system:authenticated"});
        binding["subjects"].as_array_mut().unwrap().push(group);
        let (grants, _) = grants(&[role("Role", "ns", "r", "pods"), binding], &account);
        assert_eq!(resources(&grants.within(Some("ns"))), ["pods"]);
    }

    #[test]
    fn service_account_groups_include_the_account() {
        let account: Account = "system:serviceaccount:ns:sa".parse().unwrap();
        assert_eq!(account.to_string(), "ns/sa");
        for (group, member) in [
            ("system:serviceaccounts", true),
            ("system:authenticated", true),
            ("system:serviceaccounts:ns", true),
            ("system:serviceaccounts:other", false),
            ("system:masters", false),
        ] {
            let subject = json!({"kind": "Group", "name": group});
            assert_eq!(account.is(&subject, None), member, "{group}");
        }
        for wrong in ["sa", "/sa", "ns/", "a/b/c", "NS/sa", ""] {
            assert_eq!(wrong.parse::<Account>(), Err(AccountError { text: wrong.to_owned() }));
        }
    }
}
