//! The objects of the bundle in a fixed order, without duplicates.

use super::fate::{Fate, Outcome};
use crate::diagnostic::Diagnostic;
use crate::kubernetes::{rbac, selector};
use crate::manifest::Object;
use crate::rules;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The path of the labels of a Deployment's pods.
pub(super) const POD_LABELS: [&str; 4] = ["spec", "template", "metadata", "labels"];

/// The objects, sorted by group, kind, namespace and name; an object is identified by its position.
#[derive(Debug)]
pub(super) struct Inventory<'a> {
    objects: Vec<&'a Object>,
    /// The positions of the objects with a group, a kind and a name, in any namespace.
    by_name: HashMap<(&'a str, &'a str, &'a str), Vec<usize>>,
    /// The positions of the Deployments whose pods have a label with this key and value.
    by_label: HashMap<(&'a str, &'a str), Vec<usize>>,
    fates: Vec<Option<(Fate, String)>>,
}

impl<'a> Inventory<'a> {
    /// Collects the objects. Duplicates are ignored; two different objects with the same identity are an error.
    pub(super) fn new(objects: &'a [Object], findings: &mut Vec<Diagnostic>) -> Self {
        let mut sorted: Vec<&Object> = objects.iter().collect();
        sorted.sort_by(|left, right| left.identity().cmp(&right.identity()));
        let mut kept: Vec<&Object> = Vec::new();
        for object in sorted {
            let Some(first) = kept.last().filter(|last| last.identity() == object.identity()) else {
                kept.push(object);
                continue;
            };
            let (rule, message) = if first.value() == object.value() {
                (
                    &rules::K8S_DUPLICATE_COPY,
                    format!("{} appears here a second time", object.label()),
                )
            } else {
                let message = format!("{} appears here a second time, with different content", object.label());
                (&rules::OBJECT_DUPLICATE, message)
            };
            let finding = Diagnostic::new(rule, message).object(object.label());
            findings.push(
                finding
                    .at(object.name_place())
                    .also(first.name_place(), "it first appears here"),
            );
        }
        let mut by_name: HashMap<_, Vec<usize>> = HashMap::new();
        let mut by_label: HashMap<_, Vec<usize>> = HashMap::new();
        for (index, object) in kept.iter().copied().enumerate() {
            let (group, kind, _, name) = object.identity();
            by_name.entry((group, kind, name)).or_default().push(index);
            if object.gvk().is("apps", "Deployment") {
                let labels = object.map(&POD_LABELS).into_iter().flatten();
                for (key, value) in labels.filter_map(|(key, value)| Some((key.as_str(), value.as_str()?))) {
                    by_label.entry((key, value)).or_default().push(index);
                }
            }
        }
        Self {
            fates: vec![None; kept.len()],
            objects: kept,
            by_name,
            by_label,
        }
    }

    /// Returns all objects.
    pub(super) fn objects(&self) -> &[&'a Object] {
        &self.objects
    }

