//! Checks the synthesized `ClusterServiceVersion` against the rules of OLM and of catalogs that concern the whole
//! `ClusterServiceVersion` rather than a single manifest.

use super::fate::Outcome;
use super::{Provenance, Work, samples};
use crate::bundle::versioned_name::wrong_name;
use crate::bundle::{Bundle, size};
use crate::csv::annotation_in_other_case;
use crate::diagnostic::Diagnostic;
use crate::image::check_pullable;
use crate::kubernetes::GroupVersionKind;
use crate::kubernetes::names::is_csv_name;
use crate::olm::annotation::EXAMPLES;
use crate::rules::{self, Severity};
use crate::source::Place;
use crate::steps;
use crate::text::{Limits, Path, Step, canonical, kind_of};
use serde_json::Value;
use std::collections::BTreeSet;

/// Checks the written CSV.
pub(super) fn check(work: &mut Work<'_>, bundle: &Bundle) {
    annotation_keys(work);
    examples(work);
    related_images(work);
    release_name(work, bundle);
    both_ways(work);
}

/// Returns the kinds that the CSV lists as owned.
pub(super) fn provided(work: &Work<'_>) -> BTreeSet<GroupVersionKind> {
    apis(work, "owned").into_iter().map(|(kind, _)| kind).collect()
}

/// Returns the kinds in the owned or required lists of the CSV, custom and aggregated, with the paths of their entries.
fn apis(work: &Work<'_>, list: &str) -> Vec<(GroupVersionKind, Path)> {
    let mut kinds = Vec::new();
    for section in ["customresourcedefinitions", "apiservicedefinitions"] {
        let path = Path::root().key("spec").key(section).key(list);
        let entries = work.draft.get(&path).and_then(Value::as_array);
        for (index, entry) in entries.into_iter().flatten().enumerate() {
            let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
            let of_crd = text("name").split_once('.').map_or("", |(_, group)| group);
            let group = if entry.get("group").is_some() {
                text("group")
            } else {
                of_crd
            };
            let kind = GroupVersionKind::new(group, text("version"), text("kind"));
            kinds.push((kind, path.index(index)));
        }
    }
    kinds
}

fn annotation_keys(work: &mut Work<'_>) {
    let keys = work.olm.get(&["annotations"]).and_then(Value::as_object);
    for key in keys.into_iter().flat_map(|map| map.keys()) {
        if let Some(exact) = annotation_in_other_case(key) {
            let message = format!("OLM does not know the annotation {key}; use {exact}");
            let path = Path::root().key("annotations").key(key);
            let finding = Diagnostic::new(&rules::CSV_ANNOTATION_CASE, message);
            work.report(finding.at(work.olm.document().key_place(&path)));
        }
    }
}

/// Checks that the examples are a list of objects of provided kinds, as JSON text or as a list.
fn examples(work: &mut Work<'_>) {
    let from = Path::root().key("annotations").key(EXAMPLES);
    let olm = work.olm;
    match olm.get(&["annotations", EXAMPLES]) {
        Some(Value::String(text)) if !text.trim().is_empty() => {
            let reading = olm.document().embedded(&from, &Limits::default());
            // All programs that read the examples are written in Go, whose JSON decoder uses the last value of a
            // repeated key.
            let (repeated, errors): (Vec<_>, Vec<_>) = reading
                .diagnostics
                .into_iter()
                .filter(Diagnostic::is_error)
                .partition(|problem| problem.rule == &rules::YAML_DUPLICATE_KEY);
            if let (true, Some(document)) = (errors.is_empty(), reading.documents.first()) {
                each_example(work, document.value(), &|path| document.place(path));
            }
            for problem in errors {
                let message = format!("{EXAMPLES}: {}", problem.message);
                work.report(Diagnostic::new(&rules::CSV_EXAMPLES_JSON, message).at(problem.place));
            }
            for problem in repeated {
                let message = format!("in {EXAMPLES} {}", problem.message);
                let mut finding = Diagnostic::new(&rules::CSV_EXAMPLES_JSON, message);
                finding.severity = Severity::Warning;
                work.report(finding.at(problem.place));
            }
        }
        Some(value @ (Value::Array(_) | Value::Object(_))) => {
            each_example(work, value, &|path| olm.place(&from.join(path)));
        }
        _ => {}
    }
}

fn each_example(work: &mut Work<'_>, examples: &Value, place: &dyn Fn(&Path) -> Place) {
    let Some(list) = examples.as_array() else {
        let message = format!("{EXAMPLES} is {}, not a list", kind_of(examples));
        return work.report(Diagnostic::new(&rules::CSV_EXAMPLES_JSON, message).at(place(&Path::root())));
    };
    let provided = provided(work);
    for (index, example) in list.iter().enumerate() {
        let path = Path::root().index(index);
        if !example.is_object() {
            let message = format!("{EXAMPLES}[{index}] is {}, not an object", kind_of(example));
            work.report(Diagnostic::new(&rules::CSV_EXAMPLES_JSON, message).at(place(&path)));
            continue;
        }
        let text = |key: &str| example.get(key).and_then(Value::as_str).unwrap_or_default();
        let gvk = GroupVersionKind::from_api_version(text("apiVersion"), text("kind"));
        if let Some(finding) = samples::not_provided(&gvk, &provided) {
            let key = if example.get("kind").is_some() {
                path.key("kind")
            } else {
                path
            };
            work.report(finding.at(place(&key)));
        }
    }
}

