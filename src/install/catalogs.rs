//! The catalogs of a what-if file, open: what a resolution looks at, and where the bundles that it selects are read.

use super::content::{self, ContentError};
use crate::catalog::Catalog;
use crate::cluster::{self, State};
use crate::database::read::ReadError;
use crate::index::open::Index;
use crate::resolver::Selected;
use crate::steps::Content;
use std::borrow::Cow;

/// The catalogs of a what-if file, in its order.
#[derive(Debug)]
pub struct Catalogs {
    catalogs: Vec<Open>,
}

#[derive(Debug)]
struct Open {
    /// `namespace/name` of the CatalogSource.
    name: String,
    /// The index, where the catalog is one.
    index: Option<Index>,
    /// The packages that are written out, where it is none.
    inline: Catalog,
}

impl Open {
    fn read(&self, with_skip_ranges: bool) -> Result<Cow<'_, Catalog>, ReadError> {
        match &self.index {
            Some(Index::Database(database)) if !with_skip_ranges => {
                database.database.catalog_without_skip_ranges().map(Cow::Owned)
            }
            Some(index) => index.catalog(),
            None => Ok(Cow::Borrowed(&self.inline)),
        }
    }
}

/// Why a bundle cannot be taken from its catalog.
#[derive(Debug, thiserror::Error)]
pub enum SelectedError {
    /// The catalog cannot be read.
    #[error("bundle {bundle} of catalog {catalog}")]
    Content {
        /// The bundle.
        bundle: String,
        /// `namespace/name` of the CatalogSource.
        catalog: String,
        /// What is wrong.
        source: Box<ContentError>,
    },
    /// The catalog has no manifests.
    #[error(
        "bundle {bundle} of catalog {catalog} has no manifests, because the packages of the catalog are written out in \
         the what-if file"
    )]
    WrittenOut {
        /// The bundle.
        bundle: String,
        /// `namespace/name` of the CatalogSource.
        catalog: String,
    },
}

impl Catalogs {
    /// The catalogs of a state. `indexes` are those of its catalogs that have a source, and nothing for the others.
    pub fn new(state: &State, indexes: Vec<Option<Index>>) -> Self {
        let catalogs = state.catalogs.iter().zip(indexes).map(|(catalog, index)| Open {
            name: format!("{}/{}", catalog.namespace, catalog.name),
            index,
            inline: cluster::inline(&catalog.packages),
        });
        let catalogs = catalogs.collect();
        Self { catalogs }
    }

    /// What the catalogs hold. Only an update asks for the ranges that bundles skip, which take long to read from a
    /// database.
    ///
    /// # Errors
    /// When a database cannot be read.
    pub fn read(&self, with_skip_ranges: bool) -> Result<Vec<Cow<'_, Catalog>>, ReadError> {
        self.catalogs.iter().map(|open| open.read(with_skip_ranges)).collect()
    }

    /// A bundle that was selected, with its manifests.
    ///
    /// # Errors
    /// When its catalog has no manifests of it, or they cannot be read.
    pub fn content(&self, selected: &Selected) -> Result<Content, SelectedError> {
        let (bundle, catalog) = (selected.name.clone(), selected.catalog.clone());
        let open = self.catalogs.iter().find(|open| open.name == catalog);
        let Some(index) = open.and_then(|open| open.index.as_ref()) else {
            return Err(SelectedError::WrittenOut { bundle, catalog });
        };
        content::of_index(index, &bundle).map_err(|source| SelectedError::Content {
            bundle,
            catalog,
            source: Box::new(source),
        })
    }
}
