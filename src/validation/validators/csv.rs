//! `csv`: checks the names, required fields and annotations of the `ClusterServiceVersion`.

use super::{Input, csv_of, examples, found, install_modes};
use crate::csv::{self, Csv, absent_of_resource, annotation_in_other_case};
use crate::diagnostic::{Diagnostic, Edit};
use crate::kubernetes::names::{is_csv_name, is_dns1123_subdomain};
use crate::manifest::Object;
use crate::olm::annotation::INDEX_PROPERTIES;
use crate::rules::{self, Rule};
use crate::shape;
use crate::text::{Path, Step, source_edit};
use crate::version::{parse_strict, strict_part};
use serde_json::Value;

pub(super) fn check(input: &Input<'_>, findings: &mut Vec<Diagnostic>) {
    let Some((object, csv)) = csv_of(input) else {
        return;
    };
    names(object, csv, findings);
    examples::check(object, csv, input.options.reference, findings);
    install_modes::check(object, csv, input.options.reference, findings);
    let missing = &rules::CSV_MINKUBEVERSION_MISSING;
    findings.extend(min_kube_version(object, missing, &rules::CSV_MINKUBEVERSION_FORMAT));
    required_fields(object, csv, input.options.reference, findings);
    annotations(object, &rules::CSV_ANNOTATION_CASE, findings);
    if !input.options.reference {
        owned_groups(object, csv, findings);
        resources(object, csv, findings);
        replaces_itself(object, csv, findings);
    }
}

fn names(object: &Object, csv: Csv<'_>, findings: &mut Vec<Diagnostic>) {
    for (rule, path, name) in [
        (&rules::CSV_NAME_FORMAT, "metadata.name", csv.name()),
        (&rules::CSV_REPLACES_FORMAT, "spec.replaces", csv.replaces()),
    ] {
        if !name.is_empty() && !is_csv_name(name) {
            let message = if is_dns1123_subdomain(name) {
                format!("{path} has {} characters, more than 63", name.len())
            } else {
                format!("{path} {name:?} is not a valid name")
            };
            findings.push(found(rule, object, &Path::from(path), message));
        }
    }
}

fn replaces_itself(object: &Object, csv: Csv<'_>, findings: &mut Vec<Diagnostic>) {
    if !csv.replaces().is_empty() && csv.replaces() == csv.name() {
        let message = "this version replaces itself";
        let path = Path::from("spec.replaces");
        findings.push(found(&rules::CSV_REPLACES_ITSELF, object, &path, message));
    }
}

/// Reports a missing or invalid `spec.minKubeVersion`, which catalogs also check by their own rules.
pub(super) fn min_kube_version(object: &Object, missing: &'static Rule, format: &'static Rule) -> Option<Diagnostic> {
    let path = Path::from("spec.minKubeVersion");
    let version = object.text(&["spec", "minKubeVersion"]).unwrap_or_default();
    if version.trim().is_empty() {
        return Some(found(missing, object, &path, "spec.minKubeVersion is not set"));
    }
    let reason = parse_strict(version).err()?;
    let message = format!("spec.minKubeVersion {version:?} is not a version: {reason}");
    Some(found(format, object, &path, message).fixed_by(bare_version(object, &path, version)))
}

/// Removes a `v` and spaces from the version, if the result is valid.
pub(in crate::validation) fn bare_version(object: &Object, path: &Path, written: &str) -> Option<Edit> {
    let (document, root) = object.document();
    source_edit::rewrite(document, &root.join(path), strict_part(written)?)
}

