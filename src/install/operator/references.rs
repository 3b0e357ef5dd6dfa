//! References to the components of an operator.

use super::component::Component;
use super::defined::Defined;
use super::normal::{self, Condition};
use crate::csv::GROUP;
use crate::kubernetes::{GroupVersionKind, builtin};
use serde::Serialize;
use serde_json::Value;

/// OLM's cluster-scoped kinds.
const CLUSTER_KINDS: [&str; 2] = ["Operator", "Install"];

/// A component in the status of an operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reference {
    /// The kind.
    pub kind: String,
    /// The namespace; `None` for cluster-scoped kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The name.
    pub name: String,
    /// The UID of the object, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
    /// The API version.
    pub api_version: String,
    /// The resource version of the object, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_version: Option<String>,
    /// The unexpected conditions, or all of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

/// Returns the references in OLM's order, without duplicates. `defined` are the CustomResourceDefinitions of the
/// cluster.
pub(super) fn references(components: &[Component<'_>], defined: &Defined<'_>, all_conditions: bool) -> Vec<Reference> {
    let mut references: Vec<Reference> = components
        .iter()
        .map(|component| reference(*component, defined, all_conditions))
        .collect();
    references.sort_by(|one, other| key(one).cmp(&key(other)));
    // If two dumps contain the same object, the first one takes precedence.
    references.dedup_by(|one, other| key(one) == key(other));
    references
}

fn key(reference: &Reference) -> (&str, &str, Option<&str>, &str) {
    (
        &reference.kind,
        &reference.api_version,
        reference.namespace.as_deref(),
        &reference.name,
    )
}

fn reference(component: Component<'_>, defined: &Defined<'_>, all_conditions: bool) -> Reference {
    let gvk = component.gvk();
    let namespace = component.some_text("/metadata/namespace");
    // A resource version is a string, but some tools write a number.
    let resource_version = component
        .get("/metadata/resourceVersion")
        .and_then(|version| match version {
            Value::String(version) => Some(version.clone()),
            Value::Number(version) => Some(version.to_string()),
            _ => None,
        });
    Reference {
        namespace: namespace
            .filter(|_| !is_cluster_scoped(&gvk, defined))
            .map(str::to_owned),
        name: component.name().to_owned(),
        uid: component.some_text("/metadata/uid").map(str::to_owned),
        api_version: gvk.api_version(),
        resource_version,
        conditions: normal::conditions(component, &gvk, all_conditions),
        kind: gvk.kind,
    }
}

fn is_cluster_scoped(gvk: &GroupVersionKind, defined: &Defined<'_>) -> bool {
    let builtin = builtin::find_kind(&gvk.group, &gvk.kind).is_some_and(|builtin| !builtin.namespaced);
    let of_olm = gvk.group == GROUP && CLUSTER_KINDS.contains(&gvk.kind.as_str());
    builtin || of_olm || defined.is_cluster_scoped(&gvk.group, &gvk.kind)
}
