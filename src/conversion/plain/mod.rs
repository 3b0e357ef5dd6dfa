//! A CSV taken apart into the manifests that it stands for.

mod crds;
mod fit;
mod olm;
mod rbac;
mod services;
mod webhooks;

use super::compare::{Difference, Kind, differences};
use super::files::{Files, path_in, path_of};
use super::{Conversion, annotations};
use crate::bundle::{self, Bundle, MANIFESTS, METADATA, MediaType, OLM_YAML, is_csv};
use crate::csv::Csv;
use crate::diagnostic::{Diagnostic, has_errors};
use crate::kubernetes::names::is_dns1123_label;
use crate::manifest::Object;
use crate::rules;
use crate::source::{Place, Source};
use crate::synthesis::{Synthesis, synthesize};
use crate::text::{self, Limits, Path, to_json, to_yaml};
use crate::tree::{Tree, TreeError};
use olm::Optional;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Annotation of a CSV with the namespace that its author thinks of.
const SUGGESTED_NAMESPACE: &str = "operatorframework.io/suggested-namespace";

/// What the steps of the conversion share.
struct Work<'a> {
    csv: &'a Object,
    /// The objects beside the CSV, in the order of their files.
    others: Vec<&'a Object>,
    deployments: Vec<Deployment<'a>>,
    /// The namespace of the new manifests.
    namespace: String,
    files: Files,
    /// Objects beside the CSV that do not stay as they are, by index; `None` for those that go.
    changed: BTreeMap<usize, Option<Value>>,
    findings: Vec<Diagnostic>,
}

/// An entry of the install strategy.
struct Deployment<'a> {
    name: &'a str,
    labels: Option<&'a Value>,
    spec: &'a Value,
    /// The labels by which a Service finds its pods and no others.
    selector: Option<Map<String, Value>>,
}

impl<'a> Deployment<'a> {
    /// The service account of its pods.
    fn account(&self) -> &'a str {
        ["serviceAccountName", "serviceAccount"]
            .iter()
            .filter_map(|field| self.spec.pointer(&format!("/template/spec/{field}"))?.as_str())
            .find(|name| !name.is_empty())
            .unwrap_or("default")
    }

    fn pod_labels(&self) -> Map<String, Value> {
        let labels = self.spec.pointer("/template/metadata/labels");
        labels.and_then(Value::as_object).cloned().unwrap_or_default()
    }
}

/// Converts a `registry+v1` bundle.
pub(super) fn convert(
    tree: &Tree,
    bundle: &Bundle,
    reading: &[Diagnostic],
    target: &str,
    limits: &Limits,
) -> Result<Conversion, TreeError> {
    let (unreadable, mut findings) = unreadable_metadata(tree, reading);
    let refused = |diagnostics| Conversion {
        tree: None,
        diagnostics,
    };
    let Some(csv) = bundle.csv() else {
        let message = format!("{} has no ClusterServiceVersion", bundle.origin);
        findings.push(Diagnostic::new(&rules::CONVERT_CSV_MISSING, message));
        return Ok(refused(findings));
    };
    let mut work = Work {
        csv,
        others: bundle.objects.iter().filter(|object| !is_csv(object)).collect(),
        deployments: deployments(csv),
        namespace: String::new(),
        files: Files::default(),
        changed: BTreeMap::new(),
        findings,
    };
    rbac::refuse_wildcards(&mut work);
    if has_errors(&work.findings) {
        return Ok(refused(work.findings));
    }
    let extra = rbac::extra_accounts(&work);
    work.namespace = namespace(&work, bundle, &extra);
    for index in 0..work.deployments.len() {
        work.deployments[index].selector = services::selector_of(&work, index);
    }
    let carried = carry(tree, bundle, &mut work, &unreadable);
    annotations::carry(tree, &mut work.files, MediaType::K8sV1, limits);
    write_deployments(&mut work);
    rbac::write(&mut work);
    webhooks::write(&mut work);
    let changed = std::mem::take(&mut work.changed);
    for (index, value) in changed {
        let path = &carried[index];
        match value {
            Some(value) if path.ends_with(".json") => work.files.put(path, to_json(&value)),
            Some(value) => work.files.put(path, to_yaml(&value)),
            None => work.files.remove(path),
        }
    }
    let values = olm::values(&mut work, &extra);
    work.files.put(OLM_YAML, olm::text(&values, &[]));
    let files = std::mem::take(&mut work.files);
    let mut new = files.into_tree(target)?;
    let (synthesis, optional) = prove(&new, &values, csv);
    new.insert(OLM_YAML, olm::text(&values, &optional).into_bytes(), &super::UNLIMITED)?;
    match &synthesis.csv {
        Some(synthesized) => name_differences(&mut work, synthesized),
        None => {
            let errors = synthesis.diagnostics.into_iter().filter(Diagnostic::is_error);
            let moved = errors.map(|finding| in_source(finding, tree, &new, csv));
            work.findings.extend(moved);
        }
    }
    Ok(Conversion {
        tree: Some(new),
        diagnostics: work.findings,
    })
}

