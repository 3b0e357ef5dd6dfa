//! Raw manifests on their way into a new bundle: what OLM cannot install of them, and what can be said for their
//! author.

use super::starter::from_manifests_alone;
use super::wildcards::{WildcardRule, expand_in};
use super::{Fate, Synthesis};
use crate::bundle::cut::{can_be_cut, cut};
use crate::bundle::{BundleLimits, EditError, MANIFESTS};
use crate::manifest::{self, Layout, Object};
use crate::tree::Tree;
use std::collections::BTreeSet;

/// The annotation of objects that helm alone creates, at some moment of an install.
const HOOK: &str = "helm.sh/hook";

/// What is done to manifests that become a bundle.
#[derive(Debug, Clone, Copy, Default)]
pub struct Settling<'a> {
    /// Take out what belongs to no bundle: custom resources of the bundle's own kinds, and tests of a helm chart.
    pub cut: bool,
    /// Write out by name what wildcards stand for, as far as it is the bundle's own kinds.
    pub expand_wildcards: bool,
    /// Files that stay as they are, by their paths inside the bundle.
    pub untouched: Option<&'a BTreeSet<String>>,
}

/// Manifests that are settled.
#[derive(Debug, Default)]
pub struct Settled {
    /// The objects that are left.
    pub objects: Vec<Object>,
    /// Custom resources of the bundle's own kinds that were taken out: examples of them.
    pub examples: Vec<Object>,
    /// Tests of a helm chart that were taken out.
    pub tests: Vec<Object>,
    /// The rules whose wildcards were written out.
    pub expanded: Vec<WildcardRule>,
}

/// Settles the manifests of a tree, which have no errors.
///
/// # Errors
/// When a file is written in a form that allows no change, or passes a limit.
pub fn settle(tree: &mut Tree, settling: Settling<'_>, limits: &BundleLimits) -> Result<Settled, EditError> {
    let read = |tree: &Tree| manifest::read(tree, MANIFESTS, Layout::Nested, &limits.text).objects;
    let mut settled = Settled {
        objects: read(tree),
        ..Settled::default()
    };
    let origin = format!("{}/", tree.origin().trim_end_matches('/'));
    let may_change = |object: &Object| {
        let path = object.file().strip_prefix(&origin).unwrap_or(object.file());
        !settling.untouched.is_some_and(|untouched| untouched.contains(path))
    };
    let mut synthesis = from_manifests_alone(&settled.objects);
    if settling.cut {
        let cuttable = settled
            .objects
            .iter()
            .filter(|object| can_be_cut(object) && may_change(object));
        let (tests, others): (Vec<&Object>, Vec<&Object>) = cuttable.partition(|object| is_test(object));
        let own = others
            .into_iter()
            .filter(|object| is_custom_resource(&synthesis, object));
        let comment = |object: &Object, what: &str| format!("{} {what}", object.label());
        let mut cuts: Vec<(&Object, String)> = own
            .clone()
            .map(|object| (object, comment(object, "is an example in metadata/olm.yaml.")))
            .collect();
        let examples: Vec<Object> = own.cloned().collect();
        cuts.extend(
            tests
                .iter()
                .map(|object| (*object, comment(object, "belongs to helm."))),
        );
        let tests: Vec<Object> = tests.into_iter().cloned().collect();
        if !cuts.is_empty() {
            cut(tree, &cuts, limits)?;
            (settled.examples, settled.tests) = (examples, tests);
            settled.objects = read(tree);
            synthesis = from_manifests_alone(&settled.objects);
        }
    }
    if settling.expand_wildcards {
        let mut rules = synthesis.wildcards;
        rules.retain(|rule| may_change(&rule.role));
        settled.expanded = expand_in(tree, rules, limits)?;
        settled.objects = read(tree);
    }
    Ok(settled)
}

/// Whether only `helm test` creates the object.
fn is_test(object: &Object) -> bool {
    let hooks = object.text(&["metadata", "annotations", HOOK]);
    hooks.is_some_and(|hooks| hooks.split(',').all(|hook| hook.trim().starts_with("test")))
}

fn is_custom_resource(synthesis: &Synthesis, object: &Object) -> bool {
    let outcome = synthesis
        .outcomes
        .iter()
        .find(|outcome| outcome.object.identity() == object.identity());
    synthesis.provided.contains(object.gvk()) && outcome.is_some_and(|outcome| matches!(outcome.fate, Fate::Dropped))
}
