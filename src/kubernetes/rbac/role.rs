//! Roles by their names: those among objects, and those that every cluster contains.

use super::covering::{Steps, TooComplex};
use super::{CLUSTER_ADMIN, GROUP, Rule};
use crate::kubernetes::selector::selects;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// The ClusterRole that lets extension API servers ask who sent a request and what the sender may do.
pub(crate) const AUTH_DELEGATOR: &str = "system:auth-delegator";

/// The identity of a role: its kind, its namespace (empty for a ClusterRole) and its name.
type Key<'a> = (&'a str, &'a str, &'a str);

/// The roles among some objects, and those that are written later.
#[derive(Debug, Default)]
pub struct Roles<'a> {
    all: BTreeMap<Key<'a>, &'a Value>,
    /// The roles that were written: the cluster has not yet filled in the rules of those that are aggregated.
    written: BTreeSet<Key<'a>>,
    /// The names of the aggregated ClusterRoles.
    aggregated: BTreeSet<&'a str>,
}

impl<'a> Roles<'a> {
    /// Reads the roles among objects. Skips objects of other kinds.
    pub fn of(objects: impl IntoIterator<Item = &'a Value>) -> Self {
        let key = |object: &'a Value| {
            let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
            let namespace = match text("/kind") {
                _ if !text("/apiVersion").starts_with(GROUP) => return None,
                "Role" => text("/metadata/namespace"),
                "ClusterRole" => "",
                _ => return None,
            };
            Some(((text("/kind"), namespace, text("/metadata/name")), object))
        };
        let mut roles = Self::default();
        for (key, role) in objects.into_iter().filter_map(key) {
            roles.insert(key, role);
        }
        roles
    }

    /// Adds a role, which replaces the role with the same kind, namespace and name. Ignores objects of other kinds.
    pub(crate) fn write(&mut self, kind: &'a str, namespace: &'a str, name: &'a str, role: &'a Value) {
        let key = match kind {
            "Role" => (kind, namespace, name),
            "ClusterRole" => (kind, "", name),
            _ => return,
        };
        self.insert(key, role);
        self.written.insert(key);
    }

    fn insert(&mut self, key: Key<'a>, role: &'a Value) {
        self.all.insert(key, role);
        let (kind, _, name) = key;
        // The API server ignores the field in a Role.
        if kind == "ClusterRole" && is_aggregated(role) {
            self.aggregated.insert(name);
        } else if kind == "ClusterRole" {
            self.aggregated.remove(name);
        }
    }

    /// Whether a known role is aggregated.
    pub(crate) fn is_aggregated(&self, kind: &str, name: &str) -> bool {
        kind == "ClusterRole" && self.aggregated.contains(name)
    }

    /// Whether a role was written, and the cluster fills in its rules from other roles.
    pub(crate) fn is_filled_in(&self, kind: &str, name: &str) -> bool {
        self.is_aggregated(kind, name) && self.written.contains(&("ClusterRole", "", name))
    }

    /// Returns how often [`Self::rules`] compares a role with an aggregated one at most, for the rules of one role.
    pub(crate) fn most_parts(&self) -> usize {
        self.all.len().saturating_mul(self.aggregated.len())
    }

    /// Returns how often [`Self::extended_by`] compares a role with an aggregated one at most.
    pub(crate) fn most_extended(&self) -> usize {
        self.aggregated.len().saturating_mul(self.aggregated.len())
    }

    /// Returns a known role. `namespace` is that of a Role.
    pub(crate) fn find(&self, kind: &str, name: &str, namespace: &str) -> Option<&'a Value> {
        let namespace = if kind == "ClusterRole" { "" } else { namespace };
        self.all.get(&(kind, namespace, name)).copied()
    }

    /// Returns the rules of a role that is known or built into every cluster. `namespace` is the namespace of the
    /// binding, in which a Role must be. An aggregated role has the rules of the known roles that it selects.
    pub fn rules(&self, kind: &str, name: &str, namespace: &str) -> Option<Vec<Rule>> {
        self.known_rules(kind, name, namespace).or_else(|| built_in(kind, name))
    }

    /// Like [`Self::rules`], but without the roles that are built into every cluster.
    pub(crate) fn known_rules(&self, kind: &str, name: &str, namespace: &str) -> Option<Vec<Rule>> {
        let role = self.find(kind, name, namespace)?;
        if self.is_aggregated(kind, name) {
            return Some(self.aggregated(name, role));
        }
        Some(Rule::read_all(role))
    }

    /// Returns the names of the ClusterRoles that were not written, and to which the cluster adds the rules of this
    /// ClusterRole, directly or through other aggregated ClusterRoles. They include those for users that every cluster
    /// contains.
    pub(crate) fn extended_by(&self, name: &str) -> BTreeSet<&str> {
        let role = self.find("ClusterRole", name, "");
        let extended = role.map(|role| self.wholes(role, |_| Ok(())));
        let mut extended = extended.and_then(Result::ok).unwrap_or_default();
        extended.remove(name);
        extended
    }

    /// Like [`Self::extended_by`], for a ClusterRole that need not be known. Each comparison consumes `steps`.
    ///
    /// # Errors
    /// Returns an error if there are too many comparisons.
    pub(crate) fn extended(&self, role: &Value, steps: &Steps) -> Result<BTreeSet<&str>, TooComplex> {
        self.wholes(role, |comparisons| steps.take(comparisons))
    }

    /// Returns the ClusterRoles that include a role. `take` is called with the number of comparisons before they are
    /// made.
    fn wholes(
        &self,
        role: &Value,
        take: impl Fn(usize) -> Result<(), TooComplex>,
    ) -> Result<BTreeSet<&str>, TooComplex> {
        let of_name = |name: &str| self.find("ClusterRole", name, "");
        let known = self.aggregated.iter().filter_map(|name| Some((*name, of_name(name)?)));
        let for_users = FOR_USERS.iter().map(|(name, role)| (*name, role));
        let for_users = for_users.filter(|(name, _)| of_name(name).is_none());
        let mut rest: Vec<(&str, &Value)> = known.chain(for_users).collect();
        let mut found = BTreeSet::new();
        let mut waiting: Vec<&Value> = vec![role];
        while let Some(part) = waiting.pop() {
            take(rest.len())?;
            let (wholes, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|(_, whole)| aggregates(whole, part));
            rest = others;
            for (name, whole) in wholes {
                waiting.push(whole);
                if !self.written.contains(&("ClusterRole", "", name)) {
                    found.insert(name);
                }
            }
        }
        Ok(found)
    }

    /// Returns the rules of an aggregated role, each once: those in its manifest, followed by those of all roles that
    /// it selects, directly or through other aggregated roles, in the order of their names. Until the cluster replaces
    /// the rules in a manifest, they apply, and other aggregated roles may take them over.
    fn aggregated(&self, name: &str, role: &Value) -> Vec<Rule> {
        let mut rules = Vec::new();
        let mut seen = BTreeSet::new();
        let others = self.all.iter();
        let others = others.filter(|((kind, _, other), _)| *kind == "ClusterRole" && *other != name);
        let mut rest: Vec<&Value> = others.map(|(_, role)| *role).collect();
        let mut waiting = vec![role];
        while let Some(role) = waiting.pop() {
            let own = Rule::read_all(role).into_iter();
            rules.extend(own.filter(|rule| seen.insert(rule.clone())));
            if is_aggregated(role) {
                let (parts, others): (Vec<&Value>, _) = rest.into_iter().partition(|part| aggregates(role, part));
                rest = others;
                // The last one is read first.
                waiting.extend(parts.into_iter().rev());
            }
        }
        rules
    }
}

