//! Turns APIServices into owned aggregated APIs.

use super::Work;
use super::draft::{Origin, Sourced};
use super::fate::Fate;
use super::overlay::Described;
use super::services::{self, ServiceReference, Target};
use super::webhooks::injected_certificates;
use crate::diagnostic::Diagnostic;
use crate::kubernetes::version::compare_priority;
use crate::rules;
use crate::text::Path;
use serde_json::{Value, json};

const GROUP: &str = "apiregistration.k8s.io";
const KIND: &str = "APIService";

/// A kind that an APIService of the bundle serves.
#[derive(Debug, Clone)]
pub(super) struct AggregatedKind {
    pub(super) group: String,
    pub(super) version: String,
    pub(super) kind: Sourced,
    /// Plural name.
    pub(super) resource: Sourced,
}

/// The positions of the bundle's APIServices.
pub(super) fn of(work: &Work<'_>) -> Vec<usize> {
    work.inventory.of(GROUP, KIND)
}

/// Follows each APIService to the Deployment that serves it.
pub(super) fn targets(work: &mut Work<'_>) -> Vec<Target> {
    let mut targets = Vec::new();
    for index in of(work) {
        targets.extend(target(work, index));
    }
    targets
}

fn target(work: &mut Work<'_>, index: usize) -> Option<Target> {
    let object = work.inventory.object(index);
    work.inventory.decide(
        index,
        Fate::Projected,
        "becomes an owned API, for which OLM creates an APIService",
    );
    let path = Path::root().key("spec").key("service");
    if !path.get(object.value()).is_some_and(Value::is_object) {
        let message = format!(
            "{} has no Service, so the API server itself would serve it",
            object.label()
        );
        let finding = Diagnostic::new(&rules::APISERVICE_LOCAL, message).object(object.label());
        work.report(finding.at(object.place(&Path::root().key("spec"))));
        return None;
    }
    let reference = ServiceReference {
        object,
        path,
        missing: &rules::APISERVICE_SERVICE_MISSING,
    };
    services::follow(work, &reference)
}

/// Writes one entry per kind of each APIService.
pub(super) fn project(work: &mut Work<'_>, known: &[Target], kinds: &[AggregatedKind]) {
    let mut apiservices = of(work);
    apiservices.sort_by(|left, right| {
        let of = |index: &usize| {
            let object = work.inventory.object(*index);
            let text = |key| object.text(&["spec", key]).unwrap_or_default();
            (text("group"), text("version"))
        };
        let (left, right) = (of(left), of(right));
        left.0.cmp(right.0).then_with(|| compare_priority(left.1, right.1))
    });
    let list = Path::root().key("spec").key("apiservicedefinitions").key("owned");
    let described = Described::of(work, "apiservicedefinitions", &["group", "version", "kind"]);
    let mut position = 0;
    for index in apiservices {
        let object = work.inventory.object(index);
        look_at(work, index);
        let text = |key| object.text(&["spec", key]).unwrap_or_default();
        let (group, version) = (text("group"), text("version"));
        let mut served: Vec<&AggregatedKind> = kinds
            .iter()
            .filter(|kind| kind.group == group && kind.version == version)
            .collect();
        served.sort_by(|left, right| (&left.kind.0, &left.resource.0).cmp(&(&right.kind.0, &right.resource.0)));
        served.dedup_by_key(|kind| (&kind.kind.0, &kind.resource.0));
        if served.is_empty() {
            let message = format!("the kinds that {} serves are unknown", object.label());
            let finding = Diagnostic::new(&rules::APISERVICE_KIND_MISSING, message)
                .object(object.label())
                .help(format!(
                    "List the kinds in metadata/olm.yaml: apiservicedefinitions: {{owned: [{{group: {group}, version: {version}, kind: …, name: <plural>}}]}}."
                ));
            work.report(finding.at(object.name_place()));
            continue;
        }
        let Some(target) = reference_target(work, index, known) else {
            continue;
        };
        let (port, origins) = match services::container_port(work, target) {
            Ok(found) => found,
            Err(finding) => {
                services::report_once(work, *finding);
                continue;
            }
        };
        for kind in served {
            let entry = list.index(position);
            position += 1;
            let from = |key: &str| Origin::object(object, &Path::root().key("spec").key(key));
            work.draft.copy(&entry.key("group"), from("group"));
            work.draft.copy(&entry.key("version"), from("version"));
            for (field, (text, origins)) in [("kind", &kind.kind), ("name", &kind.resource)] {
                work.draft
                    .put(&entry.key(field), text.as_str(), origins.iter().cloned());
            }
            let deployment = work.inventory.object(target.deployment);
            let name = Origin::object(deployment, &Path::root().key("metadata").key("name"));
            work.draft.copy(&entry.key("deploymentName"), name);
            work.draft.put(&entry.key("containerPort"), port, origins.clone());
            super::overlay::describe(work, &entry, &described);
        }
    }
    // The kinds of an APIService come from the descriptions in `olm.yaml`, so a description is reported only if no
    // APIService has the same group and version.
    let there = |entry: &Value| {
        kinds.iter().any(|kind| {
            let text = |key: &str| entry.get(key).and_then(Value::as_str);
            text("group") == Some(&kind.group) && text("version") == Some(&kind.version)
        })
    };
    let keys = ["group", "version", "kind"];
    super::overlay::report_unmatched(work, "apiservicedefinitions", &list, &keys, &there);
}

/// Returns the known target that this APIService refers to.
fn reference_target(work: &Work<'_>, index: usize, known: &[Target]) -> Option<Target> {
    let object = work.inventory.object(index);
    let text = |key: &str| object.text(&["spec", "service", key]);
    let service = work
        .inventory
        .service(text("name").unwrap_or_default(), text("namespace"))?;
    let number = object
        .get(&["spec", "service", "port"])
        .and_then(Value::as_u64)
        .unwrap_or(443);
    known
        .iter()
        .find(|target| target.service == service && target.number == number)
        .copied()
}

/// Reports the fields of an APIService that OLM replaces.
fn look_at(work: &mut Work<'_>, index: usize) {
    let object = work.inventory.object(index);
    injected_certificates(work, object, "is dropped");
    let spec = Path::root().key("spec");
    for (field, value) in [("groupPriorityMinimum", json!(2000)), ("versionPriority", json!(15))] {
        if object.get(&["spec", field]).is_some_and(|written| *written != value) {
            let message = format!("OLM sets {field} of {} to {value}", object.label());
            let finding = Diagnostic::new(&rules::APISERVICE_FIELDS, message).object(object.label());
            work.report(finding.at(object.place(&spec.key(field))));
        }
    }
    if object.get(&["spec", "insecureSkipTLSVerify"]) == Some(&Value::Bool(true)) {
        let message = format!(
            "OLM makes the API server verify {} with OLM's own certificate authority",
            object.label()
        );
        let finding = Diagnostic::new(&rules::APISERVICE_INSECURE, message).object(object.label());
        work.report(finding.at(object.place(&spec.key("insecureSkipTLSVerify"))));
    }
}
