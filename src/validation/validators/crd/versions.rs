//! Checks the versions of a CRD: their names, printer columns, scale and selectable fields.

use super::Report;
use crate::kubernetes::names::is_dns1035_label;
use crate::rules;
use crate::text::Path;
use serde_json::Value;
use std::collections::BTreeSet;

const COLUMN_TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS: [&str; 8] = [
    "int32",
    "int64",
    "float",
    "double",
    "byte",
    "date",
    "date-time",
    "password",
];
/// The maximum number of selectable fields in a version.
const MOST_FIELDS: usize = 8;
/// The maximum length of a deprecation warning in characters.
const LONGEST_WARNING: usize = 256;

pub(super) fn check(report: &mut Report<'_>) {
    let list = Path::from("spec.versions");
    let versions = report.list(&list);
    let single = report.text(&Path::from("spec.version"));
    // A v1beta1 CRD with one version may name it in `spec.version` alone; this version is then served and stored.
    let implied = versions.is_empty() && report.is_beta() && !single.is_empty();
    let mut stored = Vec::new();
    for (index, version) in versions.iter().enumerate() {
        let path = list.index(index).key("name");
        let name = report.text(&path);
        if !is_dns1035_label(name) {
            let message = format!("{name:?} is not a valid version name");
            report.add(&rules::CRD_VERSION_NAME, &path, message);
        }
        if version.get("storage") == Some(&Value::Bool(true)) {
            stored.push(index);
        }
        deprecation(report, &list.index(index), version);
    }
    repeated(report, versions);
    if stored.len() != 1 && !implied {
        let (path, message) = match stored.get(1) {
            None => (list.clone(), "no version is the storage version".to_owned()),
            Some(second) => (
                list.index(*second).key("storage"),
                format!("{} versions have storage: true", stored.len()),
            ),
        };
        report.add(&rules::CRD_STORAGE_COUNT, &path, message);
    }
    if report.is_beta() {
        single_version(report, single);
        both_ways(report, versions);
    }
    for path in levels(report, "additionalPrinterColumns", "additionalPrinterColumns") {
        columns(report, &path);
    }
    for path in levels(report, "subresources", "subresources") {
        scale(report, &path.key("scale"));
    }
    for path in levels(report, "selectableFields", "selectableFields") {
        selectable(report, &path);
    }
}

/// Returns the paths of a value that is set in each version or, in `v1beta1`, once for all versions. If all versions of
/// a `v1` CRD have the same value, only the first path is returned.
fn levels(report: &Report<'_>, in_version: &str, for_all: &str) -> Vec<Path> {
    let list = Path::from("spec.versions");
    let versions = report.list(&list);
    let first = versions.first().and_then(|version| version.get(in_version));
    let alike = first.is_some() && versions.iter().all(|version| version.get(in_version) == first);
    let shown = if alike && !report.is_beta() { 1 } else { versions.len() };
    let mut paths: Vec<Path> = (0..shown).map(|index| list.index(index).key(in_version)).collect();
    if report.is_beta() {
        paths.push(Path::from("spec").key(for_all));
    }
    paths.retain(|path| report.get(path).is_some());
    paths
}

/// Returns the paths of the schemas, one for each version.
pub(super) fn schemas(report: &Report<'_>) -> Vec<Path> {
    let mut paths: Vec<Path> = (0..report.list(&Path::from("spec.versions")).len())
        .map(|index| {
            Path::from("spec.versions")
                .index(index)
                .key("schema")
                .key("openAPIV3Schema")
        })
        .collect();
    if report.is_beta() {
        paths.push(Path::from("spec.validation.openAPIV3Schema"));
    }
    paths.retain(|path| report.get(path).is_some());
    paths
}

fn repeated(report: &mut Report<'_>, versions: &[Value]) {
    let mut seen = BTreeSet::new();
    let name = |version: &Value| version.get("name").and_then(Value::as_str).map(str::to_owned);
    let twice = versions.iter().position(|version| !seen.insert(name(version)));
    if let Some(index) = twice {
        let path = Path::from("spec.versions").index(index).key("name");
        let message = format!("the version {} is listed twice", report.text(&path));
        report.add(&rules::CRD_VERSION_UNIQUE, &path, message);
    }
}

/// Checks that `spec.version` of `v1beta1` repeats the name of the first version.
fn single_version(report: &mut Report<'_>, single: &str) {
    let path = Path::from("spec.version");
    if single.is_empty() {
        return;
    }
    if !is_dns1035_label(single) {
        let message = format!("{single:?} is not a valid version name");
        report.add(&rules::CRD_VERSION_FIELD, &path, message);
    }
    let first = report.text(&Path::from("spec.versions").index(0).key("name"));
    if !report.list(&Path::from("spec.versions")).is_empty() && first != single {
        let message = format!("spec.version is {single}, but the first of spec.versions is {first}");
        report.add(&rules::CRD_VERSION_FIELD, &path, message);
    }
}

/// Checks that in `v1beta1`, schemas, subresources and columns are set once for all versions or differ between
/// versions.
fn both_ways(report: &mut Report<'_>, versions: &[Value]) {
    for (in_version, for_all) in [
        ("schema", "validation"),
        ("subresources", "subresources"),
        ("additionalPrinterColumns", "additionalPrinterColumns"),
    ] {
        let value = |version: &Value| {
            let value = version.get(in_version)?;
            let empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
            (!empty).then(|| value.clone())
        };
        let values: Vec<Option<Value>> = versions.iter().map(value).collect();
        let top = Path::from("spec").key(for_all);
        if report.get(&top).is_some() && values.iter().any(Option::is_some) {
            let message = format!("both spec.{for_all} and {in_version} of a version are set");
            report.add(&rules::CRD_GLOBAL_AND_VERSION, &top, message);
        }
        let alike = values
            .first()
            .is_some_and(|first| first.is_some() && values.iter().all(|value| value == first));
        if alike {
            let message = format!("all versions have the same {in_version}; set it once, as spec.{for_all}");
            report.add(&rules::CRD_GLOBAL_AND_VERSION, &Path::from("spec.versions"), message);
        }
    }
}

