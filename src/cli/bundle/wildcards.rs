//! Reports about wildcards in RBAC rules, and the flag that expands the wildcards.

use crate::bundle::{Bundle, BundleLimits, BundleReading, MediaType};
use crate::cli::Context;
use crate::cli::error::CommandError;
use crate::kubernetes::rbac::ALL;
use crate::kubernetes::served::ServedResources;
use crate::synthesis::synthesize;
use crate::synthesis::wildcards::{WildcardRule, expand_in};
use crate::tree::Tree;
use clap::Args;
use std::collections::BTreeSet;

/// The option that expands wildcards.
#[derive(Debug, Args)]
pub(super) struct WildcardArguments {
    /// Expand wildcards in RBAC rules for the APIs of the bundle
    ///
    /// In the operator's rules for the API groups of the bundle's CustomResourceDefinitions, the resource * is replaced
    /// with the bundle's own resources and subresources in the group. In rules that name only the bundle's own
    /// resources and subresources, the verb * is replaced with the list of request verbs. Other wildcards are kept.
    /// Every command that prints or packs the manifests uses the expanded rules, but only init and update write them to
    /// your files.
    #[arg(long)]
    pub(super) expand_wildcards: bool,
}

impl WildcardArguments {
    /// Expands the wildcards in the files of a bundle of plain manifests if requested, and reports the expanded rules.
    pub(super) fn expand_in(
        &self,
        tree: &mut Tree,
        reading: BundleReading,
        limits: &BundleLimits,
        context: &Context<'_>,
    ) -> Result<BundleReading, CommandError> {
        let plain = |bundle: &&Bundle| bundle.media_type == MediaType::K8sV1;
        match reading.bundle.as_ref().filter(plain) {
            Some(bundle) if self.expand_wildcards => {
                let found = synthesize(bundle, &reading.diagnostics).wildcards;
                expanded(&expand_in(tree, found, limits)?, &BTreeSet::new(), context);
                Ok(crate::bundle::read(tree, &limits.text))
            }
            _ => Ok(reading),
        }
    }
}

/// Reports the expanded rules. `named_before` contains the rules in which the previous release names the resources
/// instead of using a wildcard.
pub(super) fn expanded(rules: &[WildcardRule], named_before: &BTreeSet<String>, context: &Context<'_>) {
    for rule in rules {
        let as_before = if named_before.contains(&rule.label()) {
            ", as in the previous release"
        } else {
            ""
        };
        let groups: Vec<&str> = rule.own_groups().into_iter().collect();
        let place = rule.place();
        context.printer.status(format_args!(
            "expanded {} in {}:{} to the bundle's own kinds of {}{as_before}",
            rule.label(),
            place.source.name(),
            place.start().line,
            groups.join(", ")
        ));
    }
}

/// Lists the rules that require a decision by the author.
pub(super) fn to_decide(rules: &[WildcardRule], sources: &ServedResources, context: &Context<'_>) {
    for rule in rules.iter().filter(|rule| rule.of_types) {
        let place = rule.place();
        let label = format!("{} in {}:{}", rule.label(), place.source.name(), place.start().line);
        let covered = rule.covered();
        let say = |what: String| context.printer.status(format_args!("to decide: {what}"));
        if rule.expanded.is_some() {
            let groups: Vec<&str> = rule.own_groups().into_iter().collect();
            let groups = groups.join(", ");
            say(format!(
                "{label} allows {covered} of {groups}; use --expand-wildcards to allow only those of this bundle"
            ));
        }
        for group in &rule.open {
            if group == ALL {
                let what = if rule.is_of_subresources() {
                    format!("{covered} in all groups; list the groups and subresources")
                } else {
                    "all groups; list the groups".to_owned()
                };
                say(format!(
                    "{label} allows {what} that the operator uses, or keep the wildcard and use bundle build \
                    --media-type registry+v1"
                ));
                continue;
            }
            let known = rule.known_in(group, sources);
            let known: Vec<String> = known
                .iter()
                .map(|(resource, kind)| format!("{resource} ({kind})"))
                .collect();
            let resources = if rule.is_of_subresources() {
                "subresources"
            } else {
                "resources"
            };
            let known = match &known[..] {
                [] => format!("; use --api-source to look up the available {resources}"),
                known => format!("; available {resources}: {}", known.join(", ")),
            };
            let group = if group.is_empty() { "the core group" } else { group };
            say(format!(
                "{label} allows {covered} of {group}; list the {resources} that the operator uses{known}"
            ));
        }
    }
}
