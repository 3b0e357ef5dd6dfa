//! Checks the rules of roles, and the subjects of bindings.

use super::part::Part;
use crate::kubernetes::rbac::{self, PolicyRule};
use crate::rules;
use crate::text::Path;
use crate::value::text;
use serde_json::Value;

impl Part<'_> {
    /// Checks the policy rules in the list `rules` below `at`. `namespaced` is whether they are the rules of a Role.
    pub(super) fn policy_rules(&mut self, at: &Path, namespaced: bool) {
        let list = at.key("rules");
        for (index, rule) in self.list(&list).iter().enumerate() {
            let path = list.index(index);
            self.groups(rule, &path);
            self.verbs(rule, &path);
            let is_empty = |key: &str| rule.get(key).and_then(Value::as_array).is_none_or(Vec::is_empty);
            let has_urls = !is_empty("nonResourceURLs");
            if has_urls {
                let names_resources = ["apiGroups", "resources", "resourceNames"]
                    .iter()
                    .any(|key| !is_empty(key));
                self.urls(&path.key("nonResourceURLs"), namespaced, names_resources);
            }
            let Some(missing) = PolicyRule(rule).absent_lists().next() else {
                continue;
            };
            let message = format!(
                "{path} has no {missing}, so the API server rejects {}",
                self.object.label()
            );
            self.report(&rules::RBAC_RULE_INCOMPLETE, &path, message);
        }
    }

    /// Checks the nonResourceURLs of a rule.
    fn urls(&mut self, path: &Path, namespaced: bool, names_resources: bool) {
        if namespaced {
            let message = "the rule of a Role has nonResourceURLs, but only ClusterRoles can have them".to_owned();
            let help = "Remove them, or grant them with a ClusterRole and a ClusterRoleBinding (clusterPermissions in \
                        a ClusterServiceVersion).";
            self.refuse(path, message, help);
        } else if names_resources {
            let message = "a rule has nonResourceURLs in addition to resources".to_owned();
            self.refuse(
                path,
                message,
                "Move nonResourceURLs and their verbs to a separate rule.",
            );
        }
    }

    /// Checks the API groups of the subjects of a binding. An absent group stands for the correct one.
    pub(super) fn subjects(&mut self) {
        let list = Path::from("subjects");
        for (index, subject) in self.list(&list).iter().enumerate() {
            let group = text(subject, "apiGroup");
            let (kind, right) = match text(subject, "kind") {
                kind @ "ServiceAccount" => (kind, ""),
                kind @ ("User" | "Group") => (kind, rbac::GROUP),
                _ => continue,
            };
            if group.is_empty() || group == right {
                continue;
            }
            let message = format!("the API group of a {kind} is {right:?}, not {group:?}");
            let help = if right.is_empty() {
                "Remove apiGroup from the subject.".to_owned()
            } else {
                format!("Use apiGroup: {right}.")
            };
            self.refuse(&list.index(index).key("apiGroup"), message, &help);
        }
    }

    /// Reports groups of a policy rule that contain a version.
    fn groups(&mut self, rule: &Value, at: &Path) {
        for (index, group) in PolicyRule(rule).api_groups() {
            if let Some((name, _)) = group.split_once('/') {
                let path = at.key("apiGroups").index(index);
                let message = format!("the group {group:?} contains a version, so the rule grants nothing in {name}");
                let finding = self.finding(&rules::RBAC_GROUP_VERSION, &path, message);
                self.findings.push(finding.help(format!("Use {name:?}.")));
            }
        }
    }

    /// Reports verbs that are misspelled.
    fn verbs(&mut self, rule: &Value, at: &Path) {
        for (index, verb) in PolicyRule(rule).list("verbs") {
            if let Some(meant) = meant_verb(verb) {
                let path = at.key("verbs").index(index);
                let message = format!("the verb {verb:?} is unknown, so it grants nothing");
                let finding = self.finding(&rules::RBAC_VERB_UNKNOWN, &path, message);
                self.findings.push(finding.help(format!("Did you mean {meant}?")));
            }
        }
    }
}

/// Returns the verb that an unknown verb misspells.
pub(in crate::validation) fn meant_verb(verb: &str) -> Option<&'static str> {
    if VERBS.contains(&verb) || !(3..=20).contains(&verb.len()) {
        return None;
    }
    let lower = verb.to_lowercase();
    let mut near = VERBS.into_iter();
    near.find(|known| strsim::damerau_levenshtein(known, &lower) <= 1)
}

/// The verbs that have a meaning in Kubernetes. Extensions can define additional verbs.
pub(in crate::validation) const VERBS: [&str; 15] = [
    "*",
    "approve",
    "bind",
    "create",
    "delete",
    "deletecollection",
    "escalate",
    "get",
    "impersonate",
    "list",
    "patch",
    "sign",
    "update",
    "use",
    "watch",
];
