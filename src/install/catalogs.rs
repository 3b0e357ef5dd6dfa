//! The opened catalogs of a what-if file: the content for a resolution, and the source of the selected bundles.

use super::content::{self, ContentError};
use crate::catalog::Catalog;
use crate::cluster::{self, State};
use crate::database::read::ReadError;
use crate::index::open::Index;
use crate::resolver::Selected;
use crate::steps::Content;
use std::borrow::Cow;

/// The catalogs of a what-if file, in the order of the file.
#[derive(Debug)]
pub struct Catalogs {
    catalogs: Vec<Open>,
    /// Bundles from images, for packages that the file itself lists.
    contents: Vec<Content>,
}

#[derive(Debug)]
struct Open {
    /// `namespace/name` of the CatalogSource.
    name: String,
    /// The index, if the catalog has an index.
    index: Option<Index>,
    /// The packages that the file lists, if the catalog has no index.
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

/// The reason why a bundle cannot be read from its catalog.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelectedError {
    /// The catalog cannot be read.
    #[error("bundle {bundle} of catalog {catalog}")]
    Content {
        /// The bundle.
        bundle: String,
        /// `namespace/name` of the CatalogSource.
        catalog: String,
        /// The cause.
        source: Box<ContentError>,
    },
    /// The catalog contains no manifests.
    #[error(
        "bundle {bundle} of catalog {catalog} has no manifests, because the packages of the catalog are listed in \
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
    /// Returns the catalogs of a state. `indexes` contains the index of each catalog that has a source, and `None` for
    /// each other catalog.
    pub fn new(state: &State, indexes: Vec<Option<Index>>) -> Self {
        let catalogs = state.catalogs.iter().zip(indexes).map(|(catalog, index)| Open {
            name: format!("{}/{}", catalog.namespace, catalog.name),
            index,
            inline: cluster::inline(&catalog.packages),
        });
        Self {
            catalogs: catalogs.collect(),
            contents: Vec::new(),
        }
    }

    /// Adds bundles for packages that the file itself lists.
    #[must_use]
    pub fn with_contents(mut self, contents: impl IntoIterator<Item = Content>) -> Self {
        self.contents.extend(contents);
        self
    }

    /// Returns the content of the catalogs. `with_skip_ranges` is needed only for updates; without it, reading from a
    /// database is faster.
    ///
    /// # Errors
    /// Returns an error if a database cannot be read.
    pub fn read(&self, with_skip_ranges: bool) -> Result<Vec<Cow<'_, Catalog>>, ReadError> {
        self.catalogs.iter().map(|open| open.read(with_skip_ranges)).collect()
    }

    /// Returns the image of a selected bundle, if the catalog names an image.
    ///
    /// # Errors
    /// Returns an error if the catalog cannot be read.
    pub fn image(&self, selected: &Selected) -> Result<Option<String>, ReadError> {
        let open = self.catalogs.iter().find(|open| open.name == selected.catalog);
        let Some(open) = open else { return Ok(None) };
        let catalog = open.read(false)?;
        let id = catalog.find_in(&selected.package, &selected.name);
        let bundle = id.and_then(|id| catalog.bundle(id));
        let image = bundle.and_then(|bundle| bundle.image.as_deref());
        Ok(image.filter(|image| !image.is_empty()).map(str::to_owned))
    }

    /// Returns a selected bundle with its manifests.
    ///
    /// # Errors
    /// Returns an error if the catalog has no manifests for the bundle, or if they cannot be read.
    pub fn content(&self, selected: &Selected) -> Result<Content, SelectedError> {
        let (bundle, catalog) = (selected.name.clone(), selected.catalog.clone());
        let open = self.catalogs.iter().find(|open| open.name == catalog);
        let Some(index) = open.and_then(|open| open.index.as_ref()) else {
            let mut contents = self.contents.iter();
            let content = contents.find(|content| content.name == bundle && content.package == selected.package);
            return content.cloned().ok_or(SelectedError::WrittenOut { bundle, catalog });
        };
        content::of_index(index, Some(&selected.package), &bundle).map_err(|source| SelectedError::Content {
            bundle,
            catalog,
            source: Box::new(source),
        })
    }
}
