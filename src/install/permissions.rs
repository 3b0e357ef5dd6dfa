//! The permission review of an install (proposal *simplify-olm-apis*). It determines the permissions that the install
//! itself needs, the permissions that the install grants to the operator, and which of these permissions an account
//! lacks.
//!
//! To prevent privilege escalation, an account must hold all rules of a role that it writes or binds. The verbs
//! `escalate` and `bind` lift this restriction.

mod accounts;
mod held;
mod resource;
pub(in crate::install) mod serving;
mod subject;
mod user;

pub(in crate::install) use accounts::of_group;
pub use accounts::{AccountPermissions, Holding, Operator, SubjectPermissions, Targets, operators, targets};
pub(crate) use held::account_of;
pub use held::held;
pub(in crate::install) use resource::pending_approval;
pub use resource::{Content, Review, install, namespaces_of, roles};
pub use subject::{Gain, Subject, gained};
pub use user::{CatalogUse, catalog_uses, catalogs_of, held_by, image_of, missing_to_approve, roles_to_allow};

use super::apis::Apis;
use super::existing::Existing;
use super::handling::{self, Resource};
use crate::csv::{self, Csv};
use crate::kubernetes::rbac::account::Grants;
use crate::kubernetes::rbac::covering::{Granted, Steps, TooComplex, compact, halves, uncovered};
use crate::kubernetes::rbac::role::{Roles, is_aggregated};
use crate::kubernetes::rbac::{self, Rule};
use crate::steps::Step;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The verbs that OLM needs for the Deployments of an operator after creating its ClusterServiceVersion.
const DEPLOYMENT_VERBS: [&str; 7] = ["create", "delete", "get", "list", "patch", "update", "watch"];

/// The number of steps, as in a comparison, that it takes to list a string of a rule for one binding.
const STEPS_PER_STRING: usize = 200;

/// The purpose of a permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// For OLM, which creates the objects of the bundle.
    Install,
    /// For the operator, and for other subjects that the bundle grants permissions to.
    Operator,
    /// For optional manifests: the install completes without the permission.
    Optional,
}

/// Rules that an install needs for one object, in one namespace or the whole cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// The namespace; `None` is the whole cluster.
    pub namespace: Option<String>,
    /// The rules.
    pub rules: Vec<Rule>,
    /// The purpose of the rules.
    pub purpose: Purpose,
    /// The permission that makes the rules unnecessary: `escalate` or `bind`.
    pub unless: Option<Rule>,
    /// Whether the rules are only a condition, and nobody is granted them: writing an aggregated role requires all
    /// permissions, whatever its rules will be.
    pub is_condition: bool,
}

impl Need {
    /// Returns the rules that are not held; empty if `unless` is held.
    ///
    /// # Errors
    /// Returns an error if comparing the rules takes too many steps.
    pub fn missing(&self, granted: &Granted<'_>) -> Result<Vec<Rule>, TooComplex> {
        if self.unless.as_ref().is_some_and(|rule| granted.one_covers(rule)) {
            return Ok(Vec::new());
        }
        granted.uncovered(&self.rules)
    }
}

/// A rule and the namespaces in which it applies.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Permission {
    /// The rule.
    #[serde(flatten)]
    pub rule: Rule,
    /// The namespaces; empty for the whole cluster.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub namespaces: Vec<String>,
}

/// The maximum number of namespaces that a table row names.
const MOST_NAMESPACES: usize = 20;

/// The verbs in their conventional order.
const VERBS: [&str; 8] = [
    "get",
    "list",
    "watch",
    "create",
    "update",
    "patch",
    "delete",
    "deletecollection",
];

impl Permission {
    /// Returns the namespaces, group, resource, names and verbs as a table row. Of many namespaces, only the first ones
    /// are named.
    pub fn in_words(&self) -> [String; 5] {
        let Self { rule, namespaces } = self;
        let place = match namespaces.split_at_checked(MOST_NAMESPACES) {
            _ if namespaces.is_empty() => "(all)".to_owned(),
            Some((first, others)) if !others.is_empty() => {
                format!("{} and {} more", first.join(", "), others.len())
            }
            _ => namespaces.join(", "),
        };
        let group = match &rule.api_groups[..] {
            [group] if group.is_empty() => "(core)".to_owned(),
            groups => groups.join(", "),
        };
        let Rule {
            resources,
            non_resource_urls,
            resource_names,
            ..
        } = rule;
        let what = [&resources[..], &non_resource_urls[..]].concat().join(", ");
        let mut verbs = rule.verbs.clone();
        verbs.sort_by_key(|verb| VERBS.iter().position(|usual| usual == verb).unwrap_or(VERBS.len()));
        [place, group, what, resource_names.join(", "), verbs.join(", ")]
    }
}

