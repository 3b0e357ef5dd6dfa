//! `alpha-deprecated-apis`: API versions that newer clusters no longer serve.

use super::csv::min_kube_version;
use super::same_shape::successor;
use super::{Input, csv_of, found};
use crate::csv::Csv;
use crate::diagnostic::{Diagnostic, Edit};
use crate::kubernetes::GroupVersionKind;
use crate::kubernetes::rbac::PolicyRule;
use crate::kubernetes::removed::{REMOVALS, Removal};
use crate::manifest::Object;
use crate::rules::{self, Rule, Severity};
use crate::source::Place;
use crate::text::{Path, source_edit};
use crate::version::parse_tolerant;
use semver::Version;
use serde_json::Value;

/// Returns the rule about the APIs that a version of Kubernetes removed.
fn rule_of(removal: &Removal) -> &'static Rule {
    match removal.minor {
        22 => &rules::REMOVED_API_1_22,
        25 => &rules::REMOVED_API_1_25,
        _ => &rules::REMOVED_API_1_26,
    }
}

pub(super) fn check(input: &Input<'_>, findings: &mut Vec<Diagnostic>) {
    let Some((object, csv)) = csv_of(input) else {
        return;
    };
    let written = csv.text(&["spec", "minKubeVersion"]);
    let oldest = parse_tolerant(written);
    if !written.is_empty() && oldest.is_none() {
        findings.extend(unparsable(input, object, written));
    }
    for removal in &REMOVALS {
        let version = Version::new(1, removal.minor, 0);
        let mut uses = uses_in_manifests(input, removal);
        if rule_of(removal) == &rules::REMOVED_API_1_25 {
            uses.extend(uses_in_lists(object, csv, removal));
        }
        let gone = |known: &Option<Version>| known.as_ref().is_some_and(|known| *known >= version);
        let severity = if gone(&input.options.kubernetes_version) || gone(&oldest) {
            Severity::Error
        } else {
            Severity::Warning
        };
        let edits: Vec<Edit> = uses
            .iter()
            .filter_map(|found| migrated(found, oldest.as_ref()))
            .collect();
        findings.extend(together(removal, severity, &uses).map(|finding| finding.fixed_by(edits)));
        if rule_of(removal) == &rules::REMOVED_API_1_25 {
            let rules = pod_security_rules(object, csv);
            findings.extend(together(removal, Severity::Warning, &rules));
        }
    }
}

/// Returns the names of the objects in the bundle that Kubernetes 1.22 no longer serves, if any.
pub(super) fn gone_in_1_22(input: &Input<'_>) -> Option<String> {
    let uses = uses_in_manifests(input, &REMOVALS[0]);
    (!uses.is_empty()).then(|| names(&uses))
}

/// Replaces a removed API version with the next one, if the object means the same in both versions. Objects that the
/// CSV lists are created by the operator, so their content is unknown.
fn migrated(found: &Use<'_>, oldest: Option<&Version>) -> Option<Edit> {
    if found.path != Path::from("apiVersion") {
        return None;
    }
    let (document, root) = found.object.document();
    source_edit::rewrite(document, &root.join(&found.path), successor(found.object, oldest)?)
}

/// Reports a `minKubeVersion` that is not a version. By default, the module `csv` reports this defect instead.
fn unparsable(input: &Input<'_>, object: &Object, written: &str) -> Option<Diagnostic> {
    if !input.options.reference {
        let (missing, format) = (&rules::CSV_MINKUBEVERSION_MISSING, &rules::CSV_MINKUBEVERSION_FORMAT);
        return min_kube_version(object, missing, format);
    }
    let message = format!("spec.minKubeVersion {written:?} is not a version");
    let path = Path::from("spec.minKubeVersion");
    Some(found(&rules::REMOVED_API_MINKUBE_UNPARSABLE, object, &path, message))
}

/// A use of an API: its name in messages, the object, and the path in the object.
struct Use<'a> {
    name: String,
    object: &'a Object,
    path: Path,
}

impl Use<'_> {
    fn place(&self) -> Place {
        self.object.place(&self.path)
    }
}

fn uses_in_manifests<'a>(input: &Input<'a>, removal: &Removal) -> Vec<Use<'a>> {
    let removed = |gvk: &GroupVersionKind| removal.covers(&gvk.api_version(), &gvk.kind);
    let objects = input.bundle.objects.iter();
    objects
        .filter(|object| removed(object.gvk()))
        .map(|object| Use {
            name: object.label(),
            object,
            path: Path::from("apiVersion"),
        })
        .collect()
}

/// Returns the uses in the lists of the resources that the operator creates for its APIs.
fn uses_in_lists<'a>(object: &'a Object, csv: Csv<'_>, removal: &Removal) -> Vec<Use<'a>> {
    let mut uses = Vec::new();
    for list in ["owned", "required"] {
        let entries = csv.list(&["spec", "customresourcedefinitions", list]);
        for (index, entry) in entries.iter().enumerate() {
            let resources = entry.get("resources").and_then(Value::as_array);
            for (number, resource) in resources.into_iter().flatten().enumerate() {
                let text = |key: &str| resource.get(key).and_then(Value::as_str).unwrap_or_default();
                if removal.covers(text("version"), text("kind")) {
                    let path = Path::from("spec.customresourcedefinitions").key(list).index(index);
                    uses.push(Use {
                        name: format!("{}/{}", text("kind"), text("name")),
                        object,
                        path: path.key("resources").index(number).key("version"),
                    });
                }
            }
        }
    }
    uses
}

/// Returns the rules about pod security policies, which have no effect on clusters without them.
fn pod_security_rules<'a>(object: &'a Object, csv: Csv<'_>) -> Vec<Use<'a>> {
    const RESOURCE: &str = "podsecuritypolicies";
    let listed = |kind: &str| {
        ["owned", "required"].iter().any(|list| {
            let entries = csv.list(&["spec", "customresourcedefinitions", list]).iter();
            let mut resources = entries.filter_map(|entry| entry.get("resources")?.as_array()).flatten();
            resources.any(|resource| {
                let of = resource.get("kind").and_then(Value::as_str).unwrap_or_default();
                format!("{}s", of.to_lowercase()) == kind
            })
        })
    };
    if listed(RESOURCE) {
        return Vec::new();
    }
    let policy_rules = super::permission_rules(csv);
    let of_policies = policy_rules.filter_map(|(path, rule)| {
        let rule = PolicyRule(rule);
        let policy = rule.api_groups().any(|(_, group)| group == "policy");
        let (index, _) = rule.resources().find(|(_, resource)| *resource == RESOURCE)?;
        policy.then(|| Use {
            name: format!("{RESOURCE} in {path}"),
            object,
            path: path.key("resources").index(index),
        })
    });
    of_policies.collect()
}

fn names(uses: &[Use<'_>]) -> String {
    let names: Vec<&str> = uses.iter().map(|found| found.name.as_str()).collect();
    names.join(", ")
}

/// Returns one finding for a Kubernetes version, with all places.
fn together(removal: &Removal, severity: Severity, uses: &[Use<'_>]) -> Option<Diagnostic> {
    let first = uses.first()?;
    let message = format!(
        "Kubernetes 1.{} no longer serves the API version of {}",
        removal.minor,
        names(uses)
    );
    let mut finding = found(rule_of(removal), first.object, &first.path, message);
    finding.severity = severity;
    for other in uses.iter().skip(1) {
        finding = finding.also(other.place(), other.name.clone());
    }
    Some(finding)
}