/// The metadata files that cannot be read, and the findings that remain. OLM passes such a file over, so it cannot
/// stand in the way, but the new bundle is better without it.
fn unreadable_metadata(tree: &Tree, reading: &[Diagnostic]) -> (Vec<String>, Vec<Diagnostic>) {
    let mut unreadable: Vec<String> = Vec::new();
    let mut findings = Vec::new();
    for finding in reading {
        let place = finding.place.as_ref().filter(|_| finding.is_error());
        let path = place.map(|place| path_in(tree, place.source.name()));
        let passed_over =
            |path: &&str| path.starts_with(&format!("{METADATA}/")) && *path != "metadata/annotations.yaml";
        match path.filter(passed_over) {
            Some(path) => {
                let message = format!("{path} is left out, because it cannot be read: {}", finding.message);
                let finding = Diagnostic::new(&rules::CONVERT_FILE_LEFT_OUT, message).at(finding.place.clone());
                findings.push(finding);
                unreadable.push(path.to_owned());
            }
            None => findings.push(finding.clone()),
        }
    }
    (unreadable, findings)
}

fn deployments(csv: &Object) -> Vec<Deployment<'_>> {
    let entries = Csv(csv.value()).deployments().iter();
    entries
        .map(|entry| Deployment {
            name: entry.get("name").and_then(Value::as_str).unwrap_or_default(),
            labels: entry.get("label"),
            spec: entry.get("spec").unwrap_or(&Value::Null),
            selector: None,
        })
        .collect()
}

/// A namespace for the new manifests: the one that the author's own files name, where no binding in the bundle gives
/// rights to accounts of that namespace.
fn namespace(work: &Work<'_>, bundle: &Bundle, extra: &[String]) -> String {
    let bound = rbac::bound_namespaces(work, extra);
    let in_stanzas = work.others.iter().filter_map(|object| {
        object
            .text(&["spec", "conversion", "webhook", "clientConfig", "service", "namespace"])
            .or(object.text(&["spec", "conversion", "webhookClientConfig", "service", "namespace"]))
    });
    let suggested = work.csv.text(&["metadata", "annotations", SUGGESTED_NAMESPACE]);
    let short = super::short_name(bundle, work.csv.name()).replace('.', "-");
    let usual = (1..).map(|number| match number {
        1 => format!("{short}-system"),
        number => format!("{short}-system-{number}"),
    });
    in_stanzas
        .chain(suggested)
        .filter(|name| is_dns1123_label(name))
        .map(str::to_owned)
        .chain(usual)
        .find(|name| !bound.contains(name.as_str()))
        .unwrap_or_default()
}

