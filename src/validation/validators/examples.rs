//! Checks the examples of custom resources (a JSON list inside an annotation) and their APIs.

use super::found;
use crate::csv::Csv;
use crate::diagnostic::Diagnostic;
use crate::kubernetes::GroupVersionKind;
use crate::manifest::Object;
use crate::olm::annotation::EXAMPLES;
use crate::rules;
use crate::source::Place;
use crate::text::{Document, Limits, Path, kind_of};
use serde_json::Value;
use std::collections::BTreeMap;

/// The alternative annotation for the examples.
const OTHER: &str = "olm.examples";

pub(super) fn check(object: &Object, csv: Csv<'_>, reference: bool, findings: &mut Vec<Diagnostic>) {
    let annotations = Path::from("metadata.annotations");
    let Some(map) = csv.annotations().filter(|map| !map.is_empty()) else {
        let message = "the ClusterServiceVersion has no annotations";
        findings.push(found(&rules::CSV_ANNOTATIONS_MISSING, object, &annotations, message));
        return;
    };
    let key = match (map.contains_key(EXAMPLES), map.contains_key(OTHER)) {
        (false, false) => {
            let message = format!("there is no annotation {EXAMPLES} with examples of custom resources");
            findings.push(found(&rules::CSV_EXAMPLES_MISSING, object, &annotations, message));
            return;
        }
        (false, true) => OTHER,
        (true, false) => EXAMPLES,
        (true, true) => {
            let message = format!("there are both {EXAMPLES} and {OTHER}; only {EXAMPLES} is read");
            let path = annotations.key(OTHER);
            let finding = found(&rules::CSV_EXAMPLES_BOTH, object, &path, message);
            findings.push(finding.at(object.key_place(&path)));
            EXAMPLES
        }
    };
    let mut problems = Vec::new();
    let examples = read(object, key, &mut problems);
    if !problems.is_empty() {
        // The original stops at the first problem.
        problems.truncate(if reference { 1 } else { usize::MAX });
        findings.append(&mut problems);
        return;
    }
    let provided = provided(object, csv, findings);
    compare(object, key, &examples, &provided, findings);
}

/// The kinds of the examples. Each kind has the document and the path of its first example, because finding a place
/// takes time.
type Examples = BTreeMap<GroupVersionKind, (Document, Path)>;

/// Reads the examples.
fn read(object: &Object, key: &str, problems: &mut Vec<Diagnostic>) -> Examples {
    let path = Path::from("metadata.annotations").key(key);
    let mut report = |message: String, place: Place| {
        let finding = found(&rules::CSV_EXAMPLES_JSON, object, &path, message);
        problems.push(finding.at(place));
    };
    let mut examples = BTreeMap::new();
    let Some(text) = object.text(&["metadata", "annotations", key]) else {
        return examples;
    };
    if text.trim().is_empty() {
        return examples;
    }
    if !text.trim_start().starts_with(['[', '{']) {
        report(format!("{key} is not a JSON list"), object.place(&path));
        return examples;
    }
    let (document, root) = object.document();
    let reading = document.embedded(&root.join(&path), &Limits::default());
    // If a key appears twice, Go uses the last value.
    let errors = reading
        .diagnostics
        .iter()
        .filter(|problem| problem.is_error() && problem.rule != &rules::YAML_DUPLICATE_KEY);
    for problem in errors {
        let place = problem.place.clone().unwrap_or_else(|| object.place(&path));
        report(format!("{key}: {}", problem.message), place);
    }
    if let Some(document) = reading.documents.first() {
        list(key, document, &mut examples, &mut report);
    }
    examples
}

fn list(key: &str, document: &Document, examples: &mut Examples, report: &mut dyn FnMut(String, Place)) {
    let items = match document.value() {
        Value::Array(items) => items,
        Value::Null => return,
        other => {
            let message = format!("{key} is {}, not a list of custom resources", kind_of(other));
            return report(message, document.place(&Path::root()));
        }
    };
    for (index, example) in items.iter().enumerate() {
        let path = Path::root().index(index);
        let text = |key: &str| example.get(key).and_then(Value::as_str).unwrap_or_default();
        if !example.is_object() {
            let message = format!("{key}[{index}] is {}, not a custom resource", kind_of(example));
            report(message, document.place(&path));
        } else if text("kind").is_empty() {
            report(format!("{key}[{index}] has no kind"), document.place(&path.key("kind")));
        } else {
            let gvk = GroupVersionKind::from_api_version(text("apiVersion"), text("kind"));
            let first = || (document.clone(), path.key("kind"));
            examples.entry(gvk).or_insert_with(first);
        }
    }
}

/// Returns the kinds that the CSV owns, with the paths of their entries.
fn provided(object: &Object, csv: Csv<'_>, findings: &mut Vec<Diagnostic>) -> BTreeMap<GroupVersionKind, Path> {
    let mut provided = BTreeMap::new();
    let list = Path::from("spec.customresourcedefinitions.owned");
    for (index, api) in csv.owned_crds().enumerate() {
        if let Some(gvk) = api.gvk() {
            provided.entry(gvk).or_insert_with(|| list.index(index));
        } else {
            let message = format!("the owned CRD {:?} is not named <plural>.<group>", api.name());
            let path = list.index(index).key("name");
            findings.push(found(&rules::CSV_OWNED_CRD_NAME_SHAPE, object, &path, message));
        }
    }
    let list = Path::from("spec.apiservicedefinitions.owned");
    for (index, gvk) in csv.owned_api_services().enumerate() {
        provided.entry(gvk).or_insert_with(|| list.index(index));
    }
    provided
}

fn compare(
    object: &Object,
    key: &str,
    examples: &Examples,
    provided: &BTreeMap<GroupVersionKind, Path>,
    findings: &mut Vec<Diagnostic>,
) {
    let annotation = Path::from("metadata.annotations").key(key);
    for (gvk, (document, path)) in examples.iter().filter(|(gvk, _)| !provided.contains_key(gvk)) {
        let message = format!(
            "{key} has an example of {}, which the operator does not provide",
            api_and_kind(gvk)
        );
        let finding = found(&rules::CSV_EXAMPLE_WITHOUT_PROVIDED_API, object, &annotation, message);
        findings.push(finding.at(document.place(path)));
    }
    for (gvk, path) in provided.iter().filter(|(gvk, _)| !examples.contains_key(gvk)) {
        let message = format!("{} is provided, but {key} has no example of it", api_and_kind(gvk));
        let rule = &rules::CSV_PROVIDED_API_WITHOUT_EXAMPLE;
        let finding = found(rule, object, &path.key("kind"), message);
        findings.push(finding.also(object.place(&annotation), "the examples"));
    }
}

fn api_and_kind(gvk: &GroupVersionKind) -> String {
    format!("{} {}", gvk.api_version(), gvk.kind)
}
