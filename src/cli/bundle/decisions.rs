//! The reports of commands that import manifests: changes to the manifests, and decisions that remain for the author.

use super::{open_apis, wildcards};
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
use crate::terminal::shell::word;
use crate::text::Path;
use std::collections::BTreeSet;

/// Reports the findings about imported manifests, and returns whether the manifests can be used.
pub(super) fn are_sound(manifests: &Manifests, context: &Context<'_>) -> bool {
    // The output of Helm often contains empty documents.
    let findings = manifests.diagnostics.iter();
    let findings = findings.filter(|finding| *finding.rule != rules::YAML_EMPTY_DOCUMENT);
    context.printer.report(&findings.cloned().collect::<Vec<_>>());
    let sound = !diagnostic::has_errors(&manifests.diagnostics);
    if !sound {
        context
            .printer
            .error("the manifests have errors, so nothing was written");
    }
    sound
}

/// Reports the changes that were made to the manifests. `named_before` contains the rules in which the previous release
/// names the resources instead of using a wildcard.
pub(super) fn settled(settled: &Settled, named_before: &BTreeSet<String>, context: &Context<'_>) {
    wildcards::expanded(&settled.expanded, named_before, context);
    for object in &settled.examples {
        context.printer.status(format_args!(
            "{} becomes an example because OLM does not create custom resources of a bundle's own kinds",
            object.label()
        ));
    }
    for object in &settled.tests {
        context.printer.status(format_args!(
            "skipped {}, which is a test of the Helm chart",
            object.label()
        ));
    }
}

/// Lists the decisions that remain for the author of the bundle in the folder `shown`.
pub(super) fn list(decisions: &Decisions, sources: &ServedResources, shown: &str, context: &Context<'_>) {
    let decide = |what: String| context.printer.status(format_args!("to decide: {what}"));
    if let Some(what) = widened(&decisions.widened) {
        decide(format!(
            "whether to keep AllNamespaces under installModes or to replace it with OwnNamespace, in \
            {shown}/{OLM_YAML}; with AllNamespaces, OLM grants these permissions of the operator's Roles in all \
            namespaces instead of one: {what}"
        ));
    }
    for sentence in open_apis::sentences(&decisions.unresolved) {
        decide(format!("{sentence}, under apis in {shown}/{OLM_YAML}"));
    }
    for binding in &decisions.everything {
        let place = binding.place(&Path::from("roleRef.name"));
        decide(format!(
            "the permissions of the operator: {} in {}:{} grants all permissions; bind a role that names the required \
            resources, or keep the binding and use bundle build --media-type registry+v1",
            binding.label(),
            place.source.name(),
            place.start().line
        ));
    }
    if let Some(what) = hooks(decisions) {
        decide(what);
    }
    for finding in &decisions.unsupported {
        let object = finding.object.as_deref().unwrap_or_default();
        let about = about(finding, &format!("how to handle {object}"));
        decide(format!("{about}; --exclude {} leaves it out", word(object)));
    }
    for finding in &decisions.unreached {
        decide(about(finding, "how the API server reaches the operator"));
    }
    for finding in &decisions.certificates {
        decide(about(finding, "how the operator obtains its certificate"));
    }
    if !decisions.foreign.is_empty() {
        let labels: Vec<String> = decisions.foreign.iter().map(Object::label).collect();
        let property = Property::<&str>::new(OPTIONAL_MANIFESTS, optional_manifests(&decisions.foreign));
        let property = serde_json::to_string(&property).unwrap_or_default();
        decide(format!(
            "whether clusters must have the kinds of {}: if a kind is missing, the installation fails; let the operator \
            create the object, or leave it out with {}; to mark it as optional, which released versions of OLM \
            ignore, add this entry under properties in {shown}/metadata/properties.yaml: - {property}",
            labels.join(", "),
            exclusions(&decisions.foreign)
        ));
    }
    wildcards::to_decide(&decisions.wildcards, sources, context);
    for service in &decisions.api_services {
        decide(format!(
            "the kinds that {service} serves, under apiservicedefinitions in {shown}/{OLM_YAML}"
        ));
    }
}

/// Describes the decision about the Helm hooks in the manifests.
fn hooks(decisions: &Decisions) -> Option<String> {
    let (kept, others) = (&decisions.hooks, &decisions.uninstalled_hooks);
    let labels = |objects: &[Object]| objects.iter().map(Object::label).collect::<Vec<_>>().join(", ");
    let consequence = match (kept.is_empty(), others.is_empty()) {
        (true, true) => return None,
        (false, true) => format!("so it installs {} permanently", labels(kept)),
        (true, false) => format!("and does not install {}", labels(others)),
        (false, false) => {
            let (kept, others) = (labels(kept), labels(others));
            format!("so it installs {kept} permanently, and does not install {others}")
        }
    };
    let all = exclusions(kept.iter().chain(others));
    Some(format!(
        "whether the operator needs the Helm hooks: OLM runs no hooks, {consequence}; {all} leaves out all of them"
    ))
}

/// Returns the options that leave out these objects.
pub(super) fn exclusions<'a>(objects: impl IntoIterator<Item = &'a Object>) -> String {
    let options = objects
        .into_iter()
        .map(|object| format!("--exclude {}", word(&object.label())));
    let mut options: Vec<String> = options.collect();
    options.dedup();
    options.join(" ")
}

/// Describes the decision `what`, which a finding requires.
fn about(finding: &Diagnostic, what: &str) -> String {
    let place = finding.place.as_ref();
    let place = place.map_or(String::new(), |place| {
        format!(" in {}:{}", place.source.name(), place.start().line)
    });
    let way = finding
        .help
        .as_deref()
        .unwrap_or(finding.rule.help)
        .trim_end_matches('.');
    format!("{what}{place}: {}: {}", finding.message, continuing(way))
}

/// Returns a sentence with a lowercase first letter, unless the first word is a name such as OLM or ClusterRole.
fn continuing(sentence: &str) -> String {
    let word = sentence.split_whitespace().next().unwrap_or_default();
    let mut letters = sentence.chars();
    match letters.next() {
        Some(first) if !word.chars().skip(1).any(char::is_uppercase) => {
            format!("{}{}", first.to_ascii_lowercase(), letters.as_str())
        }
        _ => sentence.to_owned(),
    }
}

/// The maximum number of resources that are named; the others are only counted.
const NAMED: usize = 4;

/// Describes the permissions in rules, as in `secrets (get, list) and leases (create)`.
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
        let groups: Vec<&str> = rule
            .api_groups
            .iter()
            .map(|group| if group.is_empty() { "the core group" } else { group })
            .collect();
        // The core group is left out if it is the only group.
        let of = match &groups[..] {
            [] | ["the core group"] => String::new(),
            groups => format!(" of {}", groups.join(" and ")),
        };
        format!("{what}{names}{of} ({})", rule.verbs.join(", "))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_letter_is_lowercased_unless_the_first_word_is_a_name() {
        for (sentence, wanted) in [
            ("Use a Role", "use a Role"),
            ("A Role", "a Role"),
            ("OLM creates it", "OLM creates it"),
            ("ClusterRoles work", "ClusterRoles work"),
            ("É", "É"),
            ("", ""),
        ] {
            assert_eq!(continuing(sentence), wanted);
        }
    }
}
