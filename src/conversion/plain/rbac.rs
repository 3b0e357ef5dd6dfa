//! Creates service accounts, roles and bindings from the permissions of a CSV.

use super::{Deployment, Work};
use crate::csv::Csv;
use crate::diagnostic::Diagnostic;
use crate::kubernetes::rbac::{GROUP, PolicyRule};
use crate::rules;
use crate::synthesis::wildcard_in;
use crate::text::Path;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The two lists of a CSV, with the kinds of role and binding that they become.
const LISTS: [(&str, &str, &str); 2] = [
    ("permissions", "Role", "RoleBinding"),
    ("clusterPermissions", "ClusterRole", "ClusterRoleBinding"),
];

/// The account that exists in every namespace.
const DEFAULT: &str = "default";

/// Reports each rule that grants a wildcard type to a Deployment's account.
pub(super) fn refuse_wildcards(work: &mut Work<'_>) {
    let accounts: BTreeSet<&str> = work.deployments.iter().map(Deployment::account).collect();
    let mut findings = Vec::new();
    for (list, ..) in LISTS {
        for (path, account, rule) in rules_of(work, list) {
            let Some((field, index)) = wildcard_in(PolicyRule(rule)).filter(|_| accounts.contains(account)) else {
                continue;
            };
            let path = path.key(field).index(index);
            let wildcard = path.get(work.csv.value()).and_then(Value::as_str).unwrap_or("*");
            let message = format!("{list} grant the operator's account {account} access to {wildcard:?}");
            let finding = Diagnostic::new(&rules::RBAC_WILDCARD, message).object(work.csv.label());
            findings.push(finding.path(&path).at(work.csv.place(&path)));
        }
    }
    work.findings.extend(findings);
}

/// Returns every rule of a list, with its path and account.
fn rules_of<'a>(work: &Work<'a>, list: &str) -> Vec<(Path, &'a str, &'a Value)> {
    let csv = work.csv;
    let root = Path::root().key("spec").key("install").key("spec").key(list);
    let entries = Csv(csv.value())
        .list(&["spec", "install", "spec", list])
        .iter()
        .enumerate();
    entries
        .flat_map(|(index, entry)| {
            let path = root.index(index).key("rules");
            let rules = entry.get("rules").and_then(Value::as_array);
            rules
                .into_iter()
                .flatten()
                .enumerate()
                .map(move |(rule, value)| (path.index(rule), account_of(entry), value))
        })
        .collect()
}

fn account_of(entry: &Value) -> &str {
    entry
        .get("serviceAccountName")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Returns the accounts that the CSV names but no Deployment uses, sorted.
pub(super) fn extra_accounts(work: &Work<'_>) -> Vec<String> {
    let mut extra = named_accounts(work);
    for deployment in &work.deployments {
        extra.remove(deployment.account());
    }
    extra.into_iter().map(str::to_owned).collect()
}

fn named_accounts<'a>(work: &Work<'a>) -> BTreeSet<&'a str> {
    let csv: Csv<'a> = Csv(work.csv.value());
    let lists = LISTS
        .into_iter()
        .map(|(list, ..)| csv.list(&["spec", "install", "spec", list]));
    lists
        .flatten()
        .map(account_of)
        .filter(|name| !name.is_empty())
        .collect()
}

