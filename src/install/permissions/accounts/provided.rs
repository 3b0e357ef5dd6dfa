//! The access to the APIs of an operator that OLM gives to everyone who may administer, edit or view: as soon as a
//! version has succeeded, OLM creates ClusterRoles for each owned API, which the cluster adds to its ClusterRoles for
//! users. This does not depend on the OperatorGroup.
//!
//! Source: `ensureClusterRolesForCSV` in OLM.

use super::super::Subject;
use super::given::Given;
use crate::csv::{Csv, OwnedCrd};
use crate::kubernetes::GroupVersionKind;
use crate::kubernetes::rbac::Rule;
use crate::kubernetes::rbac::covering::{Steps, TooComplex};
use crate::kubernetes::rbac::role::{Roles, for_users};
use std::collections::BTreeSet;

/// The suffixes of the ClusterRoles for an API, which also name the ClusterRole that each is added to, and the verbs.
const ACCESS: [(&str, &[&str]); 3] = [
    ("admin", &["*"]),
    ("edit", &["create", "update", "patch", "delete"]),
    ("view", &["get", "list", "watch"]),
];

/// Who gets the rules of the ClusterRoles with each of the suffixes.
pub(super) struct Users([BTreeSet<Subject>; 3]);

impl Users {
    pub(super) fn of(roles: &Roles<'_>) -> Result<Self, TooComplex> {
        let steps = Steps::default();
        let of = |suffix| -> Result<BTreeSet<Subject>, TooComplex> {
            let extended = roles.extended(&for_users(suffix), &steps)?.into_iter();
            Ok(extended.map(|role| Subject::Holders(role.to_owned())).collect())
        };
        let [(admin, _), (edit, _), (view, _)] = ACCESS;
        Ok(Self([of(admin)?, of(edit)?, of(view)?]))
    }

    /// Returns the permissions for the owned APIs of a version.
    pub(super) fn access(&self, csv: Csv<'_>) -> Vec<Given> {
        let mut given = Vec::new();
        for crd in csv.owned_crds() {
            let (Some(gvk), Some((plural, _))) = (crd.gvk(), crd.name().split_once('.')) else {
                continue;
            };
            given.extend(self.to_resource(crd.name(), plural, &gvk));
            given.push(self.to_definition(crd, &gvk));
        }
        let names = csv.list(&["spec", "apiservicedefinitions", "owned"]).iter();
        let names = names.map(|api| api.get("name").and_then(|name| name.as_str()).unwrap_or_default());
        for (name, gvk) in names.zip(csv.owned_api_services()) {
            given.extend(self.to_resource(name, name, &gvk));
        }
        given
    }

    fn to_resource(&self, name: &str, plural: &str, gvk: &GroupVersionKind) -> impl Iterator<Item = Given> {
        let all = ACCESS.iter().zip(&self.0);
        all.map(move |((suffix, verbs), others)| Given {
            accounts: BTreeSet::new(),
            others: others.clone(),
            namespaces: Vec::new(),
            rules: vec![Rule::new(&gvk.group, plural, verbs)],
            reason: reason(name, suffix, gvk),
        })
    }

    /// Returns the permission to read the definition of an API.
    fn to_definition(&self, crd: OwnedCrd<'_>, gvk: &GroupVersionKind) -> Given {
        let [.., viewers] = &self.0;
        let rule = Rule::new("apiextensions.k8s.io", "customresourcedefinitions", &["get"]);
        Given {
            accounts: BTreeSet::new(),
            others: viewers.clone(),
            namespaces: Vec::new(),
            rules: vec![rule.named(crd.name())],
            reason: reason(crd.name(), "crdview", gvk),
        }
    }
}

fn reason(name: &str, suffix: &str, gvk: &GroupVersionKind) -> String {
    format!(
        "ClusterRole {name}-{}-{suffix}, which OLM creates for the owned API {} ({})",
        gvk.version,
        gvk.kind,
        gvk.api_version()
    )
}
