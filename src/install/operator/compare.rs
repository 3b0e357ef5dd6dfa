//! Whether the components of an operator are those that were resolved: each object of the resolved bundle, and each that OLM
//! makes of it, field by field against what the cluster has. What the API server and OLM fill in does not count.

use super::component::Component;
use super::filled_in::{Surroundings, is_own_key, stored};
use crate::csv::{self, Csv};
use crate::install::apis::Apis;
use crate::install::content::Content;
use crate::install::steps::{self, BUNDLE_SECRET, Step, StepError, Target};
use crate::kubernetes::quantity;
use crate::kubernetes::rbac;
use crate::text::canonical;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The longest value that is shown.
const LONGEST: usize = 60;

/// A field of a component that is not as it was resolved.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The kind of the component.
    pub kind: String,
    /// Its namespace; empty for one that is in none.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The path of the field; empty where the component itself is missing.
    pub path: String,
    /// What was resolved; `None` where that does not have the field.
    pub resolved: Option<Value>,
    /// What the cluster has; `None` where it does not have the field.
    pub found: Option<Value>,
}

impl Difference {
    /// The component, as `Kind namespace/name`.
    pub fn component(&self) -> String {
        let slash = if self.namespace.is_empty() { "" } else { "/" };
        format!("{} {}{slash}{}", self.kind, self.namespace, self.name)
    }

    /// What is different, in words.
    pub fn words(&self) -> String {
        let short = |value: &Value| {
            let text = canonical::to_string(value);
            match text.char_indices().nth(LONGEST) {
                Some((end, _)) => format!("{}...", &text[..end]),
                None => text,
            }
        };
        match (&self.resolved, &self.found) {
            _ if self.path.is_empty() => "is missing".to_owned(),
            (Some(resolved), Some(found)) => {
                format!("{} is {}, and {} was resolved", self.path, short(found), short(resolved))
            }
            (Some(resolved), None) => format!("{} is missing, and {} was resolved", self.path, short(resolved)),
            (None, found) => {
                let found = found.as_ref().map(short).unwrap_or_default();
                format!("{} is {found}, and was not resolved", self.path)
            }
        }
    }
}

/// What came of a comparison.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Comparison {
    /// What is different, in the order of the components.
    pub differences: Vec<Difference>,
    /// Kinds of which the dumps have no object at all, and nothing can be told.
    pub unknown: BTreeSet<String>,
}

/// Compares the objects of a cluster with what a bundle installs there. `installed` is the name of the version that the cluster
/// has of it, `namespace` is its namespace.
///
/// # Errors
/// When OLM could not read the ClusterServiceVersion of the bundle.
pub fn compare(
    resolved: &Content,
    installed: &str,
    namespace: &str,
    objects: &[Value],
) -> Result<Comparison, StepError> {
    let cluster = Cluster {
        objects: objects.iter().map(Component).collect(),
    };
    let csv = cluster.find(csv::GROUP, csv::KIND, namespace, installed);
    let target = Target {
        namespace: namespace.to_owned(),
        ..Target::default()
    };
    let replaces = csv.map_or("", |csv| csv.text("/spec/replaces"));
    let steps = steps::in_order(steps::of_bundle(resolved, &target, replaces)?);
    let subscription = cluster.objects.iter().find(|object| {
        object.is(csv::GROUP, "Subscription")
            && object.text("/metadata/namespace") == namespace
            && object.text("/status/installedCSV") == installed
    });
    let around = Surroundings {
        csv,
        subscription: subscription.copied(),
    };
    let apis = Apis::default().with_steps(&steps);
    let mut comparison = Comparison::default();
    let mut expected: Vec<Expected> = steps.iter().map(|step| Expected::of_step(step, namespace, &apis)).collect();
    expected.extend(deployments(resolved, namespace));
    for expected in expected {
        if !cluster.knows(&expected) {
            comparison.unknown.insert(expected.kind);
            continue;
        }
        match cluster.counterpart(&expected, &resolved.name) {
            None => comparison.differences.push(expected.difference("", None, None)),
            Some(found) => Walk {
                expected: &expected,
                around,
                differences: &mut comparison.differences,
            }
            .object(found),
        }
    }
    Ok(comparison)
}

/// An object that should be in the cluster.
struct Expected {
    group: String,
    kind: String,
    namespace: String,
    name: String,
    object: Value,
    /// Whether OLM made its name, in which its releases differ.
    is_generated: bool,
}

impl Expected {
    fn of_step(step: &Step, namespace: &str, apis: &Apis) -> Self {
        let resource = &step.resource;
        let kind = match resource.kind.as_str() {
            BUNDLE_SECRET => "Secret",
            kind => kind,
        };
        let gvk = crate::kubernetes::GroupVersionKind::new(&*resource.group, &*resource.version, kind);
        let namespaced = kind == csv::KIND || kind == "Subscription" || apis.resource(&gvk).1;
        Self {
            group: resource.group.clone(),
            kind: kind.to_owned(),
            namespace: if namespaced { namespace.to_owned() } else { String::new() },
            name: resource.name.clone(),
            is_generated: resource.group == rbac::GROUP && resource.manifest.get("kind").is_none(),
            object: stored(kind, resource.manifest.clone()),
        }
    }

