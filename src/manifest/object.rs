//! A Kubernetes object with the places of its values.

use crate::kubernetes::GroupVersionKind;
use crate::source::Place;
use crate::text::{Document, Path};
use serde_json::{Map, Value};

/// A Kubernetes object: its document, its path in the document, and its identity.
#[derive(Debug, Clone)]
pub struct Object {
    document: Document,
    root: Path,
    gvk: GroupVersionKind,
    name: String,
    namespace: Option<String>,
}

impl Object {
    pub(super) fn new(
        document: Document,
        root: Path,
        gvk: GroupVersionKind,
        name: &str,
        namespace: Option<&str>,
    ) -> Self {
        Self {
            document,
            root,
            gvk,
            name: name.to_owned(),
            namespace: namespace.map(str::to_owned),
        }
    }

    /// Returns the object as written, with the keys in their original order.
    pub fn value(&self) -> &Value {
        self.root.get(self.document.value()).unwrap_or(&Value::Null)
    }

    /// Returns the value at these keys, if present.
    pub fn get(&self, keys: &[&str]) -> Option<&Value> {
        keys.iter().try_fold(self.value(), |value, key| value.get(key))
    }

    /// Returns the string at these keys; `None` if the value is absent or not a string.
    pub fn text(&self, keys: &[&str]) -> Option<&str> {
        self.get(keys).and_then(Value::as_str)
    }

    /// Returns the list at these keys; empty if the value is absent or not a list.
    pub fn list(&self, keys: &[&str]) -> &[Value] {
        self.get(keys)
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// Returns the map at these keys.
    pub fn map(&self, keys: &[&str]) -> Option<&Map<String, Value>> {
        self.get(keys).and_then(Value::as_object)
    }

    /// Returns group, version and kind.
    pub fn gvk(&self) -> &GroupVersionKind {
        &self.gvk
    }

    /// Returns `metadata.name`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns `metadata.namespace`, if set.
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// Returns `Kind/name`, as used in messages.
    pub fn label(&self) -> String {
        format!("{}/{}", self.gvk.kind, self.name)
    }

    /// Returns the identity of the object: group, kind, namespace and name, but not the version.
    pub fn identity(&self) -> (&str, &str, &str, &str) {
        (
            &self.gvk.group,
            &self.gvk.kind,
            self.namespace().unwrap_or(""),
            &self.name,
        )
    }

    /// Returns the name of the file that contains the object.
    pub fn file(&self) -> &str {
        self.document.source().name()
    }

    /// Returns the place of the value at `path` inside the object, or of its nearest ancestor.
    pub fn place(&self, path: &Path) -> Place {
        self.document.place(&self.root.join(path))
    }

    /// Returns the place of the key that leads to `path`.
    pub fn key_place(&self, path: &Path) -> Place {
        self.document.key_place(&self.root.join(path))
    }

    /// Returns the place that represents the whole object: its name, because people look for the name.
    pub(crate) fn name_place(&self) -> Place {
        self.place(&Path::root().key("metadata").key("name"))
    }

    /// Returns the document and the path of the object in the document.
    pub fn document(&self) -> (&Document, &Path) {
        (&self.document, &self.root)
    }
}

/// Returns the objects of one kind, in any version.
pub(crate) fn of_kind<'a>(objects: &'a [Object], group: &'a str, kind: &'a str) -> impl Iterator<Item = &'a Object> {
    objects.iter().filter(move |object| object.gvk().is(group, kind))
}
