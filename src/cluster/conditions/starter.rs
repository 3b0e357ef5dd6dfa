//! What an operator needs to tell of its state: the resource, and the permission to write it.

use crate::csv::GROUP;
use crate::kubernetes::rbac;
use serde_json::{Value, json};

/// Who is to write the conditions of which operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Starter<'a> {
    /// The name of the ClusterServiceVersion.
    pub operator: &'a str,
    /// Its namespace.
    pub namespace: &'a str,
    /// The service accounts of the operator; none stands for `default`, as OLM has it.
    pub service_accounts: &'a [String],
    /// The deployments whose containers get the name of the resource as `OPERATOR_CONDITION_NAME`.
    pub deployments: &'a [String],
}

impl Starter<'_> {
    /// The service accounts; `default` where none is named.
    fn accounts(&self) -> Vec<&str> {
        match self.service_accounts {
            [] => vec!["default"],
            named => named.iter().map(String::as_str).collect(),
        }
    }

    /// A Role of this name with a RoleBinding to the accounts. It allows the verbs on the resource of the operator's
    /// name, and on no other: creating and deleting are for OLM.
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

/// The `OperatorCondition`, and a Role with its RoleBinding that let the operator get, update and patch this one
/// resource. The names and verbs are those of OLM, which puts others right within seconds.
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
