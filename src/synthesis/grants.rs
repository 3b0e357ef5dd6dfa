//! The rules that the bindings of the bundle grant to the operator's service accounts.

use super::deployments::Accounts;
use super::fate::{self, Fate};
use super::inventory::same_namespace;
use super::kept_binding;
use super::{Shipping, Work};
use crate::diagnostic::Diagnostic;
use crate::kubernetes::rbac::{self, PolicyRule};
use crate::kubernetes::selector;
use crate::manifest::Object;
use crate::rules;
use crate::shape::nearest;
use crate::text::Path;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The annotation of a binding that marks the APIs in its role as optional for the operator.
const OPTIONAL: &str = "operators.operatorframework.io.bundle.dependency";

/// The Role in `kube-system` that lets API servers read the trusted certificate authorities.
const AUTHENTICATION_READER: &str = "extension-apiserver-authentication-reader";

/// The scope of a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scope {
    /// A RoleBinding, which grants the role in the namespaces that the operator watches.
    Namespaces,
    /// A ClusterRoleBinding, which grants the role in the whole cluster.
    Cluster,
}

/// A rule of a role that a binding grants to an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Grant {
    pub(super) account: String,
    pub(super) scope: Scope,
    /// Index of the object that contains the rule: the role, or a role aggregated into it.
    pub(super) role: usize,
    /// Index of the rule in `rules`.
    pub(super) rule: usize,
    /// Index of the binding.
    pub(super) binding: usize,
    /// Whether the binding is marked as optional.
    pub(super) optional: bool,
    /// Whether the binding is shipped, so that the rule is not among the permissions of the CSV. OLM moves such a
    /// binding into the install namespace, where it still grants the rule.
    pub(super) shipped: bool,
}

impl Grant {
    /// Path of the rule in its role.
    pub(super) fn path(&self) -> Path {
        Path::root().key("rules").index(self.rule)
    }

    /// Whether Kubernetes ignores the rule: a RoleBinding grants no URLs. `rule` is the value at the path of the grant.
    pub(super) fn grants_nothing(&self, rule: &Value) -> bool {
        let rule = PolicyRule(rule);
        self.scope == Scope::Namespaces
            && rule.non_resource_urls().next().is_some()
            && rule.resources().next().is_none()
    }
}

/// A binding, and those of its subjects that are accounts of the operator.
struct Binding<'a> {
    index: usize,
    object: &'a Object,
    scope: Scope,
    /// The accounts of the operator: their positions in `subjects`, and their names.
    matching: Vec<(usize, String)>,
}

/// Collects the grants in the order of the bindings' names, and decides the fate of the bundle's RBAC objects.
/// `certified` lists the Deployments for which OLM itself creates the bindings that an API server needs.
pub(super) fn collect(work: &mut Work<'_>, accounts: &Accounts, certified: &BTreeSet<usize>) -> Vec<Grant> {
    let mut grants = Vec::new();
    let mut projected: BTreeSet<usize> = BTreeSet::new();
    let mut kept_roles: BTreeSet<usize> = BTreeSet::new();
    for kind in ["Role", "ClusterRole"] {
        for role in work.inventory.of_rbac(kind) {
            annotated_role(work, role);
        }
    }
    for (kind, scope) in [
        ("RoleBinding", Scope::Namespaces),
        ("ClusterRoleBinding", Scope::Cluster),
    ] {
        for index in work.inventory.of_rbac(kind) {
            let binding = read(work, accounts, index, scope);
            let role = role_of(work, &binding);
            subject_forms(work, accounts, &binding, role);
            let in_other_namespace = binding.scope == Scope::Namespaces
                && !binding.matching.is_empty()
                && !same_namespace(binding.object.namespace(), accounts.namespace.as_deref());
            let Some(role) = role else {
                without_role(work, accounts, &binding, certified, in_other_namespace);
                continue;
            };
            if binding.matching.is_empty() {
                kept_roles.insert(role);
                continue;
            }
            grant(work, &binding, role, in_other_namespace, &mut grants);
            if in_other_namespace {
                other_namespace(work, &binding);
                kept_roles.insert(role);
                continue;
            }
            projected.insert(role);
            if project_binding(work, accounts, &binding) {
                kept_roles.insert(role);
            }
        }
    }
    for role in projected.difference(&kept_roles) {
        work.inventory
            .decide(*role, Fate::Projected, "its rules become permissions of the CSV");
    }
    grants
}