/// Returns the permissions that the steps of a plan need if the plan installs into `namespace`. `existing` are the
/// objects of the cluster: steps update objects that already exist, and roles that the bundle binds but does not
/// contain are looked up there.
///
/// # Errors
/// Returns an error if the bindings among the steps grant too many rules to list them.
pub fn needed<'a>(
    steps: &'a [Step],
    namespace: &str,
    apis: &Apis,
    existing: impl IntoIterator<Item = &'a Value>,
) -> Result<Vec<Need>, TooComplex> {
    let mut existing = Existing::of(existing);
    let handed_on = handed_on(steps, namespace, existing.all())?;
    let mut needs = requests(steps, namespace, apis, &mut existing);
    needs.extend(handed_on.into_iter().map(|(_, need)| need));
    needs.extend(served(steps, namespace, &existing));
    Ok(needs)
}

/// Returns the permissions that are needed to write the roles and bindings among the steps, each with the position of
/// its step.
///
/// # Errors
/// Returns an error if the bindings among the steps grant too many rules to list them.
pub(super) fn handed_on<'a>(
    steps: &'a [Step],
    namespace: &str,
    existing: impl IntoIterator<Item = &'a Value>,
) -> Result<Vec<(usize, Need)>, TooComplex> {
    let place = |step: &Step, cluster: bool| (!cluster).then(|| step.namespace(namespace).to_owned());
    let mut needs = Vec::new();
    let roles = with_roles_of(steps, namespace, Roles::of(existing))?;
    for (index, step) in steps.iter().enumerate() {
        let resource = &step.resource;
        if ["Role", "ClusterRole"].contains(&resource.kind.as_str()) {
            let home = place(step, resource.kind == "ClusterRole");
            let is_aggregated = resource.kind == "ClusterRole" && is_aggregated(&resource.manifest);
            let need = Need {
                namespace: home,
                rules: if is_aggregated {
                    Rule::everything().into()
                } else {
                    Rule::read_all(&resource.manifest)
                },
                purpose: Purpose::Operator,
                unless: Some(verb_on(&resource.kind, &resource.name, "escalate")),
                is_condition: is_aggregated,
            };
            needs.push((index, need));
        }
    }
    for (index, step) in steps.iter().enumerate() {
        let cluster = match step.resource.kind.as_str() {
            "RoleBinding" => false,
            "ClusterRoleBinding" => true,
            _ => continue,
        };
        let text = |path: &str| step.resource.manifest.pointer(path).and_then(Value::as_str);
        let kind = text("/roleRef/kind").unwrap_or_default().to_owned();
        let name = text("/roleRef/name").unwrap_or_default().to_owned();
        let bind = verb_on(&kind, &name, "bind");
        let rules = roles.known_rules(&kind, &name, step.namespace(namespace));
        let need = Need {
            namespace: place(step, cluster),
            // The rules of an unknown role count as not held.
            rules: rules.unwrap_or_else(|| vec![bind.clone()]),
            purpose: Purpose::Operator,
            unless: Some(bind),
            is_condition: false,
        };
        needs.push((index, need));
    }
    Ok(needs)
}

/// Adds the roles that the steps of a plan write. OLM updates roles that already exist, so the last step for a role
/// determines its rules.
///
/// # Errors
/// Returns an error if the bindings among the steps grant too many rules to list them: each one grants all rules of its
/// role.
fn with_roles_of<'a>(steps: &'a [Step], namespace: &'a str, mut roles: Roles<'a>) -> Result<Roles<'a>, TooComplex> {
    for step in steps {
        let resource = &step.resource;
        roles.write(
            &resource.kind,
            step.namespace(namespace),
            &resource.name,
            &resource.manifest,
        );
    }
    let left = Steps::default();
    for step in steps {
        match step.resource.kind.as_str() {
            "ClusterRole" => left.take(roles.most_extended())?,
            "RoleBinding" | "ClusterRoleBinding" => {
                let text = |path: &str| step.resource.manifest.pointer(path).and_then(Value::as_str);
                let kind = text("/roleRef/kind").unwrap_or_default();
                let name = text("/roleRef/name").unwrap_or_default();
                if roles.is_aggregated(kind, name) {
                    left.take(roles.most_parts())?;
                }
                let rules = roles.rules(kind, name, step.namespace(namespace)).unwrap_or_default();
                let strings: usize = rules.iter().map(Rule::strings).sum();
                left.take(strings.saturating_mul(STEPS_PER_STRING))?;
            }
            _ => {}
        }
    }
    Ok(roles)
}

