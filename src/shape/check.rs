//! Checks values against shape tables.

use super::go::{entry, quantity, whole};
use super::{Field, Presence, Shape, Syntax, nearest};
use crate::diagnostic::Edit;
use crate::text::{Document, Path, Step, kind_of, source_edit};
use serde_json::{Map, Value};
use std::fmt;

/// A place where a value does not match its table.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The path of the invalid value or, for a missing key, of the map that lacks the key.
    pub path: Path,
    /// The reason why the value does not match.
    pub fault: Fault,
}

/// The reason why a value does not match its table.
#[derive(Debug, Clone)]
pub enum Fault {
    /// A key that is not in the table.
    UnknownKey {
        /// The most similar key in the table, if any is similar enough.
        nearest: Option<&'static str>,
        /// All keys in the table.
        known: Vec<&'static str>,
    },
    /// A required key that is absent or has no value.
    Missing {
        /// The field.
        field: &'static Field,
        /// Whether the key is present.
        is_written: bool,
    },
    /// A value of the wrong type.
    Type {
        /// The expected shape.
        shape: Shape,
        /// The actual type or value.
        found: String,
        /// The correction of the value, if known.
        fix: Option<Fix>,
    },
    /// A string that is not one of the choices.
    Choice {
        /// The string.
        text: String,
        /// The choices.
        choices: &'static [&'static str],
    },
    /// A string that does not follow its syntax.
    Syntax {
        /// The string.
        text: String,
        /// The reason. Messages put it after the string.
        why: String,
        /// The syntax.
        syntax: &'static Syntax,
    },
}

/// A correction of a value of the wrong type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fix {
    /// Put quotes around the value.
    Quote,
    /// Put brackets around the value.
    Enlist,
    /// Remove the brackets around the value.
    Delist,
    /// Remove the quotes around the value.
    Unquote,
}

/// Whether a key consists of letters, digits, dots and other characters that need no quotes.
fn is_dotted_name(key: &str) -> bool {
    !key.is_empty()
        && key
            .chars()
            .all(|letter| letter.is_alphanumeric() || matches!(letter, '.' | '_' | '-' | '/'))
}

impl Problem {
    /// Returns a description of the problem. `file` is the name of the checked value as a whole.
    pub fn message(&self, file: &str) -> String {
        let path = if self.path.is_root() {
            file.to_owned()
        } else {
            self.path.to_string()
        };
        match &self.fault {
            Fault::UnknownKey { .. } => match self.path.steps() {
                // A dot in the only key of a path separates nothing.
                [Step::Key(key)] if is_dotted_name(key) => format!("{key} is not a known key of {file}"),
                _ => format!("{path} is not a known key of {file}"),
            },
            Fault::Missing { field, .. } => format!("{path} requires a value for {}", field.key),
            Fault::Type { shape, found, .. } => format!("{path} must be {}, not {found}", shape.wanted()),
            Fault::Choice { text, choices } => format!("{path} is {text:?}, but must be {}", either(choices)),
            Fault::Syntax { text, why, .. } => format!("{path} {text:?} {why}"),
        }
    }

    /// Returns advice on solving the problem, if any. `written` is the text of the value.
    pub fn help(&self, written: &str) -> Option<String> {
        match &self.fault {
            Fault::UnknownKey { nearest: Some(key), .. } => Some(format!("Did you mean {key}?")),
            Fault::UnknownKey { known, .. } => Some(format!("Known keys are {}.", known.join(", "))),
            Fault::Missing { field, .. } => Some(field.about.to_owned()),
            Fault::Type { .. } if written.contains('\n') => None,
            Fault::Type { fix, .. } => match fix {
                Some(Fix::Quote) => Some(format!("Use quotes: \"{written}\".")),
                Some(Fix::Enlist) => Some(format!("Use a list: [{}].", written.trim())),
                Some(Fix::Unquote) => Some(format!("Remove the quotes: {}.", written.trim_matches(['"', '\'']))),
                Some(Fix::Delist) | None => None,
            },
            Fault::Choice { text, choices } => {
                nearest(text, choices.iter().copied()).map(|choice| format!("Did you mean {choice}?"))
            }
            Fault::Syntax { .. } => None,
        }
    }

