//! A bundle: one version of an operator, as a folder of manifests and a folder of metadata.
//!
//! A `registry+v1` bundle contains a `ClusterServiceVersion` and other objects. A `k8s+v1` bundle (proposal
//! *plain-k8s-bundles*) contains the plain manifests of the operator and `metadata/olm.yaml`. As in OLM, the content of
//! a metadata file determines its role, except for `olm.yaml`, whose name is fixed.

pub mod annotations;
mod asked_annotations;
pub(crate) mod cut;
mod edit;
pub mod generate;
pub(crate) mod generated_name;
pub mod image;
pub mod image_map;
pub mod image_use;
pub mod location;
mod media_type;
pub mod mentions;
mod metadata;
mod names;
pub mod olm_yaml;
pub mod pin;
mod read;
mod references;
pub(crate) mod roles;
pub(crate) mod size;
pub mod stamp;
pub mod stated;
mod unpacked;
pub(crate) mod versioned_name;

pub use annotations::Annotations;
pub use asked_annotations::{ANNOTATIONS_YAML, AnnotationError, AskedAnnotations, UnknownAnnotations};
pub(crate) use asked_annotations::{annotations_text, existing_annotations};
pub use edit::EditError;
pub use media_type::{MediaType, UnknownMediaType};
pub use metadata::TypedValue;
pub(crate) use metadata::field;
pub(crate) use read::misplaced_olm_yaml;
pub(crate) use read::read_as;
pub use read::{BundleReading, read};
pub(crate) use unpacked::{Installed, key_of};

use crate::manifest::Object;
use crate::source::Place;
use crate::text::{self, Document};
use crate::tree::TreeLimits;
use std::path::Path;

/// Folder of the manifests inside a bundle.
pub(crate) const MANIFESTS: &str = "manifests";
/// Folder of the metadata inside a bundle.
pub(crate) const METADATA: &str = "metadata";
/// The file of a `k8s+v1` bundle for the information that manifests cannot express.
pub const OLM_YAML: &str = "metadata/olm.yaml";
/// The Dockerfile next to a bundle folder, which other tools build the image from.
pub(crate) const DOCKERFILE: &str = "bundle.Dockerfile";

/// Limits on the content of a bundle.
#[derive(Debug, Clone, Copy, Default)]
pub struct BundleLimits {
    /// Limits on the files of the bundle.
    pub tree: TreeLimits,
    /// Limits on the text of each file.
    pub text: text::Limits,
}

/// A bundle as read from its files: the input for synthesis, validation and the index.
#[derive(Debug, Clone)]
pub struct Bundle {
    /// The directory or image from which the bundle was read.
    pub origin: String,
    /// The media type.
    pub media_type: MediaType,
    /// The annotations file, if present.
    pub annotations: Option<Annotations>,
    /// The manifests, in the order of the files and their documents.
    pub objects: Vec<Object>,
    /// The objects of a `registry+v1` bundle that no index reads, but that OLM also installs from an image: those in
    /// hidden files of `manifests/`, and those in `metadata/`.
    pub unpacked: Vec<Object>,
    /// The objects of a `registry+v1` bundle that OLM v0 does not read, but OLM v1 does: further documents of files,
    /// and the items of lists.
    pub passed_over: Vec<Object>,
    /// `metadata/olm.yaml` of a `k8s+v1` bundle.
    pub olm: Option<Document>,
    /// The content of the file that `icon` in `olm.yaml` names.
    pub icon: Option<Vec<u8>>,
    /// The entries of the dependencies file.
    pub dependencies: Vec<TypedValue>,
    /// The entries of the properties file.
    pub properties: Vec<TypedValue>,
    /// The first document of each metadata file other than `olm.yaml`, in the order of the file names.
    pub metadata: Vec<Document>,
    /// The place of each metadata file that contains no document.
    pub empty_metadata: Vec<Place>,
}

impl Bundle {
    /// Creates a `registry+v1` bundle that consists of these manifests alone.
    pub(crate) fn of_manifests(objects: Vec<Object>) -> Self {
        Self {
            origin: String::new(),
            media_type: MediaType::RegistryV1,
            annotations: None,
            objects,
            unpacked: Vec::new(),
            passed_over: Vec::new(),
            olm: None,
            icon: None,
            dependencies: Vec::new(),
            properties: Vec::new(),
            metadata: Vec::new(),
            empty_metadata: Vec::new(),
        }
    }

    /// Returns the `ClusterServiceVersion` of a `registry+v1` bundle. If there are several, returns the first in file
    /// order, as the index does.
    pub fn csv(&self) -> Option<&Object> {
        self.objects.iter().find(|object| is_csv(object))
    }
}

/// Whether a folder contains the manifests and metadata folders of a bundle.
pub(crate) fn is_bundle_folder(path: &Path) -> bool {
    path.join(MANIFESTS).is_dir() && path.join(METADATA).is_dir()
}

/// Whether the object is a `ClusterServiceVersion` of any version.
pub(crate) fn is_csv(object: &Object) -> bool {
    object.gvk().kind == crate::csv::KIND
}