fn columns(report: &mut Report<'_>, list: &Path) {
    let path_key = if report.is_beta() { "JSONPath" } else { "jsonPath" };
    for index in 0..report.list(list).len() {
        let path = list.index(index);
        let text = |key: &str| {
            path.key(key)
                .get(report.object.value())
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let (name, kind, format, value) = (text("name"), text("type"), text("format"), text(path_key));
        let rule = &rules::CRD_PRINTER_COLUMN;
        if name.is_empty() {
            report.add(rule, &path.key("name"), "a printer column has no name");
        }
        if kind.is_empty() {
            report.add(
                rule,
                &path.key("type"),
                format!("the printer column {name} has no type"),
            );
        } else if !COLUMN_TYPES.contains(&kind) {
            report.add(
                rule,
                &path.key("type"),
                format!("{kind:?} is not a printer column type"),
            );
        }
        if !format.is_empty() && !COLUMN_FORMATS.contains(&format) {
            let message = format!("{format:?} is not a printer column format");
            report.add(rule, &path.key("format"), message);
        }
        if value.is_empty() {
            let message = format!("the printer column {name} has no path");
            report.add(rule, &path.key(path_key), message);
        } else if !value.starts_with('.') {
            let message = format!("the path {value:?} does not begin with a dot");
            report.add(rule, &path.key(path_key), message);
        }
    }
}

fn scale(report: &mut Report<'_>, path: &Path) {
    if report.get(path).is_none() {
        return;
    }
    // The original drops findings about a field with "status" in its name.
    let fields: &[(&str, &[&str], bool)] = &[
        ("specReplicasPath", &[".spec."], true),
        ("statusReplicasPath", &[".status."], true),
        ("labelSelectorPath", &[".spec.", ".status."], false),
    ];
    for (field, roots, required) in fields {
        if report.reference && field.starts_with("status") {
            continue;
        }
        let path = path.key(field);
        let value = report.text(&path);
        if value.is_empty() {
            if *required {
                report.add(&rules::CRD_SCALE_PATH, &path, format!("scale has no {field}"));
            }
        } else if !roots.iter().any(|root| value.starts_with(root)) {
            let message = format!("{field} {value:?} does not begin with {}", roots.join(" or "));
            report.add(&rules::CRD_SCALE_PATH, &path, message);
        }
    }
}

fn selectable(report: &mut Report<'_>, list: &Path) {
    let rule = &rules::CRD_SELECTABLE_FIELDS;
    let fields = report.list(list);
    let schema = list
        .parent()
        .map(|version| version.key("schema").key("openAPIV3Schema"));
    let Some(schema) = schema.and_then(|path| report.get(&path)) else {
        return report.add(rule, list, "selectable fields need a schema");
    };
    if fields.len() > MOST_FIELDS {
        let message = format!("{} fields are selectable, more than {MOST_FIELDS}", fields.len());
        report.add(rule, &list.index(MOST_FIELDS), message);
    }
    let mut seen = BTreeSet::new();
    for (index, field) in fields.iter().enumerate() {
        let path = list.index(index).key("jsonPath");
        let written = field.get("jsonPath").and_then(Value::as_str).unwrap_or_default();
        let repeated = !seen.insert(written);
        let problem = if written.is_empty() {
            "a selectable field has no path".to_owned()
        } else if repeated {
            format!("{written} is selectable twice")
        } else if written == ".metadata" || written.starts_with(".metadata.") {
            format!("{written} is part of the metadata")
        } else {
            match written.strip_prefix('.').and_then(|steps| field_of(schema, steps)) {
                None => format!("the schema has no field {written}"),
                Some("string" | "boolean" | "integer") => String::new(),
                Some(kind) => format!("{written} has the type {kind}, not string, boolean or integer"),
            }
        };
        if !problem.is_empty() {
            report.add(rule, &path, problem);
        }
    }
}

/// Returns the type of a field, by its path.
fn field_of<'a>(schema: &'a Value, steps: &str) -> Option<&'a str> {
    let field = steps
        .split('.')
        .try_fold(schema, |schema, step| schema.get("properties")?.get(step))?;
    Some(field.get("type").and_then(Value::as_str).unwrap_or_default())
}

fn deprecation(report: &mut Report<'_>, version_path: &Path, version: &Value) {
    let path = version_path.key("deprecationWarning");
    let Some(warning) = version.get("deprecationWarning").and_then(Value::as_str) else {
        return;
    };
    let problem = if version.get("deprecated") != Some(&Value::Bool(true)) {
        "only a deprecated version may have a deprecation warning"
    } else if warning.is_empty() {
        "the deprecation warning is empty"
    } else if warning.chars().count() > LONGEST_WARNING {
        "the deprecation warning has more than 256 characters"
    } else if warning.chars().any(char::is_control) {
        "the deprecation warning has characters that cannot be shown"
    } else {
        return;
    };
    report.add(&rules::CRD_DEPRECATION_WARNING, &path, problem);
}
