//! `metadata/olm.yaml`: what a `k8s+v1` bundle says that its manifests cannot say.
//!
//! The keys are those of the proposal *plain-k8s-bundles*, completed to all of a `ClusterServiceVersion`.
//! The file is read strictly: a wrong type is an error, an unknown key a warning that names the nearest known one.

pub mod annotations;
mod check;
mod fields;
mod syntax;

pub use check::check;
pub use fields::{FIELDS, SHAPE, json_schema};
pub(crate) use fields::{description_fields, targeted};

use crate::source::Place;
use crate::text::{Document, Path};
use serde_json::Value;

/// The four required keys, shown.
pub(crate) const REQUIRED_HELP: &str = "metadata/olm.yaml needs at least name, version, minKubeVersion and installModes; `opmx bundle init` writes one to fill in.";

/// The `minKubeVersion` that stands for any version: every version is as new, so the CSV then names none.
pub(crate) const ANY_KUBE_VERSION: &str = "0.0.0";

/// A view of `metadata/olm.yaml`. It reads leniently: what has the wrong shape is absent here and a finding of
/// [`check`].
#[derive(Debug, Clone, Copy)]
pub struct Olm<'a> {
    document: &'a Document,
}

impl<'a> Olm<'a> {
    /// Looks at the document.
    pub fn new(document: &'a Document) -> Self {
        Self { document }
    }

    /// The document itself.
    pub fn document(self) -> &'a Document {
        self.document
    }

    /// The value at these keys; `null` counts as absent.
    pub fn get(self, keys: &[&str]) -> Option<&'a Value> {
        let value = keys
            .iter()
            .try_fold(self.document.value(), |value, key| value.get(key))?;
        (!value.is_null()).then_some(value)
    }

    /// The text at these keys.
    pub fn text(self, keys: &[&str]) -> Option<&'a str> {
        self.get(keys).and_then(Value::as_str)
    }

    /// The list at these keys; empty where there is none.
    pub fn list(self, keys: &[&str]) -> &'a [Value] {
        self.get(keys)
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// The path of the icon's file in the bundle, where `icon` is one: base64 has no dot in it.
    pub(crate) fn icon_path(self) -> Option<&'a str> {
        let path = self.text(&["icon"])?.trim();
        path.contains('.').then(|| path.trim_start_matches("./"))
    }

    /// The place of the value at `path`, or of its nearest ancestor.
    pub fn place(self, path: &Path) -> Place {
        self.document.place(path)
    }
}
