//! One Kubernetes object, with the places of its values.

use crate::kubernetes::GroupVersionKind;
use crate::source::Place;
use crate::text::{Document, Path};
use serde_json::{Map, Value};

/// One Kubernetes object: its document, where in the document it stands, and what identifies it.
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

    /// The object as it was written, key order kept.
    pub fn value(&self) -> &Value {
        self.root.get(self.document.value()).unwrap_or(&Value::Null)
    }

    /// The value at these keys, or `None`.
    pub fn get(&self, keys: &[&str]) -> Option<&Value> {
        keys.iter().try_fold(self.value(), |value, key| value.get(key))
    }

    /// The text at these keys; `None` where it is absent or no string.
    pub fn text(&self, keys: &[&str]) -> Option<&str> {
        self.get(keys).and_then(Value::as_str)
    }

    /// The list at these keys; empty where it is absent or no list.
    pub fn list(&self, keys: &[&str]) -> &[Value] {
        self.get(keys)
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// The map at these keys.
    pub fn map(&self, keys: &[&str]) -> Option<&Map<String, Value>> {
        self.get(keys).and_then(Value::as_object)
    }

    /// Group, version and kind.
    pub fn gvk(&self) -> &GroupVersionKind {
        &self.gvk
    }

    /// `metadata.name`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// `metadata.namespace`, where it is written.
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// `Kind/name`, as messages name it.
    pub fn label(&self) -> String {
        format!("{}/{}", self.gvk.kind, self.name)
    }

    /// What makes two objects the same: group, kind, namespace and name; not the version.
    pub fn identity(&self) -> (&str, &str, &str, &str) {
        (
            &self.gvk.group,
            &self.gvk.kind,
            self.namespace().unwrap_or(""),
            &self.name,
        )
    }

    /// The file it stands in.
    pub fn file(&self) -> &str {
        self.document.source().name()
    }

    /// The place of the value at `path` inside the object, or of its nearest ancestor.
    pub fn place(&self, path: &Path) -> Place {
        self.document.place(&self.root.join(path))
    }

    /// The place of the key that leads to `path`.
    pub fn key_place(&self, path: &Path) -> Place {
        self.document.key_place(&self.root.join(path))
    }

    /// The place to point at when the object as a whole is meant: its kind and name are what a reader looks for.
    pub(crate) fn name_place(&self) -> Place {
        self.place(&Path::root().key("metadata").key("name"))
    }

    /// The document and the path of the object in it.
    pub fn document(&self) -> (&Document, &Path) {
        (&self.document, &self.root)
    }
}
