//! A component of an operator in a cluster.

use crate::csv::{Csv, GROUP, KIND};
use crate::kubernetes::GroupVersionKind;
use serde_json::{Map, Value};

/// A view of an object in a cluster. Absent or malformed fields are treated as empty.
#[derive(Debug, Clone, Copy)]
pub(super) struct Component<'a>(pub(super) &'a Value);

impl<'a> Component<'a> {
    /// Returns the value at a JSON pointer, unless the value is null.
    pub(super) fn get(self, pointer: &str) -> Option<&'a Value> {
        self.0.pointer(pointer).filter(|value| !value.is_null())
    }

    /// Returns the string at a JSON pointer; empty if absent.
    pub(super) fn text(self, pointer: &str) -> &'a str {
        self.get(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the string at a JSON pointer, unless the string is empty.
    pub(super) fn some_text(self, pointer: &str) -> Option<&'a str> {
        Some(self.text(pointer)).filter(|text| !text.is_empty())
    }

    /// Returns the list at a JSON pointer; empty if absent.
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

    /// Whether the object is a ClusterServiceVersion that OLM copied from another namespace. Such copies are not
    /// components.
    pub(super) fn is_copied(self) -> bool {
        self.is_csv() && Csv(self.0).is_copied()
    }
}