    /// Returns advice to append to [`Problem::message`] in the same sentence, or an empty string.
    pub fn advice(&self) -> String {
        match &self.fault {
            Fault::UnknownKey { nearest: Some(key), .. } => format!("; did you mean {key}?"),
            Fault::UnknownKey { known, .. } => format!("; known keys are {}", known.join(", ")),
            _ if self.fix() == Some(Fix::Quote) => "; use quotes".to_owned(),
            _ => String::new(),
        }
    }

    /// Returns the correction of a value of the wrong type, if known.
    pub fn fix(&self) -> Option<Fix> {
        match self.fault {
            Fault::Type { fix, .. } => fix,
            _ => None,
        }
    }

    /// Returns the edit that corrects the value. The path of the checked value in the document is `root`.
    pub fn edit(&self, document: &Document, root: &Path) -> Option<Edit> {
        let path = root.join(&self.path);
        match self.fix()? {
            Fix::Quote => source_edit::quote(document, &path),
            Fix::Enlist => source_edit::enlist(document, &path),
            Fix::Delist => source_edit::delist(document, &path),
            Fix::Unquote => source_edit::unquote(document, &path),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message("the value"))
    }
}

impl std::error::Error for Problem {}

/// Formats choices as `a, b or c`.
pub(crate) fn either(choices: &[&str]) -> String {
    match choices.split_last() {
        Some((last, first)) if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => choices.concat(),
    }
}

/// Checks a file against a table, and returns at most `most` problems. Keys are checked in the order of the file.
pub fn check(value: &Value, shape: &Shape, most: usize) -> Vec<Problem> {
    Checker::new(false, most).found(value, shape)
}

/// Returns a value of this shape without the keys whose value is `null`.
pub(crate) fn given(value: &Value, shape: &Shape) -> Value {
    match (shape, value) {
        (Shape::Object(_), Value::Object(map)) => {
            let fields = map.iter().filter(|(_, value)| !value.is_null());
            let fields = fields.filter_map(|(key, value)| Some((key.clone(), given(value, &shape.field(key)?.shape))));
            fields.collect()
        }
        (Shape::List(shape), Value::Array(items)) => items.iter().map(|item| given(item, shape)).collect(),
        _ => value.clone(),
    }
}

/// Returns at most `most` problems that prevent a Go program from decoding a value into the types of a table. Go
/// accepts `null` for any type, ignores unknown keys, and matches known keys case-insensitively.
pub(crate) fn check_as_go(value: &Value, shape: &Shape, most: usize) -> Vec<Problem> {
    Checker::new(true, most).found(value, shape)
}

pub(super) struct Checker {
    as_go: bool,
    most: usize,
    /// The problems found so far. Their paths begin at the value that is being checked.
    found: Vec<Problem>,
}

impl Checker {
    pub(super) fn new(as_go: bool, most: usize) -> Self {
        Self {
            as_go,
            most,
            found: Vec::new(),
        }
    }

    fn found(mut self, value: &Value, shape: &Shape) -> Vec<Problem> {
        self.value(value, shape);
        self.into_found()
    }

    pub(super) fn into_found(self) -> Vec<Problem> {
        self.found
    }

    pub(super) fn is_done(&self) -> bool {
        self.found.len() >= self.most
    }

    pub(super) fn report(&mut self, fault: Fault) {
        if !self.is_done() {
            let path = Path::root();
            self.found.push(Problem { path, fault });
        }
    }

