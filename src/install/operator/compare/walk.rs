//! Compares two objects field by field.

use super::super::component::Component;
use super::super::filled_in::{Surroundings, is_own_key};
use super::{Difference, Expected};
use crate::kubernetes::quantity;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// A comparison of two objects.
pub(super) struct Walk<'a, 'd> {
    pub(super) expected: &'a Expected,
    pub(super) around: Surroundings<'a>,
    pub(super) differences: &'d mut Vec<Difference>,
}

/// The path of a field, in two forms: as shown to users, and with `[]` for every list item.
#[derive(Clone)]
struct At {
    shown: String,
    pattern: String,
}

impl At {
    fn key(&self, key: &str) -> Self {
        let join = |path: &str| match path {
            "" => key.to_owned(),
            path => format!("{path}.{key}"),
        };
        Self {
            shown: join(&self.shown),
            pattern: join(&self.pattern),
        }
    }

    fn item(&self, which: &str) -> Self {
        Self {
            shown: format!("{}[{which}]", self.shown),
            pattern: format!("{}[]", self.pattern),
        }
    }
}

impl Walk<'_, '_> {
    /// Compares the expected object with the object in the cluster.
    pub(super) fn object(&mut self, found: Component<'_>) {
        // If the name of a generated binding differs, the binding was found by its subjects, and the name of its role
        // differs too.
        let renamed = self.expected.is_generated && found.name() != self.expected.name;
        let root = At {
            shown: String::new(),
            pattern: String::new(),
        };
        let expected = self.expected.object.as_object();
        for (key, value) in expected.into_iter().flatten() {
            match key.as_str() {
                "apiVersion" | "kind" | "status" => {}
                "roleRef" if renamed => {}
                "metadata" => {
                    for texts in ["labels", "annotations"] {
                        let both = [value, found.0.get("metadata").unwrap_or(&Value::Null)];
                        let [resolved, found] = both.map(|metadata| metadata.get(texts));
                        self.texts(&root.key("metadata").key(texts), resolved, found);
                    }
                }
                key => self.values(&root.key(key), value, found.0.get(key)),
            }
        }
        let extra = found.0.as_object().into_iter().flatten();
        let extra = extra.filter(|(key, _)| !["apiVersion", "kind", "status", "metadata"].contains(&key.as_str()));
        for (key, value) in extra {
            if self.expected.object.get(key).is_none() {
                self.added(&root.key(key), value);
            }
        }
    }

    /// Compares labels or annotations, except those of OLM and Kubernetes.
    fn texts(&mut self, at: &At, resolved: Option<&Value>, found: Option<&Value>) {
        let keys = |texts: Option<&Value>| -> BTreeSet<String> {
            let keys = texts.and_then(Value::as_object).into_iter().flat_map(Map::keys);
            keys.filter(|key| !is_own_key(key)).cloned().collect()
        };
        for key in keys(resolved).union(&keys(found)) {
            let value = |texts: Option<&Value>| texts.and_then(|texts| texts.get(key)).cloned();
            let (resolved, found) = (value(resolved), value(found));
            let empty = |value: &Option<Value>| value.as_ref().is_none_or(|value| value.is_null() || value == "");
            if resolved != found && !(empty(&resolved) && empty(&found)) {
                self.push(&at.key(key), resolved, found);
            }
        }
    }

    fn push(&mut self, at: &At, resolved: Option<Value>, found: Option<Value>) {
        let difference = self.expected.difference(&at.shown, resolved, found);
        self.differences.push(difference);
    }

