//! The webhooks that OLM refuses to install, because they could block the whole cluster or OLM itself.

use serde_json::Value;
use std::collections::BTreeSet;

/// The types of webhooks in a ClusterServiceVersion.
pub(crate) const WEBHOOK_TYPES: [&str; 3] = [
    "ValidatingAdmissionWebhook",
    "MutatingAdmissionWebhook",
    "ConversionWebhook",
];
/// The API group of webhook configurations.
pub(crate) const ADMISSION: &str = "admissionregistration.k8s.io";
/// The resources of this group that no webhook may intercept, in lowercase.
pub(crate) const CONFIGURATIONS: [&str; 5] = [
    "*",
    "mutatingwebhookconfiguration",
    "mutatingwebhookconfigurations",
    "validatingwebhookconfiguration",
    "validatingwebhookconfigurations",
];

/// Returns the rules of a validating or mutating webhook that OLM refuses, by their indexes, each with the reason.
pub(crate) fn refused_rules(webhook: &Value) -> Vec<(usize, &'static str)> {
    let rules = webhook.get("rules").and_then(Value::as_array);
    let rules = rules.into_iter().flatten().enumerate();
    rules
        .filter_map(|(index, rule)| Some((index, refusal(rule)?)))
        .collect()
}

/// Returns OLM's message if it refuses a version with these webhook definitions. OLM compares the names across all
/// types of webhooks. In rules, OLM compares only the exact spelling, so it accepts some rules in [`refused_rules`].
///
/// Source: `transitionCSVState` and `ValidWebhookRules` in OLM.
pub(crate) fn refused_definitions(definitions: &[Value]) -> Option<&'static str> {
    let mut names = BTreeSet::new();
    definitions.iter().find_map(|definition| {
        let name = definition.get("generateName").and_then(Value::as_str);
        if !names.insert(name.unwrap_or_default()) {
            return Some("CSV contains repeated WebhookDescription name");
        }
        let rules = definition.get("rules").and_then(Value::as_array);
        rules.into_iter().flatten().find_map(exact_refusal)
    })
}

fn exact_refusal(rule: &Value) -> Option<&'static str> {
    let names = |field: &str, wanted: &[&str]| {
        let names = rule.get(field).and_then(Value::as_array);
        let mut names = names.into_iter().flatten().filter_map(Value::as_str);
        names.any(|name| wanted.contains(&name))
    };
    let configurations = ["*", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];
    if names("apiGroups", &["*"]) {
        Some("webhook rules cannot include all groups")
    } else if names("apiGroups", &["operators.coreos.com"]) {
        Some("webhook rules cannot include the OLM group")
    } else if names("apiGroups", &[ADMISSION]) && names("resources", &configurations) {
        Some("webhook rules cannot include MutatingWebhookConfiguration or ValidatingWebhookConfiguration resources")
    } else {
        None
    }
}

fn refusal(rule: &Value) -> Option<&'static str> {
    let names = |field: &str, wanted: &[&str]| {
        let names = rule.get(field).and_then(Value::as_array);
        let mut names = names.into_iter().flatten().filter_map(Value::as_str);
        names.any(|name| wanted.contains(&name.to_lowercase().as_str()))
    };
    if names("apiGroups", &["*"]) {
        Some("it intercepts all API groups")
    } else if names("apiGroups", &["operators.coreos.com"]) {
        Some("it intercepts OLM's own API group")
    } else if names("apiGroups", &[ADMISSION]) && names("resources", &CONFIGURATIONS) {
        Some("it intercepts webhook configurations")
    } else {
        None
    }
}
