//! A bundle: one version of an operator, as a folder of manifests and a folder of metadata.
//!
//! Two media types are known. `registry+v1` holds a `ClusterServiceVersion` and the objects beside it;
//! `k8s+v1` (proposal *plain-k8s-bundles*) holds the plain manifests of the operator and `metadata/olm.yaml`.
//! The role of a metadata file is recognised by its content, as OLM does, except for `olm.yaml`, whose name is fixed.

pub mod annotations;
mod asked_annotations;
pub(crate) mod cut;
mod edit;
pub mod generate;
pub mod image;
pub mod image_map;
pub mod location;
mod media_type;
pub mod mentions;
mod metadata;
mod names;
pub mod olm_yaml;
pub mod pin;
mod read;
pub(crate) mod roles;
pub(crate) mod size;
pub mod stamp;

pub use annotations::Annotations;
pub use asked_annotations::{ANNOTATIONS_YAML, AnnotationError, AskedAnnotations};
pub use edit::EditError;
pub use media_type::{MediaType, UnknownMediaType};
pub use metadata::TypedValue;
pub(crate) use read::read_as;
pub use read::{BundleReading, read};

use crate::manifest::Object;
use crate::source::Place;
use crate::text::{self, Document};
use crate::tree::TreeLimits;
use std::path::Path;

/// Folder of the manifests inside a bundle.
pub(crate) const MANIFESTS: &str = "manifests";
/// Folder of the metadata inside a bundle.
pub(crate) const METADATA: &str = "metadata";
/// The file of a `k8s+v1` bundle that says what manifests cannot say.
pub const OLM_YAML: &str = "metadata/olm.yaml";

/// How much a bundle may hold.
#[derive(Debug, Clone, Copy, Default)]
pub struct BundleLimits {
    /// Its files.
    pub tree: TreeLimits,
    /// The text of each of them.
    pub text: text::Limits,
}

/// One operator version, read: what synthesis, validation and the index look at.
#[derive(Debug, Clone)]
pub struct Bundle {
    /// The directory or image it was read from.
    pub origin: String,
    /// What kind of bundle it is.
    pub media_type: MediaType,
    /// The annotations file, where there is one.
    pub annotations: Option<Annotations>,
    /// The manifests, in the order of files and documents.
    pub objects: Vec<Object>,
    /// `metadata/olm.yaml` of a `k8s+v1` bundle.
    pub olm: Option<Document>,
    /// The content of the file that `icon` of `olm.yaml` names.
    pub icon: Option<Vec<u8>>,
    /// The dependencies file: type and value of each entry.
    pub dependencies: Vec<TypedValue>,
    /// The properties file: type and value of each entry.
    pub properties: Vec<TypedValue>,
    /// The metadata files besides `olm.yaml`, the first document of each, in the order of their names.
    pub metadata: Vec<Document>,
    /// The metadata files that hold no document, at their beginning.
    pub empty_metadata: Vec<Place>,
}

impl Bundle {
    /// The `ClusterServiceVersion` of a `registry+v1` bundle: the first in file order, as the index takes it.
    pub fn csv(&self) -> Option<&Object> {
        self.objects.iter().find(|object| is_csv(object))
    }
}

/// Whether a folder has the two folders of a bundle.
pub(crate) fn is_bundle_folder(path: &Path) -> bool {
    path.join(MANIFESTS).is_dir() && path.join(METADATA).is_dir()
}

/// Whether the object is a `ClusterServiceVersion`, of whichever version.
pub(crate) fn is_csv(object: &Object) -> bool {
    object.gvk().kind == crate::csv::KIND
}
