//! `metadata/olm.yaml` from a CSV: everything that its manifests cannot say.

use super::fit::{fit, lost, report, shape};
use super::{Work, crds};
use crate::bundle::olm_yaml::{ANY_KUBE_VERSION, FIELDS, INSTALL_MODES};
use crate::conversion::compare::is_empty;
use crate::rules;
use crate::text::{Path, to_yaml};
use crate::version::parse_strict;
use serde_json::{Map, Value, json};

/// The version that OLM takes a CSV for that names none.
const NO_VERSION: &str = "0.0.0";

/// Keys of `olm.yaml` whose values stand under the same key of `spec`.
const SAME_KEYS: [&str; 15] = [
    "displayName",
    "description",
    "maturity",
    "replaces",
    "skips",
    "keywords",
    "maintainers",
    "provider",
    "links",
    "icon",
    "labels",
    "selector",
    "cleanup",
    "relatedImages",
    "release",
];

/// Keys of `spec` that other steps look at.
const OTHER_KEYS: [&str; 9] = [
    "version",
    "minKubeVersion",
    "installModes",
    "annotations",
    "nativeAPIs",
    "customresourcedefinitions",
    "apiservicedefinitions",
    "webhookdefinitions",
    "install",
];

/// Fields of `metadata` that a cluster writes, or that OLM sets when it installs.
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

/// What an entry of an owned API repeats from the manifests.
const INFERRED: [&str; 2] = ["deploymentName", "containerPort"];

/// A resource of RBAC rules that the CSV does not require, as group and plural name.
pub(super) type Optional = (String, String);

/// The keys and values, in the order of the file, without the hints about APIs.
pub(super) fn values(work: &mut Work<'_>, extra_accounts: &[String]) -> Map<String, Value> {
    let csv = work.csv;
    let (metadata, spec) = (Path::root().key("metadata"), Path::root().key("spec"));
    unknown_fields(work);
    let mut values = Map::new();
    values.insert("name".to_owned(), csv.name().into());
    values.insert("version".to_owned(), version(work).into());
    values.insert("minKubeVersion".to_owned(), min_kube_version(work).into());
    values.insert("installModes".to_owned(), install_modes(work));
    let mut put = |work: &mut Work<'_>, keys: &[&str], from: &Path| {
        if let Some(value) = fit(&mut work.findings, csv, from, shape(keys), &INFERRED) {
            insert(&mut values, keys, value);
        }
    };
    for key in SAME_KEYS {
        put(work, &[key], &spec.key(key));
    }
    put(work, &["annotations"], &metadata.key("annotations"));
    put(work, &["csv", "labels"], &metadata.key("labels"));
    put(work, &["csv", "specAnnotations"], &spec.key("annotations"));
    let mut lists = Map::new();
    let mut put = |work: &mut Work<'_>, keys: &[&str], from: &Path| {
        let fitted = fit(&mut work.findings, csv, from, shape(keys), &INFERRED);
        if let Some(list) = fitted.filter(|list| !is_empty(list)) {
            insert(&mut lists, keys, list);
        }
    };
    put(work, &["nativeAPIs"], &spec.key("nativeAPIs"));
    for section in ["customresourcedefinitions", "apiservicedefinitions"] {
        for list in ["owned", "required"] {
            put(work, &[section, list], &spec.key(section).key(list));
        }
    }
    values.append(&mut lists);
    crds::describe(work, &mut values);
    if !extra_accounts.is_empty() {
        values.insert("extraServiceAccounts".to_owned(), json!(extra_accounts));
    }
    values
}

/// The text of the file. Keys come in the order in which `bundle init` writes them.
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
                text.push_str("# Any version: the ClusterServiceVersion names no minimum.\n");
            }
            "apis" => text.push_str("# RBAC rules name these; the ClusterServiceVersion does not require them.\n"),
            _ => {}
        }
        text.push_str(&to_yaml(&json!({ field.key: value })));
    }
    text
}

