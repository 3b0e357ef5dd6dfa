//! Annotation keys that OLM and consoles read.

/// On a ClusterServiceVersion: the versions from which a cluster may update to it.
pub(crate) const SKIP_RANGE: &str = "olm.skipRange";
/// On a ClusterServiceVersion of a bundle: a JSON list of properties for the index.
pub(crate) const INDEX_PROPERTIES: &str = "olm.properties";
/// On a ClusterServiceVersion that OLM installed: its properties in the catalog.
pub const PROPERTIES: &str = "operatorframework.io/properties";
/// The version that a bundle substitutes for.
pub(crate) const SUBSTITUTES_FOR: &str = "olm.substitutesFor";
/// Sample custom resources, as a JSON list.
pub const EXAMPLES: &str = "alm-examples";
/// On a ClusterServiceVersion: the image of the operator, which consoles show.
pub const CONTAINER_IMAGE: &str = "containerImage";
/// On a ClusterServiceVersion: the namespace into which its author proposes to install the operator.
pub(crate) const SUGGESTED_NAMESPACE: &str = "operatorframework.io/suggested-namespace";
