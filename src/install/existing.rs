//! The objects that already exist in a cluster.

use super::handling::Resource;
use crate::steps::Step;
use serde_json::Value;
use std::collections::BTreeMap;

/// The identity of an object in the cluster: group, kind, namespace and name.
type Key = (String, String, String, String);

/// Objects, indexed by their identity, which does not include the API version.
#[derive(Debug, Clone, Default)]
pub struct Existing<'a>(BTreeMap<Key, &'a Value>);

impl<'a> Existing<'a> {
    /// Indexes objects by their identity.
    pub fn of(objects: impl IntoIterator<Item = &'a Value>) -> Self {
        let key = |object: &Value| {
            let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
            let group = text("/apiVersion").split_once('/').map_or("", |(group, _)| group);
            let parts = [
                group,
                text("/kind"),
                text("/metadata/namespace"),
                text("/metadata/name"),
            ];
            let [group, kind, namespace, name] = parts.map(str::to_owned);
            (group, kind, namespace, name)
        };
        Self(objects.into_iter().map(|object| (key(object), object)).collect())
    }

    /// Returns all objects.
    pub fn all(&self) -> impl Iterator<Item = &'a Value> {
        self.0.values().copied()
    }

    /// Returns the objects of a kind, by namespace and name.
    pub(crate) fn of_kind(&self, group: &str, kind: &str) -> impl Iterator<Item = &'a Value> {
        let first = (group.to_owned(), kind.to_owned(), String::new(), String::new());
        let objects = self.0.range(first.clone()..);
        let of_kind = objects.take_while(move |((group, kind, ..), _)| (group, kind) == (&first.0, &first.1));
        of_kind.map(|(_, object)| *object)
    }

    /// Returns the object with this identity. `namespace` is empty for a cluster-scoped object.
    pub fn find(&self, group: &str, kind: &str, namespace: &str, name: &str) -> Option<&'a Value> {
        let [group, kind, namespace, name] = [group, kind, namespace, name].map(str::to_owned);
        self.0.get(&(group, kind, namespace, name)).copied()
    }

    /// Returns the existing object that has the identity of a step's object. `namespace` is the namespace of the plan.
    pub(crate) fn of_step(&self, step: &Step, resource: &Resource, namespace: &str) -> Option<&'a Value> {
        self.0.get(&key_of(step, resource, namespace)).copied()
    }

    /// Adds the object that a step creates. Objects whose names the API server generates never exist before.
    pub(crate) fn add(&mut self, step: &'a Step, resource: &Resource, namespace: &str) {
        let manifest = &step.resource.manifest;
        let name = manifest.pointer("/metadata/name").and_then(Value::as_str);
        if name.is_some_and(|name| !name.is_empty()) {
            self.0.insert(key_of(step, resource, namespace), manifest);
        }
    }
}

fn key_of(step: &Step, resource: &Resource, namespace: &str) -> Key {
    let kind = step.resource.manifest.get("kind").and_then(Value::as_str);
    let kind = kind.unwrap_or(&step.resource.kind);
    let namespace = if resource.namespaced {
        step.namespace(namespace)
    } else {
        ""
    };
    let parts = [&resource.group, kind, namespace, &step.resource.name];
    let [group, kind, namespace, name] = parts.map(str::to_owned);
    (group, kind, namespace, name)
}
