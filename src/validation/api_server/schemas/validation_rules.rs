//! Checks validation rules in schemas. Neither the types of expressions nor their estimated costs are checked.

use super::super::expressions::{fields_of_self, mentions_old_self, problem_of_expression, uses_old_self};
use super::{Walk, undefined};
use crate::text::Path;
use crate::value::text;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

const CORRECT_RULE: &str = "Correct the expression, which is written in the Common Expression Language.";
const REASONS: [&str; 4] = [
    "FieldValueDuplicate",
    "FieldValueForbidden",
    "FieldValueInvalid",
    "FieldValueRequired",
];

impl Walk<'_, '_> {
    pub(super) fn rules(&mut self, schema: &Map<String, Value>, rules: &[Value]) {
        for (index, rule) in rules.iter().enumerate() {
            let path = self.path.key("x-kubernetes-validations").index(index);
            if let Value::Object(fields) = rule {
                self.texts(fields, &path);
                self.field_path(schema, rule, &path);
                self.old_self(fields, &path);
            }
            for field in ["rule", "messageExpression"] {
                self.expression(schema, text(rule, field), &path.key(field));
            }
        }
    }

    /// Checks that a rule has an expression, and that its other texts have the form that the API server requires.
    fn texts(&mut self, rule: &Map<String, Value>, path: &Path) {
        let text = |key: &str| match rule.get(key) {
            None | Some(Value::Null) => Some(""),
            Some(value) => value.as_str(),
        };
        let has_breaks = |text: &str| text.trim().contains(['\n', '\r']);
        let is_blank = |text: &str| !text.is_empty() && text.trim().is_empty();
        let (Some(expression), Some(message)) = (text("rule"), text("message")) else {
            return;
        };
        let mut refuse = |key: &str, problem: &str, help: &str| {
            self.part.refuse(&path.key(key), problem.to_owned(), help);
        };
        if expression.trim().is_empty() {
            refuse(
                "rule",
                "a validation rule has no expression",
                "Add the expression, or remove the rule.",
            );
        } else if is_blank(message) {
            refuse(
                "message",
                "the message of a validation rule is blank",
                "Write a message.",
            );
        } else if has_breaks(message) {
            let problem = "the message of a validation rule has line breaks";
            refuse("message", problem, "Write the message in one line.");
        } else if has_breaks(expression) && message.is_empty() {
            let problem = "a validation rule has line breaks, but no message";
            refuse("message", problem, "Add a message, or write the rule in one line.");
        }
        for key in ["messageExpression", "fieldPath"] {
            if text(key).is_some_and(is_blank) {
                let problem = format!("the {key} of a validation rule is blank");
                refuse(key, &problem, "Remove the field, or set it.");
            }
        }
        if let Some(Value::String(reason)) = rule.get("reason")
            && !REASONS.contains(&reason.as_str())
        {
            let known = REASONS.join(", ");
            let problem =
                format!("the reason of a validation rule is {reason:?}, but the API server knows only {known}");
            refuse("reason", &problem, "Use one of these reasons.");
        }
    }

    /// Checks that the field to which a rule attributes its failure exists.
    fn field_path(&mut self, schema: &Map<String, Value>, rule: &Value, path: &Path) {
        let field = text(rule, "fieldPath");
        if !field.trim().is_empty() && !is_field(schema, field) {
            let message =
                format!("the fieldPath {field:?} of a validation rule is not the path of a field in the schema");
            let help = "Use a path that begins with a dot, such as .spec.size.";
            self.part.refuse(&path.key("fieldPath"), message, help);
        }
    }

    /// Checks that a rule uses the previous value only where the API server finds it.
    fn old_self(&mut self, rule: &Map<String, Value>, path: &Path) {
        let expression = rule.get("rule").and_then(Value::as_str).unwrap_or_default();
        if !self.is_correlated && uses_old_self(expression) {
            let message = "a validation rule uses oldSelf inside the items of a list, which the API server cannot \
                           compare with previous items";
            let help = "Move the rule to the list, or set x-kubernetes-list-type: map.";
            self.part.refuse(&path.key("rule"), message.to_owned(), help);
        }
        let is_optional = rule.get("optionalOldSelf").is_some_and(Value::is_boolean);
        if is_optional && !expression.trim().is_empty() && !mentions_old_self(expression) {
            let message = "a validation rule sets optionalOldSelf, but does not use oldSelf".to_owned();
            self.part
                .refuse(&path.key("optionalOldSelf"), message, "Remove optionalOldSelf.");
        }
    }

    fn expression(&mut self, schema: &Map<String, Value>, expression: &str, path: &Path) {
        if let Some(problem) = problem_of_expression(expression) {
            let message = format!("a validation rule does not parse: {problem}");
            self.part.refuse(path, message, CORRECT_RULE);
            return;
        }
        let is_resource = self.is_resource();
        let chains: BTreeSet<Vec<String>> = fields_of_self(expression).into_iter().collect();
        for chain in chains {
            if let Some((depth, properties)) = undefined(schema, &chain, is_resource) {
                let field = chain[..=depth].join(".");
                let message = format!("a validation rule uses the field `{field}`, which the schema does not have");
                let names = properties.keys().map(String::as_str);
                let help = match self.part.similar(&chain[depth], names) {
                    Some(nearest) => format!("Correct the field; did you mean `{nearest}`?"),
                    None => "Correct the field, or add it to the schema.".to_owned(),
                };
                self.part.refuse(path, message, &help);
            }
        }
    }
}

/// Whether the API server finds this path in a schema: names after dots, or quoted in brackets. Returns `true` if this
/// is not certain, such as for a quoted name with a backslash.
fn is_field(schema: &Map<String, Value>, path: &str) -> bool {
    let (mut schema, mut rest) = (schema, path);
    while !rest.is_empty() {
        let (name, behind) = if let Some(quoted) = rest.strip_prefix("['") {
            match quoted.split_once("']") {
                Some((name, behind)) => (name, behind),
                None => return quoted.contains(['\'', '\\']),
            }
        } else if let Some(plain) = rest.strip_prefix('.') {
            plain.split_at(plain.find(['.', '[', ']']).unwrap_or(plain.len()))
        } else {
            return false;
        };
        if name.contains(['\'', '\\']) {
            return true;
        }
        let properties = match schema.get("properties") {
            None | Some(Value::Null) => None,
            Some(Value::Object(properties)) => Some(properties).filter(|properties| !properties.is_empty()),
            Some(_) => return true,
        };
        let found = match (properties, schema.get("additionalProperties")) {
            (Some(properties), _) => properties.get(name),
            (None, additional) => additional.filter(|additional| !additional.is_null()),
        };
        match found {
            None => return false,
            Some(Value::Object(found)) => schema = found,
            Some(_) => return true,
        }
        rest = behind;
    }
    true
}
