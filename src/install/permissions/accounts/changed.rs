//! Permissions that subjects get because a version writes roles that the cluster already binds, or adds to other roles.

use super::super::Subject;
use super::given::{Given, subjects, users_and_groups};
use crate::kubernetes::rbac::account::{Account, Bindings};
use crate::kubernetes::rbac::role::Roles;
use crate::steps::Step;
use serde_json::Value;
use std::collections::BTreeSet;

/// Returns the permissions that bindings of the cluster grant to their subjects after the steps have written the roles
/// that they refer to. The bindings that the steps themselves write are left out.
pub(super) fn rebound(
    steps: &[&Step],
    own: &BTreeSet<Account>,
    namespace: &str,
    bindings: &Bindings<'_>,
) -> Vec<Given> {
    let identity = |step: &&Step| -> Option<(String, String, String)> {
        let resource = &step.resource;
        let place = match resource.kind.as_str() {
            "Role" | "RoleBinding" => step.namespace(namespace),
            "ClusterRole" | "ClusterRoleBinding" => "",
            _ => return None,
        };
        Some((resource.kind.clone(), place.to_owned(), resource.name.clone()))
    };
    let written: BTreeSet<(String, String, String)> = steps.iter().filter_map(identity).collect();
    let mut given = Vec::new();
    for (kind, home, role) in &written {
        for (binding, place) in bindings.to_role(kind, home, role) {
            let text = |path: &str| binding.pointer(path).and_then(Value::as_str).unwrap_or_default();
            let (of_kind, name) = (text("/kind"), text("/metadata/name"));
            let identity = (
                of_kind.to_owned(),
                place.unwrap_or_default().to_owned(),
                name.to_owned(),
            );
            if written.contains(&identity) {
                continue;
            }
            let rules = bindings.roles.rules(kind, role, home);
            given.extend(rules.map(|rules| Given {
                accounts: subjects(binding, place, own),
                others: users_and_groups(binding),
                namespaces: place.map(str::to_owned).into_iter().collect(),
                rules,
                reason: format!("{of_kind} {name} of the cluster, whose {kind} {role} the installation writes"),
            }));
        }
    }
    given
}

/// Returns the permissions that the ClusterRoles among the steps grant to everyone who has a ClusterRole to which the
/// cluster adds them.
pub(super) fn extended(steps: &[&Step], roles: &Roles<'_>) -> Vec<Given> {
    let written = steps.iter().filter(|step| step.resource.kind == "ClusterRole");
    let written: BTreeSet<&str> = written.map(|step| &*step.resource.name).collect();
    let mut given = Vec::new();
    for role in written {
        for whole in roles.extended_by(role) {
            let rules = roles.rules("ClusterRole", role, "");
            given.extend(rules.map(|rules| Given {
                accounts: BTreeSet::new(),
                others: BTreeSet::from([Subject::Holders(whole.to_owned())]),
                namespaces: Vec::new(),
                rules,
                reason: format!(
                    "ClusterRole {role} of the bundle, which the cluster adds to ClusterRole {whole} wherever that is bound"
                ),
            }));
        }
    }
    given
}
