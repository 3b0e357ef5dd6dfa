//! What happens to each object: projected onto the CSV, kept beside it, or dropped.

use crate::kubernetes::builtin;
use crate::manifest::Object;
use serde_json::Value;

/// What happens to an object of the bundle.
#[derive(Debug, Clone, PartialEq)]
pub enum Fate {
    /// The CSV generates it again, so it is not shipped.
    Projected,
    /// It is shipped beside the CSV, as this value.
    Kept(Value),
    /// It is neither in the CSV nor shipped.
    Dropped,
}

/// An object, what happens to it, and why.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The object as the author wrote it.
    pub object: Object,
    /// What happens to it.
    pub fate: Fate,
    /// Why, in a few words.
    pub reason: String,
}

impl Outcome {
    /// The value to ship, where the object is kept.
    pub fn shipped(&self) -> Option<&Value> {
        match &self.fate {
            Fate::Kept(value) => Some(value),
            Fate::Projected | Fate::Dropped => None,
        }
    }
}

/// Kinds that OLM applies from a bundle beside the CSV, and whether it puts them into the install namespace.
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

/// The value of a kept object: as written, but without the namespace that OLM sets.
pub(super) fn shipped(object: &Object) -> Value {
    let mut value = object.value().clone();
    if is_moved(object)
        && let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut)
    {
        metadata.shift_remove("namespace");
    }
    value
}

/// Whether OLM creates the object in the install namespace, whatever namespace it names.
pub(crate) fn is_moved(object: &Object) -> bool {
    let mut kinds = KEPT_KINDS.iter();
    kinds.any(|(kind, namespaced)| *namespaced && *kind == object.gvk().kind)
}

/// Whether OLM applies an object of this kind from a bundle.
pub(super) fn is_kept_kind(object: &Object) -> bool {
    let gvk = object.gvk();
    let known = KEPT_KINDS.iter().any(|(kind, _)| *kind == gvk.kind) || gvk.kind == "VerticalPodAutoscaler";
    // Kubernetes' own kinds count in their own group only; the others belong to whichever group serves them.
    known && (!builtin::is_builtin_group(&gvk.group) || !is_foreign(gvk))
}

/// Whether a built-in group is named that has no such kind.
fn is_foreign(gvk: &crate::kubernetes::GroupVersionKind) -> bool {
    builtin::is_bare_group(&gvk.group) && builtin::find_kind(&gvk.group, &gvk.kind).is_none()
}