/// Carries every file over that is not the CSV's; returns the path of each object beside it.
fn carry(tree: &Tree, bundle: &Bundle, work: &mut Work<'_>, unreadable: &[String]) -> Vec<String> {
    let folder = format!("{MANIFESTS}/");
    let read: Vec<&str> = bundle.objects.iter().map(|object| path_of(tree, object)).collect();
    for (path, content) in tree.iter() {
        if read.contains(&path) || unreadable.iter().any(|other| other == path) {
            continue;
        }
        if path.starts_with(&folder) && is_read_from_plain_bundles(path) {
            let message = format!("{path} is left out: OLM does not read it from a registry+v1 bundle");
            work.findings
                .push(Diagnostic::new(&rules::CONVERT_FILE_LEFT_OUT, message));
        } else if path != OLM_YAML {
            work.files.put(path, content);
        }
    }
    for second in bundle.objects.iter().filter(|object| is_csv(object)).skip(1) {
        let message = format!("{} is left out: a bundle has one ClusterServiceVersion", second.label());
        let finding = Diagnostic::new(&rules::CONVERT_FILE_LEFT_OUT, message).object(second.label());
        work.findings.push(finding.at(second.name_place()));
    }
    let others = work.others.clone();
    others
        .into_iter()
        .map(|object| {
            let path = path_of(tree, object);
            let content = tree.get(path).unwrap_or_default();
            // In a registry+v1 bundle only the first document of a file counts, whatever the file is called.
            let alone = text::read(path, content, &generous()).documents.len() == 1;
            if is_read_from_plain_bundles(path) && alone {
                work.files.put(path, content);
                return path.to_owned();
            }
            let name = path.strip_prefix(&folder).unwrap_or(path);
            let name = name.trim_end_matches(".yaml").trim_end_matches(".yml");
            let path = work.files.free(name, "yaml");
            work.files.put(&path, to_yaml(object.value()));
            path
        })
        .collect()
}

fn is_read_from_plain_bundles(path: &str) -> bool {
    [".yaml", ".yml", ".json"].iter().any(|ending| path.ends_with(ending))
}

/// Limits for files that were read under the user's limits, or written here.
fn generous() -> Limits {
    Limits {
        file_bytes: usize::MAX,
        depth: Limits::MOST_DEPTH,
        documents: usize::MAX,
    }
}

fn write_deployments(work: &mut Work<'_>) {
    for deployment in &work.deployments {
        let mut metadata = json!({"name": deployment.name, "namespace": work.namespace});
        let labels = deployment
            .labels
            .filter(|labels| labels.as_object().is_some_and(|map| !map.is_empty()));
        if let Some(labels) = labels {
            metadata["labels"] = labels.clone();
        }
        let object =
            json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": deployment.spec});
        work.files.write(&format!("{}.deployment", deployment.name), &[object]);
    }
}

/// Synthesizes the new bundle. The APIs that its RBAC names and its CSV does not require are found out on the way.
fn prove(new: &Tree, values: &Map<String, Value>, csv: &Object) -> (Synthesis, Vec<Optional>) {
    let mut optional: Vec<Optional> = Vec::new();
    let reading = bundle::read(new, &generous());
    let name = format!("{}/{OLM_YAML}", new.origin().trim_end_matches('/'));
    let Some(mut bundle) = reading.bundle else {
        return (Synthesis::default(), optional);
    };
    loop {
        let text = olm::text(values, &optional);
        bundle.olm = text::read(&name, text.as_bytes(), &generous())
            .documents
            .into_iter()
            .next();
        let mut synthesis = synthesize(&bundle, &reading.diagnostics);
        let mut open: Vec<Optional> = unwanted(&synthesis, csv)
            .into_iter()
            .filter(|pair| !optional.contains(pair))
            .collect();
        if open.is_empty() {
            synthesis.diagnostics.extend(reading.diagnostics);
            return (synthesis, optional);
        }
        optional.append(&mut open);
        optional.sort();
        optional.dedup();
    }
}

