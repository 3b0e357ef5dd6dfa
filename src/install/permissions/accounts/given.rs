//! Permissions that the bindings of a plan and OLM grant to service accounts.

use super::super::Subject;
use super::super::serving::{DEFAULT_ACCOUNT, servers, text_in_pod};
use super::Targets;
use crate::csv::{self, Csv, owner};
use crate::kubernetes::rbac::Rule;
use crate::kubernetes::rbac::account::{Account, Named};
use crate::kubernetes::rbac::role::Roles;
use crate::kubernetes::rbac::user::User;
use crate::steps::Step;
use serde_json::Value;
use std::collections::BTreeSet;

/// Rules that are granted to accounts, with the namespaces and the reason.
pub(super) struct Given {
    /// The accounts.
    pub(super) accounts: BTreeSet<Account>,
    /// The other subjects.
    pub(super) others: BTreeSet<Subject>,
    /// The namespaces; empty for all namespaces.
    pub(super) namespaces: Vec<String>,
    /// The rules.
    pub(super) rules: Vec<Rule>,
    /// The reason.
    pub(super) reason: String,
}

/// Returns the permissions that the bindings among the steps of a version grant. The operator's `own` accounts may also
/// be bound as users, or through groups. `roles` are the roles of the cluster and of all steps.
pub(super) fn bound(
    version: &str,
    steps: &[&Step],
    own: &BTreeSet<Account>,
    namespace: &str,
    targets: &Targets,
    roles: &Roles<'_>,
    notes: &mut Vec<String>,
) -> Vec<Given> {
    let mut given = Vec::new();
    let mut told = BTreeSet::new();
    for step in steps {
        let kind = step.resource.kind.as_str();
        let everywhere = kind == "ClusterRoleBinding";
        if !everywhere && kind != "RoleBinding" {
            continue;
        }
        let namespace = step.namespace(namespace);
        let (name, manifest) = (&step.resource.name, &step.resource.manifest);
        let text = |path: &str| manifest.pointer(path).and_then(Value::as_str).unwrap_or_default();
        let (role_kind, role) = (text("/roleRef/kind"), text("/roleRef/name"));
        // A ClusterRoleBinding cannot refer to a Role.
        let is_possible = !everywhere || role_kind != "Role";
        let rules = is_possible.then(|| roles.rules(role_kind, role, namespace)).flatten();
        let Some(rules) = rules else {
            notes.push(format!(
                "{kind} {name} refers to {role_kind} {role}, which is not in the input"
            ));
            continue;
        };
        if roles.is_filled_in(role_kind, role) && told.insert(role) {
            notes.push(format!(
                "{role_kind} {role} is aggregated, so it also grants the rules of any other ClusterRole in the cluster \
                 that its aggregationRule selects"
            ));
        }
        let accounts = subjects(manifest, (!everywhere).then_some(namespace), own);
        let others = users_and_groups(manifest);
        // For objects that OLM generates, only the step specifies the kind, not the manifest.
        let is_generated = manifest.get("kind").is_none();
        let mut give = |namespaces: &[String], rules: Vec<Rule>, reason: String| {
            given.push(Given {
                accounts: accounts.clone(),
                others: others.clone(),
                namespaces: namespaces.to_vec(),
                rules,
                reason,
            });
        };
        let here = [namespace.to_owned()];
        if everywhere {
            let origin = if is_generated {
                format!("ClusterRole {role}")
            } else {
                format!("{kind} {name} of the bundle")
            };
            give(&[], rules, origin);
            continue;
        }
        if !is_generated {
            give(&here, rules.clone(), format!("{kind} {name} of the bundle"));
            let is_copied = |object: &Value| is_copied(object, version, namespace, targets);
            if !is_copied(manifest) {
                continue;
            }
            // The copy binds the ClusterRole with the name of the Role, which OLM does not overwrite.
            let existing = (*targets == Targets::All).then(|| roles.rules("ClusterRole", role, ""));
            if let Some(rules) = existing.flatten() {
                let copied = "which OLM copies into a ClusterRoleBinding because of its labels";
                give(&[], rules, format!("{kind} {name} of the bundle, {copied}"));
                continue;
            }
            if role_kind == "Role" && !roles.find(role_kind, role, namespace).is_some_and(is_copied) {
                continue;
            }
        }
        match targets {
            Targets::All => {
                let reason =
                    format!("Role {role}, which OLM copies into a ClusterRole, because there are no target namespaces");
                give(&[], rules, reason);
                let namespaces = Rule::new("", "namespaces", &["get", "list", "watch"]);
                let reason = format!("OLM copies the Role {role} into a ClusterRole, and adds this rule there");
                give(&[], vec![namespaces], reason);
            }
            Targets::Selected => give(
                &here,
                rules,
                format!("Role {role}, which OLM also copies into each namespace that the OperatorGroup selects"),
            ),
            Targets::Namespaces(names) => {
                let mut others: Vec<String> = names.iter().filter(|name| *name != namespace).cloned().collect();
                if others.is_empty() {
                    give(&here, rules, format!("Role {role}"));
                } else {
                    others.insert(0, namespace.to_owned());
                    give(
                        &others,
                        rules,
                        format!("Role {role}, which OLM copies into each target namespace"),
                    );
                }
            }
        }
    }
    given
}

