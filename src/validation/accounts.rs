//! Checks the service accounts of the operator's pods: a typo in a name costs the operator all its permissions.

use crate::bundle::Bundle;
use crate::bundle::olm_yaml::Olm;
use crate::diagnostic::Diagnostic;
use crate::kubernetes::rbac;
use crate::manifest::{Object, of_kind};
use crate::rules;
use crate::shape::{Nearest, nearest};
use crate::synthesis::{named_account, service_account};
use crate::text::Path;
use serde_json::Value;
use std::collections::{BTreeSet, HashSet};

/// The account of pods that do not name one.
pub(super) const DEFAULT: &str = "default";

/// Checks the account of every Deployment.
pub(super) fn check(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    let bound = Bound::of(bundle);
    let used: HashSet<&str> = deployments(bundle)
        .map(|deployment| service_account(deployment).0)
        .collect();
    let any_is_bound = used.iter().any(|account| bound.binds(account));
    let mut said = BTreeSet::new();
    for deployment in deployments(bundle) {
        let (account, path) = service_account(deployment);
        let has_manifest = bound.manifests.contains(account);
        if account == DEFAULT && bound.binds(account) {
            findings.push(shared(deployment, &path));
        }
        if let Some(subject) = bound.meant_for(deployment, account, &used, any_is_bound) {
            if said.insert(account) {
                findings.push(unbound(deployment, account, &path, subject));
            }
        } else if account != DEFAULT && !has_manifest {
            let message = format!(
                "{} names the service account {account}, which has no manifest",
                deployment.label()
            );
            let finding = Diagnostic::new(&rules::RBAC_ACCOUNT_MISSING, message).object(deployment.label());
            findings.push(finding.path(&path).at(deployment.place(&path)));
        }
    }
    unnamed(bundle, &bound, findings);
}

/// Checks the account of every Deployment in a ClusterServiceVersion.
pub(super) fn check_csv(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    let Some(csv) = bundle.csv() else { return };
    let strategy = ["spec", "install", "spec"];
    let list = |name| csv.list(&[&strategy[..], &[name]].concat());
    let of_permissions = ["permissions", "clusterPermissions"].into_iter().flat_map(list);
    let of_permissions = of_permissions.filter_map(|entry| entry.get("serviceAccountName")?.as_str());
    let created: Vec<&str> = of_permissions
        .chain(service_accounts(bundle).map(Object::name))
        .collect();
    let deployments = strategy
        .iter()
        .fold(Path::root(), |path, key| path.key(key))
        .key("deployments");
    for (index, deployment) in list("deployments").iter().enumerate() {
        let Some((account, path)) = named_account(deployment) else {
            continue;
        };
        if account == DEFAULT || created.contains(&account) {
            continue;
        }
        let name = deployment.get("name").and_then(Value::as_str).unwrap_or_default();
        let message = format!(
            "the pods of Deployment/{name} cannot start, because nothing creates their service account {account}"
        );
        let path = deployments.index(index).join(&path);
        let finding = Diagnostic::new(&rules::RBAC_ACCOUNT_MISSING, message).object(csv.label());
        let help = match nearest(account, created.iter().copied()) {
            Some(meant) => format!("Did you mean {meant}?"),
            None => {
                "Add permissions for the account to the ClusterServiceVersion; OLM then creates the account.".to_owned()
            }
        };
        findings.push(finding.path(&path).at(csv.place(&path)).help(help));
    }
}

/// Reports accounts in `extraServiceAccounts` that are not in any manifest or binding.
fn unnamed(bundle: &Bundle, bound: &Bound<'_>, findings: &mut Vec<Diagnostic>) {
    let Some(olm) = bundle.olm.as_ref().map(Olm::new) else {
        return;
    };
    let named = || {
        let accounts = service_accounts(bundle).map(Object::name);
        let used = deployments(bundle).map(|deployment| service_account(deployment).0);
        accounts
            .chain(used)
            .chain(bound.accounts.iter().map(|subject| subject.name))
    };
    let known: HashSet<&str> = named().collect();
    for (index, extra) in olm.list(&["extraServiceAccounts"]).iter().enumerate() {
        let Some(account) = extra.as_str().filter(|account| !known.contains(account)) else {
            continue;
        };
        let path = Path::from("extraServiceAccounts").index(index);
        let message = format!("{path} is {account}, which is not in any manifest or binding");
        let finding = Diagnostic::new(&rules::RBAC_ACCOUNT_MISSING, message).at(olm.place(&path));
        findings.push(match nearest(account, named()) {
            Some(meant) => finding.help(format!("Did you mean {meant}?")),
            None => finding,
        });
    }
}

