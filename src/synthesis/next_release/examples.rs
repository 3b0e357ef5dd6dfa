//! The custom resources among the manifests of the next release, and their examples in `olm.yaml`.

use super::ReleaseError;
use crate::bundle::OLM_YAML;
use crate::kubernetes::GroupVersionKind;
use crate::manifest::Object;
use crate::olm::annotation::EXAMPLES;
use crate::text::{self, Limits};
use serde_json::Value;
use std::collections::BTreeSet;

/// The examples of the next release.
#[derive(Debug, Default)]
pub(super) struct Merged {
    /// All examples; `None` if none of them changes.
    pub(super) examples: Option<Vec<Value>>,
    /// The custom resources that become examples.
    pub(super) added: Vec<Object>,
    /// The custom resources that differ from existing examples.
    pub(super) differing: Vec<Object>,
}

/// Adds custom resources to the examples in `olm.yaml`. Keeps an existing example of the same object, because a person
/// may have written it, but replaces the example if the bundle no longer provides its version.
///
/// # Errors
/// Returns an error if there are examples to add, but the existing examples are not a list.
pub(super) fn merge(
    olm: &Value,
    resources: &[Object],
    provided: &BTreeSet<GroupVersionKind>,
    limits: &Limits,
) -> Result<Merged, ReleaseError> {
    let mut merged = Merged::default();
    let Some(first) = resources.first() else {
        return Ok(merged);
    };
    let mut examples = written(olm, limits).ok_or_else(|| ReleaseError::Examples { object: first.label() })?;
    for resource in resources {
        let Some(known) = examples.iter_mut().find(|example| is_of(example, resource)) else {
            examples.push(resource.value().clone());
            merged.added.push(resource.clone());
            continue;
        };
        if !provided.contains(&gvk(known)) {
            resource.value().clone_into(known);
            merged.added.push(resource.clone());
        } else if known != resource.value() {
            merged.differing.push(resource.clone());
        }
    }
    merged.examples = (!merged.added.is_empty()).then_some(examples);
    Ok(merged)
}

/// Returns the examples in `olm.yaml`; `None` if they are not a list.
fn written(olm: &Value, limits: &Limits) -> Option<Vec<Value>> {
    match olm.get("annotations").and_then(|annotations| annotations.get(EXAMPLES)) {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(Value::Array(list)) => Some(list.clone()),
        Some(Value::String(json)) => match text::read(OLM_YAML, json.as_bytes(), limits).documents.as_slice() {
            [] if json.trim().is_empty() => Some(Vec::new()),
            [document] => document.value().as_array().cloned(),
            _ => None,
        },
        Some(_) => None,
    }
}

fn gvk(example: &Value) -> GroupVersionKind {
    let text = |key: &str| example.get(key).and_then(Value::as_str).unwrap_or_default();
    GroupVersionKind::from_api_version(text("apiVersion"), text("kind"))
}

/// Whether an example has the kind and the name of the object; versions and namespaces are ignored.
fn is_of(example: &Value, object: &Object) -> bool {
    let gvk = gvk(example);
    let name = example.pointer("/metadata/name").and_then(Value::as_str);
    object.gvk().is(&gvk.group, &gvk.kind) && name == Some(object.name())
}
