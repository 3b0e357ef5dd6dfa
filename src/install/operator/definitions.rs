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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::requested::fields::{INSTALL, OPERATOR};
    use crate::shape::Shape;

    fn assert_known(schema: &Value, shape: &Shape) {
        if let Shape::List(items) = shape {
            return assert_known(&schema["items"], items);
        }
        for (key, value) in schema["properties"].as_object().into_iter().flatten() {
            let field = shape.field(key).unwrap_or_else(|| panic!("{key} is unknown"));
            assert_known(value, &field.shape);
        }
    }

    #[test]
    fn every_field_of_the_defined_specifications_is_read() {
        let definitions = values();
        for (name, shape) in [("operators", OPERATOR), ("installs", INSTALL)] {
            let is_it = |value: &&Value| value["spec"]["names"]["plural"] == name;
            let versions = definitions.iter().find(is_it).map(|value| &value["spec"]["versions"]);
            let mut versions = versions.and_then(Value::as_array).into_iter().flatten();
            let version = versions.find(|version| version["name"] == "v2alpha1").expect(name);
            let spec = &version["schema"]["openAPIV3Schema"]["properties"]["spec"];
            assert!(spec["properties"].is_object());
            assert_known(spec, &shape.field("spec").expect(name).shape);
        }
    }
}
