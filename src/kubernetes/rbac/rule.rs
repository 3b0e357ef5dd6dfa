//! An RBAC rule as a value, for evaluating its permissions.

use super::{ALL, PolicyRule};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// A `PolicyRule` as an owned value. An absent list and an empty list are equivalent.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Rule {
    /// The API groups: `""` for the core group, `*` for all groups.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub api_groups: Vec<String>,
    /// The plural names, with the subresource after a slash.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<String>,
    /// The names of the objects; empty for all objects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resource_names: Vec<String>,
    /// The paths of the API server that are not resources.
    #[serde(rename = "nonResourceURLs", skip_serializing_if = "Vec::is_empty")]
    pub non_resource_urls: Vec<String>,
    /// The verbs: `*` for all verbs.
    pub verbs: Vec<String>,
}

impl Rule {
    /// Creates a rule about a resource.
    pub fn new(group: &str, resource: &str, verbs: &[&str]) -> Self {
        Self {
            api_groups: vec![group.to_owned()],
            resources: vec![resource.to_owned()],
            verbs: verbs.iter().map(|verb| (*verb).to_owned()).collect(),
            ..Self::default()
        }
    }

    /// Returns the number of strings in the rule.
    pub(crate) fn strings(&self) -> usize {
        let Self {
            api_groups,
            resources,
            resource_names,
            non_resource_urls,
            verbs,
        } = self;
        let lists = [api_groups, resources, resource_names, non_resource_urls, verbs];
        lists.into_iter().map(Vec::len).sum()
    }

    /// Returns the rules that allow everything: all verbs on all resources and on all paths.
    pub fn everything() -> [Self; 2] {
        let paths = Self {
            non_resource_urls: vec![ALL.to_owned()],
            verbs: vec![ALL.to_owned()],
            ..Self::default()
        };
        [Self::new(ALL, ALL, &[ALL]), paths]
    }

    /// Limits the rule to the object of this name.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.resource_names = vec![name.to_owned()];
        self
    }

    /// Reads a rule from its value. Items that are not strings are skipped.
    pub fn read(value: &Value) -> Self {
        let rule = PolicyRule(value);
        let list = |field| rule.list(field).map(|(_, item)| item.to_owned()).collect();
        Self {
            api_groups: list("apiGroups"),
            resources: list("resources"),
            resource_names: list("resourceNames"),
            non_resource_urls: list("nonResourceURLs"),
            verbs: list("verbs"),
        }
    }

    /// Reads the rules of a Role, a ClusterRole or an entry of `permissions`.
    pub(crate) fn read_all(holder: &Value) -> Vec<Self> {
        let rules = holder.get("rules").and_then(Value::as_array);
        rules.into_iter().flatten().map(Self::read).collect()
    }
}

/// Formats the rule in the style of API server messages about missing permissions: lists in brackets, with spaces
/// between quoted strings.
impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lists = [
            ("APIGroups", &self.api_groups),
            ("Resources", &self.resources),
            ("NonResourceURLs", &self.non_resource_urls),
            ("ResourceNames", &self.resource_names),
            ("Verbs", &self.verbs),
        ];
        let shown = lists
            .into_iter()
            .filter(|(_, list)| !list.is_empty())
            .map(|(name, list)| {
                let items: Vec<String> = list.iter().map(|item| format!("{item:?}")).collect();
                format!("{name}:[{}]", items.join(" "))
            });
        write!(formatter, "{{{}}}", shown.collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_displayed_as_in_the_api_server() {
        let rule = Rule::new("", "pods", &["get", "list"]).named("a");
        let shown = r#"{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["get" "list"]}"#;
        assert_eq!(rule.to_string(), shown);
    }
}
