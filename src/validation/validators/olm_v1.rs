//! `olm-v1`: the reasons why OLM v1 does not install a bundle, as far as the bundle shows them.

use super::Input;
use crate::bundle::annotations::{MANIFESTS, PACKAGE};
use crate::bundle::{ANNOTATIONS_YAML, Bundle, MediaType, is_csv};
use crate::catalog::olm_v1::refusal::{Part, Refusal};
use crate::catalog::olm_v1::refusals;
use crate::csv::Csv;
use crate::diagnostic::Diagnostic;
use crate::manifest::{self, Object};
use crate::olm::dependency::Spelling;
use crate::rules;
use crate::source::Place;
use crate::synthesis::Shipping;
use serde_json::Value;

pub(super) fn check(input: &Input<'_>, findings: &mut Vec<Diagnostic>) {
    let bundle = input.bundle;
    let annotation = |key| bundle.annotations.as_ref().map(|annotations| annotations.place(key));
    if bundle.media_type == MediaType::K8sV1 && input.options.shipping == Shipping::Plain {
        findings.push(found(&refusals::plain(), None));
    }
    if let Some(annotations) = &bundle.annotations {
        let refusal = refusals::of_package(annotations.package());
        findings.extend(refusal.map(|refusal| found(&refusal, annotation(PACKAGE))));
        let refusal = annotations.get(MANIFESTS).and_then(refusals::of_folder);
        findings.extend(refusal.map(|refusal| found(&refusal, annotation(MANIFESTS))));
        if input.files.get(ANNOTATIONS_YAML).is_none() {
            let refusal = refusals::of_annotations_file(annotations.file());
            findings.push(found(&refusal, annotation(PACKAGE)));
        }
    }
    let read = objects(bundle);
    let csv = read.iter().copied().find(|object| is_csv(object));
    let (required, place) = dependencies(input, csv.map_or(Csv(&Value::Null), |csv| Csv(csv.value())));
    findings.extend(refusals::of_dependencies(required).map(|refusal| found(&refusal, place)));
    let Some(csv) = csv else { return };
    let objects: Vec<&Value> = read.iter().map(|object| object.value()).collect();
    for refusal in refusals::of_contents(Csv(csv.value()), Some(&objects)) {
        let (object, path) = match &refusal.part {
            Part::Metadata => (None, None),
            Part::Csv(path) => (Some(csv), Some(path)),
            Part::Object(index, path) => (read.get(*index).copied(), Some(path)),
        };
        let (Some(object), Some(path)) = (object, path) else {
            findings.push(found(&refusal, None));
            continue;
        };
        let place = object.place(path);
        findings.push(found(&refusal, Some(place)).object(object.label()).path(path));
    }
}

/// Returns the objects that OLM v1 reads: those of all documents, with the items of lists instead of the lists.
fn objects(bundle: &Bundle) -> Vec<&Object> {
    let of_first = bundle.objects.iter();
    let of_first = of_first.filter(|object| !manifest::is_list(Some(object.value())));
    of_first.chain(&bundle.passed_over).collect()
}

/// Describes the dependencies of the bundle; returns the place of the first one that has one.
fn dependencies(input: &Input<'_>, csv: Csv<'_>) -> (Vec<String>, Option<Place>) {
    let bundle = input.bundle;
    let depends = bundle.dependencies.iter().map(|entry| (entry, Spelling::Dependency));
    let listed = depends.chain(bundle.properties.iter().map(|entry| (entry, Spelling::Property)));
    let (mut described, mut place) = (Vec::new(), None);
    for (entry, spelling) in listed {
        if let Some(dependency) = refusals::dependency(&entry.kind, &entry.stored, spelling) {
            described.push(dependency);
            place = place.or_else(|| Some(entry.place.clone()));
        }
    }
    // In a catalog, the APIs that the ClusterServiceVersion requires are dependencies.
    described.extend(csv.apis("required").iter().map(refusals::described));
    (described, place)
}

fn found(refusal: &Refusal, place: Option<Place>) -> Diagnostic {
    let message = format!("OLM v1 does not install the bundle: {}", refusal.reason);
    Diagnostic::new(&rules::CLUSTER_OLM_V1, message)
        .help(refusal.help)
        .at(place)
}
