//! What commands that take in manifests say: what was done to them, and what is left for a person to decide.

use super::wildcards;
use crate::bundle::OLM_YAML;
use crate::cli::Context;
use crate::diagnostic::{self, Diagnostic};
use crate::kubernetes::rbac::Rule;
use crate::kubernetes::served::ServedResources;
use crate::manifest::{Manifests, Object};
use crate::olm::property::{OPTIONAL_MANIFESTS, Property};
use crate::rules;
use crate::synthesis::decisions::{Decisions, optional_manifests};
use crate::synthesis::settle::Settled;
use crate::text::Path;
use std::collections::BTreeSet;

/// Reports what is wrong with manifests that are taken in, and whether they can be used.
pub(super) fn are_sound(manifests: &Manifests, context: &Context<'_>) -> bool {
    // Streams of helm are full of documents that a chart left empty.
    let told = manifests.diagnostics.iter();
    let told = told.filter(|finding| *finding.rule != rules::YAML_EMPTY_DOCUMENT);
    context.printer.report(&told.cloned().collect::<Vec<_>>());
    let sound = !diagnostic::has_errors(&manifests.diagnostics);
    if !sound {
        context
            .printer
            .error("the manifests have errors, so nothing was written");
    }
    sound
}

/// Says what was done to the manifests for their author.
pub(super) fn settled(settled: &Settled, context: &Context<'_>) {
    wildcards::expanded(&settled.expanded, context);
    for object in &settled.examples {
        context.printer.status(format_args!(
            "{} becomes an example: OLM creates no custom resources of a bundle's own kinds",
            object.label()
        ));
    }
    for object in &settled.tests {
        context
            .printer
            .status(format_args!("passed over {}, a test of the helm chart", object.label()));
    }
}

/// Lists what a person must decide about the bundle in the folder `shown`. `named_before` are rules that named what
/// their wildcards allow now.
pub(super) fn list(
    decisions: &Decisions,
    sources: &ServedResources,
    named_before: &BTreeSet<String>,
    shown: &str,
    context: &Context<'_>,
) {
    let decide = |what: String| context.printer.status(format_args!("to decide: {what}"));
    if let Some(what) = widened(&decisions.widened) {
        decide(format!(
            "whether to keep AllNamespaces under installModes, in {shown}/{OLM_YAML}: OLM then lets the operator do in all \
             namespaces what its Roles allow in one: {what}"
        ));
    }
    for entry in &decisions.unresolved {
        decide(format!(
            "which kind the resource {} of group {} is, under apis in {shown}/{OLM_YAML}",
            entry.resource, entry.group
        ));
    }
    for binding in &decisions.everything {
        let place = binding.place(&Path::from("roleRef.name"));
        decide(format!(
            "what the operator may do: {} lets it do everything; bind it to a role that names what it uses, or let bundle \
             build --media-type registry+v1 carry the binding, in {}:{}",
            binding.label(),
            place.source.name(),
            place.start().line
        ));
    }
    for finding in &decisions.unsupported {
        decide(unsupported(finding));
    }
    if !decisions.foreign.is_empty() {
        let labels: Vec<String> = decisions.foreign.iter().map(Object::label).collect();
        let property = Property::<&str>::new(OPTIONAL_MANIFESTS, optional_manifests(&decisions.foreign));
        let property = serde_json::to_string(&property).unwrap_or_default();
        decide(format!(
            "whether clusters must have the kinds of {}: where one is missing the install fails, unless the bundle names the \
             manifest as optional, under properties in {shown}/metadata/properties.yaml: - {property}",
            labels.join(", ")
        ));
    }
    wildcards::to_decide(&decisions.wildcards, sources, named_before, context);
    for service in &decisions.api_services {
        decide(format!(
            "which kinds {service} serves, under apiservicedefinitions in {shown}/{OLM_YAML}"
        ));
    }
}

fn unsupported(finding: &Diagnostic) -> String {
    let place = finding.place.as_ref();
    let place = place.map_or(String::new(), |place| {
        format!(", in {}:{}", place.source.name(), place.start().line)
    });
    let object = finding.object.as_deref().unwrap_or_default();
    let way = finding
        .help
        .as_deref()
        .unwrap_or(finding.rule.help)
        .trim_end_matches('.');
    let mut letters = way.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    let way: String = first.into_iter().chain(letters).collect();
    format!("what becomes of {object}: {}: {way}{place}", finding.message)
}

/// Resources that are named; the others are counted.
const NAMED: usize = 4;

/// What rules allow, as in `secrets (get, list) and leases (create)`.
fn widened(rules: &[Rule]) -> Option<String> {
    let name = |rule: &Rule| {
        let what = [&rule.resources[..], &rule.non_resource_urls[..]].concat().join(", ");
        let names = match &rule.resource_names[..] {
            [] => String::new(),
            names => format!(
                " {}",
                names
                    .iter()
                    .map(|name| format!("{name:?}"))
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        };
        format!("{what}{names} ({})", rule.verbs.join(", "))
    };
    let mut named: Vec<String> = rules.iter().take(NAMED).map(name).collect();
    if rules.len() > NAMED {
        named.push(format!("{} more", rules.len() - NAMED));
    }
    let (last, rest) = named.split_last()?;
    Some(if rest.is_empty() {
        last.clone()
    } else {
        format!("{} and {last}", rest.join(", "))
    })
}
