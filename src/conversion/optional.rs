//! Updates the property `olm.manifests.optional` when the objects that it names change.

use super::files::{Files, path_in};
use crate::bundle::Bundle;
use crate::diagnostic::Diagnostic;
use crate::olm::property::OPTIONAL_MANIFESTS;
use crate::rules;
use crate::text::{Document, Format, Step, to_json, to_yaml};
use crate::tree::Tree;
use serde_json::Value;

/// Rewrites the properties file if `change` returns a new value for the property; `message` describes the reason.
pub(super) fn carry(
    tree: &Tree,
    bundle: &Bundle,
    files: &mut Files,
    findings: &mut Vec<Diagnostic>,
    message: &str,
    change: impl Fn(&Value) -> Option<Value>,
) {
    let mut changed: Option<(&Document, Value)> = None;
    let named = bundle.properties.iter();
    for property in named.filter(|property| property.kind == OPTIONAL_MANIFESTS) {
        let Some(value) = change(&property.value) else {
            continue;
        };
        findings.push(Diagnostic::new(&rules::CONVERT_FIELD_CHANGED, message).at(property.place.clone()));
        let (document, path) = property.entry();
        let (_, whole) = changed.get_or_insert_with(|| (document, document.value().clone()));
        let entry = path.steps().iter().try_fold(whole, |value, step| match step {
            Step::Key(key) => value.get_mut(&**key),
            Step::Index(index) => value.get_mut(*index),
        });
        if let Some(entry) = entry {
            entry["value"] = value;
        }
    }
    if let Some((document, whole)) = changed {
        let path = path_in(tree, document.source().name());
        let text = match document.format() {
            Format::Json => to_json(&whole),
            Format::Yaml => to_yaml(&whole),
        };
        files.put(path, text);
    }
}
