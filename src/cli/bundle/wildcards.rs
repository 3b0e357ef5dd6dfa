//! What is said of wildcards in RBAC rules, and the flag that writes them out.

use crate::bundle::{Bundle, BundleLimits, BundleReading, MediaType};
use crate::cli::Context;
use crate::cli::error::CommandError;
use crate::kubernetes::rbac::ALL;
use crate::kubernetes::served::ServedResources;
use crate::synthesis::synthesize;
use crate::synthesis::wildcards::{WildcardRule, expand_in, resources_of};
use crate::tree::Tree;
use clap::Args;
use std::collections::BTreeSet;

/// What becomes of wildcards.
#[derive(Debug, Args)]
pub(super) struct WildcardArguments {
    /// Name the resources and verbs that wildcards in RBAC stand for, where they are the bundle's own
    ///
    /// In the operator's rules, * in the group of a CustomResourceDefinition of the bundle becomes the kinds of the
    /// bundle with their subresources, and of those alone all verbs become the verbs of requests. Other wildcards stay.
    /// The manifests themselves are changed: those that init and update write, those in a built image, those that are
    /// printed or converted.
    #[arg(long)]
    pub(super) expand_wildcards: bool,
}

impl WildcardArguments {
    /// Writes out the wildcards in the files of a bundle of plain manifests, if that is asked for, and says so.
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
                expanded(&expand_in(tree, found, limits)?, context);
                Ok(crate::bundle::read(tree, &limits.text))
            }
            _ => Ok(reading),
        }
    }
}

/// Says which rules were written out.
pub(super) fn expanded(rules: &[WildcardRule], context: &Context<'_>) {
    for rule in rules {
        let groups: Vec<&str> = rule.own_groups().into_iter().collect();
        let place = rule.place();
        context.printer.status(format_args!(
            "expanded {} in {}:{}: it names the bundle's own kinds of {}",
            rule.label(),
            place.source.name(),
            place.start().line,
            groups.join(", ")
        ));
    }
}

/// Lists the rules that their author must decide about; those of `named_before` had names in the place of wildcards.
pub(super) fn to_decide(
    rules: &[WildcardRule],
    sources: &ServedResources,
    named_before: &BTreeSet<String>,
    context: &Context<'_>,
) {
    for rule in rules {
        let again = named_before.contains(&rule.label());
        if !rule.of_types && !again {
            continue;
        }
        let (place, label) = (rule.place(), rule.label());
        let place = format!("{}:{}", place.source.name(), place.start().line);
        let say = |what: String| context.printer.status(format_args!("to decide: {what}, in {place}"));
        if rule.expanded.is_some() {
            let groups: Vec<&str> = rule.own_groups().into_iter().collect();
            let groups = groups.join(", ");
            let what = if rule.of_types {
                "resources of"
            } else {
                "verbs on resources of"
            };
            say(if again {
                format!(
                    "{label} allows all {what} {groups}, which the release before named: --expand-wildcards names them again"
                )
            } else {
                format!("{label} allows all {what} {groups}: --expand-wildcards names those of this bundle")
            });
        }
        for group in &rule.open {
            if group == ALL {
                say(format!(
                    "{label} allows all groups: name those that the operator uses, or let bundle build --media-type \
                     registry+v1 carry it"
                ));
                continue;
            }
            let known = resources_of(group, sources);
            let known: Vec<String> = known
                .iter()
                .map(|(resource, kind)| format!("{resource} ({kind})"))
                .collect();
            let known = match &known[..] {
                [] => "; --api-source tells which there are".to_owned(),
                known => format!("; there are {}", known.join(", ")),
            };
            let group = if group.is_empty() { "the core group" } else { group };
            say(format!(
                "{label} allows all resources of {group}: name those that the operator uses{known}"
            ));
        }
    }
}
