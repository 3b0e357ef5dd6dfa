//! Checks the metadata of an object by the rules of the API server, except for the name.

use super::found;
use crate::diagnostic::Diagnostic;
use crate::kubernetes::names::{is_dns1123_label, is_label_value, is_qualified_name};
use crate::manifest::Object;
use crate::rules::Rule;
use crate::text::Path;
use serde_json::Value;

/// The maximum total size in bytes of the annotations of an object.
const MOST_ANNOTATIONS: usize = 262_144;

/// The requirement for the namespace of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::validation) enum Namespace {
    /// The kind has no namespace.
    None,
    /// The namespace must be a valid name.
    Named,
    /// Any namespace is allowed, because OLM replaces it.
    SetByOlm,
}

/// Reports problems with the metadata of an object as findings of `rule`.
pub(in crate::validation) fn check(
    object: &Object,
    asked: Namespace,
    rule: &'static Rule,
    findings: &mut Vec<Diagnostic>,
) {
    let root = Path::from("metadata");
    labels(object, &root.key("labels"), rule, findings);
    annotations(object, &root.key("annotations"), rule, findings);
    let mut report = |path: &Path, message: String| {
        findings.push(found(rule, object, path, message).at(object.place(path)));
    };
    if let Some(namespace) = object.namespace() {
        let path = root.key("namespace");
        if asked == Namespace::None {
            let message = format!("a {} must not have a namespace", object.gvk().kind);
            report(&path, message);
        } else if asked == Namespace::Named && !is_dns1123_label(namespace) {
            report(&path, format!("{namespace:?} is not a valid namespace name"));
        }
    }
    for (index, owner) in object.list(&["metadata", "ownerReferences"]).iter().enumerate() {
        for field in ["apiVersion", "kind", "name", "uid"] {
            if owner.get(field).and_then(Value::as_str).unwrap_or_default().is_empty() {
                let path = root.key("ownerReferences").index(index).key(field);
                report(&path, format!("an owner reference has no {field}"));
            }
        }
    }
    for (index, finalizer) in object.list(&["metadata", "finalizers"]).iter().enumerate() {
        if let Some(name) = finalizer.as_str().filter(|name| !is_qualified_name(name)) {
            let path = root.key("finalizers").index(index);
            report(&path, format!("{name:?} is not a valid finalizer name"));
        }
    }
}

/// Checks the keys and values of a map of labels.
pub(in crate::validation) fn labels(object: &Object, path: &Path, rule: &'static Rule, findings: &mut Vec<Diagnostic>) {
    for (key, value) in entries(object, path) {
        let path = path.key(key);
        if !is_qualified_name(key) {
            let finding = found(rule, object, &path, format!("{key:?} is not a valid label key"));
            findings.push(finding.at(object.key_place(&path)));
        }
        if let Some(text) = value.as_str().filter(|text| !is_label_value(text)) {
            let finding = found(rule, object, &path, format!("{text:?} is not a valid label value"));
            findings.push(finding.at(object.place(&path)));
        }
    }
}

/// Checks the keys of a map of annotations, and the size of the map.
pub(in crate::validation) fn annotations(
    object: &Object,
    path: &Path,
    rule: &'static Rule,
    findings: &mut Vec<Diagnostic>,
) {
    let mut size = 0;
    for (key, value) in entries(object, path) {
        size += key.len() + value.as_str().map_or(0, str::len);
        if !is_qualified_name(&key.to_lowercase()) {
            let path = path.key(key);
            let finding = found(rule, object, &path, format!("{key:?} is not a valid annotation key"));
            findings.push(finding.at(object.key_place(&path)));
        }
    }
    if size > MOST_ANNOTATIONS {
        let message = format!("the annotations take {size} bytes, more than the limit of {MOST_ANNOTATIONS} bytes");
        let finding = found(rule, object, path, message);
        findings.push(finding.at(object.key_place(path)));
    }
}

fn entries<'a>(object: &'a Object, path: &Path) -> impl Iterator<Item = (&'a String, &'a Value)> {
    let map = path.get(object.value()).and_then(Value::as_object);
    map.into_iter().flatten()
}