fn read<'a>(work: &mut Work<'a>, accounts: &Accounts, index: usize, scope: Scope) -> Binding<'a> {
    let object = work.inventory.object(index);
    let matching = object
        .list(&["subjects"])
        .iter()
        .enumerate()
        .filter_map(|(position, subject)| {
            let text = |key: &str| subject.get(key).and_then(Value::as_str);
            let account = text("kind") == Some("ServiceAccount") && text("apiGroup").unwrap_or_default().is_empty();
            // A subject without a namespace is in the namespace of the binding, which OLM moves into the install
            // namespace.
            let name = text("name")?;
            (account && accounts.matches(name, text("namespace"))).then(|| (position, name.to_owned()))
        })
        .collect();
    if let Some(value) = object.text(&["metadata", "annotations", OPTIONAL])
        && value != "optional"
    {
        let message = format!(
            "the annotation {OPTIONAL} of {} is {value:?}, but only the value \"optional\" has an effect",
            object.label()
        );
        let finding = Diagnostic::new(&rules::RBAC_OPTIONAL_ANNOTATION, message).object(object.label());
        let path = Path::root().key("metadata").key("annotations").key(OPTIONAL);
        work.report(finding.at(object.place(&path)));
    }
    Binding {
        index,
        object,
        scope,
        matching,
    }
}

/// Reports the annotation on a role, because the annotation has an effect only on bindings.
fn annotated_role(work: &mut Work<'_>, role: usize) {
    let object = work.inventory.object(role);
    if object.text(&["metadata", "annotations", OPTIONAL]).is_none() {
        return;
    }
    let message = format!("the annotation {OPTIONAL} has no effect on {}", object.label());
    let binding = if object.gvk().kind == "Role" {
        "RoleBinding"
    } else {
        "RoleBinding or ClusterRoleBinding"
    };
    let path = Path::root().key("metadata").key("annotations").key(OPTIONAL);
    let finding = Diagnostic::new(&rules::RBAC_OPTIONAL_ANNOTATION, message)
        .object(object.label())
        .help(format!("Move the annotation to the {binding} that binds the role."));
    work.report(finding.at(object.key_place(&path)));
}

/// Returns the role that a binding refers to, if it is in the bundle.
fn role_of(work: &mut Work<'_>, binding: &Binding<'_>) -> Option<usize> {
    let object = binding.object;
    let kind = object.text(&["roleRef", "kind"]).unwrap_or_default();
    let name = object.text(&["roleRef", "name"]).unwrap_or_default();
    let group = object.text(&["roleRef", "apiGroup"]).unwrap_or_default();
    let known_group = group.is_empty() || group == rbac::GROUP;
    let known_kind = kind == "ClusterRole" || kind == "Role" && binding.scope == Scope::Namespaces;
    if !known_group || !known_kind {
        let message = format!("{} cannot refer to a {kind} of group {group:?}", object.label());
        let finding = Diagnostic::new(&rules::RBAC_ROLE_REF, message).object(object.label());
        work.report(finding.at(object.place(&Path::root().key("roleRef"))));
        return None;
    }
    let mut named = work.inventory.named(rbac::GROUP, kind, name).iter().copied();
    named.find(|index| {
        let role = work.inventory.object(*index);
        kind == "ClusterRole" || same_namespace(role.namespace(), object.namespace())
    })
}

