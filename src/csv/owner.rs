//! The labels in which OLM records the version that owns an object.

use serde_json::Value;

/// The labels: the name, the namespace and the kind of the owner.
pub(crate) const LABELS: [&str; 3] = ["olm.owner", "olm.owner.namespace", "olm.owner.kind"];

/// Returns the name, the namespace and the kind of the owner that the labels of an object record. Missing ones are
/// empty.
pub(crate) fn recorded(object: &Value) -> [&str; 3] {
    let labels = object.pointer("/metadata/labels");
    LABELS.map(|key| labels.and_then(|labels| labels.get(key)?.as_str()).unwrap_or_default())
}