/// Whether OLM copies a Role or RoleBinding in the namespace of a version: into an object for the whole cluster if it
/// has the labels of the version, and into the target namespaces if it also has an owner reference to the version.
fn is_copied(object: &Value, version: &str, namespace: &str, targets: &Targets) -> bool {
    let is_labelled = owner::recorded(object) == [version, namespace, csv::KIND];
    // OLM sets the UIDs of these references.
    let is_owned = || {
        let owners = object.pointer("/metadata/ownerReferences").and_then(Value::as_array);
        owners.into_iter().flatten().any(|reference| {
            let text = |key: &str| reference.get(key).and_then(Value::as_str);
            (text("kind"), text("name")) == (Some(csv::KIND), Some(version))
        })
    };
    is_labelled && (*targets == Targets::All || is_owned())
}

/// Returns the service accounts among the subjects of a binding, and the `own` accounts that its users and groups
/// include.
pub(super) fn subjects(binding: &Value, namespace: Option<&str>, own: &BTreeSet<Account>) -> BTreeSet<Account> {
    let subjects = binding.get("subjects").and_then(Value::as_array);
    let mut accounts = BTreeSet::new();
    let mut are_all_included = false;
    for subject in subjects.into_iter().flatten() {
        match Named::of(subject, namespace) {
            Some(Named::Account(namespace, name)) => {
                let account = account(namespace, name);
                if !name.is_empty() || own.contains(&account) {
                    accounts.insert(account);
                }
            }
            Some(Named::User(name)) => accounts.extend(account_of_user(name)),
            // The operator's own accounts are in the same namespace, so they are in the same groups.
            Some(Named::Group(_)) => are_all_included |= own.first().is_some_and(|one| one.is(subject, namespace)),
            None => {}
        }
    }
    if are_all_included {
        accounts.extend(own.iter().cloned());
    }
    accounts
}

/// Returns the users and groups among the subjects of a binding, except for users that are service accounts.
pub(super) fn users_and_groups(binding: &Value) -> BTreeSet<Subject> {
    let subjects = binding.get("subjects").and_then(Value::as_array);
    let of = |subject: &Value| {
        let text = |key: &str| subject.get(key).and_then(Value::as_str).unwrap_or_default();
        let name = text("name").to_owned();
        match text("kind") {
            "User" if account_of_user(&name).is_none() => Some(Subject::User(name)),
            "Group" => Some(Subject::Group(name)),
            _ => None,
        }
    };
    subjects.into_iter().flatten().filter_map(of).collect()
}

/// Returns the service account with this user name.
fn account_of_user(name: &str) -> Option<Account> {
    let name = Some(name.to_owned());
    User {
        name,
        groups: Vec::new(),
    }
    .account()
}

/// Returns the accounts of a version in its namespace: those with permissions, and those of its Deployments.
pub(super) fn own_accounts(csv: Csv<'_>, namespace: &str) -> BTreeSet<Account> {
    let deployments = csv.deployments().iter().map(account_of_deployment);
    let names = accounts_with_permissions(csv).chain(deployments);
    names.map(|name| account(namespace, name)).collect()
}

fn account(namespace: &str, name: &str) -> Account {
    Account {
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    }
}

fn accounts_with_permissions(csv: Csv<'_>) -> impl Iterator<Item = &str> {
    let entries = ["permissions", "clusterPermissions"];
    let entries = entries
        .into_iter()
        .flat_map(move |key| csv.list(&["spec", "install", "spec", key]));
    entries.filter_map(|entry| entry.get("serviceAccountName").and_then(Value::as_str))
}

/// Returns the account of a Deployment. The API server reads the deprecated field if the other one is not set.
fn account_of_deployment(deployment: &Value) -> &str {
    text_in_pod(deployment, "serviceAccountName")
        .or_else(|| text_in_pod(deployment, "serviceAccount"))
        .unwrap_or(DEFAULT_ACCOUNT)
}

/// Returns the rule by which OLM allows the accounts of a version to update its OperatorCondition. A version that
/// specifies no accounts uses the default account.
pub(super) fn condition(csv: Csv<'_>, namespace: &str) -> Given {
    let accounts = accounts_with_permissions(csv).map(|name| account(namespace, name));
    let mut accounts: BTreeSet<Account> = accounts.collect();
    if accounts.is_empty() {
        accounts.insert(account(namespace, DEFAULT_ACCOUNT));
    }
    let rule = Rule::new(csv::GROUP, "operatorconditions", &["get", "update", "patch"]);
    Given {
        accounts,
        others: BTreeSet::new(),
        namespaces: vec![namespace.to_owned()],
        rules: vec![rule.named(csv.name())],
        reason: format!(
            "Role {}, with which OLM lets the operator write its OperatorCondition",
            csv.name()
        ),
    }
}

/// Returns the permissions that OLM grants, along with the certificate, to the account of each Deployment that serves
/// webhooks or APIs.
pub(super) fn certified(csv: Csv<'_>, namespace: &str) -> Vec<Given> {
    let mut given = Vec::new();
    for server in servers(csv) {
        for object in server.objects(namespace) {
            let Some((role_kind, role)) = object.role else {
                continue;
            };
            let origin = if role == object.name {
                format!("{role_kind} {role}")
            } else {
                format!("{} {} to {role}", object.kind, object.name)
            };
            given.push(Given {
                accounts: BTreeSet::from([account(namespace, server.account)]),
                others: BTreeSet::new(),
                namespaces: object.namespace.into_iter().collect(),
                rules: object.rules,
                reason: format!(
                    "{origin}, for the {} that Deployment {} serves",
                    server.serves, server.deployment
                ),
            });
        }
    }
    given
}
