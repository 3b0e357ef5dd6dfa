//! Creates `metadata/olm.yaml` from the values of a CSV that manifests cannot express.

use super::fit::{fit, lost, report};
use super::{Work, crds};
use crate::bundle::olm_yaml::{ANY_KUBE_VERSION, FIELDS, targeted};
use crate::csv;
use crate::olm::install_mode::{ALL_NAMESPACES, INSTALL_MODES};
use crate::rules;
use crate::shape::{Shape, Target};
use crate::text::{Path, Step, to_yaml};
use crate::value::is_empty;
use crate::version::parse_strict;
use serde_json::{Map, Value, json};

/// The version that OLM assumes for a CSV without one.
const NO_VERSION: &str = "0.0.0";

/// Fields of `metadata` that a cluster writes, or that OLM sets on installation.
const SET_BY_CLUSTER: [&str; 8] = [
    "namespace",
    "creationTimestamp",
    "generation",
    "managedFields",
    "ownerReferences",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// The fields that an entry of an owned API repeats from the manifests.
const INFERRED: [&str; 2] = ["deploymentName", "containerPort"];

/// A resource that RBAC rules name but the CSV does not require, as group and plural name.
pub(super) type Optional = (String, String);

/// Returns the keys and values, in the order of the file, without the hints about APIs.
pub(super) fn values(work: &mut Work<'_>, extra_accounts: &[String]) -> Map<String, Value> {
    let csv = work.csv;
    unknown_fields(work);
    let mut values = Map::new();
    for (to, field) in targeted() {
        let (Target::Copied(path) | Target::Made(path)) = field.target else {
            continue;
        };
        let from = Path::parse(path);
        let value = match field.key {
            "version" => Some(version(work, &from).into()),
            "minKubeVersion" => Some(min_kube_version(work, &from).into()),
            "installModes" => Some(install_modes(work, &from, &field.shape)),
            _ => fit(&mut work.findings, csv, &from, &field.shape, &INFERRED)
                .filter(|value| field.target == Target::Copied(path) || !is_empty(value)),
        };
        if let Some(value) = value {
            insert(&mut values, to.steps(), value);
        }
    }
    crds::describe(work, &mut values);
    if !extra_accounts.is_empty() {
        values.insert("extraServiceAccounts".to_owned(), json!(extra_accounts));
    }
    values
}

/// Returns the text of the file. Keys are in the order in which `bundle init` writes them.
pub(super) fn text(values: &Map<String, Value>, optional: &[Optional]) -> String {
    let hints: Vec<Value> = optional
        .iter()
        .map(|(group, resource)| json!({"group": group, "resource": resource, "dependency": "optional"}))
        .collect();
    let mut text = String::new();
    for field in FIELDS {
        let hinted = Value::from(hints.clone());
        let value = match field.key {
            "apis" if !hints.is_empty() => &hinted,
            key => match values.get(key) {
                Some(value) => value,
                None => continue,
            },
        };
        match field.key {
            "minKubeVersion" if *value == ANY_KUBE_VERSION => {
                text.push_str("# Any version, because the ClusterServiceVersion specifies no minimum.\n");
            }
            "apis" => text.push_str("# RBAC rules name these; the ClusterServiceVersion does not require them.\n"),
            _ => {}
        }
        text.push_str(&to_yaml(&json!({ field.key: value })));
    }
    text
}

fn insert(values: &mut Map<String, Value>, keys: &[Step], value: Value) {
    match keys {
        [Step::Key(key)] => {
            values.insert(key.to_string(), value);
        }
        [Step::Key(key), rest @ ..] => {
            let below = values.entry(&**key).or_insert_with(|| json!({}));
            if let Value::Object(below) = below {
                insert(below, rest, value);
            }
        }
        _ => {}
    }
}

/// Reports fields that do not exist in a CSV, and fields that authors do not set.
fn unknown_fields(work: &mut Work<'_>) {
    let csv = work.csv;
    let root = Path::root();
    let set_by_cluster = |path: &Path| format!("{path} is omitted, because the cluster or OLM sets it");
    for (key, value) in csv.map(&[]).into_iter().flatten() {
        let path = root.key(key);
        match key.as_str() {
            "apiVersion" | "kind" | "metadata" | "spec" => {}
            "status" if is_empty(value) => {}
            "status" => {
                let rule = &rules::CONVERT_FIELD_SET_BY_CLUSTER;
                report(&mut work.findings, csv, rule, set_by_cluster(&path), &path);
            }
            _ => lost(
                &mut work.findings,
                csv,
                &path,
                "is not a field of a ClusterServiceVersion",
            ),
        }
    }
    for key in csv
        .map(&["metadata"])
        .into_iter()
        .flatten()
        .map(|(key, _)| key.as_str())
    {
        let path = root.key("metadata").key(key);
        if SET_BY_CLUSTER.contains(&key) {
            let rule = &rules::CONVERT_FIELD_SET_BY_CLUSTER;
            report(&mut work.findings, csv, rule, set_by_cluster(&path), &path);
        } else if !["name", "labels", "annotations"].contains(&key) {
            lost(&mut work.findings, csv, &path, "has no field in olm.yaml");
        }
    }
    let spec = csv::SHAPE.field("spec").map(|spec| spec.shape);
    for (key, value) in csv.map(&["spec"]).into_iter().flatten() {
        if spec.is_some_and(|spec| spec.field(key).is_none()) && !value.is_null() {
            let path = root.key("spec").key(key);
            lost(
                &mut work.findings,
                csv,
                &path,
                "is not a field of a ClusterServiceVersion",
            );
        }
    }
}

/// Returns the version as OLM reads it: OLM accepts a leading `v` and missing parts, and treats a missing version as
/// 0.0.0.
fn version(work: &mut Work<'_>, path: &Path) -> String {
    let written = written(work, path);
    if written.is_empty() {
        let message = format!("the ClusterServiceVersion has no version, which OLM reads as {NO_VERSION}");
        report(&mut work.findings, work.csv, &rules::CONVERT_FIELD_ADDED, message, path);
        return NO_VERSION.to_owned();
    }
    strict(work, &written, path).unwrap_or(written)
}

/// Returns the minimum version if the CSV specifies a valid one, otherwise the version that stands for any version.
fn min_kube_version(work: &mut Work<'_>, path: &Path) -> String {
    let written = written(work, path);
    if written.is_empty() {
        return ANY_KUBE_VERSION.to_owned();
    }
    if let Some(version) = strict(work, &written, path) {
        return version;
    }
    lost(&mut work.findings, work.csv, path, "is not a version");
    ANY_KUBE_VERSION.to_owned()
}

/// Returns the text of a version, which may be written as a number.
fn written(work: &Work<'_>, path: &Path) -> String {
    match path.get(work.csv.value()) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(_)) => work.csv.place(path).text().to_owned(),
        _ => String::new(),
    }
}

