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

/// The `OperatorCondition`, and a Role with its RoleBinding that let the operator get, update and patch this one resource
/// and no other: creating and deleting are for OLM. The names and verbs are those of OLM, which puts others right within
/// seconds.
pub fn starter(starter: Starter<'_>) -> [Value; 3] {
    let Starter {
        operator, namespace, ..
    } = starter;
    let default = ["default".to_owned()];
    let accounts = match starter.service_accounts {
        [] => &default,
        named => named,
    };
    let metadata = json!({"name": operator, "namespace": namespace});
    let mut spec = json!({"serviceAccounts": accounts});
    if !starter.deployments.is_empty() {
        spec["deployments"] = json!(starter.deployments);
    }
    let subjects: Vec<Value> = accounts
        .iter()
        .map(|account| json!({"kind": "ServiceAccount", "name": account, "namespace": namespace}))
        .collect();
    let api_version = format!("{}/v1", rbac::GROUP);
    [
        json!({
            "apiVersion": format!("{GROUP}/v2"),
            "kind": "OperatorCondition",
            "metadata": metadata,
            "spec": spec,
        }),
        json!({
            "apiVersion": api_version,
            "kind": "Role",
            "metadata": metadata,
            "rules": [{
                "apiGroups": [GROUP],
                "resources": ["operatorconditions"],
                "resourceNames": [operator],
                "verbs": ["get", "update", "patch"],
            }],
        }),
        json!({
            "apiVersion": api_version,
            "kind": "RoleBinding",
            "metadata": metadata,
            "roleRef": {"apiGroup": rbac::GROUP, "kind": "Role", "name": operator},
            "subjects": subjects,
        }),
    ]
}