    fn values(&mut self, at: &At, resolved: &Value, found: Option<&Value>) {
        if Surroundings::is_of_olm(&self.expected.kind, &at.pattern) {
            return;
        }
        let nothing = Value::Null;
        match (resolved, found.unwrap_or(&nothing)) {
            (resolved, Value::Null) if is_empty(resolved) || resolved == &json!(0) => {}
            (Value::Object(resolved), Value::Object(found)) => {
                for (key, value) in resolved {
                    self.values(&at.key(key), value, found.get(key));
                }
                for (key, value) in found.iter().filter(|(key, _)| !resolved.contains_key(*key)) {
                    self.added(&at.key(key), value);
                }
            }
            (Value::Null, found) => self.added(at, found),
            (Value::Array(resolved), Value::Array(found)) => self.lists(at, resolved, found),
            (resolved, found) if same(&at.pattern, resolved, found) => {}
            (resolved, Value::Null) => self.push(at, Some(resolved.clone()), None),
            (resolved, found) => {
                if !self.is_filled_in(at, found) || !is_empty(resolved) {
                    self.push(at, Some(resolved.clone()), Some(found.clone()));
                }
            }
        }
    }

    /// Compares lists by the names of their items if these are unique, otherwise by position.
    fn lists(&mut self, at: &At, resolved: &[Value], found: &[Value]) {
        let names = |items: &[Value]| -> Option<Vec<String>> {
            let name = |item: &Value| item.get("name").and_then(Value::as_str).map(str::to_owned);
            let names: Option<Vec<String>> = items.iter().map(name).collect();
            names.filter(|names| names.iter().collect::<BTreeSet<_>>().len() == names.len())
        };
        let (Some(own), Some(others)) = (names(resolved), names(found)) else {
            if resolved.len() != found.len() {
                return self.push(at, Some(resolved.into()), Some(found.into()));
            }
            for (index, (resolved, found)) in resolved.iter().zip(found).enumerate() {
                self.values(&at.item(&index.to_string()), resolved, Some(found));
            }
            return;
        };
        for (name, item) in own.iter().zip(resolved) {
            let other = others
                .iter()
                .position(|other| other == name)
                .and_then(|place| found.get(place));
            self.values(&at.item(name), item, other);
        }
        for (name, item) in others.iter().zip(found).filter(|(name, _)| !own.contains(name)) {
            let at = at.item(name);
            if !Surroundings::is_added_item(&self.expected.kind, &at.pattern, name) {
                self.push(&at, None, Some(item.clone()));
            }
        }
    }

    /// Compares a field that the resolved object does not set. Each part of a map is checked separately.
    fn added(&mut self, at: &At, found: &Value) {
        if Surroundings::is_of_olm(&self.expected.kind, &at.pattern) || is_empty(found) || self.is_filled_in(at, found)
        {
            return;
        }
        match found {
            Value::Object(map) => {
                for (key, value) in map {
                    self.added(&at.key(key), value);
                }
            }
            Value::Array(items) if items.iter().all(|item| item.get("name").is_some_and(Value::is_string)) => {
                self.lists(at, &[], items);
            }
            found => self.push(at, None, Some(found.clone())),
        }
    }

    fn is_filled_in(&self, at: &At, found: &Value) -> bool {
        let Expected { group, kind, .. } = self.expected;
        self.around.is_filled_in(group, kind, &at.pattern, found) || is_annotation_of_olm(at)
    }
}

/// Whether a field is an OLM annotation or label in the pod template of a Deployment.
fn is_annotation_of_olm(at: &At) -> bool {
    ["spec.template.metadata.annotations.", "spec.template.metadata.labels."]
        .iter()
        .any(|start| at.pattern.strip_prefix(start).is_some_and(is_own_key))
}

/// Whether Kubernetes omits the value when it stores an object.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.values().all(is_empty),
        Value::Bool(true) | Value::Number(_) => false,
    }
}

/// Whether two values are equivalent. The same quantity can have several notations.
fn same(path: &str, resolved: &Value, found: &Value) -> bool {
    if resolved == found {
        return true;
    }
    let is_quantity = ["resources.limits.", "resources.requests.", ".sizeLimit", ".divisor"]
        .iter()
        .any(|part| path.contains(part));
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let canonical = |value: &Value| text(value).and_then(|text| quantity::canonical(&text));
    is_quantity && canonical(resolved).is_some_and(|resolved| Some(resolved) == canonical(found))
}