/// Returns the semantic version that OLM reads; reports a version that differs from the version as written.
fn strict(work: &mut Work<'_>, written: &str, path: &Path) -> Option<String> {
    let is_text = path.get(work.csv.value()).is_some_and(Value::is_string);
    if parse_strict(written).is_ok() && is_text {
        return Some(written.to_owned());
    }
    let version = tolerant(written)?;
    let message = format!("{path} {written} becomes {version}, the semantic version that OLM reads");
    report(
        &mut work.findings,
        work.csv,
        &rules::CONVERT_FIELD_CHANGED,
        message,
        path,
    );
    Some(version)
}

fn tolerant(text: &str) -> Option<String> {
    let bare = text.trim();
    let bare = bare.strip_prefix(['v', 'V']).unwrap_or(bare);
    let end = bare.find(['-', '+']).unwrap_or(bare.len());
    let (numbers, rest) = bare.split_at(end);
    let mut parts: Vec<&str> = numbers
        .split('.')
        .map(|part| match part.trim_start_matches('0') {
            "" if !part.is_empty() => "0",
            trimmed => trimmed,
        })
        .collect();
    while rest.is_empty() && parts.len() < 3 {
        parts.push("0");
    }
    let version = format!("{}{rest}", parts.join("."));
    parse_strict(&version).ok().map(|_| version)
}

/// Returns the install modes that `olm.yaml` can contain: known modes without duplicates.
fn install_modes(work: &mut Work<'_>, path: &Path, shape: &Shape) -> Value {
    let csv = work.csv;
    let fitted = fit(&mut work.findings, csv, path, shape, &[]);
    let mut modes: Vec<Value> = Vec::new();
    for (index, mode) in fitted
        .as_ref()
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .enumerate()
    {
        let kind = mode["type"].as_str().unwrap_or_default();
        if !INSTALL_MODES.contains(&kind) {
            let why = format!("is not an install mode ({kind:?})");
            lost(&mut work.findings, csv, &path.index(index), &why);
        } else if modes.iter().any(|known| known["type"] == kind) {
            lost(&mut work.findings, csv, &path.index(index), "is a duplicate");
        } else {
            modes.push(mode.clone());
        }
    }
    if modes.is_empty() {
        let message =
            "the ClusterServiceVersion lists no valid install mode, so OLM cannot install it; AllNamespaces is added";
        report(
            &mut work.findings,
            csv,
            &rules::CONVERT_FIELD_ADDED,
            message.to_owned(),
            path,
        );
        modes.push(json!({"type": ALL_NAMESPACES, "supported": true}));
    }
    modes.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_parsed_as_in_olm() {
        for (written, read) in [
            ("v1.11.0", Some("1.11.0")),
            ("1.11", Some("1.11.0")),
            ("v1", Some("1.0.0")),
            ("1.09.0", Some("1.9.0")),
            ("1.2.3-rc.1", Some("1.2.3-rc.1")),
            ("1.2-rc", None),
            ("latest", None),
            ("1..2", None),
        ] {
            assert_eq!(tolerant(written).as_deref(), read, "{written}");
        }
    }
}
