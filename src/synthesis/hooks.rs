//! Helm hooks: objects that Helm creates at certain moments, such as before an installation, and often deletes again.
//! OLM does not know hooks, and installs these objects like all others.

use super::{Fate, Outcome};
use crate::diagnostic::Diagnostic;
use crate::manifest::Object;

/// The annotation of hooks. Its value lists the moments, separated by commas.
pub(crate) const HOOK: &str = "helm.sh/hook";

/// Returns the moments at which Helm creates the object, such as `pre-install,pre-upgrade`, if the object is a hook.
pub(crate) fn moments(object: &Object) -> Option<&str> {
    object.text(&["metadata", "annotations", HOOK])
}

/// Whether only `helm test` creates the object.
pub(super) fn is_test(object: &Object) -> bool {
    moments(object).is_some_and(|moments| moments.split(',').all(|moment| moment.trim().starts_with("test")))
}

/// Whether the object is a hook that OLM handles differently from Helm. A CustomResourceDefinition is not: as a hook,
/// Helm creates it before all custom resources and does not delete it, as OLM does.
pub(crate) fn is_hook(object: &Object) -> bool {
    moments(object).is_some() && !object.gvk().is("apiextensions.k8s.io", "CustomResourceDefinition")
}

/// Returns the hooks that OLM would install permanently, and those that it does not install, which `unsupported`
/// reports.
pub(super) fn among(outcomes: &[Outcome], unsupported: &[Diagnostic]) -> [Vec<Object>; 2] {
    let is_reported = |object: &Object| {
        let label = object.label();
        unsupported
            .iter()
            .any(|finding| finding.object.as_ref() == Some(&label))
    };
    let hooks = outcomes.iter().filter(|outcome| is_hook(&outcome.object));
    let (dropped, installed): (Vec<&Outcome>, Vec<&Outcome>) =
        hooks.partition(|outcome| matches!(outcome.fate, Fate::Dropped));
    let objects = |outcomes: Vec<&Outcome>| outcomes.into_iter().map(|outcome| outcome.object.clone()).collect();
    let mut dropped: Vec<Object> = objects(dropped);
    dropped.retain(is_reported);
    [objects(installed), dropped]
}
