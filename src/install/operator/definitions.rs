//! The CustomResourceDefinitions of the kinds that the proposals simplify-olm-apis and operator-conditions bring.

use crate::text::{self, Document, Limits};
use serde_json::Value;

/// The name of each definition, and its YAML.
///
/// OLM serves an `Operator` under the same name, in version v1 alone. The definition here has both versions, and v1
/// stays the one that is stored.
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

/// The definitions as values.
pub fn values() -> Vec<Value> {
    let read = |(name, yaml): (&str, &str)| text::read(name, yaml.as_bytes(), &Limits::default()).documents;
    let documents = ALL.into_iter().flat_map(read);
    documents.map(Document::into_value).collect()
}
