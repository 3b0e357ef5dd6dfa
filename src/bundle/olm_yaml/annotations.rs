//! Annotations of a Deployment or a CustomResourceDefinition that can replace keys of `metadata/olm.yaml`.
//!
//! The proposal collects information that manifests cannot express "through a mixture of resource annotations and an
//! `olm.yaml` file". It defines one annotation, for bindings; the annotations here follow its naming scheme. `olm.yaml`
//! takes precedence, and its four required keys have no annotation.

use super::{FIELDS, description_fields};
use crate::shape::{DRAFT_7, Field, Shape};
use serde_json::{Map, Value, json};

/// The common prefix of these annotations.
pub const PREFIX: &str = "operators.operatorframework.io.bundle.";

/// An annotation that can replace a key of `olm.yaml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Annotation {
    /// The key of the annotation.
    pub key: &'static str,
    /// The corresponding key of `olm.yaml`, or of an owned API description in `olm.yaml`.
    pub field: &'static str,
    /// The source of a value set by this annotation, for explanations.
    pub how: &'static str,
}

macro_rules! annotations {
    ($($field:literal)*) => {
        &[$(Annotation {
            key: concat!("operators.operatorframework.io.bundle.", $field),
            field: $field,
            how: concat!("the annotation operators.operatorframework.io.bundle.", $field),
        }),*]
    };
}

/// The annotations of a Deployment, which describe the operator as a whole.
pub const OF_DEPLOYMENT: &[Annotation] = annotations!(
    "displayName" "description" "maturity" "replaces" "skips" "keywords" "maintainers" "provider" "links" "icon" "labels"
    "selector" "annotations" "cleanup" "relatedImages" "release"
);

/// The annotations of a CustomResourceDefinition, which describe the defined kind in all its versions.
pub const OF_CRD: &[Annotation] = annotations!(
    "displayName" "description" "resources" "specDescriptors" "statusDescriptors" "actionDescriptors" "examples"
);

/// Sample custom resources: a single resource or a list.
pub const EXAMPLES: &str = "examples";

const SAMPLES: Field = Field::new(
    EXAMPLES,
    Shape::OneOf(
        &[Shape::List(&SAMPLE), SAMPLE],
        "a custom resource or a list of custom resources",
    ),
    crate::shape::Presence::Optional,
    "Sample custom resources of the kind, which become alm-examples.",
);

const SAMPLE: Shape = Shape::Map(&[], &Shape::Any);

impl Annotation {
    /// Returns the field that defines the valid values of an annotation of a Deployment.
    pub fn of_operator(&self) -> Option<&'static Field> {
        FIELDS.iter().find(|field| field.key == self.field)
    }

    /// Returns the field that defines the valid values of an annotation of a CustomResourceDefinition.
    pub fn of_kind(&self) -> Option<&'static Field> {
        static SAMPLES_FIELD: Field = SAMPLES;
        if self.field == EXAMPLES {
            return Some(&SAMPLES_FIELD);
        }
        description_fields("customresourcedefinitions").find(|field| field.key == self.field)
    }
}

/// Returns the keys that only `olm.yaml` can set.
pub fn required() -> impl Iterator<Item = &'static str> {
    let required = FIELDS.iter().filter(|field| field.presence.is_required());
    required.map(|field| field.key)
}

/// Whether values of this shape are written as plain strings in an annotation. All other values are YAML or JSON.
pub fn is_plain_text(shape: &Shape) -> bool {
    matches!(shape, Shape::Text | Shape::Syntax(_) | Shape::Choice(_))
}

/// Returns the JSON Schema (draft 7) of the annotations, as a schema of the annotated objects.
pub fn json_schema() -> Value {
    let of = |kind: &str, annotations: &[Annotation], field: fn(&Annotation) -> Option<&'static Field>| {
        let properties: Map<String, Value> = annotations
            .iter()
            .filter_map(|annotation| {
                let field = field(annotation)?;
                let form = if is_plain_text(&field.shape) {
                    String::new()
                } else {
                    format!(" Use {} in YAML or JSON.", field.shape.wanted())
                };
                let mut schema = json!({"type": "string", "description": format!("{}{form}", field.about)});
                if !field.example.is_empty() {
                    schema["examples"] = json!([field.example.trim_matches('"')]);
                }
                Some((annotation.key.to_owned(), schema))
            })
            .collect();
        json!({
            "if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]},
            "then": {"properties": {"metadata": {"properties": {"annotations": {"properties": properties}}}}},
        })
    };
    json!({
        "$schema": DRAFT_7,
        "title": "Annotations of the manifests of a k8s+v1 bundle",
        "description": "Information that manifests cannot express, set as annotations of a Deployment and of \
                        CustomResourceDefinitions. Values in metadata/olm.yaml take precedence. Among several \
                        Deployments, the first by name takes precedence.",
        "type": "object",
        "allOf": [
            of("Deployment", OF_DEPLOYMENT, Annotation::of_operator),
            of("CustomResourceDefinition", OF_CRD, Annotation::of_kind),
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Target;

    /// Every optional key that has a target.
    #[test]
    fn annotations_cover_exactly_the_optional_fields() {
        let apart = [
            "nativeAPIs",
            "csv",
            "customresourcedefinitions",
            "apiservicedefinitions",
        ];
        let fields = FIELDS.iter().filter(|field| {
            let inferred = field.target != Target::Nowhere && !apart.contains(&field.key);
            inferred && !field.presence.is_required()
        });
        let mut wanted: Vec<&str> = fields.map(|field| field.key).collect();
        let mut found: Vec<&str> = OF_DEPLOYMENT.iter().map(|annotation| annotation.field).collect();
        wanted.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, wanted);
        let described = description_fields("customresourcedefinitions").map(|field| field.key);
        let mut wanted: Vec<&str> = described.chain([EXAMPLES]).collect();
        let mut found: Vec<&str> = OF_CRD.iter().map(|annotation| annotation.field).collect();
        wanted.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, wanted);
        for annotation in OF_DEPLOYMENT.iter().chain(OF_CRD) {
            assert!(annotation.key.len() <= 63, "{} is too long", annotation.key);
            assert_eq!(annotation.key.strip_prefix(PREFIX), Some(annotation.field));
            assert!(annotation.how.ends_with(annotation.key));
        }
    }
}
