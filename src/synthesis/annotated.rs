//! Annotations of Deployments and CustomResourceDefinitions that replace values in `metadata/olm.yaml`.

use super::Work;
use super::draft::Origin;
use crate::bundle::olm_yaml::annotations::{self, Annotation, EXAMPLES, OF_CRD, OF_DEPLOYMENT, PREFIX, is_plain_text};
use crate::csv;
use crate::diagnostic::Diagnostic;
use crate::manifest::Object;
use crate::olm;
use crate::rules::{self, Severity};
use crate::shape::{Field, check, nearest};
use crate::text::{self, Limits, Path, to_json};
use serde_json::Value;
use std::collections::BTreeMap;

/// A value that an annotation sets, with the place of the annotation.
#[derive(Debug, Clone)]
pub(super) struct Annotated {
    pub(super) value: Value,
    pub(super) origin: Origin,
}

/// Values by their keys in `olm.yaml` or in an API description.
pub(super) type ByField = BTreeMap<&'static str, Annotated>;

/// Whether an annotation only sets a value of the bundle, so that the annotation need not be kept.
pub(super) fn is_about_bundle(key: &str) -> bool {
    key.starts_with(PREFIX)
}

/// Returns the values that the Deployments set. If several set different values, the first Deployment by name takes
/// precedence.
pub(super) fn of_deployments(work: &mut Work<'_>) -> ByField {
    let mut indexes = work.inventory.of("apps", "Deployment");
    indexes.sort_by_key(|index| work.inventory.object(*index).name());
    let mut said: BTreeMap<&'static str, (Annotated, &Object)> = BTreeMap::new();
    for index in indexes {
        let deployment = work.inventory.object(index);
        for (field, found) in read(work, deployment, OF_DEPLOYMENT, Annotation::of_operator) {
            let Some((first, of)) = said.get(field) else {
                said.insert(field, (found, deployment));
                continue;
            };
            if first.value != found.value {
                let message = format!(
                    "{} sets a different {field} than {}, which takes precedence",
                    deployment.label(),
                    of.label()
                );
                let mut finding = Diagnostic::new(&rules::OLM_ANNOTATION_VALUE, message).object(deployment.label());
                finding.severity = Severity::Warning;
                let finding = finding.help("Keep one of the two annotations.");
                work.findings.push(
                    finding
                        .at(found.origin.place())
                        .also(first.origin.place(), "this annotation takes precedence"),
                );
            }
        }
    }
    said.into_iter().map(|(field, (found, _))| (field, found)).collect()
}

/// Returns the values that a CustomResourceDefinition sets for its kind.
pub(super) fn of_crd(work: &mut Work<'_>, crd: &Object) -> ByField {
    let mut said = read(work, crd, OF_CRD, Annotation::of_kind);
    if let Some(resources) = said.get_mut("resources").and_then(|found| found.value.as_array_mut()) {
        for resource in resources {
            // OLM writes missing fields as empty strings.
            for absent in csv::absent_of_resource(resource) {
                resource[absent] = "".into();
            }
        }
    }
    said
}

/// Writes the examples from annotations of CustomResourceDefinitions into the CSV, unless the CSV already contains
/// examples.
pub(super) fn examples(work: &mut Work<'_>, crds: Vec<(&Object, Annotated)>) {
    let mut examples = Vec::new();
    let mut origins = Vec::new();
    for (crd, Annotated { value, origin }) in crds {
        let list = match value {
            Value::Array(list) => list,
            one => vec![one],
        };
        for example in list {
            let text = |key: &str| example.get(key).and_then(Value::as_str).unwrap_or_default();
            let group = text("apiVersion").split_once('/').map_or("", |(group, _)| group);
            let own = crd.text(&["spec", "group"]) == Some(group)
                && crd.text(&["spec", "names", "kind"]) == Some(text("kind"));
            if own {
                examples.push(example);
                continue;
            }
            let message = format!(
                "{} contains an example of {} {}",
                crd.label(),
                text("apiVersion"),
                text("kind")
            );
            let help = "Use examples of the kind that the CustomResourceDefinition defines.";
            let finding = Diagnostic::new(&rules::OLM_ANNOTATION_VALUE, message).object(crd.label());
            work.report(finding.help(help).at(origin.place()));
        }
        origins.push(origin);
    }
    let path = Path::root()
        .key("metadata")
        .key("annotations")
        .key(olm::annotation::EXAMPLES);
    if !examples.is_empty() && work.draft.get(&path).is_none() {
        let mut list = Value::from(examples);
        list.sort_all_objects();
        work.draft.put(&path, to_json(&list).trim_end().to_owned(), origins);
    }
}