    /// Runs `look` on the value below `step`. Nearly all values are right, so only problems cost a path.
    pub(super) fn inside(&mut self, step: impl Into<Step>, look: impl FnOnce(&mut Self)) {
        if self.is_done() {
            return;
        }
        let before = self.found.len();
        look(self);
        if let Some(below) = self.found.get_mut(before..).filter(|below| !below.is_empty()) {
            let step = step.into();
            for problem in below {
                problem.path.prepend(step.clone());
            }
        }
    }

    fn below(&mut self, step: impl Into<Step>, value: &Value, shape: &Shape) {
        self.inside(step, |checker| checker.value(value, shape));
    }

    fn value(&mut self, value: &Value, shape: &Shape) {
        match (shape, value) {
            (_, Value::Null) if self.as_go => {}
            (Shape::OneOf(shapes, _), _) => match shapes.iter().find(|shape| takes(shape, value)) {
                Some(shape) => self.value(value, shape),
                None => self.wrong_type(value, shape),
            },
            (Shape::Choice(choices), Value::String(text)) => {
                if !choices.contains(&text.as_str()) {
                    let text = text.clone();
                    self.report(Fault::Choice { text, choices });
                }
            }
            (Shape::Syntax(syntax), Value::String(text)) => {
                if let Some(why) = (syntax.fault)(text).filter(|_| !text.is_empty()) {
                    let text = text.clone();
                    self.report(Fault::Syntax { text, why, syntax });
                }
            }
            (Shape::List(shape), Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.below(index, item, shape);
                }
            }
            (Shape::Map(known, others), Value::Object(map)) => {
                for (key, value) in map {
                    let field = shape.field(key);
                    self.below(key.as_str(), value, field.map_or(others, |field| &field.shape));
                }
                self.missing(map, known);
            }
            (Shape::Object(fields), Value::Object(map)) if self.as_go => {
                for field in *fields {
                    if let Some((key, value)) = entry(map, field.key) {
                        self.below(key, value, &field.shape);
                    }
                }
            }
            (Shape::Object(fields), Value::Object(map)) => {
                for (key, value) in map {
                    match shape.field(key) {
                        Some(_) if value.is_null() => {}
                        Some(field) => self.below(key.as_str(), value, &field.shape),
                        None if self.is_done() => return,
                        None => self.unknown_key(key, fields),
                    }
                }
                self.missing(map, fields);
            }
            _ if takes(shape, value) => {}
            _ => self.wrong_type(value, shape),
        }
    }

    fn unknown_key(&mut self, key: &str, fields: &[Field]) {
        let known = || fields.iter().map(|field| field.key);
        self.inside(key, |checker| {
            checker.report(Fault::UnknownKey {
                nearest: nearest(key, known()),
                known: known().collect(),
            });
        });
    }

    fn missing(&mut self, map: &Map<String, Value>, fields: &'static [Field]) {
        for field in fields {
            let value = map.get(field.key);
            let is_missing = match (field.presence, value) {
                (Presence::Required | Presence::NotEmpty, None | Some(Value::Null)) => true,
                (Presence::NotEmpty, Some(Value::String(text))) => text.is_empty(),
                (Presence::NotEmpty, Some(Value::Array(items))) => items.is_empty(),
                _ => false,
            };
            if is_missing {
                let is_written = value.is_some();
                self.report(Fault::Missing { field, is_written });
            }
        }
    }

    pub(super) fn wrong_type(&mut self, value: &Value, shape: &Shape) {
        let wants_text = shape.wanted() == Shape::Text.wanted();
        let found = match (shape, value) {
            (Shape::Quantity, Value::String(text)) => format!("{text:?}"),
            (Shape::Quantity | Shape::Integer | Shape::IntOrString | Shape::Within(..), Value::Number(number)) => {
                number.to_string()
            }
            _ => kind_of(value).to_owned(),
        };
        let fix = match value {
            Value::Number(_) | Value::Bool(_) if wants_text => Some(Fix::Quote),
            Value::Array(_) if wants_text => Some(Fix::Delist),
            Value::String(_) if matches!(shape, Shape::List(Shape::Text)) => Some(Fix::Enlist),
            Value::String(text) if matches!(shape, Shape::Integer | Shape::Boolean) => {
                let meant = serde_json::from_str::<Value>(text).ok();
                meant.filter(|meant| takes(shape, meant)).map(|_| Fix::Unquote)
            }
            _ => None,
        };
        self.report(Fault::Type {
            shape: *shape,
            found,
            fix,
        });
    }
}

