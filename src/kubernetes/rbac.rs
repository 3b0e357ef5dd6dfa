//! RBAC rules: views of their values, comparisons between rules, and the permissions of service accounts and users.

pub mod account;
pub mod covering;
mod danger;
pub mod role;
mod rule;
pub mod user;

pub use danger::dangers;
pub use rule::Rule;

use serde_json::Value;
use std::collections::BTreeSet;

/// The group of the RBAC kinds.
pub const GROUP: &str = "rbac.authorization.k8s.io";
/// The wildcard for all verbs, groups or resources.
pub const ALL: &str = "*";
/// The built-in ClusterRole that grants all permissions.
pub const CLUSTER_ADMIN: &str = "cluster-admin";

/// A view of the value of a `PolicyRule`.
#[derive(Debug, Clone, Copy)]
pub struct PolicyRule<'a>(pub &'a Value);

impl<'a> PolicyRule<'a> {
    /// Returns each string in a list of the rule with its position; empty if the list is absent.
    pub fn list(self, field: &str) -> impl Iterator<Item = (usize, &'a str)> {
        let items = self
            .0
            .get(field)
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default();
        items
            .iter()
            .enumerate()
            .filter_map(|(index, item)| Some((index, item.as_str()?)))
    }

    /// Returns each string in `apiGroups` with its position.
    pub(crate) fn api_groups(self) -> impl Iterator<Item = (usize, &'a str)> {
        self.list("apiGroups")
    }

    /// Returns each string in `resources` with its position.
    pub fn resources(self) -> impl Iterator<Item = (usize, &'a str)> {
        self.list("resources")
    }

    /// Returns each string in `nonResourceURLs` with its position.
    pub(crate) fn non_resource_urls(self) -> impl Iterator<Item = (usize, &'a str)> {
        self.list("nonResourceURLs")
    }

    /// Returns the lists that are empty although the API server requires them: verbs, and without nonResourceURLs also
    /// apiGroups and resources.
    pub(crate) fn absent_lists(self) -> impl Iterator<Item = &'static str> {
        let is_empty = move |key: &str| self.0.get(key).and_then(Value::as_array).is_none_or(Vec::is_empty);
        let required = if is_empty("nonResourceURLs") {
            &["verbs", "apiGroups", "resources"][..]
        } else {
            &["verbs"]
        };
        required.iter().copied().filter(move |list| is_empty(list))
    }

    /// Returns the lists of the rule as sets. Two rules grant the same permissions if these are equal.
    pub fn sets(self) -> [BTreeSet<&'a str>; 5] {
        ["apiGroups", "resources", "verbs", "resourceNames", "nonResourceURLs"]
            .map(|field| self.list(field).map(|(_, item)| item).collect())
    }

    /// Whether two rules grant the same permissions: their lists are equal as sets.
    pub fn grants_the_same(self, other: PolicyRule<'_>) -> bool {
        self.sets() == other.sets()
    }
}

/// Returns the resource without its subresource: `pods` for `pods/log`.
pub(crate) fn parent_resource(resource: &str) -> &str {
    resource.split_once('/').map_or(resource, |(parent, _)| parent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rules_are_compared_as_sets() {
        let left = json!({"apiGroups": [""], "resources": ["pods", "secrets"], "verbs": ["get"]});
        let same =
            json!({"verbs": ["get"], "resources": ["secrets", "pods", "pods"], "apiGroups": [""], "resourceNames": []});
        let other = json!({"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]});
        assert!(PolicyRule(&left).grants_the_same(PolicyRule(&same)));
        assert!(!PolicyRule(&left).grants_the_same(PolicyRule(&other)));
        assert_eq!(parent_resource("pods/log"), "pods");
    }
}