/// Writes one file for each account.
pub(super) fn write(work: &mut Work<'_>) {
    let mut granted: BTreeMap<&str, [Vec<Value>; 2]> = named_accounts(work)
        .into_iter()
        .chain(work.deployments.iter().map(Deployment::account))
        .map(|account| (account, [Vec::new(), Vec::new()]))
        .collect();
    for (position, (list, ..)) in LISTS.into_iter().enumerate() {
        let mut repeated: BTreeMap<&str, Vec<Path>> = BTreeMap::new();
        for (path, account, rule) in rules_of(work, list) {
            let Some(rules) = granted.get_mut(account).map(|lists| &mut lists[position]) else {
                continue;
            };
            let same = |other: &Value| PolicyRule(other).grants_the_same(PolicyRule(rule));
            if rules.iter().any(same) {
                repeated.entry(account).or_default().push(path);
            } else {
                rules.push(rule.clone());
            }
        }
        for (account, paths) in repeated {
            let shown: Vec<String> = paths.iter().map(ToString::to_string).collect();
            let message = format!(
                "{list} of account {account} have duplicate rules; omitted: {}",
                shown.join(", ")
            );
            let mut finding = Diagnostic::new(&rules::CONVERT_REPEATED_RULE, message).object(work.csv.label());
            finding.place = paths.first().map(|path| work.csv.place(path));
            work.findings.push(finding);
        }
    }
    let mut taken = taken_names(work);
    for (account, lists) in granted {
        let base = if account == DEFAULT {
            let user = work
                .deployments
                .iter()
                .find(|deployment| deployment.account() == DEFAULT);
            user.map_or(DEFAULT, |deployment| deployment.name)
        } else {
            account
        };
        let name = free_name(base, &taken);
        let mut objects = Vec::new();
        objects.extend(service_account(work, account));
        for (rules, (_, role, binding)) in lists.into_iter().zip(LISTS) {
            if !rules.is_empty() {
                objects.push(object(work, role, &name, "rules", &rules.into()));
                let subject = json!({"kind": "ServiceAccount", "name": account, "namespace": work.namespace});
                let mut binding = object(work, binding, &name, "subjects", &json!([subject]));
                binding["roleRef"] = json!({"apiGroup": GROUP, "kind": role, "name": name});
                objects.push(binding);
            }
        }
        taken.insert(name);
        if !objects.is_empty() {
            work.files.write(&format!("{base}.rbac"), &objects);
        }
    }
}

fn object(work: &Work<'_>, kind: &str, name: &str, field: &str, value: &Value) -> Value {
    let mut metadata = json!({"name": name});
    if !kind.starts_with("Cluster") {
        metadata["namespace"] = work.namespace.as_str().into();
    }
    json!({"apiVersion": format!("{GROUP}/v1"), "kind": kind, "metadata": metadata, field: value})
}

/// Returns the ServiceAccount. If the bundle already contains an account with that name, reports that OLM creates its
/// own account instead.
fn service_account(work: &mut Work<'_>, account: &str) -> Option<Value> {
    let existing = work
        .others
        .iter()
        .find(|object| object.gvk().is("", "ServiceAccount") && object.name() == account);
    if let Some(existing) = existing {
        let message = format!(
            "{} will not be shipped, because OLM creates the accounts of the permissions",
            existing.label()
        );
        let finding = Diagnostic::new(&rules::CONVERT_OBJECT_NOT_SHIPPED, message).object(existing.label());
        work.findings.push(finding.at(existing.name_place()));
        return None;
    }
    let metadata = json!({"name": account, "namespace": work.namespace});
    (account != DEFAULT).then(|| json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}))
}

/// Returns the names of existing roles and bindings. A new object with such a name would be mistaken for the existing
/// object.
fn taken_names(work: &Work<'_>) -> BTreeSet<String> {
    let rbac = work.others.iter().filter(|object| object.gvk().group == GROUP);
    let referred = rbac.clone().filter_map(|object| object.text(&["roleRef", "name"]));
    let named = rbac.map(|object| object.name());
    named.chain(referred).map(str::to_owned).collect()
}

fn free_name(base: &str, taken: &BTreeSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{base}-{number}"));
    std::iter::once(base.to_owned())
        .chain(numbered)
        .find(|name| !taken.contains(name))
        .unwrap_or_default()
}

/// Returns the namespaces in which the bindings that are not part of the CSV expect accounts of the operator. Such a
/// binding is shipped unchanged and must not be mistaken for a part of the permissions, so the operator's own namespace
/// gets another name.
pub(super) fn bound_namespaces<'a>(work: &Work<'a>, extra: &[String]) -> BTreeSet<&'a str> {
    let projected = |name: &str| {
        work.deployments.iter().any(|deployment| deployment.account() == name)
            || extra.iter().any(|known| known == name)
    };
    let mut namespaces = BTreeSet::new();
    for binding in work.others.iter().filter(|object| object.gvk().group == GROUP) {
        for subject in binding.list(&["subjects"]) {
            let text = |key: &str| subject.get(key).and_then(Value::as_str);
            let name = text("name").unwrap_or_default();
            let namespace = match text("kind") {
                Some("ServiceAccount") if projected(name) => text("namespace").or(binding.namespace()),
                Some("Group") => name.strip_prefix("system:serviceaccounts:"),
                Some("User") => {
                    let account = name.strip_prefix("system:serviceaccount:");
                    account
                        .and_then(|rest| rest.split_once(':'))
                        .map(|(namespace, _)| namespace)
                }
                _ => None,
            };
            namespaces.extend(namespace);
        }
    }
    namespaces
}
