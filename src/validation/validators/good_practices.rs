//! `good-practices`: recommendations for most operators.

use super::{Input, csv_of, found, permission_rules};
use crate::bundle::annotations::{CHANNELS, DEFAULT_CHANNEL};
use crate::csv::Csv;
use crate::diagnostic::Diagnostic;
use crate::kubernetes::rbac::PolicyRule;
use crate::manifest::Object;
use crate::rules;
use crate::text::Path;
use crate::version::parse_strict;
use serde_json::Value;

/// The recommended prefixes of channel names.
const CHANNEL_NAMES: [&str; 3] = ["candidate", "stable", "fast"];

pub(super) fn check(input: &Input<'_>, findings: &mut Vec<Diagnostic>) {
    let Some((object, csv)) = csv_of(input) else {
        return;
    };
    requests(object, csv, input.options.reference, findings);
    descriptions(object, csv, findings);
    findings.extend(channels(input));
    findings.extend(creates_crds(object, csv));
    name(object, csv, findings);
}

/// Checks that every container requests CPU and memory.
fn requests(object: &Object, csv: Csv<'_>, reference: bool, findings: &mut Vec<Diagnostic>) {
    let list = Path::from("spec.install.spec.deployments");
    if csv
        .get(&["spec", "install", "spec", "deployments"])
        .is_none_or(Value::is_null)
    {
        let message = "the ClusterServiceVersion installs no Deployment";
        findings.push(found(&rules::GP_NO_DEPLOYMENT, object, &list, message));
        return;
    }
    for (index, deployment) in csv.deployments().iter().enumerate() {
        let containers = deployment
            .pointer("/spec/template/spec/containers")
            .and_then(Value::as_array);
        for (number, container) in containers.into_iter().flatten().enumerate() {
            let requests = container.pointer("/resources/requests").and_then(Value::as_object);
            let asks =
                |what: &str| requests.is_some_and(|requests| requests.get(what).is_some_and(|asked| !asked.is_null()));
            // The original accepts any resource request as a request for both.
            let missing = match (asks("cpu"), asks("memory")) {
                (true, true) => continue,
                _ if reference && requests.is_some() => continue,
                (false, true) => "cpu",
                (true, false) => "memory",
                (false, false) => "cpu and memory",
            };
            let name = container.get("name").and_then(Value::as_str).unwrap_or_default();
            let message = format!("the container {name} does not request {missing}");
            let path = list
                .index(index)
                .key("spec")
                .key("template")
                .key("spec")
                .key("containers");
            let path = path.index(number).key("resources").key("requests");
            findings.push(found(&rules::GP_RESOURCE_REQUESTS, object, &path, message));
        }
    }
}

fn descriptions(object: &Object, csv: Csv<'_>, findings: &mut Vec<Diagnostic>) {
    for list in ["owned", "required"] {
        let entries = csv.list(&["spec", "customresourcedefinitions", list]);
        for (index, entry) in entries.iter().enumerate() {
            let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
            if text("description").is_empty() {
                let of = match text("version") {
                    "" => String::new(),
                    version => format!("version {version} of "),
                };
                let message = format!("{of}the {list} CRD {} has no description", text("name"));
                let path = Path::from("spec.customresourcedefinitions").key(list).index(index);
                let rule = &rules::GP_CRD_DESCRIPTION_EMPTY;
                findings.push(found(rule, object, &path.key("description"), message));
            }
        }
    }
}

fn channels(input: &Input<'_>) -> Option<Diagnostic> {
    let annotations = input.bundle.annotations.as_ref()?;
    let unusual = |channel: &str| {
        let channel = channel.trim();
        let usual = CHANNEL_NAMES.iter().any(|name| channel.starts_with(name));
        (!channel.is_empty() && !usual).then(|| channel.to_owned())
    };
    let listed = annotations.channels();
    let mut names: Vec<String> = listed.iter().filter_map(|channel| unusual(channel)).collect();
    let key = if names.is_empty() { DEFAULT_CHANNEL } else { CHANNELS };
    names.extend(annotations.default_channel().and_then(unusual));
    names.sort();
    names.dedup();
    if names.is_empty() {
        return None;
    }
    let names = names.join(", ");
    let message = format!("channel names should begin with candidate, fast or stable, unlike {names}");
    Some(Diagnostic::new(&rules::GP_CHANNEL_NAME, message).at(annotations.place(key)))
}

/// Reports an operator that may write CRDs, because managing other operators is OLM's task.
fn creates_crds(object: &Object, csv: Csv<'_>) -> Option<Diagnostic> {
    permission_rules(csv).find_map(|(path, rule)| {
        let rule = PolicyRule(rule);
        let group = rule.api_groups().any(|(_, group)| group == "apiextensions.k8s.io");
        let crds = ["customresourcedefinitions", "*", "[*]"];
        let resource = rule.resources().any(|(_, resource)| crds.contains(&resource));
        let verbs = ["create", "patch", "*", "[*]"];
        let (index, verb) = rule.list("verbs").find(|(_, verb)| verbs.contains(verb))?;
        (group && resource).then(|| {
            let message = format!(
                "the operator may {} CustomResourceDefinitions",
                if verb.contains('*') { "do anything with" } else { verb }
            );
            found(
                &rules::GP_RBAC_CREATE_CRD,
                object,
                &path.key("verbs").index(index),
                message,
            )
        })
    })
}

fn name(object: &Object, csv: Csv<'_>, findings: &mut Vec<Diagnostic>) {
    let path = Path::from("metadata.name");
    let name = csv.name();
    if !ends_in_version(name) {
        let message = format!("the name {name} does not end in a version");
        findings.push(found(&rules::GP_NAME_SEMVER, object, &path, message));
    }
    if name.split(".v").count() != 2 {
        let message = format!("the name {name} does not have the form <operator>.v<version>");
        findings.push(found(&rules::GP_NAME_SHAPE, object, &path, message));
    }
}

fn ends_in_version(name: &str) -> bool {
    // No version is longer than this limit, which keeps the check of a huge name fast.
    const LONGEST: usize = 256;
    let starts = name.char_indices().rev().take(LONGEST);
    let mut digits = starts.filter(|(_, letter)| letter.is_ascii_digit());
    digits.any(|(index, _)| name.get(index..).is_some_and(|end| parse_strict(end).is_ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_must_end_in_a_three_part_version() {
        for name in ["a.v1.2.3", "a1.2.3", "a-v0.16.0-1", "a.v1.0.0-rc.1", "a.v01.2.3"] {
            assert!(ends_in_version(name), "{name}");
        }
        for name in ["a", "a.v1.2", "a.v1.2.3_", "a.v1.2.x", ""] {
            assert!(!ends_in_version(name), "{name}");
        }
    }
}
