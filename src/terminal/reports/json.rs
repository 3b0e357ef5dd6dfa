//! For a program: the form whose field names do not change.

use super::{counts, list};
use crate::terminal::advice;
use crate::validation::{Finding, Validation};
use serde_json::{Value, json};

pub(super) fn write(validations: &[Validation]) -> Value {
    json!({ "bundles": list(validations.iter().map(bundle)) })
}

fn bundle(validation: &Validation) -> Value {
    let (errors, warnings) = counts(validation);
    json!({
        "bundle": validation.bundle,
        "mediaType": validation.media_type.map(crate::bundle::MediaType::as_str),
        "findings": list(validation.findings.iter().map(finding)),
        "errors": errors,
        "warnings": warnings,
    })
}

fn finding(finding: &Finding) -> Value {
    let diagnostic = &finding.diagnostic;
    let start = diagnostic.place.as_ref().map(crate::source::Place::start);
    json!({
        "rule": diagnostic.rule.id,
        "severity": diagnostic.severity.to_string(),
        "validator": finding.validator,
        "message": diagnostic.message,
        "file": diagnostic.place.as_ref().map(|place| place.source.name()),
        "line": start.map(|start| start.line),
        "column": start.map(|start| start.column),
        "help": advice::of(diagnostic),
        "fixable": diagnostic.is_fixable(),
    })
}

/// The JSON Schema of the report.
pub fn json_schema() -> Value {
    let text = |about: &str| json!({"type": "string", "description": about});
    let count = |about: &str| json!({"type": "integer", "minimum": 0, "description": about});
    let place = |about: &str| json!({"type": ["integer", "null"], "minimum": 1, "description": about});
    let finding = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["rule", "severity", "validator", "message", "file", "line", "column", "help", "fixable"],
        "properties": {
            "rule": {
                "type": "string",
                "pattern": "^[a-z0-9]+(-[a-z0-9.]+)*$",
                "description": "The id of the rule; opmx bundle rules explains it. It never changes its meaning.",
            },
            "severity": {"enum": ["error", "warning", "info"], "description": "Only errors fail a bundle."},
            "validator": {
                "type": ["string", "null"],
                "description": "The validator of the Operator Framework that has this rule; null where only opmx has it.",
            },
            "message": text("What is wrong, in one sentence."),
            "file": {
                "type": ["string", "null"],
                "description": "The file, below the folder or image that was given; null where something is absent as a whole.",
            },
            "line": place("The line, from 1."),
            "column": place("The column in characters, from 1."),
            "help": text("What to do about it."),
            "fixable": {"type": "boolean", "description": "Whether --fix mends it in a folder."},
        },
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What opmx bundle validate -o json prints",
        "type": "object",
        "additionalProperties": false,
        "required": ["bundles"],
        "properties": {
            "bundles": {
                "type": "array",
                "description": "One entry for each bundle, in the order of the arguments.",
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["bundle", "mediaType", "findings", "errors", "warnings"],
                    "properties": {
                        "bundle": text("The folder or image, as it was given."),
                        "mediaType": {
                            "enum": ["registry+v1", "k8s+v1", null],
                            "description": "The media type of the bundle; null where it cannot be told, as where it cannot be read.",
                        },
                        "findings": {
                            "type": "array",
                            "description": "Everything that was found, by file, place and rule.",
                            "items": finding,
                        },
                        "errors": count("How many findings are errors."),
                        "warnings": count("How many findings are warnings."),
                    },
                },
            },
        },
    })
}