/// The ClusterRoles for users that are in every cluster: their names, and the parts that determine what they aggregate.
/// Each of the first two is a part of the next.
static FOR_USERS: LazyLock<[(&str, Value); 3]> = LazyLock::new(|| {
    let role = |name: &'static str, whole: Option<&str>| {
        let mut role = whole.map_or_else(|| json!({}), for_users);
        let selectors = json!([{"matchLabels": {label_for(name): "true"}}]);
        role["aggregationRule"] = json!({ "clusterRoleSelectors": selectors });
        (name, role)
    };
    [
        role("view", Some("edit")),
        role("edit", Some("admin")),
        role("admin", None),
    ]
});

/// Returns the label by which clusters add a ClusterRole to a ClusterRole for users.
fn label_for(name: &str) -> String {
    format!("{GROUP}/aggregate-to-{name}")
}

/// Returns the part of a ClusterRole because of which clusters add it to a ClusterRole for users.
pub(crate) fn for_users(name: &str) -> Value {
    json!({"metadata": {"labels": {label_for(name): "true"}}})
}

/// Whether an aggregated role selects another role.
fn aggregates(role: &Value, part: &Value) -> bool {
    let unlabelled = Map::new();
    let labels = part.pointer("/metadata/labels").and_then(Value::as_object);
    let selectors = role.pointer("/aggregationRule/clusterRoleSelectors");
    let mut selectors = selectors.and_then(Value::as_array).into_iter().flatten();
    selectors.any(|selector| selects(selector, labels.unwrap_or(&unlabelled)))
}

/// Returns the rules of a role that is built into every cluster and that clusters do not extend.
fn built_in(kind: &str, name: &str) -> Option<Vec<Rule>> {
    match (kind, name) {
        ("ClusterRole", CLUSTER_ADMIN) => Some(Rule::everything().into()),
        ("ClusterRole", AUTH_DELEGATOR) => Some(auth_delegation().into()),
        _ => None,
    }
}

/// Returns the rules of `system:auth-delegator`.
pub(crate) fn auth_delegation() -> [Rule; 2] {
    [
        Rule::new("authentication.k8s.io", "tokenreviews", &["create"]),
        Rule::new("authorization.k8s.io", "subjectaccessreviews", &["create"]),
    ]
}

/// Returns the rule of the Role in `kube-system` that lets extension API servers read how requests are authenticated.
pub(crate) fn authentication_reader() -> Rule {
    let rule = Rule::new("", "configmaps", &["get", "list", "watch"]);
    rule.named("extension-apiserver-authentication")
}

