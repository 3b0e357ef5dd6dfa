//! RBAC: rules as views over their values, what rules cover, and what a service account may do.

pub mod account;
pub mod covering;
mod danger;
mod rule;
pub mod user;

pub use danger::dangers;
pub use rule::Rule;

use serde_json::Value;
use std::collections::BTreeSet;

/// Group of the RBAC kinds.
pub const GROUP: &str = "rbac.authorization.k8s.io";
/// What stands for all verbs, groups or resources.
pub const ALL: &str = "*";
/// The role of every cluster that may do everything.
pub const CLUSTER_ADMIN: &str = "cluster-admin";

/// A `PolicyRule`, read from its value.
#[derive(Debug, Clone, Copy)]
pub struct PolicyRule<'a>(pub &'a Value);

impl<'a> PolicyRule<'a> {
    /// The strings of one of the lists of the rule; empty where it is absent.
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

    /// `apiGroups` with their indexes.
    pub(crate) fn api_groups(self) -> impl Iterator<Item = (usize, &'a str)> {
        self.list("apiGroups")
    }

    /// `resources` with their indexes.
    pub fn resources(self) -> impl Iterator<Item = (usize, &'a str)> {
        self.list("resources")
    }

    /// `nonResourceURLs` with their indexes.
    pub(crate) fn non_resource_urls(self) -> impl Iterator<Item = (usize, &'a str)> {
        self.list("nonResourceURLs")
    }

    /// Whether two rules grant the same: their lists are equal as sets.
    pub fn grants_the_same(self, other: PolicyRule<'_>) -> bool {
        const LISTS: [&str; 5] = ["apiGroups", "resources", "verbs", "resourceNames", "nonResourceURLs"];
        let set = |rule: PolicyRule<'_>, field| {
            rule.list(field)
                .map(|(_, item)| item.to_owned())
                .collect::<BTreeSet<_>>()
        };
        LISTS.iter().all(|field| set(self, field) == set(other, field))
    }
}

/// The resource without its subresource: `pods/log` is about `pods`.
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