    fn difference(&self, path: &str, resolved: Option<Value>, found: Option<Value>) -> Difference {
        Difference {
            kind: self.kind.clone(),
            namespace: self.namespace.clone(),
            name: self.name.clone(),
            path: path.to_owned(),
            resolved,
            found,
        }
    }
}

/// The Deployments that OLM makes of a version.
fn deployments(resolved: &Content, namespace: &str) -> Vec<Expected> {
    let typed = crate::shape::typed(&resolved.csv, &csv::SHAPE).unwrap_or_default();
    let all = Csv(&typed).deployments().iter();
    let one = |entry: &Value| {
        let name = entry.get("name").and_then(Value::as_str).unwrap_or_default();
        let mut metadata = Map::from_iter([("name".to_owned(), json!(name))]);
        metadata.extend(entry.get("label").map(|labels| ("labels".to_owned(), labels.clone())));
        Expected {
            group: "apps".to_owned(),
            kind: "Deployment".to_owned(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            object: json!({"metadata": metadata, "spec": entry.get("spec")}),
            is_generated: false,
        }
    };
    all.map(one).collect()
}

/// The objects of the cluster.
struct Cluster<'a> {
    objects: Vec<Component<'a>>,
}

impl<'a> Cluster<'a> {
    fn find(&self, group: &str, kind: &str, namespace: &str, name: &str) -> Option<Component<'a>> {
        let mut objects = self.objects.iter();
        let found = objects.find(|object| {
            let home = if namespace.is_empty() {
                ""
            } else {
                object.text("/metadata/namespace")
            };
            object.is(group, kind) && object.name() == name && home == namespace
        });
        found.copied()
    }

    /// Whether the dumps have any object of the kind, so that one which is not there is missing.
    fn knows(&self, expected: &Expected) -> bool {
        self.objects.iter().any(|object| object.is(&expected.group, &expected.kind))
    }

    /// The object that an expected one is compared with. Where OLM made the name, one that it made with the same content is
    /// as good.
    fn counterpart(&self, expected: &Expected, version: &str) -> Option<Component<'a>> {
        let named = self.find(&expected.group, &expected.kind, &expected.namespace, &expected.name);
        if named.is_some() || !expected.is_generated {
            return named;
        }
        let owner = |object: &Component<'_>| {
            let owner = object.labels().and_then(|labels| labels.get("olm.owner")?.as_str());
            owner == Some(version)
        };
        let content = |object: &Value| {
            let part = |key: &str| object.get(key).cloned().unwrap_or_default();
            (part("rules"), part("subjects"))
        };
        let mut objects = self.objects.iter().filter(|object| object.is(&expected.group, &expected.kind));
        let found = objects.find(|object| owner(object) && content(object.0) == content(&expected.object));
        found.copied()
    }
}

/// One comparison of two objects.
struct Walk<'a, 'd> {
    expected: &'a Expected,
    around: Surroundings<'a>,
    differences: &'d mut Vec<Difference>,
}

/// The place of a field: as it is shown, and with `[]` for every item.
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
    fn object(&mut self, found: Component<'_>) {
        // A binding whose role OLM named otherwise was found by whom it binds.
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

    /// Labels or annotations: those of OLM and Kubernetes are their own affair.
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

    /// Lists whose items have names are compared by these, others by place.
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
            let other = others.iter().position(|other| other == name).and_then(|place| found.get(place));
            self.values(&at.item(name), item, other);
        }
        for (name, item) in others.iter().zip(found).filter(|(name, _)| !own.contains(name)) {
            let at = at.item(name);
            if !self.around.is_added_item(&self.expected.kind, &at.pattern, name) {
                self.push(&at, None, Some(item.clone()));
            }
        }
    }

    /// A field that was not resolved. Of a map each part is looked at by itself.
    fn added(&mut self, at: &At, found: &Value) {
        if Surroundings::is_of_olm(&self.expected.kind, &at.pattern) || is_empty(found) || self.is_filled_in(at, found) {
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

/// Whether a field is an annotation or label of OLM inside the template of a Deployment.
fn is_annotation_of_olm(at: &At) -> bool {
    ["spec.template.metadata.annotations.", "spec.template.metadata.labels."]
        .iter()
        .any(|start| at.pattern.strip_prefix(start).is_some_and(is_own_key))
}

/// What Kubernetes leaves out when it writes an object.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.values().all(is_empty),
        Value::Bool(true) | Value::Number(_) => false,
    }
}

/// Whether two values mean the same; quantities are written in several ways.
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

#[cfg(test)]
mod tests;
