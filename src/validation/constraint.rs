//! `olm.constraint`: what a dependency may ask for beyond packages and APIs, nested at will.

use super::dependencies::range_problem;
use crate::bundle::TypedValue;
use crate::cel;
use crate::diagnostic::Diagnostic;
use crate::rules::{self, Rule};
use crate::text::{Path, kind_of};
use serde_json::{Map, Value};

/// The kinds of constraint, of which each one has exactly one.
const ALTERNATIVES: [&str; 6] = ["all", "any", "cel", "gvk", "not", "package"];
/// Bytes that the resolver takes.
const LONGEST: usize = 131_072;
/// Real constraints are nested two or three deep.
const DEEPEST: usize = 64;

pub(super) fn check(entry: &TypedValue, findings: &mut Vec<Diagnostic>) {
    if entry.stored.len() > LONGEST {
        let message = format!(
            "the constraint is {} bytes long, and {LONGEST} is the limit",
            entry.stored.len()
        );
        findings.push(Diagnostic::new(&rules::DEP_CONSTRAINT_SIZE, message).at(entry.place.clone()));
        return;
    }
    nested(entry, &entry.value, &Path::root(), 0, findings);
}

fn nested(entry: &TypedValue, value: &Value, path: &Path, depth: usize, findings: &mut Vec<Diagnostic>) {
    let mut report = |rule: &'static Rule, message: String, path: &Path| {
        findings.push(Diagnostic::new(rule, message).at(entry.place_of(path)));
    };
    if depth > DEEPEST {
        let message = format!("the constraint is nested more than {DEEPEST} deep");
        return report(&rules::DEP_CONSTRAINT_SIZE, message, path);
    }
    let Value::Object(map) = value else {
        return report(
            &rules::DEP_VALUE_SHAPE,
            format!("a constraint is {}, not a map", kind_of(value)),
            path,
        );
    };
    let message = map
        .get("failureMessage")
        .filter(|message| !message.is_string() && !message.is_null());
    if let Some(message) = message {
        let text = format!("the failureMessage of a constraint is {}, not a text", kind_of(message));
        report(&rules::DEP_VALUE_SHAPE, text, &path.key("failureMessage"));
    }
    for key in map.keys() {
        if !ALTERNATIVES.contains(&key.as_str()) && !["failureMessage", "intent"].contains(&key.as_str()) {
            let text = format!("{key} is no part of a constraint; the resolver refuses it");
            let finding = Diagnostic::new(&rules::DEP_CONSTRAINT_KEY, text).at(entry.key_place_of(&path.key(key)));
            findings.push(finding);
        }
    }
    let given: Vec<&str> = ALTERNATIVES.into_iter().filter(|key| map.contains_key(*key)).collect();
    match given[..] {
        [] => {
            let text = "a constraint has neither cel nor all, any, gvk, not or package";
            findings.push(Diagnostic::new(&rules::DEP_CEL_MISSING, text).at(entry.place_of(path)));
        }
        [one] => alternative(entry, map, one, path, depth, findings),
        _ => {
            let text = format!(
                "a constraint has {} at once, of which one alone would count",
                given.join(", ")
            );
            let finding = Diagnostic::new(&rules::DEP_CONSTRAINT_SEVERAL, text).at(entry.place_of(path));
            findings.push(finding.help("Put them below all: {constraints: […]}, each by itself."));
        }
    }
}

fn alternative(
    entry: &TypedValue,
    map: &Map<String, Value>,
    key: &str,
    path: &Path,
    depth: usize,
    findings: &mut Vec<Diagnostic>,
) {
    let (path, Some(value)) = (path.key(key), map.get(key)) else {
        return;
    };
    if !value.is_object() {
        let message = format!("{key} of a constraint is {}, not a map", kind_of(value));
        findings.push(Diagnostic::new(&rules::DEP_VALUE_SHAPE, message).at(entry.place_of(&path)));
        return;
    }
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    let mut empty = |rule: &'static Rule, what: &str, key: &str| {
        if text(key).is_empty() {
            let message = format!("{what} of a constraint is empty");
            findings.push(Diagnostic::new(rule, message).at(entry.place_of(&path.key(key))));
        }
    };
    match key {
        "cel" => findings.extend(check_cel(entry, value, &path)),
        "gvk" => {
            empty(&rules::DEP_GVK_GROUP_EMPTY, "the group", "group");
            empty(&rules::DEP_GVK_VERSION_EMPTY, "the version", "version");
            empty(&rules::DEP_GVK_KIND_EMPTY, "the kind", "kind");
        }
        "package" => {
            empty(&rules::DEP_PACKAGE_NAME_EMPTY, "the packageName", "packageName");
            empty(&rules::DEP_PACKAGE_VERSION_EMPTY, "the versionRange", "versionRange");
            let range = text("versionRange");
            if !range.is_empty() {
                let path = path.key("versionRange");
                findings.extend(range_problem(entry, range, &path, &rules::DEP_PACKAGE_VERSION_FORMAT));
            }
        }
        _ => {
            let list = value.get("constraints").and_then(Value::as_array);
            let list = list.map(Vec::as_slice).unwrap_or_default();
            if list.is_empty() {
                let message = format!("{key} of a constraint has no constraints");
                findings.push(Diagnostic::new(&rules::DEP_CEL_MISSING, message).at(entry.place_of(&path)));
            }
            for (index, value) in list.iter().enumerate() {
                let path = path.key("constraints").index(index);
                nested(entry, value, &path, depth + 1, findings);
            }
        }
    }
}

/// What is wrong with the rule of a `cel` constraint at `path`.
pub(super) fn check_cel(entry: &TypedValue, cel: &Value, path: &Path) -> Option<Diagnostic> {
    let path = path.key("rule");
    let rule = cel.get("rule").and_then(Value::as_str).unwrap_or_default();
    if rule.is_empty() {
        let message = "the rule of a constraint is empty";
        return Some(Diagnostic::new(&rules::DEP_CEL_EMPTY, message).at(entry.place_of(&path)));
    }
    let problem = cel::check(rule).err()?;
    let message = format!("the rule of a constraint {}", problem.reason);
    let place = match problem.span {
        Some(span) => entry.scalar_place_of(&path, span),
        None => entry.place_of(&path),
    };
    Some(Diagnostic::new(&rules::DEP_CEL_INVALID, message).at(place))
}
