//! Prepares plain manifests for a new bundle: removes objects that OLM cannot install, and expands wildcards.

use super::hooks::is_test;
use super::starter::from_manifests_alone;
use super::wildcards::{WildcardRule, expand_in};
use super::{Fate, Synthesis};
use crate::bundle::cut::{can_be_cut, cut};
use crate::bundle::{BundleLimits, EditError, MANIFESTS};
use crate::manifest::{self, Layout, Object};
use crate::tree::Tree;
use std::collections::BTreeSet;

/// Options for preparing manifests.
#[derive(Debug, Clone, Copy, Default)]
pub struct Settling<'a> {
    /// Whether to remove objects that a bundle cannot contain: custom resources of the bundle's own kinds, and Helm
    /// tests.
    pub cut: bool,
    /// The rules whose wildcards are replaced with names, as far as the wildcards stand for the bundle's own kinds.
    pub expand: Expand<'a>,
    /// Files to leave unchanged, by their paths inside the bundle.
    pub untouched: Option<&'a BTreeSet<String>>,
}

/// The rules whose wildcards are expanded.
#[derive(Debug, Clone, Copy, Default)]
pub enum Expand<'a> {
    /// No rule.
    #[default]
    None,
    /// Every rule.
    All,
    /// The rules with these labels.
    Labels(&'a BTreeSet<String>),
}

impl Expand<'_> {
    /// Returns [`Expand::All`] if `all` is set, otherwise [`Expand::None`].
    pub fn if_asked(all: bool) -> Self {
        if all { Self::All } else { Self::None }
    }

    fn includes(self, rule: &WildcardRule) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Labels(labels) => labels.contains(&rule.label()),
        }
    }
}

/// The result of preparing manifests.
#[derive(Debug, Default)]
pub struct Settled {
    /// The remaining objects.
    pub objects: Vec<Object>,
    /// The removed custom resources of the bundle's own kinds, as examples.
    pub examples: Vec<Object>,
    /// The removed Helm tests.
    pub tests: Vec<Object>,
    /// The rules whose wildcards were expanded.
    pub expanded: Vec<WildcardRule>,
}

/// Prepares the manifests of a tree. The manifests must have no errors.
///
/// # Errors
/// Returns an error if the format of a file cannot be edited, or if a file exceeds a limit.
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
                .map(|object| (*object, comment(object, "belongs to Helm."))),
        );
        let tests: Vec<Object> = tests.into_iter().cloned().collect();
        if !cuts.is_empty() {
            cut(tree, &cuts, limits)?;
            (settled.examples, settled.tests) = (examples, tests);
            settled.objects = read(tree);
            synthesis = from_manifests_alone(&settled.objects);
        }
    }
    let mut rules = synthesis.wildcards;
    rules.retain(|rule| settling.expand.includes(rule) && may_change(&rule.role));
    if !rules.is_empty() {
        settled.expanded = expand_in(tree, rules, limits)?;
        settled.objects = read(tree);
    }
    Ok(settled)
}

fn is_custom_resource(synthesis: &Synthesis, object: &Object) -> bool {
    let outcome = synthesis
        .outcomes
        .iter()
        .find(|outcome| outcome.object.identity() == object.identity());
    synthesis.provided.contains(object.gvk()) && outcome.is_some_and(|outcome| matches!(outcome.fate, Fate::Dropped))
}