/// Reports the groups and users in a binding that stand for the operator's account, because such subjects are not
/// projected. If the binding grants wildcard types, the finding is an error, because the subject would bypass the ban
/// on wildcard types.
fn subject_forms(work: &mut Work<'_>, accounts: &Accounts, binding: &Binding<'_>, role: Option<usize>) {
    for (position, subject) in binding.object.list(&["subjects"]).iter().enumerate() {
        let text = |key: &str| subject.get(key).and_then(Value::as_str).unwrap_or_default();
        if text("kind") == "User" && accounts.matches(text("name"), None) {
            let message = format!(
                "{} names the user {}, but the operator runs as the service account of this name",
                binding.object.label(),
                text("name")
            );
            let finding = Diagnostic::new(&rules::RBAC_SUBJECT_FORM, message).object(binding.object.label());
            let place = binding
                .object
                .place(&Path::root().key("subjects").index(position).key("kind"));
            work.report(
                finding
                    .at(place)
                    .help("Use kind: ServiceAccount, so that OLM grants the operator these permissions."),
            );
            continue;
        }
        if !covers_accounts(accounts, text("kind"), text("name")) {
            continue;
        }
        let is_bound = |account: &String| binding.matching.iter().any(|(_, bound)| bound == account);
        let refused = work.shipping == Shipping::Plain;
        let wildcard = refused
            && role.is_some_and(|role| {
                let effective = effective_rules(work, role);
                effective.iter().any(|(role, rule)| {
                    let rules = work.inventory.object(*role).list(&["rules"]);
                    wildcard_in(PolicyRule(&rules[*rule])).is_some()
                })
            });
        let (rule, message) = if wildcard {
            let message = format!(
                "{} grants wildcard types to {} {}, which contains the operator's service account",
                binding.object.label(),
                text("kind").to_lowercase(),
                text("name")
            );
            (&rules::RBAC_GROUP_SUBJECT, message)
        } else if role.is_some() && accounts.of_deployments.keys().all(is_bound) {
            // The CSV contains the rules, because the binding also names the accounts themselves.
            kept_binding::all_of_namespace(work, binding.object, position, subject);
            continue;
        } else {
            let message = format!(
                "{} refers to the operator's service account as {} {}, so its rules are not in the CSV",
                binding.object.label(),
                text("kind").to_lowercase(),
                text("name")
            );
            (&rules::RBAC_SUBJECT_FORM, message)
        };
        let finding = Diagnostic::new(rule, message).object(binding.object.label());
        let path = Path::root().key("subjects").index(position);
        work.report(finding.at(binding.object.place(&path.key("name"))));
    }
}

fn covers_accounts(accounts: &Accounts, kind: &str, name: &str) -> bool {
    let in_namespace = |namespace: &str| same_namespace(accounts.namespace.as_deref(), Some(namespace));
    match kind {
        "Group" if ["system:serviceaccounts", "system:authenticated"].contains(&name) => true,
        "Group" => name.strip_prefix("system:serviceaccounts:").is_some_and(in_namespace),
        "User" => name
            .strip_prefix("system:serviceaccount:")
            .and_then(|rest| rest.split_once(':'))
            .is_some_and(|(namespace, account)| {
                accounts.of_deployments.contains_key(account) && in_namespace(namespace)
            }),
        _ => false,
    }
}

/// Returns the name of the list that contains the first wildcard type of a rule, and the position in that list.
pub(crate) fn wildcard_in(rule: PolicyRule<'_>) -> Option<(&'static str, usize)> {
    let group = rule.api_groups().find(|(_, group)| *group == "*");
    let resource = rule
        .resources()
        .find(|(_, resource)| *resource == "*" || resource.starts_with("*/"));
    group
        .map(|(index, _)| ("apiGroups", index))
        .or(resource.map(|(index, _)| ("resources", index)))
}

/// Handles a binding to a role that is not in the bundle. The role might exist in the cluster.
fn without_role(
    work: &mut Work<'_>,
    accounts: &Accounts,
    binding: &Binding<'_>,
    certified: &BTreeSet<usize>,
    elsewhere: bool,
) {
    if binding.matching.is_empty() {
        return;
    }
    let object = binding.object;
    let role = object.text(&["roleRef", "name"]).unwrap_or_default();
    let kind = object.text(&["roleRef", "kind"]).unwrap_or_default();
    let subjects = object.list(&["subjects"]).len();
    let of_api_server = binding.matching.len() == subjects
        && binding.matching.iter().all(|(_, account)| {
            let deployments = accounts.of_deployments.get(account);
            deployments.is_some_and(|indexes| indexes.iter().any(|index| certified.contains(index)))
        });
    let standard = match binding.scope {
        Scope::Cluster => role == "system:auth-delegator",
        Scope::Namespaces => role == AUTHENTICATION_READER && object.namespace() == Some("kube-system"),
    };
    if of_api_server && standard {
        let message = format!("{} is omitted, because OLM creates the same binding", object.label());
        let finding = Diagnostic::new(&rules::RBAC_GENERATED_BINDING, message).object(object.label());
        work.report(finding.at(object.name_place()));
        work.inventory
            .decide(binding.index, Fate::Dropped, "OLM creates the same binding");
        return;
    }
    // OLM moves the binding, so the cluster looks up a Role in the install namespace.
    let names_namespace = object.namespace().is_some_and(|namespace| !namespace.is_empty());
    if kind == "Role" && (elsewhere || names_namespace && accounts.namespace.is_none()) {
        return role_elsewhere(work, binding, role);
    }
    if elsewhere {
        return other_namespace(work, binding);
    }
    let message = format!(
        "{} refers to {kind} {role}, which is not in the bundle, so its rules are not in the CSV",
        object.label()
    );
    let finding = Diagnostic::new(&rules::RBAC_ROLE_MISSING, message).object(object.label());
    let finding = finding.at(object.place(&Path::root().key("roleRef").key("name")));
    let roles = work.inventory.of_rbac(kind).into_iter();
    let names: Vec<&str> = roles.map(|index| work.inventory.object(index).name()).collect();
    let meant = nearest(role, names).map(|meant| format!("Did you mean {kind} {meant}, which is in the bundle?"));
    work.report(match meant {
        Some(meant) => finding.help(meant),
        None => finding,
    });
}

