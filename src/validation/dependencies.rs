//! The dependencies file.

use crate::bundle::{Bundle, TypedValue};
use crate::diagnostic::Diagnostic;
use crate::rules::{self, Rule};
use crate::version::VersionRange;
use serde_json::Value;

const TYPES: [&str; 4] = ["olm.constraint", "olm.gvk", "olm.label", "olm.package"];
/// The alternatives of a constraint besides `cel`.
const COMPOUND: [&str; 5] = ["all", "any", "gvk", "not", "package"];

pub(super) fn check(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    for dependency in &bundle.dependencies {
        let mut report = |rule: &'static Rule, message: String| {
            findings.push(Diagnostic::new(rule, message).at(dependency.place.clone()));
        };
        let kind = dependency.kind.as_str();
        if !TYPES.contains(&kind) {
            let message = format!("the dependency type {kind} is unknown; known are {}", TYPES.join(", "));
            report(&rules::DEP_TYPE_UNKNOWN, message);
            continue;
        }
        let Some(problem) = shape(dependency) else {
            check_value(dependency, &mut report);
            continue;
        };
        report(
            &rules::DEP_VALUE_SHAPE,
            format!("the value of a dependency of type {kind} {problem}"),
        );
    }
}

fn shape(dependency: &TypedValue) -> Option<String> {
    let Value::Object(map) = &dependency.value else {
        return Some(format!("is {}, not a map", crate::text::kind_of(&dependency.value)));
    };
    let texts: &[&str] = match dependency.kind.as_str() {
        "olm.gvk" => &["group", "version", "kind"],
        "olm.package" => &["packageName", "version"],
        "olm.label" => &["label"],
        _ => &[],
    };
    texts.iter().find_map(|key| {
        let value = map.get(*key).filter(|value| !value.is_null() && !value.is_string())?;
        Some(format!(
            "has a {key} that is {}, not a text",
            crate::text::kind_of(value)
        ))
    })
}

fn check_value(dependency: &TypedValue, report: &mut dyn FnMut(&'static Rule, String)) {
    let text = |key: &str| dependency.value.get(key).and_then(Value::as_str).unwrap_or_default();
    match dependency.kind.as_str() {
        "olm.gvk" => {
            for (key, rule) in [
                ("group", &rules::DEP_GVK_GROUP_EMPTY),
                ("version", &rules::DEP_GVK_VERSION_EMPTY),
                ("kind", &rules::DEP_GVK_KIND_EMPTY),
            ] {
                if text(key).is_empty() {
                    report(rule, format!("the {key} of a required API is empty"));
                }
            }
        }
        "olm.package" => {
            let (package, range) = (text("packageName"), text("version"));
            if package.is_empty() {
                report(
                    &rules::DEP_PACKAGE_NAME_EMPTY,
                    "the name of a required package is empty".to_owned(),
                );
            }
            if range.is_empty() {
                let message = format!("the version range of the required package {package} is empty");
                report(&rules::DEP_PACKAGE_VERSION_EMPTY, message);
            } else if let Err(error) = VersionRange::parse(range) {
                let part = range.get(error.span.clone()).unwrap_or(range);
                let message = format!("{range:?} is no version range, at {part:?}: {error}");
                report(&rules::DEP_PACKAGE_VERSION_FORMAT, message);
            }
        }
        "olm.label" if text("label").is_empty() => {
            report(&rules::DEP_LABEL_EMPTY, "the label of a dependency is empty".to_owned());
        }
        "olm.constraint" => constraint(&dependency.value, report),
        _ => {}
    }
}

fn constraint(value: &Value, report: &mut dyn FnMut(&'static Rule, String)) {
    let Some(cel) = value.get("cel") else {
        if !COMPOUND.iter().any(|key| value.get(key).is_some()) {
            let message = "a constraint has neither cel nor all, any, gvk, not or package".to_owned();
            report(&rules::DEP_CEL_MISSING, message);
        }
        return;
    };
    let rule = cel.get("rule").and_then(Value::as_str).unwrap_or_default();
    if rule.is_empty() {
        report(&rules::DEP_CEL_EMPTY, "the rule of a constraint is empty".to_owned());
    } else if let Err(reason) = parse_rule(rule) {
        report(
            &rules::DEP_CEL_INVALID,
            format!("the rule of a constraint does not parse: {reason}"),
        );
    }
}

/// Parses a rule in the Common Expression Language. The parser calls itself for every bracket, so that what is deeper or
/// longer than any real rule is refused before it.
fn parse_rule(rule: &str) -> Result<(), String> {
    const LONGEST: usize = 16 << 10;
    const DEEPEST: usize = 64;
    if rule.len() > LONGEST {
        return Err(format!("it is longer than {LONGEST} bytes"));
    }
    let mut depth = 0_usize;
    for letter in rule.chars() {
        match letter {
            '(' | '[' | '{' | '?' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST {
            return Err(format!("it is nested more than {DEEPEST} deep"));
        }
    }
    match cel::Program::compile(rule) {
        Ok(_) => Ok(()),
        Err(errors) => {
            let first = errors
                .errors
                .first()
                .map(|error| format!("{}, at {}:{}", error.msg, error.pos.0, error.pos.1));
            Err(first.unwrap_or_else(|| errors.to_string()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_parsed_within_bounds() {
        assert_eq!(
            parse_rule("properties.exists(p, p.type == \"acme.fips\" && p.value == true)"),
            Ok(())
        );
        assert!(parse_rule("properties.exists(p, p.type == )").is_err());
        assert!(parse_rule(&"(".repeat(100_000)).unwrap_err().contains("longer"));
        assert!(parse_rule(&"(".repeat(1_000)).unwrap_err().contains("nested"));
        assert!(parse_rule(&"!".repeat(10_000)).is_err());
    }
}
