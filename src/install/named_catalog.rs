//! Opened catalogs that stand for CatalogSources of a cluster.

use crate::catalog::Catalog;
use crate::cluster::CatalogName;

/// A catalog of the cluster.
#[derive(Debug, Clone, Copy)]
pub struct NamedCatalog<'a> {
    /// The name of its CatalogSource; `None` if it stands for every CatalogSource.
    pub name: Option<&'a CatalogName>,
    /// The content.
    pub catalog: &'a Catalog,
}

impl NamedCatalog<'_> {
    /// Whether the catalog stands for a CatalogSource, which is specified by its namespace and name. If the
    /// CatalogSource is unknown, every catalog may stand for it.
    pub fn is_of(&self, source: Option<(&str, &str)>) -> bool {
        stands_for(self.name, source)
    }
}

/// Like [`NamedCatalog::is_of`], for the name of an index.
pub fn stands_for(name: Option<&CatalogName>, source: Option<(&str, &str)>) -> bool {
    match (name, source) {
        (Some(name), Some((namespace, source))) => name.is_of(namespace, source),
        _ => true,
    }
}