    /// Returns the object at this position.
    pub(super) fn object(&self, index: usize) -> &'a Object {
        self.objects[index]
    }

    /// Returns the positions of all objects of a group and kind.
    pub(super) fn of(&self, group: &str, kind: &str) -> Vec<usize> {
        let order = |object: &Object| {
            let (own_group, own_kind, ..) = object.identity();
            (own_group, own_kind).cmp(&(group, kind))
        };
        let first = self.objects.partition_point(|object| order(object).is_lt());
        let end = self.objects.partition_point(|object| order(object).is_le());
        (first..end).collect()
    }

    /// Returns the positions of the objects of a group and kind with this name, in any namespace.
    pub(super) fn named<'s>(&'s self, group: &'s str, kind: &'s str, name: &'s str) -> &'s [usize] {
        let found = self.by_name.get(&(group, kind, name));
        found.map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the positions of the Deployments whose pods have all these labels.
    pub(super) fn deployments_with(&self, labels: &Map<String, Value>) -> Vec<usize> {
        let found = labels.iter().filter_map(|(key, value)| {
            let found = self.by_label.get(&(key.as_str(), value.as_str()?));
            Some(found.map(Vec::as_slice).unwrap_or_default())
        });
        // A value that is not a string is in no list.
        let fewest = found.min_by_key(|found| found.len());
        let candidates = fewest.map_or_else(|| self.of("apps", "Deployment"), <[usize]>::to_vec);
        let has_all = |index: &usize| {
            let own = self.objects[*index].map(&POD_LABELS);
            own.is_some_and(|own| selector::contains_all(own, labels))
        };
        candidates.into_iter().filter(has_all).collect()
    }

    /// Returns the positions of all objects of a group and version.
    pub(super) fn of_version(&self, group: &str, version: &str) -> Vec<usize> {
        let gvks = self.objects.iter().map(|object| object.gvk()).enumerate();
        gvks.filter(|(_, gvk)| gvk.group == group && gvk.version == version)
            .map(|(index, _)| index)
            .collect()
    }

    /// Returns the positions of all RBAC objects of a kind.
    pub(super) fn of_rbac(&self, kind: &str) -> Vec<usize> {
        self.of(rbac::GROUP, kind)
    }

    /// Returns the Service with this name and namespace, if the bundle contains it.
    pub(super) fn service(&self, name: &str, namespace: Option<&str>) -> Option<usize> {
        let mut services = self.named("", "Service", name).iter().copied();
        services.find(|index| same_namespace(self.objects[*index].namespace(), namespace))
    }

    /// Decides the fate of an object. The first decision takes precedence.
    pub(super) fn decide(&mut self, index: usize, fate: Fate, reason: impl Into<String>) {
        let slot = &mut self.fates[index];
        if slot.is_none() {
            *slot = Some((fate, reason.into()));
        }
    }

    /// Returns the positions of the shipped objects.
    pub(super) fn kept(&self) -> Vec<usize> {
        let fates = self.fates.iter().enumerate();
        fates
            .filter(|(_, fate)| matches!(fate, Some((Fate::Kept(_), _))))
            .map(|(index, _)| index)
            .collect()
    }

    /// Returns the positions of the objects without a decision.
    pub(super) fn undecided(&self) -> Vec<usize> {
        (0..self.fates.len())
            .filter(|index| self.fates[*index].is_none())
            .collect()
    }

    /// Returns the decisions, in the order of the objects.
    pub(super) fn into_outcomes(self) -> Vec<Outcome> {
        self.objects
            .into_iter()
            .zip(self.fates)
            .map(|(object, fate)| {
                let (fate, reason) = fate.unwrap_or((Fate::Kept(Value::Null), String::new()));
                Outcome {
                    object: object.clone(),
                    fate,
                    reason,
                }
            })
            .collect()
    }
}

/// Whether two namespaces match. Namespaces in manifests are placeholders, so an absent or empty namespace matches any
/// other.
pub(super) fn same_namespace(left: Option<&str>, right: Option<&str>) -> bool {
    match (left, right) {
        (Some(left), Some(right)) => left == right || left.is_empty() || right.is_empty(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::{Layout, Manifests};
    use crate::text::Limits;
    use serde_json::json;

    #[test]
    fn objects_are_found_by_kind_name_and_labels_in_their_order() {
        let object = |version: &str, kind: &str, namespace: &str, labels: &str| {
            format!(
                "---\napiVersion: {version}\nkind: {kind}\nmetadata: {{name: a, namespace: {namespace}}}\n\
                 spec: {{template: {{metadata: {{labels: {labels}}}}}}}\n"
            )
        };
        let text = [
            object("v1", "Service", "o", "{}"),
            object("apps/v1", "Deployment", "p", "{app: x, tier: 1}"),
            object("apps/v1", "Deployment", "o", "{app: x, tier: '1'}"),
            object("v1", "Service", "m", "{}"),
            object("apps/v1", "StatefulSet", "m", "{app: x, tier: '1'}"),
            object("apps/v1", "Deployment", "m", "{app: x}"),
        ];
        let mut manifests = Manifests::default();
        manifests.read_file("a.yaml", text.concat().as_bytes(), Layout::Nested, &Limits::default());
        assert!(manifests.diagnostics.is_empty(), "{:?}", manifests.diagnostics);
        let inventory = Inventory::new(&manifests.objects, &mut Vec::new());
        assert_eq!(inventory.of("", "Service"), [0, 1]);
        assert_eq!(inventory.of("apps", "Deployment"), [2, 3, 4]);
        assert_eq!(inventory.of("apps", "DaemonSet"), [] as [usize; 0]);
        assert_eq!(inventory.named("apps", "Deployment", "a"), [2, 3, 4]);
        assert_eq!(inventory.named("apps", "Deployment", "b"), [] as [usize; 0]);
        assert_eq!(inventory.service("a", Some("o")), Some(1));
        let with = |labels: &Value| inventory.deployments_with(labels.as_object().unwrap());
        assert_eq!(with(&json!({"app": "x"})), [2, 3, 4]);
        assert_eq!(with(&json!({"app": "x", "tier": "1"})), [3]);
        assert_eq!(with(&json!({"app": "x", "tier": 1})), [4]);
        assert_eq!(with(&json!({"tier": 1})), [4]);
        assert_eq!(with(&json!({"app": "x", "tier": "2"})), [] as [usize; 0]);
    }
}
