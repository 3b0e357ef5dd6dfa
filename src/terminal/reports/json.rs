//! The report for programs, with stable field names.

use crate::shape::Shape::{self, Boolean, Choice, List, Object, Text, Within};
use crate::shape::{self, DRAFT_2020_12, always, nullable};
use crate::terminal::advice;
use crate::terminal::findings::RULE_PATTERN;
use crate::validation::{Validation, ValidationJson};
use serde::Serialize;
use serde_json::{Value, json};

/// The report, in machine-readable form.
#[derive(Serialize)]
pub(super) struct Report<'a> {
    bundles: Vec<ValidationJson<'a>>,
}

impl<'a> Report<'a> {
    /// Returns the form of these validations.
    pub(super) fn of(validations: &'a [Validation]) -> Self {
        let bundles = validations.iter();
        let bundles = bundles.map(|validation| ValidationJson::new(validation, advice::of));
        Self {
            bundles: bundles.collect(),
        }
    }
}

const FINDING: Shape = Object(&[
    always(
        "rule",
        Text,
        "The id of the rule. An id never changes its meaning; `opmx bundle rules` explains the rule.",
    ),
    always(
        "severity",
        Choice(&["error", "warning", "info"]),
        "Only errors make validation fail.",
    ),
    nullable(
        "validator",
        Text,
        "The Operator Framework validator that has this rule; null if only opmx has the rule.",
    ),
    always("message", Text, "The problem, in one sentence."),
    nullable(
        "file",
        Text,
        "The file, relative to the specified folder or image; null if the problem is not in a file, for example because \
         a required file is missing.",
    ),
    nullable("line", Within(1, i64::MAX), "The line, counted from 1."),
    nullable(
        "column",
        Within(1, i64::MAX),
        "The column in characters, counted from 1.",
    ),
    always("help", Text, "The advice for the finding."),
    always("fixable", Boolean, "Whether --fix corrects the problem in a folder."),
]);

const BUNDLE: Shape = Object(&[
    always("bundle", Text, "The folder or image, as specified."),
    nullable(
        "mediaType",
        Choice(&["registry+v1", "k8s+v1"]),
        "The media type of the bundle; null if it is unknown, for example because the bundle cannot be read.",
    ),
    always("findings", List(&FINDING), "All findings, by file, position and rule."),
    always("errors", Within(0, i64::MAX), "The number of errors."),
    always("warnings", Within(0, i64::MAX), "The number of warnings."),
]);

const REPORT: Shape = Object(&[always(
    "bundles",
    List(&BUNDLE),
    "One entry for each bundle, in the order of the arguments.",
)]);

/// Returns the JSON Schema of the report.
pub fn json_schema() -> Value {
    let mut schema = shape::json_schema(DRAFT_2020_12, "The output of opmx bundle validate -o json", "", &REPORT);
    if let Some(rule) = schema.pointer_mut("/properties/bundles/items/properties/findings/items/properties/rule") {
        rule["pattern"] = json!(RULE_PATTERN);
    }
    schema
}
