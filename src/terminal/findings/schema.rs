//! The JSON Schema of the findings about an index or a catalog.

use crate::shape::Shape::{self, Boolean, Choice, List, Object, Text, Within};
use crate::shape::{self, DRAFT_2020_12, Field, Presence, always, nullable};
use serde_json::{Value, json};

const FILE: Field = nullable(
    "file",
    Text,
    "The file, or the image and the path in it; null if the problem is not in a file.",
);
const LINE: Field = nullable("line", POSITION, "The line, counted from 1.");
const COLUMN: Field = nullable("column", POSITION, "The column in characters, counted from 1.");
const END_LINE: Field = nullable("endLine", POSITION, "The last line.");
const END_COLUMN: Field = nullable("endColumn", POSITION, "The column after the last character.");

const POSITION: Shape = Within(1, i64::MAX);
const COUNT: Shape = Within(0, i64::MAX);

const RELATED: Shape = Object(&[
    always("message", Text, "The relation of this position to the finding."),
    FILE,
    LINE,
    COLUMN,
    END_LINE,
    END_COLUMN,
]);

const FINDING: Shape = Object(&[
    always(
        "rule",
        Text,
        "The id of the rule. An id never changes its meaning; `opmx bundle rules` explains the rule.",
    ),
    always(
        "severity",
        Choice(&["error", "warning", "info"]),
        "Only errors make a check fail.",
    ),
    always("message", Text, "The problem, in one sentence."),
    FILE,
    LINE,
    COLUMN,
    END_LINE,
    END_COLUMN,
    nullable("object", Text, "The object with the problem, as `Kind/name`."),
    nullable("path", Text, "The path of the value in the object."),
    always("help", Text, "The advice for the finding."),
    always("related", List(&RELATED), "Other positions that explain the finding."),
]);

const SUMMARY: Shape = Object(&[
    always("errors", COUNT, "The number of errors."),
    always("warnings", COUNT, "The number of warnings."),
    always("infos", COUNT, "The number of other findings."),
]);

const FAILURE: Shape = Object(&[always("message", Text, "The messages of all errors, one per line.")]);

const REPORT: Shape = Object(&[
    given(
        "passed",
        Boolean,
        "Whether there are no errors; only in the output of opmx validate, as in opm.",
    ),
    given(
        "error",
        FAILURE,
        "Only in the output of opmx validate, and only if there are errors, as in opm.",
    ),
    always("findings", List(&FINDING), "All findings, by file, position and rule."),
    always("summary", SUMMARY, "The number of findings of each severity."),
]);

const fn given(key: &'static str, shape: Shape, about: &'static str) -> Field {
    Field::new(key, shape, Presence::Given, about)
}

/// Returns the JSON Schema of the output of `opmx validate` and `opmx index check`.
pub fn json_schema() -> Value {
    let title = "The output of opmx validate -o json and opmx index check -o json";
    let mut schema = shape::json_schema(DRAFT_2020_12, title, "", &REPORT);
    if let Some(rule) = schema.pointer_mut("/properties/findings/items/properties/rule") {
        rule["pattern"] = json!(RULE_PATTERN);
    }
    schema
}

/// The syntax of the id of a rule.
pub(crate) const RULE_PATTERN: &str = "^[a-z0-9]+(-[a-z0-9.]+)*$";
