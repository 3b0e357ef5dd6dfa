//! `metadata/olm.yaml`, for information that the manifests of a `k8s+v1` bundle cannot express.
//!
//! The keys are those of the proposal *plain-k8s-bundles*, extended to cover all of a `ClusterServiceVersion`. Reading
//! is strict: a wrong type is an error, and an unknown key is a warning that names the nearest known key.

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

/// The advice for an empty `olm.yaml`, or for missing top-level keys.
pub(crate) const REQUIRED_HELP: &str = "metadata/olm.yaml needs at least name, version, minKubeVersion and installModes; `opmx bundle init` creates a file to fill in.";

/// The `minKubeVersion` that stands for any version. The CSV then omits the field.
pub(crate) const ANY_KUBE_VERSION: &str = "0.0.0";

/// A lenient view of `metadata/olm.yaml`. A value of the wrong type is treated as absent here, but reported by
/// [`check`].
#[derive(Debug, Clone, Copy)]
pub struct Olm<'a> {
    document: &'a Document,
}

impl<'a> Olm<'a> {
    /// Creates a view of the document.
    pub fn new(document: &'a Document) -> Self {
        Self { document }
    }

    /// Returns the document itself.
    pub fn document(self) -> &'a Document {
        self.document
    }

    /// Returns the value at these keys; `null` is treated as absent.
    pub fn get(self, keys: &[&str]) -> Option<&'a Value> {
        let value = keys
            .iter()
            .try_fold(self.document.value(), |value, key| value.get(key))?;
        (!value.is_null()).then_some(value)
    }

    /// Returns the string at these keys.
    pub fn text(self, keys: &[&str]) -> Option<&'a str> {
        self.get(keys).and_then(Value::as_str)
    }

    /// Returns the list at these keys, or an empty list.
    pub fn list(self, keys: &[&str]) -> &'a [Value] {
        self.get(keys)
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// Returns the path of the icon file in the bundle, if `icon` is a path. Base64 text contains no dot.
    pub(crate) fn icon_path(self) -> Option<&'a str> {
        let path = self.text(&["icon"])?.trim();
        path.contains('.').then(|| path.trim_start_matches("./"))
    }

    /// Returns the place of the value at `path`, or of its nearest ancestor.
    pub fn place(self, path: &Path) -> Place {
        self.document.place(path)
    }
}
