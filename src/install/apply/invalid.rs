//! Objects that the API server rejects: roles with incomplete or misplaced rules, versions that lack what their
//! definition requires, and changes of immutable fields.

use super::super::api_error::{ApiError, reason_of};
use crate::csv::{self, Csv};
use crate::diagnostic::MOST_OF_A_RULE;
use crate::kubernetes::names::{is_dns1123_subdomain, is_port_number};
use crate::kubernetes::rbac::{self, PolicyRule};
use crate::olm::webhook::WEBHOOK_TYPES;
use crate::shape;
use serde_json::{Value, json};
use std::fmt::Display;

/// Returns the API server's refusal to create an object of this kind. Manifests that OLM generates do not contain their
/// kind.
pub(super) fn new(kind: &str, object: &Value) -> Option<ApiError> {
    if kind == csv::KIND {
        return version(object);
    }
    if !["Role", "ClusterRole"].contains(&kind) {
        return None;
    }
    let rules = object.get("rules").and_then(Value::as_array).into_iter().flatten();
    let problems = rules
        .enumerate()
        .flat_map(|(index, rule)| rule_problems(kind, index, rule));
    refused(&format!("{kind}.{}", rbac::GROUP), object, problems)
}

/// Returns the API server's refusal to create a ClusterServiceVersion, as OLM writes it.
fn version(object: &Value) -> Option<ApiError> {
    let csv = Csv(object);
    let name = (!is_dns1123_subdomain(csv.name())).then(|| {
        (
            format!(
                "metadata.name: Invalid value: {:?}: a lowercase RFC 1123 subdomain must consist of lower case \
                 alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
                csv.name()
            ),
            format!("{:?} is not a valid name", csv.name()),
        )
    });
    let unset = shape::unset(object, &csv::SHAPE);
    let unset = unset
        .iter()
        .map(|path| (format!("{path}: Required value"), format!("{path} is required")));
    let webhooks = || csv.list(&["spec", "webhookdefinitions"]).iter().enumerate();
    let ports = webhooks().filter_map(|(index, webhook)| {
        let port = webhook.get("containerPort")?.as_i64()?;
        let path = format!("spec.webhookdefinitions[{index}].containerPort");
        let (bound, limit) = if port < 1 { ("greater", 1) } else { ("less", 65_535) };
        (!is_port_number(port)).then(|| {
            (
                format!("{path}: Invalid value: {port}: {path} in body should be {bound} than or equal to {limit}"),
                format!("{path} is {port}, but must be between 1 and 65535"),
            )
        })
    });
    let types = webhooks().filter_map(|(index, webhook)| {
        let kind = text(webhook, "/type");
        let path = format!("spec.webhookdefinitions[{index}].type");
        (!WEBHOOK_TYPES.contains(&kind)).then(|| {
            let known = WEBHOOK_TYPES.map(|known| format!("{known:?}")).join(", ");
            (
                format!("{path}: Unsupported value: {kind:?}: supported values: {known}"),
                format!("{path} is {kind:?}, but must be one of {}", WEBHOOK_TYPES.join(", ")),
            )
        })
    });
    let problems = name
        .into_iter()
        .chain(unset)
        .chain(ports)
        .chain(types)
        .take(MOST_OF_A_RULE);
    refused(&format!("{}.{}", csv::KIND, csv::GROUP), object, problems)
}

/// Returns the problems of a rule of a role, each in the words of the API server and in plain words.
fn rule_problems(kind: &str, index: usize, rule: &Value) -> Vec<(String, String)> {
    let rule = PolicyRule(rule);
    let absent = rule.absent_lists().map(|list| {
        let need = match list {
            "verbs" => "verbs must contain at least one value",
            "apiGroups" => "resource rules must supply at least one api group",
            _ => "resource rules must supply at least one resource",
        };
        (
            format!("rules[{index}].{list}: Required value: {need}"),
            format!("rules[{index}] has no {list}"),
        )
    });
    let mut problems: Vec<(String, String)> = absent.collect();
    let urls: Vec<&str> = rule.non_resource_urls().map(|(_, url)| url).collect();
    if kind == "Role" && !urls.is_empty() {
        problems.push((
            format!(
                "rules[{index}].nonResourceURLs: Invalid value: {}: namespaced rules cannot apply to non-resource URLs",
                json!(urls)
            ),
            "a Role cannot have nonResourceURLs".to_owned(),
        ));
    }
    problems
}

/// Returns the API server's refusal to replace an existing object with a new one of this kind, which changes an
/// immutable field. Checks only kinds that OLM updates.
pub(super) fn update(kind: &str, existing: &Value, new: &Value) -> Option<ApiError> {
    match kind {
        "PriorityClass" => priority_class(existing, new),
        "RoleBinding" | "ClusterRoleBinding" => role_reference(kind, existing, new),
        "ConfigMap" | "Secret" => data(kind, existing, new),
        _ => self::new(kind, new),
    }
}

fn priority_class(existing: &Value, new: &Value) -> Option<ApiError> {
    let value = |class: &Value| class.get("value").and_then(Value::as_i64).unwrap_or_default();
    let (before, after) = (value(existing), value(new));
    let value = (before != after).then(|| {
        (
            "value: Forbidden: may not be changed in an update.".to_owned(),
            unchangeable("value", &before, &after),
        )
    });
    let policy = filled_in("preemptionPolicy", "PreemptLowerPriority", existing, new);
    let problems = [value, policy].into_iter().flatten();
    refused("PriorityClass.scheduling.k8s.io", new, problems)
}

/// Compares a string that the API server fills in and does not change. Returns the problem in the words of the API
/// server, and in plain words.
fn filled_in(field: &str, default: &str, existing: &Value, new: &Value) -> Option<(String, String)> {
    // A description of a cluster may contain only the identity of an object.
    let before = existing.get(field)?.as_str()?;
    let after = match text(new, &format!("/{field}")) {
        "" => default,
        written => written,
    };
    (before != after).then(|| {
        (
            format!("{field}: Invalid value: {after:?}: field is immutable"),
            unchangeable(field, &before, &after),
        )
    })
}

fn unchangeable(field: &str, before: &dyn Display, after: &dyn Display) -> String {
    format!("the cluster has it with {field} {before}, which cannot be changed to {after}")
}

/// Returns the refusal for problems in the words of the API server, each with its explanation in plain words.
fn refused(what: &str, object: &Value, problems: impl Iterator<Item = (String, String)>) -> Option<ApiError> {
    let (problems, plain): (Vec<String>, Vec<String>) = problems.unzip();
    let plain = plain.into_iter().next()?;
    Some(refusal(what, object, &problems, plain))
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
    let of_type = (kind == "Secret").then(|| filled_in("type", "Opaque", existing, new));
    let fields = changed_data(existing, new);
    let problem = |field| {
        (
            format!("{field}: Forbidden: field is immutable when `immutable` is set"),
            format!("the {kind} in the cluster is immutable, so it cannot be changed"),
        )
    };
    let problems = of_type.flatten().into_iter().chain(fields.into_iter().map(problem));
    refused(kind, new, problems)
}

/// Returns the changed fields of an immutable ConfigMap or Secret.
fn changed_data(existing: &Value, new: &Value) -> Vec<&'static str> {
    let is_immutable = |object: &Value| object.get("immutable") == Some(&Value::Bool(true));
    let mut fields = Vec::new();
    if !is_immutable(existing) {
        return fields;
    }
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
    fields
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
