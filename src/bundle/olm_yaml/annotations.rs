//! Annotations of a Deployment or a CustomResourceDefinition that say what `metadata/olm.yaml` says otherwise.
//!
//! The proposal gathers what manifests cannot say "through a mixture of resource annotations and an `olm.yaml` file".
//! It names one annotation, on bindings; these continue its name. What `olm.yaml` says has precedence, and what only it
//! can say, the four required keys, has no annotation.

use super::{FIELDS, description_fields};
use crate::shape::{DRAFT_7, Field, Shape};
use serde_json::{Map, Value, json};

/// How all of them begin.
pub const PREFIX: &str = "operators.operatorframework.io.bundle.";

/// One annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Annotation {
    /// The key of the annotation.
    pub key: &'static str,
    /// The key of `olm.yaml`, or of a description of an own API there.
    pub field: &'static str,
    /// How a value follows from it, for an explanation.
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

/// Those of a Deployment: about the operator as a whole.
pub const OF_DEPLOYMENT: &[Annotation] = annotations!(
    "displayName" "description" "maturity" "replaces" "skips" "keywords" "maintainers" "provider" "links" "icon" "labels"
    "selector" "annotations" "cleanup" "relatedImages" "release"
);

/// Those of a CustomResourceDefinition: about the kind that it defines, in each of its versions.
pub const OF_CRD: &[Annotation] = annotations!(
    "displayName" "description" "resources" "specDescriptors" "statusDescriptors" "actionDescriptors" "examples"
);

/// Sample custom resources, a list of them or one.
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
    /// What its value must be, for one of a Deployment.
    pub fn of_operator(&self) -> Option<&'static Field> {
        FIELDS.iter().find(|field| field.key == self.field)
    }

    /// What its value must be, for one of a CustomResourceDefinition.
    pub fn of_kind(&self) -> Option<&'static Field> {
        static SAMPLES_FIELD: Field = SAMPLES;
        if self.field == EXAMPLES {
            return Some(&SAMPLES_FIELD);
        }
        description_fields("customresourcedefinitions").find(|field| field.key == self.field)
    }
}

/// The keys that only `olm.yaml` can say.
pub fn required() -> impl Iterator<Item = &'static str> {
    let required = FIELDS.iter().filter(|field| field.presence.is_required());
    required.map(|field| field.key)
}

/// Whether a string stands in an annotation as it is. Every other value is written as YAML or JSON.
pub fn is_plain_text(shape: &Shape) -> bool {
    matches!(shape, Shape::Text | Shape::Syntax(_) | Shape::Choice(_))
}

/// The JSON Schema (draft 7) of the annotations, as a schema of the objects that carry them.
pub fn json_schema() -> Value {
    let of = |kind: &str, annotations: &[Annotation], field: fn(&Annotation) -> Option<&'static Field>| {
        let properties: Map<String, Value> = annotations
            .iter()
            .filter_map(|annotation| {
                let field = field(annotation)?;
                let form = if is_plain_text(&field.shape) {
                    String::new()
                } else {
                    format!(" YAML or JSON of {}.", field.shape.wanted())
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
        "description": "What manifests cannot say, said by annotations of a Deployment and of CustomResourceDefinitions. \
                        What metadata/olm.yaml says has precedence; of several Deployments, the first by name has.",
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

    /// K60: every field of the proposal's list that olm.yaml need not say.
    #[test]
    fn every_field_has_an_annotation_that_olm_yaml_need_not_say() {
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