/// What the synthesis requires, or would if it knew more, and the CSV does not.
fn unwanted(synthesis: &Synthesis, csv: &Object) -> Vec<Optional> {
    let open = synthesis.unresolved.iter();
    let mut pairs: Vec<Optional> = open.map(|api| (api.group.clone(), api.resource.clone())).collect();
    let text = |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    for section in ["customresourcedefinitions", "apiservicedefinitions"] {
        let keys = ["spec", section, "required"];
        let wanted = Csv(csv.value()).list(&keys);
        let required = synthesis
            .csv
            .as_ref()
            .map(|csv| Csv(csv).list(&keys))
            .unwrap_or_default();
        for entry in required {
            let same = |other: &Value| ["group", "name"].iter().all(|key| text(other, key) == text(entry, key));
            if !wanted.iter().any(same) {
                pairs.push(match text(entry, "name").split_once('.') {
                    Some((resource, group)) => (group.to_owned(), resource.to_owned()),
                    None => (text(entry, "group"), text(entry, "name")),
                });
            }
        }
    }
    pairs
}

/// Names every difference that no other finding names.
fn name_differences(work: &mut Work<'_>, synthesized: &Value) {
    for Difference { path, kind, what } in differences(work.csv.value(), synthesized) {
        // A list that lost an entry is another one; the entry is named already.
        let said = |finding: &Diagnostic| {
            let named = finding.path.as_deref().map(Path::parse);
            named.is_some_and(|named| {
                path.steps().starts_with(named.steps())
                    || kind == Kind::Changed && named.steps().starts_with(path.steps())
            })
        };
        if kind != Kind::Order && work.findings.iter().any(said) {
            continue;
        }
        let about = if what.is_empty() {
            String::new()
        } else {
            format!(" ({what})")
        };
        let (rule, message) = match kind {
            Kind::Lost => (
                &rules::CONVERT_FIELD_LOST,
                format!("{path}{about} cannot be told by manifests, so it is left out"),
            ),
            Kind::Added => (
                &rules::CONVERT_FIELD_ADDED,
                format!("{path} gets what the manifests say{about}"),
            ),
            Kind::Changed => (
                &rules::CONVERT_FIELD_CHANGED,
                format!("{path}{about} becomes what the manifests say"),
            ),
            Kind::Order => (
                &rules::CONVERT_ORDER,
                format!("the entries of {path} will stand in a fixed order"),
            ),
        };
        fit::report(&mut work.findings, work.csv, rule, message, &path);
    }
}

/// An error in the new bundle, at the place in the old one that it comes from: nobody will see the new one.
fn in_source(mut finding: Diagnostic, old: &Tree, new: &Tree, csv: &Object) -> Diagnostic {
    let Some(place) = finding.place.take() else {
        return finding;
    };
    finding.related.clear();
    let path = path_in(new, place.source.name());
    if new.get(path).is_some() && new.get(path) == old.get(path) {
        let name = format!("{}/{path}", old.origin().trim_end_matches('/'));
        return finding.at(Place::new(&Source::new(name, place.source.text()), place.span));
    }
    let spec = Path::root().key("spec");
    let guess = if path == OLM_YAML {
        let before = place.source.text().get(..place.span.end).unwrap_or_default();
        let lines = before
            .lines()
            .filter(|line| line.starts_with(|first: char| first.is_ascii_alphabetic()));
        match lines.last().and_then(|line| line.split_once(':')).map(|(key, _)| key) {
            Some("name") => Path::root().key("metadata").key("name"),
            Some("annotations") => Path::root().key("metadata").key("annotations"),
            Some("csv") | None => Path::root().key("metadata"),
            Some(key) => spec.key(key),
        }
    } else if finding.rule.id.starts_with("webhook-") {
        spec.key("webhookdefinitions")
    } else if finding.rule.id.starts_with("apiservice-") {
        spec.key("apiservicedefinitions")
    } else {
        spec.key("install").key("spec")
    };
    finding.object = Some(csv.label());
    finding.path = Some(guess.to_string());
    finding.at(csv.key_place(&guess))
}
