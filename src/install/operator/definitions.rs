//! The CustomResourceDefinitions of the kinds that the proposals simplify-olm-apis and operator-conditions introduce.

use crate::text::{self, Document, Limits};
use serde_json::Value;

/// The name and the YAML of each definition.
///
/// OLM itself also defines the kind `Operator`, but only in version v1. The definition here contains v1 and v2alpha1,
/// and v1 remains the storage version.
pub const ALL: [(&str, &str); 3] = [
    (
        "operators.operators.coreos.com",
        include_str!("definitions/operators.yaml"),
    ),
    (
        "installs.operators.coreos.com",
        include_str!("definitions/installs.yaml"),
    ),
    (
        "conditions.operators.coreos.com",
        include_str!("definitions/conditions.yaml"),
    ),
];

/// Returns the definitions as values.
pub fn values() -> Vec<Value> {
    let read = |(name, yaml): (&str, &str)| text::read(name, yaml.as_bytes(), &Limits::default()).documents;
    let documents = ALL.into_iter().flat_map(read);
    documents.map(Document::into_value).collect()
}