fn unbound(deployment: &Object, account: &str, path: &Path, subject: &Subject<'_>) -> Diagnostic {
    let (binding, name) = (subject.binding.label(), subject.name);
    let message = format!(
        "{} runs as the service account {account}, which is not in any binding; {binding} binds {name}, but no \
         Deployment runs as that account",
        deployment.label()
    );
    let finding = Diagnostic::new(&rules::RBAC_ACCOUNT_UNBOUND, message).object(deployment.label());
    let place = subject.binding.place(&subject.path);
    let written = if path.get(deployment.value()).is_some_and(Value::is_string) {
        deployment.place(path)
    } else {
        deployment.key_place(path)
    };
    finding
        .path(path)
        .at(written)
        .also(place, format!("{name} is bound here"))
        .help(format!(
            "Set serviceAccountName: {name} in the pod template, or bind {account}; otherwise OLM grants the operator \
             no permissions."
        ))
}

/// Reports a Deployment that runs as the default account, to which a binding grants permissions.
fn shared(deployment: &Object, path: &Path) -> Diagnostic {
    let message = format!(
        "{} runs as the service account {DEFAULT}, so all pods in the namespace that name no account get the same \
         permissions",
        deployment.label()
    );
    let finding = Diagnostic::new(&rules::RBAC_ACCOUNT_DEFAULT, message).object(deployment.label());
    finding.path(path).at(deployment.place(path))
}

fn service_accounts(bundle: &Bundle) -> impl Iterator<Item = &Object> {
    of_kind(&bundle.objects, "", "ServiceAccount")
}

fn deployments(bundle: &Bundle) -> impl Iterator<Item = &Object> {
    of_kind(&bundle.objects, "apps", "Deployment")
}

/// An account that a binding names.
struct Subject<'a> {
    name: &'a str,
    namespace: Option<&'a str>,
    binding: &'a Object,
    path: Path,
    /// Whether the bundle has a manifest of the account.
    has_manifest: bool,
}

/// The accounts that the bindings of the bundle name.
struct Bound<'a> {
    accounts: Vec<Subject<'a>>,
    /// The names of `accounts`.
    names: HashSet<&'a str>,
    /// The accounts that have a manifest in the bundle.
    manifests: HashSet<&'a str>,
    /// Accounts that `metadata/olm.yaml` tells OLM to create and bind, although no Deployment runs as them.
    extra: BTreeSet<&'a str>,
    /// Whether a binding names a group or a user that may represent accounts.
    others: bool,
    search: Nearest,
}

impl<'a> Bound<'a> {
    fn of(bundle: &'a Bundle) -> Self {
        let bindings = bundle.objects.iter().filter(|object| {
            let gvk = object.gvk();
            gvk.is(rbac::GROUP, "RoleBinding") || gvk.is(rbac::GROUP, "ClusterRoleBinding")
        });
        let extra = bundle
            .olm
            .as_ref()
            .and_then(|olm| olm.value().get("extraServiceAccounts"));
        let extra = extra.and_then(Value::as_array).into_iter().flatten();
        let mut found = Self {
            accounts: Vec::new(),
            names: HashSet::new(),
            manifests: service_accounts(bundle).map(Object::name).collect(),
            extra: extra.filter_map(Value::as_str).collect(),
            others: false,
            search: Nearest::default(),
        };
        for binding in bindings {
            for (index, subject) in binding.list(&["subjects"]).iter().enumerate() {
                let text = |key: &str| subject.get(key).and_then(Value::as_str).unwrap_or_default();
                let name = text("name");
                match text("kind") {
                    "ServiceAccount" => found.accounts.push(Subject {
                        name,
                        namespace: Some(text("namespace")).filter(|namespace| !namespace.is_empty()),
                        binding,
                        path: Path::from("subjects").index(index).key("name"),
                        has_manifest: found.manifests.contains(name),
                    }),
                    _ => found.others |= name.starts_with("system:serviceaccount") || name == "system:authenticated",
                }
            }
        }
        found.names = found.accounts.iter().map(|subject| subject.name).collect();
        found
    }

    fn binds(&self, account: &str) -> bool {
        self.names.contains(account)
    }

    /// Returns the bound account that the Deployment was probably meant to run as. `used` are the accounts of all
    /// Deployments, and `any_is_bound` is whether one of them is bound. Returns `None` if the Deployment
    /// already runs as a bound account, or probably needs none: a second Deployment may need no permissions, and
    /// operators bind accounts for pods that the operators create themselves.
    fn meant_for(
        &self,
        deployment: &Object,
        account: &str,
        used: &HashSet<&str>,
        any_is_bound: bool,
    ) -> Option<&Subject<'a>> {
        if self.others || self.binds(account) || self.extra.contains(account) {
            return None;
        }
        let here = |subject: &&Subject<'_>| match (deployment.namespace(), subject.namespace) {
            (Some(own), Some(other)) => own == other,
            (None, Some(_)) => subject.has_manifest,
            (_, None) => true,
        };
        let free = |subject: &&Subject<'_>| {
            !used.contains(subject.name) && !self.extra.contains(subject.name) && here(subject)
        };
        if any_is_bound && (account == DEFAULT || self.manifests.contains(account)) {
            return None;
        }
        let left: Vec<&Subject<'_>> = self.accounts.iter().filter(free).collect();
        let near = self.search.of(account, left.iter().map(|subject| subject.name));
        let near = left.iter().find(|subject| Some(subject.name) == near);
        near.or(left.first().filter(|_| !any_is_bound)).copied()
    }
}
