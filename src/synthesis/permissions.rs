//! Turns grants into `permissions` and `clusterPermissions`, and refuses wildcard types.

use super::Work;
use super::deployments::{Accounts, service_account};
use super::draft::Origin;
use super::grants::{self, Grant, Scope};
use super::wildcards;
use crate::diagnostic::Diagnostic;
use crate::kubernetes::rbac::PolicyRule;
use crate::rules;
use crate::text::Path;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Writes `permissions` and `clusterPermissions`: one entry per account, sorted, without repeated rules.
pub(super) fn project(work: &mut Work<'_>, accounts: &Accounts, grants: &[Grant]) {
    wildcards::judge(work, &grants::of_deployments(accounts, grants));
    useless_rules(work, grants);
    let install = Path::root().key("spec").key("install").key("spec");
    for (field, scope) in [
        ("permissions", Scope::Namespaces),
        ("clusterPermissions", Scope::Cluster),
    ] {
        let by_account = grants::by_account(grants, scope);
        let mut names: BTreeSet<&str> = by_account.keys().copied().collect();
        if scope == Scope::Namespaces {
            names.extend(without_rules(accounts, grants));
        }
        let list = install.key(field);
        for (position, account) in names.into_iter().enumerate() {
            let entry = list.index(position);
            let origin = account_origin(work, accounts, account);
            work.draft.put(&entry.key("serviceAccountName"), account, origin);
            let granted = by_account.get(account).map(Vec::as_slice).unwrap_or_default();
            write_rules(work, &entry.key("rules"), granted);
        }
    }
}

/// Returns the accounts that need an entry, because OLM would not create them otherwise.
fn without_rules<'a>(accounts: &'a Accounts, grants: &[Grant]) -> Vec<&'a str> {
    let projected = grants.iter().filter(|grant| !grant.shipped);
    let granted: BTreeSet<&str> = projected.map(|grant| grant.account.as_str()).collect();
    let names = accounts.of_deployments.keys().chain(accounts.extra.keys());
    names
        .map(String::as_str)
        .filter(|name| *name != "default" && !granted.contains(name))
        .collect()
}

fn account_origin(work: &Work<'_>, accounts: &Accounts, account: &str) -> Vec<Origin> {
    if let Some(index) = accounts.of_deployments.get(account).and_then(|indexes| indexes.first()) {
        let deployment = work.inventory.object(*index);
        let (_, path) = service_account(deployment);
        let origin = Origin::object(deployment, &path);
        let named = origin.value().and_then(Value::as_str) == Some(account);
        return vec![if named {
            origin
        } else {
            origin.derived("no account is specified, so default is used")
        }];
    }
    let extra = accounts.extra.get(account);
    let path = |index: &usize| Path::root().key("extraServiceAccounts").index(*index);
    extra
        .map(|index| Origin::olm(work.olm, &path(index)))
        .into_iter()
        .collect()
}

fn write_rules(work: &mut Work<'_>, list: &Path, granted: &[&Grant]) {
    work.draft.constant(list, json!([]));
    let mut written = BTreeSet::new();
    for grant in granted {
        let role = work.inventory.object(grant.role);
        let Some(rule) = grant.path().get(role.value()) else {
            continue;
        };
        // A ClusterRole may have the rule, but OLM creates a Role, which the API server would reject.
        if grant.grants_nothing(rule) {
            continue;
        }
        let position = written.len();
        if !written.insert(PolicyRule(rule).sets()) {
            continue;
        }
        let binding = work.inventory.object(grant.binding);
        let bound = Origin::object(binding, &Path::root().key("roleRef")).derived("the binding that grants the role");
        let origins = [Origin::object(role, &grant.path()), bound];
        work.draft.put(&list.index(position), rule.clone(), origins);
    }
}

/// Reports rules that grant nothing in their role or binding.
fn useless_rules(work: &mut Work<'_>, granted: &[Grant]) {
    let mut seen = BTreeSet::new();
    for grant in granted {
        let role = work.inventory.object(grant.role);
        let Some(rule) = grant.path().get(role.value()) else {
            continue;
        };
        for (index, resource) in PolicyRule(rule).resources() {
            let path = grant.path().key("resources").index(index);
            if resource.ends_with("/*") && !resource.starts_with('*') && seen.insert((grant.role, path.to_string())) {
                let message = format!(
                    "{resource:?} of {} grants nothing, because Kubernetes does not expand it",
                    role.label()
                );
                let finding = Diagnostic::new(&rules::RBAC_SUBRESOURCE_WILDCARD, message).object(role.label());
                work.report(finding.at(role.place(&path)));
            }
        }
        let path = grant.path().key("nonResourceURLs");
        if grant.grants_nothing(rule) && seen.insert((grant.role, path.to_string())) {
            let message = format!(
                "the nonResourceURLs of {} grant nothing through a RoleBinding, so the CSV does not contain them",
                role.label()
            );
            let finding = Diagnostic::new(&rules::RBAC_NONRESOURCE_NAMESPACED, message).object(role.label());
            work.report(finding.at(role.place(&path)));
        }
    }
}
