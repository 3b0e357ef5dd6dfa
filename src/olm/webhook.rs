//! The webhooks that OLM refuses to install, because they could block the whole cluster or OLM itself.

use serde_json::Value;

/// The resources of webhook configurations, in the spellings that OLM compares.
const CONFIGURATIONS: [&str; 5] = [
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
    } else if names("apiGroups", &["admissionregistration.k8s.io"]) && names("resources", &CONFIGURATIONS) {
        Some("it intercepts webhook configurations")
    } else {
        None
    }
}
