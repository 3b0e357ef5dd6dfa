//! SARIF 2.1.0 for code scanning.

use super::list;
use crate::diagnostic::{Diagnostic, Edit};
use crate::rules::{Rule, Severity};
use crate::source::Place;
use crate::terminal::advice;
use crate::text;
use crate::validation::Validation;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::{self, Write};

/// A key with an empty list, as it is written below.
const NO_RESULTS: &str = "\"results\": []";

pub(super) fn write(validations: &[Validation], out: &mut dyn Write) -> fmt::Result {
    let mut rules: Vec<&'static Rule> = Vec::new();
    let all = || {
        validations.iter().flat_map(|validation| {
            let findings = validation.findings.iter();
            findings.map(move |finding| (validation, finding))
        })
    };
    for (_, finding) in all() {
        if !rules.contains(&finding.diagnostic.rule) {
            rules.push(finding.diagnostic.rule);
        }
    }
    rules.sort_by_key(|rule| rule.id);
    let frame = text::to_json(&json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "opmx",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": list(rules.iter().map(|rule| described(rule))),
            }},
            "columnKind": "unicodeCodePoints",
            "results": [],
        }],
    }));
    let (before, after) = match frame.rsplit_once(NO_RESULTS) {
        Some(parts) if all().next().is_some() => parts,
        _ => return out.write_str(&frame),
    };
    out.write_str(before)?;
    let mut opening = "\"results\": [";
    for (validation, finding) in all() {
        let index = rules.iter().position(|rule| *rule == finding.diagnostic.rule);
        let mut result = result(validation, &finding.diagnostic);
        result["ruleIndex"] = json!(index);
        if let Some(validator) = finding.validator {
            result["properties"] = json!({ "validator": validator });
        }
        let result = text::to_json(&result);
        write!(
            out,
            "{opening}\n        {}",
            result.trim_end().replace('\n', "\n        ")
        )?;
        opening = ",";
    }
    write!(out, "\n      ]{after}")
}

fn described(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "shortDescription": {"text": format!("{} ({})", rule.id, rule.source)},
        "help": {"text": advice::of_rule(rule)},
        "defaultConfiguration": {"level": level(rule.severity)},
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn result(validation: &Validation, diagnostic: &Diagnostic) -> Value {
    let location = match &diagnostic.place {
        Some(place) => located(place),
        None => json!({"physicalLocation": {"artifactLocation": {"uri": uri(&validation.bundle)}}}),
    };
    let mut result = json!({
        "ruleId": diagnostic.rule.id,
        "ruleIndex": 0,
        "level": level(diagnostic.severity),
        "message": {"text": format!("{}. {}", diagnostic.message, advice::of(diagnostic))},
        "locations": [location],
    });
    if diagnostic.is_fixable() {
        result["fixes"] = list([fix(diagnostic)]);
    }
    if !diagnostic.related.is_empty() {
        let related = diagnostic.related.iter().enumerate().map(|(index, (place, label))| {
            let mut location = located(place);
            location["id"] = json!(index);
            location["message"] = json!({ "text": label });
            location
        });
        result["relatedLocations"] = list(related);
    }
    result
}

/// Returns the changes that fix a finding, grouped by file.
fn fix(diagnostic: &Diagnostic) -> Value {
    let mut files: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for Edit { place, replacement } in &diagnostic.edits {
        let replacement = json!({
            "deletedRegion": region(place),
            "insertedContent": {"text": replacement},
        });
        files.entry(place.source.name()).or_default().push(replacement);
    }
    let changes = files.into_iter().map(
        |(file, replacements)| json!({"artifactLocation": {"uri": uri(file)}, "replacements": list(replacements)}),
    );
    json!({
        "description": {"text": advice::of(diagnostic)},
        "artifactChanges": list(changes),
    })
}

fn region(place: &Place) -> Value {
    let (start, end) = (place.start(), place.end());
    json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
        "byteOffset": place.span.start,
        "byteLength": place.span.len(),
    })
}

fn located(place: &Place) -> Value {
    let (start, end) = (place.start(), place.end());
    json!({"physicalLocation": {
        "artifactLocation": {"uri": uri(place.source.name())},
        "region": {
            "startLine": start.line,
            "startColumn": start.column,
            "endLine": end.line,
            "endColumn": end.column,
        },
    }})
}

/// Returns a path as a relative reference: characters with a special meaning are escaped, so that no part of an image
/// name is mistaken for a scheme.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}
