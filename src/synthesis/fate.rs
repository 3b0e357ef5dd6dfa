//! The fate of each object: projected onto the CSV, kept alongside it, or dropped.

use crate::kubernetes::builtin;
use crate::manifest::Object;
use crate::olm::kinds::is_installed;
use serde_json::Value;

/// The fate of an object of the bundle.
#[derive(Debug, Clone, PartialEq)]
pub enum Fate {
    /// OLM creates the object from the CSV, so the object is not shipped.
    Projected,
    /// The object is shipped alongside the CSV, as this value.
    Kept(Value),
    /// The object is neither in the CSV nor shipped.
    Dropped,
}

/// An object, its fate, and the reason.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The object as the author wrote it.
    pub object: Object,
    /// The fate of the object.
    pub fate: Fate,
    /// The reason, in a few words.
    pub reason: String,
}

impl Outcome {
    /// Returns the value to ship if the object is kept, otherwise `None`.
    pub fn shipped(&self) -> Option<&Value> {
        match &self.fate {
            Fate::Kept(value) => Some(value),
            Fate::Projected | Fate::Dropped => None,
        }
    }
}

/// The kinds of objects that a bundle ships alongside the CSV, and that OLM v0 or at least OLM v1 applies. The second
/// value is whether OLM moves the objects into the install namespace.
const KEPT_KINDS: [(&str, bool); 20] = [
    ("ClusterRole", false),
    ("ClusterRoleBinding", false),
    ("ConfigMap", true),
    ("ConsoleCLIDownload", false),
    ("ConsoleLink", false),
    ("ConsolePlugin", false),
    ("ConsoleQuickStart", false),
    ("ConsoleYAMLSample", false),
    ("CustomResourceDefinition", false),
    ("NetworkPolicy", true),
    ("PodDisruptionBudget", true),
    ("PodMonitor", true),
    ("PriorityClass", false),
    ("PrometheusRule", true),
    ("Role", true),
    ("RoleBinding", true),
    ("Secret", true),
    ("Service", true),
    ("ServiceAccount", true),
    ("ServiceMonitor", true),
];

/// Returns the value of a kept object, without the namespace, which OLM sets.
pub(super) fn shipped(object: &Object) -> Value {
    let mut value = object.value().clone();
    if is_moved(object)
        && let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut)
    {
        metadata.shift_remove("namespace");
    }
    value
}

/// Whether OLM creates the object in the install namespace, regardless of the namespace that it specifies.
pub(crate) fn is_moved(object: &Object) -> bool {
    let mut kinds = KEPT_KINDS.iter();
    kinds.any(|(kind, namespaced)| *namespaced && *kind == object.gvk().kind)
}

/// Returns how OLM applies an object.
pub(super) fn applied(object: &Object) -> &'static str {
    if !is_installed(&object.gvk().kind) {
        "only OLM v1 applies it"
    } else if is_moved(object) && object.namespace().is_some() {
        "OLM applies it in the install namespace"
    } else {
        "OLM applies it unchanged"
    }
}

/// Whether a bundle ships an object of this kind alongside the CSV.
pub(super) fn is_kept_kind(object: &Object) -> bool {
    let gvk = object.gvk();
    let known = KEPT_KINDS.iter().any(|(kind, _)| *kind == gvk.kind) || gvk.kind == "VerticalPodAutoscaler";
    // A built-in group must contain the kind. In all other groups, only the kind counts.
    known && (!builtin::is_builtin_group(&gvk.group) || !is_foreign(gvk))
}

/// Whether the group is a built-in group that does not contain the kind.
fn is_foreign(gvk: &crate::kubernetes::GroupVersionKind) -> bool {
    builtin::is_bare_group(&gvk.group) && builtin::find_kind(&gvk.group, &gvk.kind).is_none()
}
