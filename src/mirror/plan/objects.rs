//! The objects through which a cluster uses a catalog.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The kind of a [`CatalogObject`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CatalogKind {
    /// A CatalogSource.
    CatalogSource,
    /// A ClusterCatalog.
    ClusterCatalog,
}

/// A CatalogSource or ClusterCatalog through which a cluster uses a catalog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CatalogObject {
    /// The kind.
    pub kind: CatalogKind,
    /// The name.
    pub name: String,
    /// The namespace of a CatalogSource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The labels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// The field `spec`, which refers to the original catalog.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub spec: Map<String, Value>,
}
