//! The `Condition` of the proposal operator-conditions for a new operator, and what ties it to the operator.

use super::Starter;
use crate::cluster::labels::{self, LabelStyle};
use crate::csv::GROUP;
use crate::kubernetes::rbac;
use serde_json::{Value, json};

/// The environment variable in which OLM tells an operator the name of its resource.
pub const ENVIRONMENT: &str = "OPERATOR_CONDITION_NAME";

/// The `Condition` of an operator, and a Role with its RoleBinding that let the operator get, list and update this one
/// resource and its status, and no other: creating and deleting are for OLM.
///
/// The proposal gives the resource a name made by chance; here it has that of the ClusterServiceVersion, so that the Role
/// can name it.
pub fn proposed(starter: Starter<'_>) -> [Value; 3] {
    let Starter {
        operator, namespace, ..
    } = starter;
    let default = ["default".to_owned()];
    let accounts = match starter.service_accounts {
        [] => &default,
        named => named,
    };
    let metadata = json!({"name": operator, "namespace": namespace});
    let subjects: Vec<Value> = accounts
        .iter()
        .map(|account| json!({"kind": "ServiceAccount", "name": account, "namespace": namespace}))
        .collect();
    let api_version = format!("{}/v1", rbac::GROUP);
    let role = format!("{operator}-condition");
    let of_role = json!({"name": role, "namespace": namespace});
    [
        json!({"apiVersion": format!("{GROUP}/v1"), "kind": "Condition", "metadata": metadata}),
        json!({
            "apiVersion": api_version,
            "kind": "Role",
            "metadata": of_role,
            "rules": [{
                "apiGroups": [GROUP],
                "resources": ["conditions", "conditions/status"],
                "resourceNames": [operator],
                "verbs": ["get", "list", "update"],
            }],
        }),
        json!({
            "apiVersion": api_version,
            "kind": "RoleBinding",
            "metadata": of_role,
            "roleRef": {"apiGroup": rbac::GROUP, "kind": "Role", "name": role},
            "subjects": subjects,
        }),
    ]
}

/// Gives an object the label that ties it to an operator, in the form that clusters take.
pub fn aggregate(object: &mut Value, operator: &str) {
    object["metadata"]["labels"][labels::key(LabelStyle::Shipped, operator)] = json!("");
}

/// The strategic merge patch of a Deployment whose container is told the name of its resource.
pub fn environment_patch(container: &str, resource: &str) -> Value {
    let container = json!({"name": container, "env": [{"name": ENVIRONMENT, "value": resource}]});
    json!({"spec": {"template": {"spec": {"containers": [container]}}}})
}