/// Reports a binding to a Role in another namespace of the cluster, such as `kube-system`, where OLM cannot create the
/// binding.
fn role_elsewhere(work: &mut Work<'_>, binding: &Binding<'_>, role: &str) {
    let object = binding.object;
    let namespace = object.namespace().unwrap_or_default();
    let message = format!(
        "{} grants nothing, because OLM moves it from namespace {namespace} into the install namespace, which contains no Role \
         {role}",
        object.label()
    );
    let finding = Diagnostic::new(&rules::RBAC_OTHER_NAMESPACE, message).object(object.label());
    let finding = if role == AUTHENTICATION_READER {
        finding.help(
            "OLM itself binds this role to the account of a Deployment that serves a webhook or an APIService of the \
             bundle. For another account, bind a ClusterRole with the same rule:\n\
             rules:\n\
             - {apiGroups: [\"\"], resources: [configmaps], resourceNames: [extension-apiserver-authentication], verbs: [get, list, watch]}",
        )
    } else {
        finding.help(format!(
            "Move the rules of Role {role} to a ClusterRole of the bundle, and bind it with a ClusterRoleBinding, \
             because OLM creates nothing in namespace {namespace}."
        ))
    };
    work.report(finding.at(object.place(&Path::root().key("metadata").key("namespace"))));
}

fn other_namespace(work: &mut Work<'_>, binding: &Binding<'_>) {
    let object = binding.object;
    let namespace = object.namespace().unwrap_or_default();
    let message = format!(
        "{} grants its rules in namespace {namespace}, but OLM will move it into the install namespace",
        object.label()
    );
    let finding = Diagnostic::new(&rules::RBAC_OTHER_NAMESPACE, message).object(object.label());
    work.report(finding.at(object.place(&Path::root().key("metadata").key("namespace"))));
}

/// Records every effective rule for every matching subject.
fn grant(work: &mut Work<'_>, binding: &Binding<'_>, role: usize, shipped: bool, grants: &mut Vec<Grant>) {
    let optional = binding.object.text(&["metadata", "annotations", OPTIONAL]) == Some("optional");
    aggregation(work, role);
    for (holder, rule) in effective_rules(work, role) {
        for (_, account) in &binding.matching {
            grants.push(Grant {
                account: account.clone(),
                scope: binding.scope,
                role: holder,
                rule,
                binding: binding.index,
                optional,
                shipped,
            });
        }
    }
}

