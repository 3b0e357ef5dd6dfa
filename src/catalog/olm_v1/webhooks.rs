//! The webhooks with which OLM v1 does not install a bundle.

use super::refusal::{Part, Refusal};
use crate::csv::Csv;
use crate::kubernetes::names::is_dns1123_subdomain;
use crate::olm::webhook::{ADMISSION, CONFIGURATIONS};
use crate::text::Path;
use crate::value::text;
use serde_json::Value;
use std::collections::BTreeSet;

const CONVERSION: &str = "ConversionWebhook";
/// The API groups whose objects no webhook may intercept.
const FORBIDDEN_GROUPS: [&str; 2] = ["*", "olm.operatorframework.io"];

fn definitions(csv: Csv<'_>) -> &[Value] {
    csv.list(&["spec", "webhookdefinitions"])
}

fn texts<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a str> {
    let items = value.get(key).and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str)
}

/// Whether the operator has a conversion webhook.
pub(super) fn convert(csv: Csv<'_>) -> bool {
    definitions(csv)
        .iter()
        .any(|webhook| text(webhook, "type") == CONVERSION)
}

/// Returns the names of the CustomResourceDefinitions that webhooks convert.
pub(super) fn converted(csv: Csv<'_>) -> BTreeSet<&str> {
    let webhooks = definitions(csv)
        .iter()
        .filter(|webhook| text(webhook, "type") == CONVERSION);
    webhooks.flat_map(|webhook| texts(webhook, "conversionCRDs")).collect()
}

/// Returns the names of the deployments that serve webhooks.
pub(super) fn deployments(csv: Csv<'_>) -> impl Iterator<Item = &str> {
    definitions(csv).iter().map(|webhook| text(webhook, "deploymentName"))
}

/// Adds the reasons that the webhook definitions give.
pub(super) fn check(csv: Csv<'_>, found: &mut Vec<Refusal>) {
    let deployments: BTreeSet<&str> = csv.deployments().iter().map(|entry| text(entry, "name")).collect();
    let owned = csv.list(&["spec", "customresourcedefinitions", "owned"]).iter();
    let owned: BTreeSet<&str> = owned.map(|entry| text(entry, "name")).collect();
    let (mut names, mut converted) = (BTreeSet::new(), BTreeSet::new());
    for (index, webhook) in definitions(csv).iter().enumerate() {
        let at = Path::from("spec.webhookdefinitions").index(index);
        let mut report = |path, reason, help| found.push(Refusal::new(Part::Csv(path), reason, help));
        let (kind, written) = (text(webhook, "type"), text(webhook, "generateName"));
        let name = written.strip_suffix('-').unwrap_or(written);
        if !is_dns1123_subdomain(name) {
            let reason = format!("the name {written:?} of a webhook is not valid");
            let help = "Use a name of lowercase letters, digits, hyphens and dots.";
            report(at.key("generateName"), reason, help);
        } else if !names.insert((kind, name)) {
            let reason = format!("two webhooks of type {kind} have the name {name:?}, without a hyphen at the end");
            let help = "Give each webhook its own name; a hyphen at the end does not count.";
            report(at.key("generateName"), reason, help);
        } else if kind != CONVERSION && name.split('.').count() < 3 {
            let reason = format!("the name {written:?} of a webhook has fewer than three parts");
            let help = "Use a name of at least three parts, separated by dots, because API servers accept no other.";
            report(at.key("generateName"), reason, help);
        }
        // OLM v1 copies the port to the configuration of the webhook, whose port must not be 0. OLM v0 uses 443.
        if webhook.get("containerPort").and_then(Value::as_i64).unwrap_or_default() == 0 {
            let reason = format!("the webhook {written:?} has no containerPort");
            let help = "Set containerPort to the port of the webhook's Service, such as 443.";
            report(at.key("containerPort"), reason, help);
        }
        let deployment = text(webhook, "deploymentName");
        if !deployments.contains(deployment) {
            let reason = format!("the webhook {written:?} belongs to deployment {deployment:?}, which does not exist");
            let help = "Set deploymentName to a deployment of the ClusterServiceVersion.";
            report(at.key("deploymentName"), reason, help);
        }
        if kind != CONVERSION {
            for (path, reason, help) in intercepted(webhook, written, &at) {
                report(path, reason, help);
            }
            continue;
        }
        for (number, definition) in texts(webhook, "conversionCRDs").enumerate() {
            let path = at.key("conversionCRDs").index(number);
            if !owned.contains(definition) {
                let reason = format!("the webhook {written:?} converts {definition:?}, which the bundle does not own");
                let help = "List the CustomResourceDefinition in spec.customresourcedefinitions.owned.";
                report(path, reason, help);
            } else if !converted.insert(definition) {
                let reason = format!("several webhooks convert {definition:?}");
                report(
                    path,
                    reason,
                    "Keep one conversion webhook for each CustomResourceDefinition.",
                );
            }
        }
    }
}

/// Returns the rules of an admission webhook that OLM v1 does not allow.
fn intercepted(webhook: &Value, name: &str, at: &Path) -> Vec<(Path, String, &'static str)> {
    let mut found = Vec::new();
    let rules = webhook.get("rules").and_then(Value::as_array).into_iter().flatten();
    for (index, rule) in rules.enumerate() {
        let at = at.key("rules").index(index);
        if let Some(group) = texts(rule, "apiGroups").find(|group| FORBIDDEN_GROUPS.contains(group)) {
            let reason = format!("the webhook {name:?} intercepts the API group {group:?}");
            let help = "List the API groups that the webhook needs, without that of OLM v1.";
            found.push((at.key("apiGroups"), reason, help));
        }
        let mut resources = texts(rule, "resources");
        let forbidden = resources.find(|resource| CONFIGURATIONS.contains(&&*resource.to_lowercase()));
        if let Some(resource) = forbidden.filter(|_| texts(rule, "apiGroups").any(|group| group == ADMISSION)) {
            let reason = format!("the webhook {name:?} intercepts the resource {resource:?} of {ADMISSION}");
            let help = "Do not intercept the configurations of webhooks.";
            found.push((at.key("resources"), reason, help));
        }
    }
    found
}
