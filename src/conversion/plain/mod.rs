//! Splits a CSV into the equivalent manifests.

mod crds;
mod fit;
mod olm;
mod proof;
mod rbac;
mod services;
mod webhooks;

use super::files::{Files, extension, is_read, path_in, path_of, with_one_document};
use super::{Conversion, annotations, optional};
use crate::bundle::generated_name::generated_name;
use crate::bundle::{Bundle, MANIFESTS, METADATA, MediaType, OLM_YAML, is_csv};
use crate::csv::Csv;
use crate::diagnostic::{Diagnostic, has_errors};
use crate::kubernetes::names::{MOST_OF_LABEL, is_dns1123_label};
use crate::manifest::Object;
use crate::olm::annotation::SUGGESTED_NAMESPACE;
use crate::olm::optional_manifest::OptionalManifest;
use crate::rules;
use crate::synthesis::is_moved;
use crate::text::{Limits, to_json, to_yaml};
use crate::tree::{Tree, TreeError, TreeLimits};
use proof::{in_source, name_differences, prove};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The state that the steps of the conversion share.
struct Work<'a> {
    csv: &'a Object,
    /// The objects other than the CSV, in the order of their files.
    others: Vec<&'a Object>,
    deployments: Vec<Deployment<'a>>,
    /// The namespace of the new manifests.
    namespace: String,
    files: Files,
    /// Objects other than the CSV that change, by position; `None` for removed objects.
    changed: BTreeMap<usize, Option<Value>>,
    findings: Vec<Diagnostic>,
}

/// An entry of the install strategy.
struct Deployment<'a> {
    name: &'a str,
    labels: Option<&'a Value>,
    spec: &'a Value,
    /// The labels by which a Service selects only the pods of this Deployment.
    selector: Option<Map<String, Value>>,
}

impl<'a> Deployment<'a> {
    /// Returns the service account of the pods.
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
    let others = work.others.clone();
    let message = "entries of olm.manifests.optional that match no manifest are omitted if they would match one in the \
         new bundle, whose manifests have no namespaces";
    optional::carry(tree, bundle, &mut work.files, &mut work.findings, message, |value| {
        without_misses(value, &others)
    });
    write_deployments(&mut work);
    rbac::write(&mut work);
    webhooks::write(&mut work);
    let changed = std::mem::take(&mut work.changed);
    for (index, value) in changed {
        let path = &carried[index];
        match value {
            Some(value) if extension(path) == Some("json") => work.files.put(path, to_json(&value)),
            Some(value) => work.files.put(path, to_yaml(&value)),
            None => work.files.remove(path),
        }
    }
    let values = olm::values(&mut work, &extra);
    work.files.put(OLM_YAML, olm::text(&values, &[]));
    let files = std::mem::take(&mut work.files);
    let mut new = files.into_tree(target)?;
    let (synthesis, optional) = prove(&new, &values, csv);
    new.insert(
        OLM_YAML,
        olm::text(&values, &optional).into_bytes(),
        &TreeLimits::UNLIMITED,
    )?;
    if let Some(synthesized) = &synthesis.csv {
        name_differences(&mut work, synthesized);
    } else {
        let errors = synthesis.diagnostics.into_iter().filter(Diagnostic::is_error);
        let moved = errors.map(|finding| in_source(finding, tree, &new, csv));
        work.findings.extend(moved);
    }
    Ok(Conversion {
        tree: Some(new),
        diagnostics: work.findings,
    })
}

