//! Decisions that only a person can make when manifests become a bundle.

use super::hooks;
use super::install_modes::has_conversion;
use super::services;
use super::wildcards::WildcardRule;
use super::{Fate, Outcome, Synthesis, Unresolved};
use crate::diagnostic::Diagnostic;
use crate::kubernetes::builtin;
use crate::kubernetes::rbac::covering::compact;
use crate::kubernetes::rbac::{self, Rule};
use crate::manifest::Object;
use crate::olm::kinds::is_installed;
use crate::rules;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Decisions that only a person can make when manifests become a bundle.
#[derive(Debug, Default)]
pub struct Decisions {
    /// Resources that RBAC rules name, but whose kinds are unknown.
    pub unresolved: Vec<Unresolved>,
    /// The APIServices whose kinds are unknown, as `Kind/name`.
    pub api_services: Vec<String>,
    /// The rules of the operator's Roles. With the install mode AllNamespaces, they apply to all namespaces, because
    /// OLM copies each Role into a ClusterRole.
    pub widened: Vec<Rule>,
    /// The operator's rules with wildcards.
    pub wildcards: Vec<WildcardRule>,
    /// The bindings that grant all permissions to the operator.
    pub everything: Vec<Object>,
    /// The Helm hooks that OLM would install permanently.
    pub hooks: Vec<Object>,
    /// The Helm hooks that OLM does not install.
    pub uninstalled_hooks: Vec<Object>,
    /// Findings about other objects that OLM does not install from bundles.
    pub unsupported: Vec<Diagnostic>,
    /// Findings about webhooks and APIServices for which no Deployment is found.
    pub unreached: Vec<Diagnostic>,
    /// Findings about certificates that OLM supplies, but that the operator does not use.
    pub certificates: Vec<Diagnostic>,
    /// The objects that OLM applies, but whose kinds might not exist in a cluster. The bundle can list them as
    /// optional.
    pub foreign: Vec<Object>,
}

impl Decisions {
    /// Returns the decisions that a synthesis of these objects leaves open.
    pub(super) fn of(synthesis: &Synthesis, objects: &[Object]) -> Self {
        let findings = || synthesis.diagnostics.iter();
        let untold = findings().filter(|finding| *finding.rule == rules::APISERVICE_KIND_MISSING);
        let unsupported = findings().filter(|finding| {
            let is_dropped = finding.is_error() && *finding.rule == rules::K8S_CUSTOM_RESOURCE;
            is_dropped || *finding.rule == rules::K8S_KIND_UNSUPPORTED
        });
        let mut unsupported: Vec<Diagnostic> = unsupported.cloned().collect();
        let [hooks, uninstalled_hooks] = hooks::among(&synthesis.outcomes, &unsupported);
        let of_hooks: BTreeSet<String> = uninstalled_hooks.iter().map(Object::label).collect();
        unsupported.retain(|finding| finding.object.as_ref().is_none_or(|object| !of_hooks.contains(object)));
        let own = [
            &rules::CERT_SECRET_MISSING,
            &rules::CERT_OWN_SECRET,
            &rules::CERT_OWN_ROTATION,
        ];
        let certificates = findings().filter(|finding| own.contains(&finding.rule));
        Self {
            unresolved: synthesis.unresolved.clone(),
            api_services: untold.filter_map(|finding| finding.object.clone()).collect(),
            // A conversion webhook requires AllNamespaces, so there is no choice.
            widened: if has_conversion(objects) {
                Vec::new()
            } else {
                widened(&synthesis.outcomes, objects)
            },
            wildcards: synthesis.wildcards.clone(),
            everything: everything(synthesis, objects),
            hooks,
            uninstalled_hooks,
            unsupported,
            unreached: unreached(synthesis),
            certificates: certificates.cloned().collect(),
            foreign: foreign(synthesis),
        }
    }
}

/// Returns the operator's bindings to the built-in role that grants all permissions.
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

/// Returns one finding for each message, because all webhooks of a configuration often refer to the same Service.
fn unreached(synthesis: &Synthesis) -> Vec<Diagnostic> {
    let mut messages = BTreeSet::new();
    let found = synthesis.diagnostics.iter();
    let found = found.filter(|finding| services::is_unreached(finding) && messages.insert(&finding.message));
    found.cloned().collect()
}

fn foreign(synthesis: &Synthesis) -> Vec<Object> {
    let kept = synthesis.outcomes.iter().filter(|outcome| outcome.shipped().is_some());
    let objects = kept.map(|outcome| &outcome.object);
    let elsewhere = objects.filter(|object| {
        let gvk = object.gvk();
        let is_builtin = builtin::find_kind(&gvk.group, &gvk.kind).is_some();
        !is_builtin && !synthesis.provided.contains(gvk) && is_installed(&gvk.kind)
    });
    elsewhere.cloned().collect()
}

/// Returns a value of the property `olm.manifests.optional` that lists these objects, with the namespaces in their
/// manifests.
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

/// Returns the rules of the roles that RoleBindings grant to the operator. Merges rules for readability, and puts rules
/// about Secrets first.
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
    let rules = roles.flat_map(|role| Rule::read_all(role.value()));
    // A RoleBinding grants no URLs.
    let rules: Vec<Rule> = rules.filter(|rule| !rule.resources.is_empty()).collect();
    for_reader(&rules)
}

/// Merges rules, and puts rules about Secrets first.
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
