//! What only a person can decide about manifests that become a bundle.

use super::wildcards::WildcardRule;
use super::{Fate, Outcome, Synthesis, Unresolved};
use crate::diagnostic::Diagnostic;
use crate::kubernetes::builtin;
use crate::kubernetes::rbac::covering::compact;
use crate::kubernetes::rbac::{self, Rule};
use crate::manifest::Object;
use crate::rules;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What only a person can decide about manifests that become a bundle.
#[derive(Debug, Default)]
pub struct Decisions {
    /// Resources in RBAC rules whose kinds nothing says.
    pub unresolved: Vec<Unresolved>,
    /// The APIServices, as `Kind/name`, whose kinds nothing says.
    pub api_services: Vec<String>,
    /// What the operator's Roles allow in one namespace. With the install mode AllNamespaces it holds in all of them:
    /// OLM copies each Role into a ClusterRole.
    pub widened: Vec<Rule>,
    /// The operator's rules with wildcards.
    pub wildcards: Vec<WildcardRule>,
    /// The bindings that let the operator do everything.
    pub everything: Vec<Object>,
    /// The objects that OLM installs from no bundle.
    pub unsupported: Vec<Diagnostic>,
    /// The objects that OLM applies, and whose kinds a cluster may not have. The bundle can name them as optional.
    pub foreign: Vec<Object>,
}

impl Decisions {
    /// What a synthesis leaves open about the objects that it was made of.
    pub(super) fn of(synthesis: &Synthesis, objects: &[Object]) -> Self {
        let findings = || synthesis.diagnostics.iter();
        let untold = findings().filter(|finding| *finding.rule == rules::APISERVICE_KIND_MISSING);
        let kinds = [rules::K8S_KIND_UNSUPPORTED.id, rules::K8S_CUSTOM_RESOURCE.id];
        let unsupported = findings().filter(|finding| finding.is_error() && kinds.contains(&finding.rule.id));
        Self {
            unresolved: synthesis.unresolved.clone(),
            api_services: untold.filter_map(|finding| finding.object.clone()).collect(),
            widened: widened(&synthesis.outcomes, objects),
            wildcards: synthesis.wildcards.clone(),
            everything: everything(synthesis, objects),
            unsupported: unsupported.cloned().collect(),
            foreign: foreign(synthesis),
        }
    }
}

/// The bindings of the operator to the role of every cluster that may do everything.
fn everything(synthesis: &Synthesis, objects: &[Object]) -> Vec<Object> {
    let missing = synthesis.diagnostics.iter();
    let missing = missing.filter(|finding| *finding.rule == rules::RBAC_ROLE_MISSING);
    let of_operator: BTreeSet<&str> = missing.filter_map(|finding| finding.object.as_deref()).collect();
    let bindings = objects.iter().filter(|object| {
        let role = |key: &str| object.text(&["roleRef", key]);
        (role("kind"), role("name")) == (Some("ClusterRole"), Some(rbac::CLUSTER_ADMIN))
            && of_operator.contains(&*object.label())
    });
    bindings.cloned().collect()
}

fn foreign(synthesis: &Synthesis) -> Vec<Object> {
    let kept = synthesis.outcomes.iter().filter(|outcome| outcome.shipped().is_some());
    let objects = kept.map(|outcome| &outcome.object);
    let elsewhere = objects.filter(|object| {
        let gvk = object.gvk();
        !builtin::is_builtin_group(&gvk.group) && !synthesis.provided.contains(gvk)
    });
    elsewhere.cloned().collect()
}

/// The value of the property `olm.manifests.optional` that names objects as their manifests do.
pub fn optional_manifests(objects: &[Object]) -> Value {
    let entry = |object: &Object| {
        let mut entry = json!({"group": object.gvk().group, "kind": object.gvk().kind, "name": object.name()});
        if let Some(namespace) = object.namespace() {
            entry["namespace"] = json!(namespace);
        }
        entry
    };
    json!({"manifests": objects.iter().map(entry).collect::<Vec<_>>()})
}

/// The rules of the roles that RoleBindings give to the operator, put together for a reader: what is secret first.
fn widened(outcomes: &[Outcome], objects: &[Object]) -> Vec<Rule> {
    let bindings = outcomes.iter().filter(|outcome| {
        outcome.object.gvk().is(rbac::GROUP, "RoleBinding") && matches!(outcome.fate, Fate::Projected)
    });
    let roles = bindings.filter_map(|outcome| {
        let binding = &outcome.object;
        let (kind, name) = (binding.text(&["roleRef", "kind"])?, binding.text(&["roleRef", "name"])?);
        objects
            .iter()
            .find(|object| object.gvk().is(rbac::GROUP, kind) && object.name() == name)
    });
    let rules: Vec<Rule> = roles.flat_map(|role| Rule::read_all(role.value())).collect();
    for_reader(&rules)
}

/// Rules put together, what is secret first.
pub(super) fn for_reader(rules: &[Rule]) -> Vec<Rule> {
    let mut rules = compact(rules);
    rules.sort_by_key(|rule| {
        !rule
            .resources
            .iter()
            .any(|resource| resource == "secrets" || resource == "*")
    });
    rules
}
