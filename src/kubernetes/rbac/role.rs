//! Roles by their names: those among objects, and those that every cluster contains.

use super::{CLUSTER_ADMIN, GROUP, Rule};
use serde_json::Value;
use std::collections::BTreeMap;

/// The ClusterRole that lets extension API servers ask who sent a request and what the sender may do.
const AUTH_DELEGATOR: &str = "system:auth-delegator";

/// The identity of a role: its kind, its namespace (empty for a ClusterRole) and its name.
type Key<'a> = (&'a str, &'a str, &'a str);

/// The roles among some objects, and those that are written later.
#[derive(Debug, Default)]
pub struct Roles<'a>(BTreeMap<Key<'a>, &'a Value>);

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
        Self(objects.into_iter().filter_map(key).collect())
    }

    /// Adds a role, which replaces the role with the same kind, namespace and name. Ignores objects of other kinds.
    pub(crate) fn write(&mut self, kind: &'a str, namespace: &'a str, name: &'a str, role: &'a Value) {
        match kind {
            "Role" => self.0.insert((kind, namespace, name), role),
            "ClusterRole" => self.0.insert((kind, "", name), role),
            _ => None,
        };
    }

    /// Returns the rules of a role that is known or built into every cluster. `namespace` is the namespace of the
    /// binding, in which a Role must be.
    pub fn rules(&self, kind: &str, name: &str, namespace: &str) -> Option<Vec<Rule>> {
        self.known_rules(kind, name, namespace).or_else(|| built_in(kind, name))
    }

    /// Like [`Self::rules`], but without the roles that are built into every cluster.
    pub(crate) fn known_rules(&self, kind: &str, name: &str, namespace: &str) -> Option<Vec<Rule>> {
        let namespace = if kind == "ClusterRole" { "" } else { namespace };
        self.0.get(&(kind, namespace, name)).map(|role| Rule::read_all(role))
    }
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

/// Returns whether a controller fills in the rules of the role from other roles of the cluster.
pub fn is_aggregated(role: &Value) -> bool {
    role.get("aggregationRule").is_some_and(|rule| !rule.is_null())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
}