/// Decides the fate of a binding whose subjects include accounts of the operator. Returns whether the binding is kept
/// for other subjects.
fn project_binding(work: &mut Work<'_>, accounts: &Accounts, binding: &Binding<'_>) -> bool {
    let object = binding.object;
    let subjects = object.list(&["subjects"]);
    let matching: BTreeSet<usize> = binding.matching.iter().map(|(position, _)| *position).collect();
    let others: Vec<Value> = (0..subjects.len())
        .filter(|position| !matching.contains(position))
        .map(|position| subjects[position].clone())
        .collect();
    if others.is_empty() {
        work.inventory.decide(
            binding.index,
            Fate::Projected,
            "its role becomes permissions of the CSV",
        );
        return false;
    }
    let message = format!(
        "{} is kept for the subjects that are not the operator's accounts",
        object.label()
    );
    let finding = Diagnostic::new(&rules::RBAC_PARTIAL_BINDING, message).object(object.label());
    let could_be_listed = |subject: &Value| {
        let text = |key: &str| subject.get(key).and_then(Value::as_str);
        text("kind") == Some("ServiceAccount")
            && same_namespace(text("namespace"), accounts.namespace.as_deref())
            && !kept_binding::is_of_hook(work, accounts, object, text("name").unwrap_or_default())
    };
    let finding = if others.iter().any(could_be_listed) {
        finding
    } else {
        finding.help(
            "No action needed if the other subjects need the role. A ClusterServiceVersion grants permissions only to \
             accounts in the install namespace.",
        )
    };
    work.report(finding.at(object.place(&Path::root().key("subjects"))));
    for (position, subject) in subjects.iter().enumerate() {
        if !matching.contains(&position) {
            kept_binding::subject_of(work, accounts, object, position, subject);
        }
    }
    let mut value = fate::shipped(object);
    value["subjects"] = Value::Array(others);
    work.inventory
        .decide(binding.index, Fate::Kept(value), "it is kept for its other subjects");
    true
}

/// Reports the parts of an aggregated role that the bundle cannot contain.
fn aggregation(work: &mut Work<'_>, role: usize) {
    let object = work.inventory.object(role);
    if !is_aggregated(object) {
        return;
    }
    let place = object.key_place(&Path::root().key("aggregationRule"));
    let message = format!(
        "{} is aggregated, so the cluster may add rules that are missing from the CSV",
        object.label()
    );
    let finding = Diagnostic::new(&rules::RBAC_AGGREGATED, message).object(object.label());
    let finding = finding.at(place);
    if work.findings.contains(&finding) {
        return;
    }
    work.report(finding);
    if !object.list(&["rules"]).is_empty() {
        let message = format!(
            "the cluster ignores the rules of {}, because it is aggregated",
            object.label()
        );
        let finding = Diagnostic::new(&rules::RBAC_AGGREGATED_RULES, message).object(object.label());
        work.report(finding.at(object.key_place(&Path::root().key("rules"))));
    }
}

fn is_aggregated(role: &Object) -> bool {
    role.map(&["aggregationRule"]).is_some()
}

/// Returns the rules that a role grants: its own rules, or the rules of the roles that it aggregates. Each rule is
/// returned as (role, position).
fn effective_rules(work: &Work<'_>, role: usize) -> Vec<(usize, usize)> {
    let mut rules = Vec::new();
    let mut visited = BTreeSet::new();
    let mut waiting = vec![role];
    while let Some(role) = waiting.pop() {
        if !visited.insert(role) {
            continue;
        }
        let object = work.inventory.object(role);
        if !is_aggregated(object) {
            rules.extend((0..object.list(&["rules"]).len()).map(|rule| (role, rule)));
            continue;
        }
        let selectors = object.list(&["aggregationRule", "clusterRoleSelectors"]);
        let parts = work.inventory.of_rbac("ClusterRole").into_iter().filter(|part| {
            let labels = work
                .inventory
                .object(*part)
                .map(&["metadata", "labels"])
                .cloned()
                .unwrap_or_default();
            *part != role && selectors.iter().any(|selector| selector::selects(selector, &labels))
        });
        let parts: Vec<usize> = parts.collect();
        // The last pushed role is visited first, so the rules stay in the order of the roles' names.
        waiting.extend(parts.into_iter().rev());
    }
    rules
}

/// Returns the grants to the accounts that Deployments use. Only these grants imply APIs and are subject to the ban on
/// wildcard types.
pub(super) fn of_deployments<'g>(accounts: &Accounts, grants: &'g [Grant]) -> Vec<&'g Grant> {
    grants
        .iter()
        .filter(|grant| accounts.of_deployments.contains_key(&grant.account))
        .collect()
}

/// Returns the grants of one scope that become permissions of the CSV, by account, in the order of collection.
pub(super) fn by_account(grants: &[Grant], scope: Scope) -> BTreeMap<&str, Vec<&Grant>> {
    let mut accounts: BTreeMap<&str, Vec<&Grant>> = BTreeMap::new();
    for grant in grants.iter().filter(|grant| grant.scope == scope && !grant.shipped) {
        accounts.entry(&grant.account).or_default().push(grant);
    }
    accounts
}
