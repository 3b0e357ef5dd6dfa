//! The ClusterServiceVersion as a plan step contains it.

use super::Content;
use crate::csv;
use crate::olm::annotation::PROPERTIES;
use crate::olm::property::{PACKAGE, Property};
use crate::olm::spelling::is_requirement;
use crate::shape;
use crate::text::canonical;
use serde_json::{Map, Value, json};

/// The number of times that the annotation lists dependencies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Repetition {
    /// Once. If a catalog embeds the manifests, the annotation lists the properties that the catalog serves.
    #[default]
    Once,
    /// Twice, as OLM does if a file-based catalog refers to the image of the bundle.
    AsOlm,
}

/// Returns the ClusterServiceVersion that OLM creates. Its fields are normalized by their types, and its namespace,
/// replaced version and properties are set.
pub(super) fn manifest(
    content: &Content,
    namespace: &str,
    replaces: &str,
    repetition: Repetition,
) -> Result<Value, shape::Problem> {
    let mut csv = shape::typed(&content.csv, &csv::SHAPE)?;
    let annotation = annotation(&declared(content, repetition));
    if let Some(metadata) = map_at(&mut csv, "metadata") {
        metadata.insert("namespace".to_owned(), namespace.into());
        let annotations = metadata.entry("annotations").or_insert_with(|| json!({}));
        if let Some(annotations) = annotations.as_object_mut() {
            annotations.insert(PROPERTIES.to_owned(), annotation.into());
        }
    }
    if let Some(spec) = map_at(&mut csv, "spec") {
        if replaces.is_empty() {
            spec.shift_remove("replaces");
        } else {
            spec.insert("replaces".to_owned(), replaces.into());
        }
    }
    Ok(csv)
}

fn map_at<'a>(value: &'a mut Value, key: &str) -> Option<&'a mut Map<String, Value>> {
    value.get_mut(key)?.as_object_mut()
}

/// Returns the properties for the annotation. Adds the package if they do not include it.
fn declared(content: &Content, repetition: Repetition) -> Vec<Property> {
    let mut declared = match (&content.served, repetition) {
        (Some(served), Repetition::Once) => served.clone(),
        _ => content.properties.clone(),
    };
    if repetition == Repetition::AsOlm {
        let needs = |property: &&Property| is_requirement(&property.kind);
        declared.extend(content.properties.iter().filter(needs).cloned());
    }
    if !declared.iter().any(|property| property.kind == PACKAGE) {
        let version = content
            .csv
            .pointer("/spec/version")
            .cloned()
            .unwrap_or_else(|| json!(""));
        declared.push(Property {
            kind: PACKAGE.to_owned(),
            value: json!({"packageName": content.package, "version": version}),
        });
    }
    declared
}

/// Returns the value of the annotation for these properties.
pub(crate) fn annotation(properties: &[Property]) -> String {
    if properties.is_empty() {
        return "{}".to_owned();
    }
    canonical::to_string(&json!({"properties": properties}))
}

#[cfg(test)]
mod tests {
    use super::super::content::tests::content;
    use super::*;

    fn written(properties: Vec<Property>, replaces: &str, repetition: Repetition) -> Value {
        let csv = json!({"metadata": {"name": "memo.v1", "namespace": "placeholder"},
            "spec": {"version": "1.0.0", "replaces": "memo.v0", "bogus": true}});
        let mut content = content(csv, Vec::new());
        content.properties = properties;
        manifest(&content, "operators", replaces, repetition).unwrap()
    }

    fn property(kind: &str) -> Property {
        let value = json!({"packageName": "a", "versionRange": ">1 <2"});
        Property {
            kind: kind.to_owned(),
            value,
        }
    }

    #[test]
    fn namespace_replaces_and_properties_are_set() {
        let csv = written(Vec::new(), "memo.v0.9", Repetition::Once);
        assert_eq!(csv["metadata"]["namespace"], "operators");
        assert_eq!(csv["spec"]["replaces"], "memo.v0.9");
        assert_eq!(
            csv["metadata"]["annotations"][PROPERTIES],
            r#"{"properties":[{"type":"olm.package","value":{"packageName":"memo","version":"1.0.0"}}]}"#
        );
        let csv = written(Vec::new(), "", Repetition::Once);
        assert_eq!((csv["spec"].get("replaces"), csv["spec"].get("bogus")), (None, None));
    }

    #[test]
    fn served_content_of_a_catalog_is_written() {
        let mut content = content(
            json!({"metadata": {"name": "memo.v1"}, "spec": {"version": "1.0.0"}}),
            Vec::new(),
        );
        content.properties = vec![property("olm.package"), property("olm.package.required")];
        content.served = Some(vec![property("olm.package")]);
        let csv = manifest(&content, "operators", "", Repetition::Once).unwrap();
        let annotation = csv["metadata"]["annotations"][PROPERTIES].as_str().unwrap();
        assert!(!annotation.contains("required"), "{annotation}");
        let csv = manifest(&content, "operators", "", Repetition::AsOlm).unwrap();
        let annotation = csv["metadata"]["annotations"][PROPERTIES].as_str().unwrap();
        assert_eq!(annotation.matches("olm.package.required").count(), 2);
    }

    #[test]
    fn requirements_are_listed_once_or_twice_like_olm_does() {
        let properties = vec![property("olm.package"), property("olm.package.required")];
        for (repetition, times) in [(Repetition::Once, 1), (Repetition::AsOlm, 2)] {
            let csv = written(properties.clone(), "", repetition);
            let annotation = csv["metadata"]["annotations"][PROPERTIES].as_str().unwrap();
            assert_eq!(annotation.matches("olm.package.required").count(), times);
            assert_eq!(annotation.matches(r"\u003e1 \u003c2").count(), times + 1);
        }
    }
}
