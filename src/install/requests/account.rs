//! The service account that applies an Install.

use crate::cluster::{State, operator_groups_by_namespace};
use crate::kubernetes::rbac::account::Account;
use serde_json::Value;
use std::collections::HashMap;

/// The namespace of OLM's controllers in usual installations of OLM.
const USUAL: &str = "olm";
/// The namespaces of OLM's controllers and of the global catalogs, if the two differ.
const APART: (&str, &str) = ("openshift-operator-lifecycle-manager", "openshift-marketplace");
/// The Deployment of OLM's controller.
const CONTROLLER: &str = "olm-operator";

/// Returns the service account that applies the Install with this name: the account that the state names, or the one
/// that its objects determine. `None` stands for OLM itself.
pub fn of_install(state: &State, namespace: &str, install: &str) -> Option<Account> {
    if let Some(name) = &state.service_account {
        return Some(Account {
            namespace: namespace.to_owned(),
            name: name.clone(),
        });
    }
    Accounts::of(&state.objects, state.global_namespace.as_deref()).of_install(namespace, install)
}

/// The service accounts that the objects of a cluster determine.
pub(crate) struct Accounts<'a> {
    groups: HashMap<&'a str, Vec<&'a Value>>,
    /// The namespace of OLM's controllers.
    home: String,
}

impl<'a> Accounts<'a> {
    /// Reads the OperatorGroups and the namespace of OLM's controllers. `global` is the namespace of the global
    /// catalogs.
    pub(crate) fn of(objects: &'a [Value], global: Option<&str>) -> Self {
        Self {
            groups: operator_groups_by_namespace(objects),
            home: home_of_olm(objects, global),
        }
    }

    /// Returns the service account that applies the Install with this name. This is the account of the only
    /// OperatorGroup in the namespace, or `None` for OLM itself if the OperatorGroup specifies none. Without an
    /// OperatorGroup, or with several, it is an account named after the Install, which OLM creates in the namespace of
    /// its controllers.
    pub(crate) fn of_install(&self, namespace: &str, install: &str) -> Option<Account> {
        match self.groups.get(namespace).map(Vec::as_slice) {
            Some([group]) => {
                let name = group.pointer("/spec/serviceAccountName").and_then(Value::as_str);
                name.filter(|name| !name.is_empty()).map(|name| Account {
                    namespace: namespace.to_owned(),
                    name: name.to_owned(),
                })
            }
            _ => Some(Account {
                namespace: self.home.clone(),
                name: install.to_owned(),
            }),
        }
    }
}

/// Returns the namespace of OLM's controllers. `global` is the namespace of the global catalogs.
fn home_of_olm(objects: &[Value], global: Option<&str>) -> String {
    let mut deployments = objects.iter().filter_map(|object| {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str);
        let is_controller = text("/kind") == Some("Deployment") && text("/metadata/name") == Some(CONTROLLER);
        text("/metadata/namespace").filter(|_| is_controller)
    });
    let of_catalogs = global.map(|global| if global == APART.1 { APART.0 } else { global });
    deployments.next().or(of_catalogs).unwrap_or(USUAL).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn group(name: &str, namespace: &str, account: &str) -> Value {
        json!({"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup",
            "metadata": {"name": name, "namespace": namespace}, "spec": {"serviceAccountName": account}})
    }

    fn named(objects: Vec<Value>) -> Option<String> {
        let state = State {
            objects,
            ..State::default()
        };
        of_install(&state, "operators", "plumbus-plan").map(|account| account.to_string())
    }

    /// S56: the account of the only OperatorGroup. S57 and S58: without an OperatorGroup or with several, an account
    /// named after the Install.
    #[test]
    fn s57_s58_an_install_uses_the_account_of_the_group_or_its_own() {
        let own = Some("olm/plumbus-plan".to_owned());
        assert_eq!(named(Vec::new()), own);
        assert_eq!(named(vec![group("a", "elsewhere", "x")]), own);
        let one = group("a", "operators", "scoped");
        assert_eq!(named(vec![one.clone()]).as_deref(), Some("operators/scoped"));
        assert_eq!(named(vec![group("a", "operators", "")]), None, "OLM itself");
        let two = vec![one.clone(), group("b", "operators", "")];
        assert_eq!(named(two.clone()), own);
        let controller = json!({"apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "olm-operator", "namespace": "lifecycle"}});
        assert_eq!(
            named([two, vec![controller]].concat()).as_deref(),
            Some("lifecycle/plumbus-plan")
        );
    }

    #[test]
    fn olm_runs_in_the_namespace_of_its_catalogs() {
        let home = |global: Option<&str>| home_of_olm(&[], global);
        assert_eq!(home(None), "olm");
        assert_eq!(home(Some("catalogs")), "catalogs");
        assert_eq!(
            home(Some("openshift-marketplace")),
            "openshift-operator-lifecycle-manager"
        );
    }
}