fn related_images(work: &mut Work<'_>) {
    for (index, entry) in work.olm.list(&["relatedImages"]).iter().enumerate() {
        let path = Path::root().key("relatedImages").index(index).key("image");
        let Some(image) = entry.get("image").and_then(Value::as_str) else {
            continue;
        };
        let Err(problem) = check_pullable(image) else {
            continue;
        };
        let finding = Diagnostic::new(&rules::BUNDLE_RELATEDIMAGE_FORMAT, format!("{path} {problem}"));
        work.report(finding.at(work.olm.place(&path)));
    }
}

/// Checks that the name of a bundle with a release contains this release.
fn release_name(work: &mut Work<'_>, bundle: &Bundle) {
    let text = |key: &str| work.olm.text(&[key]).filter(|text| !text.is_empty());
    let package = bundle.annotations.as_ref().map(crate::bundle::Annotations::package);
    let (Some(release), Some(name), Some(version)) = (text("release"), text("name"), text("version")) else {
        return;
    };
    // A name that no cluster accepts is a finding of its own.
    if !is_csv_name(name) {
        return;
    }
    if let Some(wrong) = wrong_name(name, package.unwrap_or_default(), version, release) {
        let finding = Diagnostic::new(&rules::BUNDLE_RELEASE_NAME, wrong.message);
        let finding = match wrong.help {
            Some(help) => finding.help(help),
            None => finding,
        };
        work.report(finding.at(work.olm.place(&Path::root().key("name"))));
    }
}

/// Reports APIs that the bundle both provides and requires. In the same version, OLM treats the requirement as
/// satisfied. In another version, the requirement cannot be satisfied, because no other bundle may provide the API.
fn both_ways(work: &mut Work<'_>) {
    let owned = apis(work, "owned");
    for (required, path) in apis(work, "required") {
        let same = owned.iter().find(|(kind, _)| *kind == required);
        let other = || owned.iter().find(|(kind, _)| kind.is(&required.group, &required.kind));
        if let Some((_, owner)) = same.or_else(other) {
            let (kind, group) = (&required.kind, &required.group);
            let message = format!("{kind} of {group} is required, but this bundle provides it");
            let mut finding = Diagnostic::new(&rules::CSV_API_BOTH_WAYS, message);
            if same.is_some() {
                finding.severity = Severity::Warning;
                finding = finding.help("Remove the requirement, because it is always satisfied.");
            }
            let (place, owner) = (
                work.draft.place(&path.key("kind")),
                work.draft.place(&owner.key("kind")),
            );
            work.report(match owner {
                Some(owner) => finding.at(place).also(owner, "the API is provided here"),
                None => finding.at(place),
            });
        }
    }
}

/// Checks the nesting of the CSV: a Deployment is nested deeper in a CSV than in its manifest, so a manifest within the
/// limit can lead to a CSV that no reader accepts.
pub(super) fn nesting(csv: &Value, provenance: &Provenance) -> Option<Diagnostic> {
    let deepest = beyond(csv, Limits::MOST_DEPTH)?;
    let message = format!(
        "lists and maps are nested more than {} deep in the ClusterServiceVersion",
        Limits::MOST_DEPTH
    );
    let finding = Diagnostic::new(&rules::YAML_TOO_DEEP, message).help("Flatten this value.");
    Some(match provenance.origin(&deepest) {
        Some(origin) => finding.at(origin.place()),
        None => finding,
    })
}

/// Returns the path of the first list or map that is nested more than `depth` deep.
fn beyond(value: &Value, depth: usize) -> Option<Path> {
    let inside = |step: Step, value: &Value, depth: usize| {
        let mut path = beyond(value, depth)?;
        path.prepend(step);
        Some(path)
    };
    match (value, depth.checked_sub(1)) {
        (Value::Array(_) | Value::Object(_), None) => Some(Path::root()),
        (Value::Array(items), Some(depth)) => {
            let mut items = items.iter().enumerate();
            items.find_map(|(index, item)| inside(Step::Index(index), item, depth))
        }
        (Value::Object(map), Some(depth)) => map
            .iter()
            .find_map(|(key, value)| inside(key.as_str().into(), value, depth)),
        _ => None,
    }
}

/// Checks the size of the CSV and the kept objects: as the content that OLM will unpack, each compressed separately,
/// and, if `inline` is set, in an index that embeds them.
pub(super) fn sizes(csv: &Value, outcomes: &[Outcome], inline: bool) -> Vec<Diagnostic> {
    let text = canonical::to_string(csv);
    let shipped = outcomes.iter().filter_map(|outcome| {
        let value = outcome.shipped()?;
        Some((outcome, value, canonical::to_string(value)))
    });
    let shipped: Vec<(&Outcome, &Value, String)> = shipped.collect();
    let mut files = vec![text.as_bytes()];
    files.extend(shipped.iter().map(|(_, _, text)| text.as_bytes()));
    let unpacked = size::finding(&files).map(|(finding, largest)| {
        let of_object = largest.index.checked_sub(1).and_then(|index| shipped.get(index));
        match of_object {
            Some((outcome, ..)) => at_largest(finding, outcome, largest.bytes),
            None => finding,
        }
    });
    let others = shipped.iter().map(|(_, value, text)| (*value, text.as_bytes()));
    let embedded = inline.then(|| steps::inline_finding((csv, text.as_bytes()), others));
    let embedded = embedded.flatten().map(|finding| {
        let largest = shipped.iter().max_by_key(|(_, _, text)| text.len());
        match largest {
            Some((outcome, _, text)) => at_largest(finding, outcome, text.len()),
            None => finding,
        }
    });
    unpacked.into_iter().chain(embedded).collect()
}

fn at_largest(finding: Diagnostic, outcome: &Outcome, bytes: usize) -> Diagnostic {
    let (label, help) = (outcome.object.label(), finding.rule.help);
    let help = format!("The largest part is {label} with {bytes} bytes. {help}");
    finding.help(help).object(label).at(outcome.object.name_place())
}
