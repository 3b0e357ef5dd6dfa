//! Objects that the API server rejects: Roles with URLs, and changes of immutable fields.

use super::super::api_error::{ApiError, reason_of};
use crate::kubernetes::rbac::{self, PolicyRule};
use serde_json::{Value, json};

/// Returns the API server's refusal to create an object.
pub(super) fn new(object: &Value) -> Option<ApiError> {
    if text(object, "/kind") != "Role" {
        return None;
    }
    let rules = object.get("rules").and_then(Value::as_array).into_iter().flatten();
    let urls = rules.enumerate().filter_map(|(index, rule)| {
        let urls: Vec<&str> = PolicyRule(rule).non_resource_urls().map(|(_, url)| url).collect();
        (!urls.is_empty()).then(|| {
            format!(
                "rules[{index}].nonResourceURLs: Invalid value: {}: namespaced rules cannot apply to non-resource URLs",
                json!(urls)
            )
        })
    });
    let problems: Vec<String> = urls.collect();
    let plain = "a Role cannot have nonResourceURLs".to_owned();
    (!problems.is_empty()).then(|| refusal("Role.rbac.authorization.k8s.io", object, &problems, plain))
}

/// Returns the API server's refusal to replace an existing object with a new one, which changes an immutable field.
/// Checks only kinds that OLM updates.
pub(super) fn update(existing: &Value, new: &Value) -> Option<ApiError> {
    match text(new, "/kind") {
        "PriorityClass" => priority_class(existing, new),
        kind @ ("RoleBinding" | "ClusterRoleBinding") => role_reference(kind, existing, new),
        kind @ ("ConfigMap" | "Secret") => data(kind, existing, new),
        _ => self::new(new),
    }
}

fn priority_class(existing: &Value, new: &Value) -> Option<ApiError> {
    let value = |class: &Value| class.get("value").and_then(Value::as_i64).unwrap_or_default();
    let (before, after) = (value(existing), value(new));
    let plain = format!("the cluster has it with value {before}, which cannot be changed to {after}");
    let problem = "value: Forbidden: may not be changed in an update.".to_owned();
    (before != after).then(|| refusal("PriorityClass.scheduling.k8s.io", new, &[problem], plain))
}

/// Compares the roles of two bindings. The API server fills in an absent group.
fn role_reference(kind: &str, existing: &Value, new: &Value) -> Option<ApiError> {
    let part = |binding, key| match (text(binding, key), key) {
        ("", "/roleRef/apiGroup") => rbac::GROUP,
        (written, _) => written,
    };
    let reference = |binding| ["/roleRef/apiGroup", "/roleRef/kind", "/roleRef/name"].map(|key| part(binding, key));
    // A description of a cluster may contain only the identity of an object.
    existing.get("roleRef")?;
    let (before, after) = (reference(existing), reference(new));
    let [group, of, name] = after;
    let problem = format!(
        "roleRef: Invalid value: rbac.RoleRef{{APIGroup:{group:?}, Kind:{of:?}, Name:{name:?}}}: cannot change roleRef"
    );
    let plain = format!(
        "the cluster has it with {} {}, which cannot be changed to {of} {name}",
        before[1], before[2]
    );
    let what = format!("{kind}.{}", rbac::GROUP);
    (before != after).then(|| refusal(&what, new, &[problem], plain))
}

fn data(kind: &str, existing: &Value, new: &Value) -> Option<ApiError> {
    let is_immutable = |object: &Value| object.get("immutable") == Some(&Value::Bool(true));
    if !is_immutable(existing) {
        return None;
    }
    let mut fields = Vec::new();
    if !is_immutable(new) {
        fields.push("immutable");
    }
    let is_empty = |value: &&Value| value.as_object().is_some_and(|map| !map.is_empty());
    let value = |object: &Value, field: &str| object.get(field).filter(is_empty).cloned();
    // The API server encodes stringData, so it is not compared.
    let compared = ["data", "binaryData"]
        .into_iter()
        .filter(|_| new.get("stringData").is_none());
    fields.extend(compared.filter(|field| value(existing, field) != value(new, field)));
    let problem = |field: &&str| format!("{field}: Forbidden: field is immutable when `immutable` is set");
    let problems: Vec<String> = fields.iter().map(problem).collect();
    let plain = format!("the {kind} in the cluster is immutable, so it cannot be changed");
    (!problems.is_empty()).then(|| refusal(kind, new, &problems, plain))
}

/// Returns the API server's refusal to change the selector of a Deployment. `new` is the Deployment's spec.
pub(super) fn selector(existing: &Value, new: &Value, name: &str) -> Option<ApiError> {
    let is_filled = |value: &&Value| match value {
        Value::Object(map) => !map.is_empty(),
        Value::Array(list) => !list.is_empty(),
        _ => false,
    };
    let parts =
        |selector: &Value| ["matchLabels", "matchExpressions"].map(|key| selector.get(key).filter(is_filled).cloned());
    let (before, after) = (existing.pointer("/spec/selector")?, new.get("selector")?);
    let plain = format!("the cluster has it with the selector {before}, which cannot be changed");
    let problem = format!("spec.selector: Invalid value: {after}: field is immutable");
    let object = json!({"metadata": {"name": name}});
    (parts(before) != parts(after)).then(|| refusal("Deployment.apps", &object, &[problem], plain))
}

/// Returns a refusal in the words of the API server. `what` is the kind of the object, with its group.
pub(super) fn refusal(what: &str, object: &Value, problems: &[String], plain: String) -> ApiError {
    let problems = match problems {
        [only] => only.clone(),
        several => format!("[{}]", several.join(", ")),
    };
    ApiError {
        reason: reason_of("Invalid", 422, "update"),
        message: format!("{what} {:?} is invalid: {problems}", text(object, "/metadata/name")),
        plain,
    }
}

fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    value.pointer(path).and_then(Value::as_str).unwrap_or_default()
}
