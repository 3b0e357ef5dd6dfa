//! The `Condition` of the proposal operator-conditions for a new operator, and what ties it to the operator.

use super::Starter;
use crate::cluster::labels::{self, LabelStyle};
use crate::csv::GROUP;
use serde_json::{Value, json};

/// The environment variable in which OLM tells an operator the name of its resource.
pub const ENVIRONMENT: &str = "OPERATOR_CONDITION_NAME";

/// The `Condition` of an operator, and a Role with its RoleBinding that let the operator get, list and update this one
/// resource and its status.
///
/// The proposal generates the name of the resource; here it is that of the ClusterServiceVersion, so that the Role can
/// name it.
pub fn proposed(starter: Starter<'_>) -> [Value; 3] {
    let Starter {
        operator, namespace, ..
    } = starter;
    let condition = json!({
        "apiVersion": format!("{GROUP}/v1"),
        "kind": "Condition",
        "metadata": {"name": operator, "namespace": namespace},
    });
    let resources = ["conditions", "conditions/status"];
    let verbs = ["get", "list", "update"];
    let [role, binding] = starter.permission(&format!("{operator}-condition"), &resources, &verbs);
    [condition, role, binding]
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
