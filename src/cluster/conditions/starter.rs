//! Creates the resource in which an operator reports its state, and the permission to write it.

use crate::csv::GROUP;
use crate::kubernetes::rbac;
use serde_json::{Value, json};

/// The operator that reports conditions, and the accounts that may write them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Starter<'a> {
    /// The name of the ClusterServiceVersion.
    pub operator: &'a str,
    /// The namespace of the operator.
    pub namespace: &'a str,
    /// The service accounts of the operator; an empty list means `default`, as in OLM.
    pub service_accounts: &'a [String],
    /// The deployments whose containers get the name of the resource as `OPERATOR_CONDITION_NAME`.
    pub deployments: &'a [String],
}

impl Starter<'_> {
    /// Returns the service accounts, or `default` if none is specified.
    fn accounts(&self) -> Vec<&str> {
        match self.service_accounts {
            [] => vec!["default"],
            named => named.iter().map(String::as_str).collect(),
        }
    }

    /// Returns a Role with this name, and a RoleBinding for the accounts. The Role allows the verbs only on the
    /// resource with the operator's name; OLM creates and deletes that resource.
    pub(super) fn permission(&self, name: &str, resources: &[&str], verbs: &[&str]) -> [Value; 2] {
        let Self {
            operator, namespace, ..
        } = self;
        let accounts = self.accounts();
        let subjects = accounts
            .iter()
            .map(|account| json!({"kind": "ServiceAccount", "name": account, "namespace": namespace}));
        let api_version = format!("{}/v1", rbac::GROUP);
        let metadata = json!({"name": name, "namespace": namespace});
        [
            json!({
                "apiVersion": api_version,
                "kind": "Role",
                "metadata": metadata,
                "rules": [{
                    "apiGroups": [GROUP],
                    "resources": resources,
                    "resourceNames": [operator],
                    "verbs": verbs,
                }],
            }),
            json!({
                "apiVersion": api_version,
                "kind": "RoleBinding",
                "metadata": metadata,
                "roleRef": {"apiGroup": rbac::GROUP, "kind": "Role", "name": name},
                "subjects": subjects.collect::<Vec<_>>(),
            }),
        ]
    }
}

/// Returns the `OperatorCondition`, and a Role and a RoleBinding that allow the operator to get, update and patch only
/// this resource. The names and verbs are the ones that OLM uses, because OLM replaces any others within seconds.
pub fn starter(starter: Starter<'_>) -> [Value; 3] {
    let Starter {
        operator, namespace, ..
    } = starter;
    let mut spec = json!({"serviceAccounts": starter.accounts()});
    if !starter.deployments.is_empty() {
        spec["deployments"] = json!(starter.deployments);
    }
    let condition = json!({
        "apiVersion": format!("{GROUP}/v2"),
        "kind": "OperatorCondition",
        "metadata": {"name": operator, "namespace": namespace},
        "spec": spec,
    });
    let [role, binding] = starter.permission(operator, &["operatorconditions"], &["get", "update", "patch"]);
    [condition, role, binding]
}
