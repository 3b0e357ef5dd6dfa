//! The objects of the bundle in a fixed order, without duplicates.

use super::fate::{Fate, Outcome};
use crate::diagnostic::Diagnostic;
use crate::kubernetes::rbac;
use crate::manifest::Object;
use crate::rules;
use serde_json::Value;

/// The objects, sorted by group, kind, namespace and name; an object is identified by its position.
#[derive(Debug)]
pub(super) struct Inventory<'a> {
    objects: Vec<&'a Object>,
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
        Self {
            fates: vec![None; kept.len()],
            objects: kept,
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
        (0..self.objects.len())
            .filter(|index| self.objects[*index].gvk().is(group, kind))
            .collect()
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
        self.of("", "Service").into_iter().find(|index| {
            let service = self.objects[*index];
            service.name() == name && same_namespace(service.namespace(), namespace)
        })
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