/// Whether the type of a value fits the shape.
pub(super) fn takes(shape: &Shape, value: &Value) -> bool {
    match (shape, value) {
        (Shape::Any, _)
        | (Shape::Text | Shape::Choice(_) | Shape::Syntax(_) | Shape::IntOrString, Value::String(_))
        | (Shape::Boolean, Value::Bool(_))
        | (Shape::List(_), Value::Array(_))
        | (Shape::Map(..) | Shape::Object(_), Value::Object(_)) => true,
        (Shape::Integer | Shape::IntOrString, Value::Number(number)) => whole(number).is_some(),
        (Shape::Within(least, most), _) => value.as_i64().is_some_and(|number| (*least..=*most).contains(&number)),
        (Shape::Quantity, _) => quantity(value).is_some(),
        (Shape::OneOf(shapes, _), _) => shapes.iter().any(|shape| takes(shape, value)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{TEXTS, not_empty, optional, required};
    use super::*;
    use serde_json::json;

    const ENTRY: Shape = Shape::Object(&[
        not_empty("name", Shape::Text, "Name."),
        required("rules", Shape::List(&Shape::Map(&[], &Shape::Any)), "Rules."),
        optional("replaces", Shape::Text, "Replaces."),
        optional("skips", TEXTS, "Skips."),
        optional("code", Shape::Within(100, 599), "Code."),
        optional("mode", Shape::Choice(&["Fast", "Slow", "Off"]), "Mode."),
        optional("icon", Shape::OneOf(&[Shape::Text, TEXTS], "a path or paths"), "Icon."),
    ]);

    fn messages(value: &Value) -> Vec<String> {
        let found = check(value, &ENTRY, usize::MAX);
        found.iter().map(|problem| problem.message("the file")).collect()
    }

    #[test]
    fn all_errors_are_reported_with_their_path() {
        assert_eq!(messages(&json!([])), ["the file must be a map, not a list"]);
        assert_eq!(messages(&json!({"name": "a", "rules": [], "skips": null})), [""; 0]);
        assert_eq!(
            messages(&json!({
                "Name": 1, "rules": [null], "replaces": 1, "skips": "a", "code": 20, "mode": "None", "icon": true
            })),
            [
                "Name is not a known key of the file",
                "rules[0] must be a map, not empty",
                "replaces must be a string, not a number",
                "skips must be a list, not a string",
                "code must be a whole number from 100 to 599, not 20",
                "mode is \"None\", but must be Fast, Slow or Off",
                "icon must be a path or paths, not true or false",
                "the file requires a value for name",
            ]
        );
        assert_eq!(
            messages(&json!({"name": "", "icon": [1]})),
            [
                "icon[0] must be a string, not a number",
                "the file requires a value for name",
                "the file requires a value for rules"
            ]
        );
    }

    #[test]
    fn the_number_of_errors_is_limited() {
        let wrong = json!({"name": 1, "rules": [1, 2, 3], "a": 1});
        assert_eq!(check(&wrong, &ENTRY, 2).len(), 2);
        assert_eq!(check(&wrong, &ENTRY, 0).len(), 0);
    }

    #[test]
    fn null_is_valid_for_any_value_and_unknown_fields_are_ignored_like_in_go() {
        let found = |value: &Value| check_as_go(value, &ENTRY, usize::MAX).len();
        assert_eq!(
            found(&json!({"Name": null, "unknown": 1, "skips": [null], "rules": null})),
            0
        );
        assert_eq!(found(&json!({"NAME": 1, "skips": [1, "a", {}]})), 3);
    }
}