fn insert(values: &mut Map<String, Value>, keys: &[&str], value: Value) {
    match keys {
        [key] => {
            values.insert((*key).to_owned(), value);
        }
        [key, rest @ ..] => {
            let below = values.entry(*key).or_insert_with(|| json!({}));
            if let Value::Object(below) = below {
                insert(below, rest, value);
            }
        }
        [] => {}
    }
}

/// Says which fields of the CSV no CSV has, and which ones are not an author's.
fn unknown_fields(work: &mut Work<'_>) {
    let csv = work.csv;
    let root = Path::root();
    let set_by_cluster = |path: &Path| format!("{path} is left out: the cluster or OLM sets it");
    for (key, value) in csv.map(&[]).into_iter().flatten() {
        let path = root.key(key);
        match key.as_str() {
            "apiVersion" | "kind" | "metadata" | "spec" => {}
            "status" if is_empty(value) => {}
            "status" => {
                let rule = &rules::CONVERT_FIELD_SET_BY_CLUSTER;
                report(&mut work.findings, csv, rule, set_by_cluster(&path), &path);
            }
            _ => lost(&mut work.findings, csv, &path, "is no field of a ClusterServiceVersion"),
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
            lost(&mut work.findings, csv, &path, "has no place in olm.yaml");
        }
    }
    for (key, value) in csv.map(&["spec"]).into_iter().flatten() {
        if !SAME_KEYS.contains(&key.as_str()) && !OTHER_KEYS.contains(&key.as_str()) && !value.is_null() {
            let path = root.key("spec").key(key);
            lost(&mut work.findings, csv, &path, "is no field of a ClusterServiceVersion");
        }
    }
}

/// The version as OLM reads it: it takes a `v` before the version and missing parts, and no version for 0.0.0.
fn version(work: &mut Work<'_>) -> String {
    let path = Path::root().key("spec").key("version");
    let written = written(work, &path);
    if written.is_empty() {
        let message = format!("the ClusterServiceVersion has no version, which OLM reads as {NO_VERSION}");
        report(
            &mut work.findings,
            work.csv,
            &rules::CONVERT_FIELD_ADDED,
            message,
            &path,
        );
        return NO_VERSION.to_owned();
    }
    strict(work, &written, &path).unwrap_or(written)
}

/// The minimum, where the CSV names one that can be read; else the version that stands for any.
fn min_kube_version(work: &mut Work<'_>) -> String {
    let path = Path::root().key("spec").key("minKubeVersion");
    let written = written(work, &path);
    if written.is_empty() {
        return ANY_KUBE_VERSION.to_owned();
    }
    if let Some(version) = strict(work, &written, &path) {
        return version;
    }
    lost(&mut work.findings, work.csv, &path, "is no version");
    ANY_KUBE_VERSION.to_owned()
}

/// The text of a version, which may be written as a number.
fn written(work: &Work<'_>, path: &Path) -> String {
    match path.get(work.csv.value()) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(_)) => work.csv.place(path).text().to_owned(),
        _ => String::new(),
    }
}

/// The semantic version that OLM reads; said where it is not the one that is written.
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

/// The install modes that can stand in `olm.yaml`: each known one once.
fn install_modes(work: &mut Work<'_>) -> Value {
    let csv = work.csv;
    let path = Path::root().key("spec").key("installModes");
    let fitted = fit(&mut work.findings, csv, &path, shape(&["installModes"]), &[]);
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
            let why = format!("is no install mode ({kind:?})");
            lost(&mut work.findings, csv, &path.index(index), &why);
        } else if modes.iter().any(|known| known["type"] == kind) {
            lost(
                &mut work.findings,
                csv,
                &path.index(index),
                "stands there a second time",
            );
        } else {
            modes.push(mode.clone());
        }
    }
    if modes.is_empty() {
        let message =
            "the ClusterServiceVersion names no install mode, so that OLM installs it nowhere; it gets AllNamespaces";
        report(
            &mut work.findings,
            csv,
            &rules::CONVERT_FIELD_ADDED,
            message.to_owned(),
            &path,
        );
        modes.push(json!({"type": "AllNamespaces", "supported": true}));
    }
    modes.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_olm_reads_them() {
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