/// Returns whether a controller fills in the rules of the role from other roles of the cluster.
pub fn is_aggregated(role: &Value) -> bool {
    role.get("aggregationRule").is_some_and(|rule| !rule.is_null())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_looked_up_in_the_objects_before_the_built_in_ones() {
        let role = |kind: &str, namespace: &str, name: &str| {
            json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind,
                "metadata": {"name": name, "namespace": namespace},
                "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]})
        };
        let objects = [role("Role", "ns", "r"), role("ClusterRole", "", "cluster-admin")];
        let roles = Roles::of(&objects);
        let rules = |kind: &str, name: &str, namespace: &str| roles.rules(kind, name, namespace);
        let pods = vec![Rule::new("", "pods", &["get"])];
        assert_eq!(rules("Role", "r", "ns").as_ref(), Some(&pods));
        assert_eq!(rules("Role", "r", "other"), None);
        assert_eq!(rules("ClusterRole", "cluster-admin", "ns").as_ref(), Some(&pods));
        assert_eq!(rules("ClusterRole", "view", "ns"), None);
        let everything = Roles::default().rules("ClusterRole", "cluster-admin", "");
        assert_eq!(everything, Some(Rule::everything().into()));
    }

    #[test]
    fn an_aggregated_role_has_the_rules_of_the_roles_that_it_selects() {
        let role = |name: &str, labels: Value, fields: Value| {
            let mut role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
                "metadata": {"name": name, "labels": labels}});
            for (key, value) in fields.as_object().unwrap() {
                role[key] = value.clone();
            }
            role
        };
        let get = |resource: &str| json!([{"apiGroups": [""], "resources": [resource], "verbs": ["get"]}]);
        let selecting = |label: &str| json!({"clusterRoleSelectors": [{"matchLabels": {label: "yes"}}]});
        let objects = [
            role("a", json!({"to": "yes"}), json!({"rules": get("pods")})),
            // The two select each other.
            role(
                "b",
                json!({"to": "yes"}),
                json!({"rules": get("filled-in"), "aggregationRule": selecting("more")}),
            ),
            role("c", json!({"more": "yes"}), json!({"rules": get("nodes")})),
            role("d", json!({"to": "no"}), json!({"rules": get("secrets")})),
        ];
        let top = role(
            "top",
            json!({"more": "yes"}),
            json!({"rules": get("own"), "aggregationRule": selecting("to")}),
        );
        let mut roles = Roles::of(&objects);
        roles.write("ClusterRole", "ignored", "top", &top);
        let rules = |name: &str| -> Vec<String> {
            let rules = roles.rules("ClusterRole", name, "ns").unwrap();
            rules.iter().map(|rule| rule.resources.join(",")).collect()
        };
        assert_eq!(rules("top"), ["own", "pods", "filled-in", "nodes"]);
        assert_eq!(rules("b"), ["filled-in", "nodes", "own", "pods"]);
        assert!(roles.is_filled_in("ClusterRole", "top") && !roles.is_filled_in("ClusterRole", "b"));
    }

    #[test]
    fn a_role_extends_the_aggregated_roles_that_select_it() {
        let role = |name: &str, labels: Value, selected: Option<&str>| {
            let mut role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
                "metadata": {"name": name, "labels": labels}});
            if let Some(label) = selected {
                role["aggregationRule"] = json!({"clusterRoleSelectors": [{"matchLabels": {label: "true"}}]});
            }
            role
        };
        let objects = [
            role("monitoring", json!({}), Some("to-monitoring")),
            // This cluster does not add the role `edit` to `admin`.
            role("edit", json!({}), Some("rbac.authorization.k8s.io/aggregate-to-edit")),
        ];
        let written = [
            role(
                "viewer",
                json!({"rbac.authorization.k8s.io/aggregate-to-view": "true"}),
                None,
            ),
            role("part", json!({"own": "true"}), None),
            role("whole", json!({"to-monitoring": "true", "own": "true"}), Some("own")),
            role(
                "no",
                json!({"rbac.authorization.k8s.io/aggregate-to-view": "false"}),
                None,
            ),
        ];
        let extended = |objects: &[Value], name: &str| -> Vec<String> {
            let mut roles = Roles::of(objects);
            for role in &written {
                roles.write("ClusterRole", "", role["metadata"]["name"].as_str().unwrap(), role);
            }
            roles.extended_by(name).into_iter().map(str::to_owned).collect()
        };
        assert_eq!(extended(&[], "viewer"), ["admin", "edit", "view"]);
        assert_eq!(extended(&objects, "viewer"), ["edit", "view"]);
        assert_eq!(extended(&objects, "part"), ["monitoring"]);
        assert_eq!(extended(&objects, "no"), Vec::<String>::new());
        let count = |steps: usize| {
            let viewer = for_users("view");
            Roles::default()
                .extended(&viewer, &Steps::limited(steps))
                .map(|found| found.len())
        };
        // The role is compared with three ClusterRoles, and each of these with those that are left.
        assert_eq!((count(6), count(5)), (Ok(3), Err(TooComplex)));
    }
}