/// Removes the examples from the annotated values of a CustomResourceDefinition, and returns the examples.
pub(super) fn take_examples(said: &mut ByField) -> Option<Annotated> {
    said.remove(EXAMPLES)
}

fn read(
    work: &mut Work<'_>,
    object: &Object,
    known: &[Annotation],
    field_of: fn(&Annotation) -> Option<&'static Field>,
) -> ByField {
    let mut said = ByField::new();
    let map = object.map(&["metadata", "annotations"]);
    let root = Path::root().key("metadata").key("annotations");
    for (key, value) in map.into_iter().flatten().filter(|(key, _)| is_about_bundle(key)) {
        let path = root.key(key);
        let Some(annotation) = known.iter().find(|annotation| annotation.key == key) else {
            unknown(work, object, key, known);
            continue;
        };
        let (Some(field), Some(text)) = (field_of(annotation), value.as_str()) else {
            continue;
        };
        let origin = Origin::object(object, &path).derived(annotation.how);
        let mut report = |message: String, help: Option<String>| {
            let mut finding = Diagnostic::new(&rules::OLM_ANNOTATION_VALUE, message).object(object.label());
            finding.help = help.or_else(|| Some(format!("Use {}: {}", field.shape.wanted(), field.about)));
            work.findings.push(finding.at(origin.place()));
        };
        // An icon without a colon is a path or base64, not YAML.
        let value = if is_plain_text(&field.shape) || annotation.field == "icon" && !text.contains(':') {
            Value::from(text)
        } else {
            let reading = text::read(key, text.as_bytes(), &Limits::default());
            match (
                reading.documents.first(),
                reading.diagnostics.iter().find(|finding| finding.is_error()),
            ) {
                (Some(document), None) => document.value().clone(),
                (_, problem) => {
                    let reason = problem.map_or("the value is empty", |problem| problem.message.as_str());
                    report(
                        format!("the annotation {key} of {} is not YAML: {reason}", object.label()),
                        None,
                    );
                    continue;
                }
            }
        };
        let problems = check(&value, &field.shape, 1);
        if let Some(problem) = problems.first() {
            report(
                format!(
                    "in the annotation {key} of {}, {}",
                    object.label(),
                    problem.message("the value")
                ),
                problem.help(text),
            );
            continue;
        }
        said.insert(annotation.field, Annotated { value, origin });
    }
    said
}

/// Reports an unknown key, because the mistake would otherwise go unnoticed.
fn unknown(work: &mut Work<'_>, object: &Object, key: &str, known: &[Annotation]) {
    let message = format!("the annotation {key} has no effect on {}", object.label());
    let field = key.strip_prefix(PREFIX).unwrap_or_default();
    let required = annotations::required().any(|required| required == field);
    let help = match nearest(field, known.iter().map(|annotation| annotation.field)) {
        _ if required => format!("Set {field} in metadata/olm.yaml, where it is required."),
        _ if field == "dependency" => "Move the annotation to a RoleBinding or a ClusterRoleBinding.".to_owned(),
        Some(field) => format!("Did you mean {PREFIX}{field}?"),
        None => "`opmx bundle schema annotations` lists the known annotations.".to_owned(),
    };
    let finding = Diagnostic::new(&rules::OLM_ANNOTATION_KEY, message).object(object.label());
    let path = Path::root().key("metadata").key("annotations").key(key);
    work.report(finding.help(help).at(object.key_place(&path)));
}
