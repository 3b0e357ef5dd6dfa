//! Creates the `Condition` of the proposal operator-conditions for a new operator, and links it to the operator.

use super::Starter;
use crate::cluster::labels::{self, LabelStyle};
use crate::csv::GROUP;
use serde_json::{Value, json};

/// The environment variable in which OLM passes the name of the condition resource to an operator.
pub const ENVIRONMENT: &str = "OPERATOR_CONDITION_NAME";

/// Returns the `Condition` of an operator, and a Role and a RoleBinding that allow the operator to get, list and update
/// only this resource and its status.
///
/// In the proposal, the name of the resource is generated; here it is the name of the ClusterServiceVersion, so that
/// the Role can refer to the resource by name.
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

/// Adds the label that links an object to an operator, in the form that clusters accept.
pub fn aggregate(object: &mut Value, operator: &str) {
    object["metadata"]["labels"][labels::key(LabelStyle::Shipped, operator)] = json!("");
}

/// Returns the strategic merge patch that passes the name of the condition resource to a container of a Deployment.
pub fn environment_patch(container: &str, resource: &str) -> Value {
    let container = json!({"name": container, "env": [{"name": ENVIRONMENT, "value": resource}]});
    json!({"spec": {"template": {"spec": {"containers": [container]}}}})
}
