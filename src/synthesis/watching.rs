//! The variables that select the namespaces that an operator watches.

use crate::manifest::Object;
use serde_json::Value;

/// The variable that selects the namespaces to watch.
pub(super) const WATCH_NAMESPACE: &str = "WATCH_NAMESPACE";
/// The field of a pod that contains the target namespaces of the OperatorGroup.
pub(super) const TARGET_NAMESPACES: &str = "metadata.annotations['olm.targetNamespaces']";
/// The fields of a pod that contain the namespace of the operator.
const NAMESPACE_FIELDS: [&str; 2] = ["metadata.namespace", "metadata.annotations['olm.operatorNamespace']"];

/// Returns the field of the pod from which a variable takes its value.
pub(super) fn field_of(variable: &Value) -> Option<&str> {
    variable
        .pointer("/valueFrom/fieldRef/fieldPath")
        .and_then(Value::as_str)
}

/// Whether the value of a variable of the Deployment is the namespace of the operator. In the manifests, this may be a
/// fixed name.
pub(super) fn is_own_namespace(deployment: &Object, variable: &Value) -> bool {
    let value = variable.get("value").and_then(Value::as_str);
    field_of(variable).is_some_and(|field| NAMESPACE_FIELDS.contains(&field))
        || value.is_some_and(|value| !value.is_empty() && deployment.namespace() == Some(value))
}
