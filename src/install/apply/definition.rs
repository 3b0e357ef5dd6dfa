//! OLM's checks before it updates a CustomResourceDefinition, and those of the API server during the update.

use super::super::api_error::{ApiError, UNKNOWN};
use super::super::existing::Existing;
use super::{Stop, invalid};
use crate::kubernetes::structural::Structure;
use crate::pattern::schema::MOST_PATTERNS;
use serde_json::Value;

/// Checks whether a definition may replace an existing one. The new definition must keep every version in which objects
/// are stored. The `objects` of its kind must match the schema of every version that is served both before and after
/// the update. Returns warnings: if the new definition uses a conversion webhook, about a failure of the second check,
/// and about versions whose schemas cannot be checked.
pub(super) fn update(existing: &Value, new: &Value, objects: &Existing<'_>) -> Result<Vec<String>, Stop> {
    keeps_stored_versions(existing, new)?;
    let by_webhook = |definition: &Value| {
        let strategy = definition.pointer("/spec/conversion/strategy").and_then(Value::as_str);
        strategy == Some("Webhook")
    };
    let (checkers, mut warnings) = checkers(existing, new, objects);
    let Some(problem) = unfit(new, &checkers, by_webhook(existing), objects) else {
        return Ok(warnings);
    };
    let message = format!(
        "error validating existing CRs against new CRD's schema for {:?}: {problem}",
        name(new)
    );
    if by_webhook(new) {
        warnings.push(message);
        return Ok(warnings);
    }
    Err(refused(message))
}

/// Returns the API server's refusal if the new definition changes a field that is immutable once the existing
/// definition is established.
pub(super) fn immutable(existing: &Value, new: &Value) -> Option<ApiError> {
    let conditions = existing.pointer("/status/conditions").and_then(Value::as_array);
    let is_new = |condition: &Value| text(condition, "/type") == "Established" && text(condition, "/status") == "False";
    if conditions.is_some_and(|conditions| conditions.iter().any(is_new)) {
        return None;
    }
    let changed = ["/spec/scope", "/spec/names/kind"].into_iter().filter_map(|path| {
        let (before, after) = (text(existing, path), text(new, path));
        let field = path[1..].replace('/', ".");
        (before != after).then(|| {
            (
                format!("{field}: Invalid value: {after:?}: field is immutable"),
                before,
                after,
                field,
            )
        })
    });
    let changed: Vec<_> = changed.collect();
    let (_, before, after, field) = changed.first()?;
    let plain = format!("the cluster defines it with {field} {before:?}, which cannot be changed to {after:?}");
    let problems: Vec<String> = changed.iter().map(|(problem, ..)| problem.clone()).collect();
    Some(invalid::refusal(
        "CustomResourceDefinition.apiextensions.k8s.io",
        new,
        &problems,
        plain,
    ))
}

fn refused(message: String) -> Stop {
    Stop::Refused(ApiError {
        reason: UNKNOWN,
        plain: message.clone(),
        message,
    })
}

fn name(definition: &Value) -> &str {
    text(definition, "/metadata/name")
}

pub(super) fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    value.pointer(path).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn versions(definition: &Value) -> impl Iterator<Item = &Value> {
    let versions = definition.pointer("/spec/versions").and_then(Value::as_array);
    versions.into_iter().flatten()
}

pub(super) fn is_served(version: &Value) -> bool {
    version.get("served") != Some(&Value::Bool(false))
}

/// Checks that the new definition keeps every version in which objects are stored.
fn keeps_stored_versions(existing: &Value, new: &Value) -> Result<(), Stop> {
    let stored = existing.pointer("/status/storedVersions").and_then(Value::as_array);
    let mut kept: Vec<&str> = versions(new)
        .filter_map(|version| version.get("name")?.as_str())
        .collect();
    kept.extend(new.pointer("/spec/version").and_then(Value::as_str));
    let mut stored = stored.into_iter().flatten().filter_map(Value::as_str);
    match stored.find(|version| !kept.contains(version)) {
        None => Ok(()),
        Some(version) => Err(Stop::Refused(ApiError {
            reason: UNKNOWN,
            // These are OLM's words, for which users search.
            message: format!(
                "risk of data loss updating {:?}: new CRD removes version {version} that is listed as a stored version \
                 on the existing CRD",
                name(new)
            ),
            plain: format!("the new definition lacks the version {version}, in which objects are stored"),
        })),
    }
}

/// Compiles the schemas of the versions that are served both before and after the update. Returns them with the names
/// of their versions, and warnings about those that do not compile.
fn checkers<'a>(existing: &Value, new: &'a Value, objects: &Existing<'_>) -> (Vec<(&'a str, Structure)>, Vec<String>) {
    let before: Vec<&str> = versions(existing)
        .filter(|version| is_served(version))
        .map(|version| text(version, "/name"))
        .collect();
    let both = versions(new)
        .filter(|version| is_served(version))
        .filter(|version| before.contains(&text(version, "/name")));
    let (group, kind) = (text(new, "/spec/group"), text(new, "/spec/names/kind"));
    let has_objects = objects.of_kind(group, kind).next().is_some();
    let mut patterns = MOST_PATTERNS;
    let (mut checkers, mut warnings) = (Vec::new(), Vec::new());
    for version in both {
        let Some(schema) = version.pointer("/schema/openAPIV3Schema") else {
            continue;
        };
        let version = text(version, "/name");
        match Structure::of(schema, &mut patterns) {
            Some(checker) => checkers.push((version, checker)),
            None if has_objects => warnings.push(format!(
                "existing custom resources were not compared with the schema of {group}/{version}, Kind={kind}, because \
                 the schema is not valid"
            )),
            None => {}
        }
    }
    (checkers, warnings)
}

/// Finds the first object that does not match the schema of one of these versions.
fn unfit(new: &Value, checkers: &[(&str, Structure)], converted: bool, objects: &Existing<'_>) -> Option<String> {
    let (group, kind) = (text(new, "/spec/group"), text(new, "/spec/names/kind"));
    for object in objects.of_kind(group, kind) {
        let Some((_, own_version)) = text(object, "/apiVersion").split_once('/') else {
            continue;
        };
        for (version, checker) in checkers {
            // The result of a conversion webhook is unknown. Without a webhook, the object stays the same.
            if converted && *version != own_version {
                continue;
            }
            if let Some(misfit) = checker.misfit(object) {
                let (namespace, name) = (text(object, "/metadata/namespace"), name(object));
                let slash = if namespace.is_empty() { "" } else { "/" };
                return Some(format!(
                    "error validating {group}/{version}, Kind={kind} \"{namespace}{slash}{name}\": updated validation is \
                     too restrictive: {misfit}"
                ));
            }
        }
    }
    None
}
