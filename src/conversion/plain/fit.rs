//! Converts values of a CSV to the shapes of `metadata/olm.yaml`.

use crate::diagnostic::Diagnostic;
use crate::manifest::Object;
use crate::rules::{self, Rule};
use crate::shape::{Field, Shape};
use crate::text::{Path, kind_of};
use serde_json::{Map, Value};

/// Reports a finding about a value of the CSV.
pub(super) fn report(findings: &mut Vec<Diagnostic>, csv: &Object, rule: &'static Rule, message: String, path: &Path) {
    let finding = Diagnostic::new(rule, message).object(csv.label()).path(path);
    findings.push(finding.at(csv.place(path)));
}

/// Reports that the new bundle cannot represent a value.
pub(super) fn lost(findings: &mut Vec<Diagnostic>, csv: &Object, path: &Path, why: &str) {
    let message = format!("{path} {why}, so it is omitted");
    let finding = Diagnostic::new(&rules::CONVERT_FIELD_LOST, message).object(csv.label());
    findings.push(finding.path(path).at(csv.key_place(path)));
}

/// Returns the value at `path` in the form of `olm.yaml`, and reports the parts that `olm.yaml` cannot represent.
/// `inferred` lists keys that are derived from the manifests and skipped without a report.
pub(super) fn fit(
    findings: &mut Vec<Diagnostic>,
    csv: &Object,
    path: &Path,
    shape: &Shape,
    inferred: &[&str],
) -> Option<Value> {
    let value = path.get(csv.value())?;
    let mut fitting = Fitting {
        findings,
        csv,
        inferred,
    };
    fitting.value(path, value, shape)
}

struct Fitting<'f> {
    findings: &'f mut Vec<Diagnostic>,
    csv: &'f Object,
    inferred: &'f [&'f str],
}

impl Fitting<'_> {
    fn value(&mut self, path: &Path, value: &Value, shape: &Shape) -> Option<Value> {
        match (shape, value) {
            (_, Value::Null) => None,
            // Whether a string is a valid name or version is checked when the new bundle is synthesized.
            (Shape::Any, _)
            | (Shape::Text | Shape::Syntax(_) | Shape::Choice(_), Value::String(_))
            | (Shape::Boolean, Value::Bool(_)) => Some(value.clone()),
            (Shape::Text | Shape::Syntax(_) | Shape::Choice(_), Value::Number(_) | Value::Bool(_)) => {
                let message = format!("{path} is {}, not a string, so it becomes \"{value}\"", kind_of(value));
                self.report(&rules::CONVERT_FIELD_CHANGED, message, path);
                Some(value.to_string().into())
            }
            (Shape::Object(fields), Value::Object(map)) => Some(self.map(path, map, fields)),
            (Shape::List(shape), Value::Array(items)) => {
                let items = items.iter().enumerate();
                let fitted = items.filter_map(|(index, item)| self.value(&path.index(index), item, shape));
                Some(fitted.collect())
            }
            // In a ClusterServiceVersion, every map with arbitrary keys has strings as values.
            (Shape::Map(..), Value::Object(map)) => {
                let texts = map.iter().filter_map(|(key, item)| {
                    // Go reads an empty value of such a map as the empty string.
                    let text = match item {
                        Value::Null => Some(Value::from("")),
                        item => self.value(&path.key(key), item, &Shape::Text),
                    };
                    Some((key.clone(), text?))
                });
                Some(texts.collect::<Map<_, _>>().into())
            }
            // In a ClusterServiceVersion, a value with several forms always has the list form.
            (Shape::OneOf(shapes, _), _) => {
                let list = shapes.iter().find(|shape| matches!(shape, Shape::List(_)))?;
                self.value(path, value, list)
            }
            _ => {
                let why = format!("is {}, not {}", kind_of(value), shape.wanted());
                lost(self.findings, self.csv, path, &why);
                None
            }
        }
    }

    fn map(&mut self, path: &Path, map: &Map<String, Value>, fields: &[Field]) -> Value {
        let mut fitted = Map::new();
        for (key, value) in map.iter().filter(|(key, _)| !self.inferred.contains(&key.as_str())) {
            let path = path.key(key);
            match fields.iter().find(|field| field.key == key) {
                Some(field) => {
                    if let Some(value) = self.value(&path, value, &field.shape) {
                        fitted.insert(key.clone(), value);
                    }
                }
                None => lost(
                    self.findings,
                    self.csv,
                    &path,
                    "is not a field of a ClusterServiceVersion",
                ),
            }
        }
        for field in fields.iter().filter(|field| field.presence.is_required()) {
            if !fitted.contains_key(field.key) {
                let empty = match field.shape {
                    Shape::Boolean => Value::Bool(false),
                    _ => Value::from(""),
                };
                let key = field.key;
                let message = format!("{path} has no {key}, which is required, so {key} becomes {empty}");
                self.report(&rules::CONVERT_FIELD_ADDED, message, &path.key(field.key));
                fitted.insert(field.key.to_owned(), empty);
            }
        }
        fitted.into()
    }

    fn report(&mut self, rule: &'static Rule, message: String, path: &Path) {
        report(self.findings, self.csv, rule, message, path);
    }
}
