//! An object of an operator as a cluster has it.

use crate::csv::{Csv, GROUP, KIND};
use crate::kubernetes::GroupVersionKind;
use serde_json::{Map, Value};

/// A view of an object in a cluster. What is absent or of another shape reads as empty.
#[derive(Debug, Clone, Copy)]
pub(super) struct Component<'a>(pub(super) &'a Value);

impl<'a> Component<'a> {
    /// The value at a JSON pointer, where it is not null.
    pub(super) fn get(self, pointer: &str) -> Option<&'a Value> {
        self.0.pointer(pointer).filter(|value| !value.is_null())
    }

    /// The text at a JSON pointer.
    pub(super) fn text(self, pointer: &str) -> &'a str {
        self.get(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    /// The text at a JSON pointer, where there is one that is not empty.
    pub(super) fn some_text(self, pointer: &str) -> Option<&'a str> {
        Some(self.text(pointer)).filter(|text| !text.is_empty())
    }

    /// The list at a JSON pointer.
    pub(super) fn list(self, pointer: &str) -> &'a [Value] {
        let list = self.get(pointer).and_then(Value::as_array);
        list.map(Vec::as_slice).unwrap_or_default()
    }

    pub(super) fn gvk(self) -> GroupVersionKind {
        GroupVersionKind::from_api_version(self.text("/apiVersion"), self.text("/kind"))
    }

    pub(super) fn is(self, group: &str, kind: &str) -> bool {
        self.text("/kind") == kind && self.gvk().group == group
    }

    pub(super) fn is_csv(self) -> bool {
        self.is(GROUP, KIND)
    }

    pub(super) fn name(self) -> &'a str {
        self.text("/metadata/name")
    }

    pub(super) fn labels(self) -> Option<&'a Map<String, Value>> {
        self.get("/metadata/labels").and_then(Value::as_object)
    }

    /// Whether it is a ClusterServiceVersion that OLM copied from another namespace. Those are no components.
    pub(super) fn is_copied(self) -> bool {
        self.is_csv() && Csv(self.0).is_copied()
    }
}