/// Removes the entries without a namespace that match no object, but would match an object without its namespace. A
/// k8s+v1 bundle ships objects without their namespaces, so such an entry would start to match. Returns `None` if
/// nothing changes.
fn without_misses(value: &Value, objects: &[&Object]) -> Option<Value> {
    let mut kept = value.clone();
    let list = kept.get_mut("manifests")?.as_array_mut()?;
    list.retain(|entry| {
        let Ok(entry) = serde_json::from_value::<OptionalManifest>(entry.clone()) else {
            return true;
        };
        let named = |object: &&&Object| entry.names(object.value());
        let elsewhere = |object: &&&Object| {
            let placed = OptionalManifest {
                namespace: object.namespace().unwrap_or_default().to_owned(),
                ..entry.clone()
            };
            entry.namespace.is_empty() && is_moved(object) && placed.names(object.value())
        };
        objects.iter().any(|object| named(&object)) || !objects.iter().any(|object| elsewhere(&object))
    });
    (kept != *value).then_some(kept)
}

/// Returns the metadata files that cannot be read, and the findings. OLM ignores these files, so their errors do not
/// prevent the conversion: each error becomes a finding, which says that the file is omitted.
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
                let message = format!("{path} is omitted, because it cannot be read: {}", finding.message);
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

/// Returns a namespace for the new manifests: the first one that a conversion webhook or the CSV specifies, or else a
/// name such as `NAME-system`. Skips namespaces to whose accounts a binding in the bundle grants permissions.
fn namespace(work: &Work<'_>, bundle: &Bundle, extra: &[String]) -> String {
    let bound = rbac::bound_namespaces(work, extra);
    let in_stanzas = work.others.iter().filter_map(|object| {
        object
            .text(&["spec", "conversion", "webhook", "clientConfig", "service", "namespace"])
            .or(object.text(&["spec", "conversion", "webhookClientConfig", "service", "namespace"]))
    });
    let suggested = work.csv.text(&["metadata", "annotations", SUGGESTED_NAMESPACE]);
    let short = super::short_name(bundle, work.csv.name()).to_ascii_lowercase();
    let label = short.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
    let label = Some(label.trim_matches('-'))
        .filter(|label| !label.is_empty())
        .unwrap_or("operator");
    let usual = (1..).map(|number| match number {
        1 => generated_name(label, "-system", MOST_OF_LABEL),
        number => generated_name(label, &format!("-system-{number}"), MOST_OF_LABEL),
    });
    in_stanzas
        .chain(suggested)
        .filter(|name| is_dns1123_label(name))
        .map(str::to_owned)
        .chain(usual)
        .find(|name| !bound.contains(name.as_str()))
        .unwrap_or_default()
}

/// Copies all files except that of the CSV; returns the path of each object other than the CSV.
fn carry(tree: &Tree, bundle: &Bundle, work: &mut Work<'_>, unreadable: &[String]) -> Vec<String> {
    let folder = format!("{MANIFESTS}/");
    let read: BTreeSet<&str> = bundle.objects.iter().map(|object| path_of(tree, object)).collect();
    for (path, content) in tree.iter() {
        if read.contains(path) || unreadable.iter().any(|other| other == path) {
            continue;
        }
        if path.starts_with(&folder) && is_read(path) {
            let message = format!("{path} is omitted, because OLM does not read it from a registry+v1 bundle");
            work.findings
                .push(Diagnostic::new(&rules::CONVERT_FILE_LEFT_OUT, message));
        } else if path != OLM_YAML {
            work.files.put(path, content);
        }
    }
    for second in bundle.objects.iter().filter(|object| is_csv(object)).skip(1) {
        let message = format!(
            "{} is omitted, because a bundle can have only one ClusterServiceVersion",
            second.label()
        );
        let finding = Diagnostic::new(&rules::CONVERT_FILE_LEFT_OUT, message).object(second.label());
        work.findings.push(finding.at(second.name_place()));
    }
    let others = work.others.clone();
    // In a registry+v1 bundle, only the first document of a file counts, regardless of the file name.
    let single = with_one_document(tree, others.iter().copied(), &Limits::UNLIMITED);
    others
        .into_iter()
        .map(|object| {
            let path = path_of(tree, object);
            let content = tree.get(path).unwrap_or_default();
            if is_read(path) && single.contains(path) {
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
