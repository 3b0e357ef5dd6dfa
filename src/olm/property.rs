//! Properties of bundles, each with a type and a value.

use serde::{Deserialize, Serialize};

/// A type and a value. Code stores the value as text, as raw JSON, or parsed.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Property<Type = String, Value = serde_json::Value> {
    /// The type, such as `olm.package`.
    #[serde(rename = "type")]
    pub kind: Type,
    /// The value.
    #[serde(default)]
    pub value: Value,
}

impl<Type, Value> Property<Type, Value> {
    /// Creates a property of this type with this value.
    pub fn new(kind: impl Into<Type>, value: impl Into<Value>) -> Self {
        Self {
            kind: kind.into(),
            value: value.into(),
        }
    }
}

/// The types of properties that OLM and its tools read.
pub(crate) const KNOWN: [&str; 15] = [
    PACKAGE,
    GVK,
    LABEL,
    PACKAGE_REQUIRED,
    GVK_REQUIRED,
    LABEL_REQUIRED,
    CONSTRAINT,
    DEPRECATED,
    MAX_OPENSHIFT_VERSION,
    OPTIONAL_MANIFESTS,
    BUNDLE_OBJECT,
    CSV_METADATA,
    CHANNEL,
    MEDIA_TYPE,
    IMAGE,
];

/// The package and version of a bundle; as a dependency in a database or a bundle, a package that the bundle needs.
pub const PACKAGE: &str = "olm.package";
/// An API that a bundle provides; as a dependency in a database or a bundle, an API that the bundle needs.
pub(crate) const GVK: &str = "olm.gvk";
/// A label of a bundle; as a dependency in a database or a bundle, a label that another bundle must have.
pub const LABEL: &str = "olm.label";
/// A package that a bundle needs.
pub(crate) const PACKAGE_REQUIRED: &str = "olm.package.required";
/// An API that a bundle needs.
pub(crate) const GVK_REQUIRED: &str = "olm.gvk.required";
/// A label that another bundle must have.
pub(crate) const LABEL_REQUIRED: &str = "olm.label.required";
/// A constraint that another bundle must meet.
pub(crate) const CONSTRAINT: &str = "olm.constraint";
/// Marks a bundle that must not be newly installed.
pub const DEPRECATED: &str = "olm.deprecated";
/// The last version of OpenShift that an operator runs on.
pub(crate) const MAX_OPENSHIFT_VERSION: &str = "olm.maxOpenShiftVersion";
/// The optional manifests of a bundle, from the proposal *optional-manifest*.
pub(crate) const OPTIONAL_MANIFESTS: &str = "olm.manifests.optional";
/// A manifest of a bundle in a catalog.
pub const BUNDLE_OBJECT: &str = "olm.bundle.object";
/// The metadata that user interfaces show for a bundle in a catalog.
pub(crate) const CSV_METADATA: &str = "olm.csv.metadata";
/// The channel of a bundle in a catalog in the old format.
pub const CHANNEL: &str = "olm.channel";
/// The media type of a bundle whose manifests are in the index.
pub(crate) const MEDIA_TYPE: &str = "olm.bundle.mediatype";
/// The media type of bundles that consist of a ClusterServiceVersion and its accompanying objects.
pub(crate) const REGISTRY_V1: &str = "registry+v1";
/// The media type of bundles that consist of plain manifests, from the proposal *plain-k8s-bundles*.
pub(crate) const K8S_V1: &str = "k8s+v1";
/// The original image of a bundle whose manifests are in the index.
pub const IMAGE: &str = "olm.bundle.image";

/// Property types whose values are objects with strings in known fields.
const TEXTS: [(&str, &[&str]); 5] = [
    (PACKAGE, &["packageName", "version", "release"]),
    (PACKAGE_REQUIRED, &["packageName", "versionRange"]),
    (GVK, &["group", "kind", "version"]),
    (GVK_REQUIRED, &["group", "kind", "version"]),
    (CHANNEL, &["channelName"]),
];

/// Returns the fields of the value of a property in a catalog that must be strings; `None` if the value of this type
/// has another form.
pub(crate) fn texts(kind: &str) -> Option<&'static [&'static str]> {
    let (_, texts) = TEXTS.iter().find(|(known, _)| *known == kind)?;
    Some(texts)
}

/// Returns all fields that [`texts`] returns for any type.
pub(crate) fn all_texts() -> impl Iterator<Item = &'static str> + Clone {
    TEXTS.iter().flat_map(|(_, texts)| texts.iter().copied())
}

/// Returns whether properties of this type contain manifests. Manifests are long, and no other property depends on
/// them.
pub(crate) fn holds_manifests(kind: &str) -> bool {
    matches!(kind, BUNDLE_OBJECT | CSV_METADATA)
}