/// Returns the permissions that the install needs for its requests to the API server, without duplicates. Adds the
/// objects of the steps to the existing ones.
fn requests<'a>(steps: &'a [Step], namespace: &str, apis: &Apis, existing: &mut Existing<'a>) -> Vec<Need> {
    let apis = apis.clone().with_steps(steps);
    let with_object = |step: &'a Step| {
        let resource = Resource::of(step, &apis);
        let exists = existing.of_step(step, &resource, namespace).is_some();
        existing.add(step, &resource, namespace);
        (step, resource, exists)
    };
    let steps: Vec<(&Step, Resource, bool)> = steps.iter().map(with_object).collect();
    let mut seen = BTreeSet::new();
    let mut needs = Vec::new();
    let mut need = |namespace: Option<String>, rule: Rule, purpose: Purpose| {
        if seen.insert((namespace.clone(), rule.clone())) {
            needs.push(Need {
                namespace,
                rules: vec![rule],
                purpose,
                unless: None,
                is_condition: false,
            });
        }
    };
    // If both a required and an optional manifest need a permission, the permission is required.
    let (optional, needed): (Vec<_>, Vec<_>) = steps.into_iter().partition(|(step, ..)| step.optional);
    for (step, resource, exists) in needed.into_iter().chain(optional) {
        let purpose = if step.optional {
            Purpose::Optional
        } else {
            Purpose::Install
        };
        let here = Some(step.namespace(namespace).to_owned());
        let verbs = handling::verbs(handling::of_step(step), exists);
        if !verbs.is_empty() {
            let namespace = if resource.namespaced { here.clone() } else { None };
            need(namespace, Rule::new(&resource.group, &resource.plural, verbs), purpose);
        }
        if step.resource.kind == csv::KIND && !Csv(&step.resource.manifest).deployments().is_empty() {
            need(
                here.clone(),
                Rule::new("apps", "deployments", &DEPLOYMENT_VERBS),
                purpose,
            );
        }
    }
    needs
}

/// Returns the permissions that OLM needs for the Deployments that serve webhooks or APIs, without duplicates.
/// `existing` are the objects after the steps.
fn served(steps: &[Step], namespace: &str, existing: &Existing<'_>) -> Vec<Need> {
    let mut seen = BTreeSet::new();
    let mut needs = Vec::new();
    for step in steps.iter().filter(|step| step.resource.kind == csv::KIND) {
        let (csv, here) = (Csv(&step.resource.manifest), step.namespace(namespace));
        let mut requests = serving::certificates(csv, here, existing);
        requests.extend(serving::api_services(csv, here, existing));
        requests.extend(
            csv.list(&["spec", "webhookdefinitions"])
                .iter()
                .flat_map(serving::webhook),
        );
        for request in requests.into_iter().filter(|request| !request.verbs.is_empty()) {
            let rule = Rule::new(&request.resource.group, &request.resource.plural, request.verbs);
            let namespace = request.resource.namespaced.then_some(request.namespace);
            if seen.insert((namespace.clone(), rule.clone())) {
                needs.push(Need {
                    namespace,
                    rules: vec![rule],
                    purpose: Purpose::Install,
                    unless: None,
                    is_condition: false,
                });
            }
            needs.extend(request.handed_on);
        }
    }
    needs
}

fn verb_on(kind: &str, name: &str, verb: &str) -> Rule {
    let plural = if kind == "ClusterRole" { "clusterroles" } else { "roles" };
    Rule::new(rbac::GROUP, plural, &[verb]).named(name)
}

/// Returns the needed permissions that are not held, merged for readability: first those for the whole cluster, then by
/// namespace. Optional manifests are ignored, because the install completes even if their creation is forbidden.
///
/// # Errors
/// Returns an error if comparing the rules takes too many steps.
pub fn pending(needs: &[Need], held: &Grants) -> Result<Vec<Permission>, TooComplex> {
    let needed = needs.iter().filter(|need| need.purpose != Purpose::Optional);
    not_held(&needed.cloned().collect::<Vec<_>>(), held)
}

/// Like [`pending`], but includes the permissions for optional manifests.
///
/// # Errors
/// Returns an error if comparing the rules takes too many steps.
pub fn not_held(needs: &[Need], held: &Grants) -> Result<Vec<Permission>, TooComplex> {
    let mut places: BTreeMap<Option<&str>, Vec<&Need>> = BTreeMap::new();
    for need in needs {
        places.entry(need.namespace.as_deref()).or_default().push(need);
    }
    let mut missing_everywhere: Vec<Rule> = Vec::new();
    let mut permissions = Vec::new();
    // The whole cluster sorts before any namespace.
    for (place, needs) in places {
        let held = held.within(place);
        let granted = Granted::of(&held);
        let mut missing: Vec<Rule> = Vec::new();
        for need in needs {
            missing.extend(need.missing(&granted)?);
        }
        let missing = uncovered(&missing_everywhere, &missing)?;
        permissions.extend(compact(&missing).into_iter().map(|rule| Permission {
            rule,
            namespaces: place.map(str::to_owned).into_iter().collect(),
        }));
        if place.is_none() {
            missing_everywhere = missing;
        }
    }
    Ok(permissions)
}

/// Returns `held` with the rules that an approval adds: the rules of all needs, except those for optional manifests.
#[must_use]
pub fn approved(needs: &[Need], mut held: Grants) -> Grants {
    for need in needs.iter().filter(|need| need.purpose != Purpose::Optional) {
        // Approving that an aggregated role is written must not approve anything for those who get its rules.
        let rules = match &need.unless {
            Some(unless) if need.is_condition => std::slice::from_ref(unless),
            _ => &need.rules,
        };
        // Each rule is split into a rule for its resources and a rule for its URLs. In Kubernetes, a rule that contains
        // both does not even cover itself, so it would not be treated as approved.
        held.add(need.namespace.as_deref(), rules.iter().flat_map(halves));
    }
    held
}

#[cfg(test)]
mod tests;