/// Reports absent fields that the type of a CSV requires.
fn required_fields(object: &Object, csv: Csv<'_>, reference: bool, findings: &mut Vec<Diagnostic>) {
    let mut report = |path: &str| {
        let message = format!("{path} is required");
        findings.push(found(&rules::CSV_REQUIRED_FIELD, object, &Path::from(path), message));
    };
    let get = |keys: &[&str]| csv.get(keys).unwrap_or(&Value::Null);
    if is_zero(get(&["spec"])) {
        return report("spec");
    }
    if csv.text(&["spec", "displayName"]).is_empty() {
        report("spec.displayName");
    }
    if is_zero(get(&["spec", "install"])) {
        return report("spec.install");
    }
    if csv.text(&["spec", "install", "strategy"]).is_empty() {
        report("spec.install.strategy");
    }
    // The original checks spec.install.spec only if it is not empty.
    let absent = get(&["spec", "install", "spec", "deployments"]).is_null();
    if absent && !(reference && is_zero(get(&["spec", "install", "spec"]))) {
        report("spec.install.spec.deployments");
    }
    let typed = shape::typed(object.value(), &csv::SHAPE).ok().filter(|_| !reference);
    for path in typed.iter().flat_map(|typed| shape::unset(typed, &csv::SHAPE)) {
        if !matches!(path.steps().last(), Some(Step::Key(key)) if REPORTED.contains(&&**key)) {
            report(&path.to_string());
        }
    }
}

/// Required lists and maps that other rules report if they are missing.
const REPORTED: [&str; 5] = [
    "admissionReviewVersions",
    "containers",
    "deployments",
    "selector",
    "verbs",
];

/// Reports resources of owned APIs that lack fields, because consoles show every field of a resource.
fn resources(object: &Object, csv: Csv<'_>, findings: &mut Vec<Diagnostic>) {
    for section in ["customresourcedefinitions", "apiservicedefinitions"] {
        let list = Path::from("spec").key(section).key("owned");
        for (index, entry) in csv.list(&["spec", section, "owned"]).iter().enumerate() {
            let listed = entry.get("resources").and_then(Value::as_array);
            for (number, resource) in listed.into_iter().flatten().enumerate() {
                let absent = absent_of_resource(resource);
                if !absent.is_empty() {
                    let path = list.index(index).key("resources").index(number);
                    let message = format!(
                        "{path} has no {}; OLM writes absent fields as empty strings",
                        absent.join(" and no ")
                    );
                    findings.push(found(&rules::CSV_RESOURCE_FIELD, object, &path, message));
                }
            }
        }
    }
}

/// Returns whether the value is the zero value of its type in Go.
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) | Value::Array(_) => false,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Object(map) => map.values().all(is_zero),
    }
}

/// Reports annotations whose keys differ only in case from keys that OLM knows, and properties in the old annotation.
pub(super) fn annotations(object: &Object, rule: &'static Rule, findings: &mut Vec<Diagnostic>) {
    let annotations = object.map(&["metadata", "annotations"]);
    for key in annotations.into_iter().flat_map(|map| map.keys()) {
        let path = Path::from("metadata.annotations").key(key);
        let finding = if let Some(exact) = annotation_in_other_case(key) {
            found(
                rule,
                object,
                &path,
                format!("OLM does not know the annotation {key}; did you mean {exact}?"),
            )
        } else if key == INDEX_PROPERTIES {
            let message = format!("the annotation {INDEX_PROPERTIES} is an outdated location for properties");
            found(&rules::CSV_OLM_PROPERTIES_ANNOTATION, object, &path, message)
        } else {
            continue;
        };
        let (document, root) = object.document();
        let exact = annotation_in_other_case(key);
        let edit = exact.and_then(|exact| source_edit::recapitalize(document, &root.join(&path), exact));
        findings.push(finding.at(object.key_place(&path)).fixed_by(edit));
    }
}

/// Checks that the key `group` of an owned CRD, if present, matches the name. The format has no such key, but a
/// matching key does no harm.
fn owned_groups(object: &Object, csv: Csv<'_>, findings: &mut Vec<Diagnostic>) {
    let owned = csv.list(&["spec", "customresourcedefinitions", "owned"]);
    for (index, entry) in owned.iter().enumerate() {
        let text = |key: &str| entry.get(key).and_then(Value::as_str);
        let (Some(group), Some(name)) = (text("group"), text("name")) else {
            continue;
        };
        if name.split_once('.').is_some_and(|(_, of_name)| of_name != group) {
            let message = format!("the group {group} contradicts the name {name}");
            let path = Path::from("spec.customresourcedefinitions.owned")
                .index(index)
                .key("group");
            findings.push(found(&rules::CSV_OWNED_GROUP_KEY, object, &path, message));
        }
    }
}
