//! The schema with which a cluster validates a CSV.

use jsonschema::Validator;
use opmx::text::{self, Limits};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// The schema of the version as JSON Schema: Kubernetes extensions are translated, and a field that a cluster would
/// drop is an error.
pub(crate) fn validator(folder: &Path) -> Validator {
    let path = folder.join("operators.coreos.com_clusterserviceversions.yaml");
    let crd = text::read("crd", &fs::read(path).unwrap(), &Limits::default());
    let crd = crd.documents[0].value();
    let versions = crd["spec"]["versions"].as_array().unwrap();
    let version = versions.iter().find(|version| version["name"] == "v1alpha1").unwrap();
    let mut schema = version["schema"]["openAPIV3Schema"].clone();
    translate(&mut schema);
    jsonschema::options()
        .with_draft(jsonschema::Draft::Draft7)
        .should_validate_formats(false)
        .build(&schema)
        .unwrap()
}

/// Translates Kubernetes extensions of schemas to JSON Schema.
pub(crate) fn translate(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    if map.get("nullable") == Some(&json!(true)) {
        let named = map.get("type").cloned();
        if let Some(named) = named {
            map.insert("type".to_owned(), json!([named, "null"]));
        }
    }
    let open = map.contains_key("additionalProperties")
        || map.get("x-kubernetes-preserve-unknown-fields") == Some(&json!(true))
        || map.get("x-kubernetes-embedded-resource") == Some(&json!(true));
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        properties.values_mut().for_each(translate);
        if !open {
            map.insert("additionalProperties".to_owned(), json!(false));
        }
    }
    for key in ["items", "additionalProperties"] {
        if let Some(below) = map.get_mut(key) {
            translate(below);
        }
    }
}

/// The errors in a CSV, one per line.
pub(crate) fn problems(validator: &Validator, csv: &Value) -> Vec<String> {
    // What a cluster knows of every object is not in the schema of a CRD.
    let errors = validator.iter_errors(csv);
    errors
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}
