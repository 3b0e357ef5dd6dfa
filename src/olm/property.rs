//! Properties: what a bundle says of itself, each with a type and a value.

use serde::{Deserialize, Serialize};

/// A type and a value. Programs hold them as text as it was stored, as raw JSON, or parsed.
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
    /// A property of this type with this value.
    pub fn new(kind: impl Into<Type>, value: impl Into<Value>) -> Self {
        Self {
            kind: kind.into(),
            value: value.into(),
        }
    }
}

/// The package and version of a bundle; as a dependency in a database or a bundle, a package that it needs.
pub const PACKAGE: &str = "olm.package";
/// An API that a bundle provides; as a dependency in a database or a bundle, one that it needs.
pub(crate) const GVK: &str = "olm.gvk";
/// A label of a bundle; as a dependency in a database or a bundle, one that it needs.
pub const LABEL: &str = "olm.label";
/// A package that a bundle needs.
pub(crate) const PACKAGE_REQUIRED: &str = "olm.package.required";
/// An API that a bundle needs.
pub(crate) const GVK_REQUIRED: &str = "olm.gvk.required";
/// A label that a bundle needs.
pub(crate) const LABEL_REQUIRED: &str = "olm.label.required";
/// What a bundle needs, as a constraint.
pub(crate) const CONSTRAINT: &str = "olm.constraint";
/// Marks a bundle that is not to be installed anew.
pub const DEPRECATED: &str = "olm.deprecated";
/// The last version of OpenShift that an operator runs on.
pub(crate) const MAX_OPENSHIFT_VERSION: &str = "olm.maxOpenShiftVersion";
/// The manifests that a cluster may lack, of the proposal *optional-manifest*.
pub(crate) const OPTIONAL_MANIFESTS: &str = "olm.manifests.optional";
/// One manifest of a bundle in a catalog.
pub const BUNDLE_OBJECT: &str = "olm.bundle.object";
/// What user interfaces show of a bundle in a catalog.
pub(crate) const CSV_METADATA: &str = "olm.csv.metadata";
/// The channel of a bundle in a catalog of an old form.
pub const CHANNEL: &str = "olm.channel";
/// The media type of a bundle whose manifests the index holds.
pub(crate) const MEDIA_TYPE: &str = "olm.bundle.mediatype";
/// The image that such a bundle came from.
pub const IMAGE: &str = "olm.bundle.image";

/// Whether properties of this type hold manifests, which are long, and of which nothing else follows.
pub(crate) fn holds_manifests(kind: &str) -> bool {
    matches!(kind, BUNDLE_OBJECT | CSV_METADATA)
}
