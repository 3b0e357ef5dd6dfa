//! The contents of an open index, in either form.

use super::{Index, OpenCatalog, OpenError};
use crate::catalog::file_based::Schema;
use crate::catalog::file_based::document::Document;
use crate::catalog::file_based::error::CatalogError;
use crate::catalog::file_based::manifests::Manifests;
use crate::catalog::file_based::read::Handle;

use crate::catalog::{Bundle, BundleId, Catalog, Channel, ManifestsId, Package};
use crate::database::read::ReadError;
use crate::kubernetes::GroupVersionKind;
use crate::kubernetes::served::{self, ServedResource};
use crate::source::Place;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

/// An image that a document of an unknown schema names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DocumentImage {
    /// The schema.
    pub(crate) schema: String,
    /// The package that the document belongs to; empty if it names none.
    pub(crate) package: String,
    /// The image as written.
    pub(crate) image: String,
}

impl Index {
    /// Returns packages, channels and bundles, without the manifests.
    ///
    /// # Errors
    /// Returns an error if the database is damaged or changes while it is being read.
    pub fn catalog(&self) -> Result<Cow<'_, Catalog>, ReadError> {
        match self {
            Self::Database(database) => Ok(Cow::Owned(database.database.catalog()?)),
            Self::Catalog(files) => Ok(Cow::Borrowed(&files.loaded.catalog)),
        }
    }

    /// Like [`Index::catalog`], for callers that do not need the skip ranges, which are slow to read from a database.
    ///
    /// # Errors
    /// Returns the same errors as [`Index::catalog`].
    pub(crate) fn catalog_without_skip_ranges(&self) -> Result<Cow<'_, Catalog>, ReadError> {
        match self {
            Self::Database(database) => Ok(Cow::Owned(database.database.catalog_without_skip_ranges()?)),
            Self::Catalog(_) => self.catalog(),
        }
    }

    /// Returns the related images of some bundles: the images that the bundles run and list, and the images of the
    /// bundles themselves. `catalog` is the catalog of this index.
    ///
    /// # Errors
    /// Returns an error if the index is damaged or changes while it is being read.
    pub fn related_images(
        &self,
        catalog: &Catalog,
        bundles: &BTreeSet<BundleId>,
    ) -> Result<HashMap<BundleId, Vec<String>>, OpenError> {
        let known = bundles.iter().filter_map(|id| Some((*id, catalog.bundle(*id)?)));
        match self {
            Self::Database(database) => {
                let mut images = database.database.related_images()?;
                Ok(known
                    .filter_map(|(id, bundle)| Some((id, images.remove(&*bundle.name)?)))
                    .collect())
            }
            Self::Catalog(files) => {
                let mut images = HashMap::new();
                for (id, bundle) in known {
                    if let Some(handle) = files.handle(bundle.manifests) {
                        let related = files.files.document(handle)?.related_images();
                        let related = related.map_err(|error| CatalogError::Document {
                            file: files.files.file(handle).to_owned(),
                            line: handle.line,
                            problem: format!(
                                "the field relatedImages of bundle {} is malformed: {error}",
                                bundle.name
                            ),
                        })?;
                        images.insert(id, related.into_iter().map(|related| related.image).collect());
                    }
                }
                Ok(images)
            }
        }
    }

    /// Returns the images that documents of schemas unknown to OLM name in the fields `image` and `relatedImages`, as
    /// bundles do. Other mirroring tools also copy them.
    ///
    /// # Errors
    /// Returns an error if the index is damaged or changes while it is being read.
    pub(crate) fn images_of_documents(&self) -> Result<Vec<DocumentImage>, OpenError> {
        let Self::Catalog(files) = self else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        let handles = files.files.handles.iter();
        for handle in handles.filter(|handle| matches!(handle.schema, Schema::Other(_))) {
            let document = files.files.document(handle)?;
            let related = document.related_images().unwrap_or_default().into_iter();
            let images = std::iter::once(document.text("image")).chain(related.map(|related| related.image));
            found.extend(images.filter(|image| !image.is_empty()).map(|image| DocumentImage {
                schema: handle.schema.name().to_owned(),
                package: handle.package.to_string(),
                image,
            }));
        }
        Ok(found)
    }

    /// Returns the ClusterServiceVersion of a bundle; `None` if the index does not contain it.
    ///
    /// # Errors
    /// Returns an error if the index is damaged or changes while it is being read.
    pub fn csv(&self, id: ManifestsId) -> Result<Option<String>, OpenError> {
        match self {
            Self::Database(database) => Ok(database.database.csv(id)?),
            Self::Catalog(files) => Ok(files.manifests(id)?.csv),
        }
    }

    /// Passes the manifests of a bundle to `read`: the ClusterServiceVersion, and all objects. Passes no manifests if
    /// the index does not contain them.
    ///
    /// # Errors
    /// Returns an error if the index is damaged or changes while it is being read, or the manifests in a database are
    /// not JSON.
    pub(crate) fn with_manifests<T>(
        &self,
        id: ManifestsId,
        read: impl FnOnce(Option<&str>, &[&str]) -> T,
    ) -> Result<T, OpenError> {
        match self {
            Self::Database(database) => Ok(database.database.with_manifests(id, read)?),
            Self::Catalog(files) => {
                let manifests = files.manifests(id)?;
                let objects: Vec<&str> = manifests.objects.iter().map(String::as_str).collect();
                Ok(read(manifests.csv.as_deref(), &objects))
            }
        }
    }

    /// Returns every kind in the index with its plural name, in a fixed order.
    ///
    /// # Errors
    /// Returns an error if the index is damaged or changes while it is being read.
    pub fn apis(&self) -> Result<Vec<ServedResource>, OpenError> {
        match self {
            Self::Database(database) => Ok(database.database.apis()?),
            Self::Catalog(files) => {
                let mut apis = BTreeSet::new();
                for bundle in &files.loaded.catalog.bundles {
                    if let Some(document) = files.document(bundle.manifests)? {
                        apis.extend(apis_in(&document));
                    }
                }
                Ok(apis.into_iter().collect())
            }
        }
    }

    /// Returns the place of the document of a package; `None` for a database.
    ///
    /// # Errors
    /// Returns an error if the index changes while it is being read.
    pub(crate) fn place_of_package(&self, package: &Package) -> Result<Option<Place>, OpenError> {
        let Self::Catalog(files) = self else { return Ok(None) };
        let mut handles = files.files.handles.iter();
        let handle = handles.find(|handle| handle.schema == Schema::Package && handle.name == package.name);
        Ok(handle.map(|handle| files.files.place(handle)).transpose()?)
    }

    /// Returns the place of the document of a channel; `None` for a database.
    ///
    /// # Errors
    /// Returns an error if the index changes while it is being read.
    pub(crate) fn place_of_channel(&self, package: &Package, channel: &Channel) -> Result<Option<Place>, OpenError> {
        let Self::Catalog(files) = self else { return Ok(None) };
        let mut handles = files.files.handles.iter();
        let handle = handles.find(|handle| {
            handle.schema == Schema::Channel && handle.package == package.name && handle.name == channel.name
        });
        Ok(handle.map(|handle| files.files.place(handle)).transpose()?)
    }

    /// Returns the place of the document of a bundle; `None` for a database.
    ///
    /// # Errors
    /// Returns an error if the index changes while it is being read.
    pub(crate) fn place_of_bundle(&self, bundle: &Bundle) -> Result<Option<Place>, OpenError> {
        let Self::Catalog(files) = self else { return Ok(None) };
        let handle = files.handle(bundle.manifests);
        Ok(handle.map(|handle| files.files.place(handle)).transpose()?)
    }

    /// Checks that the index has not changed since it was opened.
    ///
    /// # Errors
    /// Returns an error if the index has changed since it was opened.
    pub(crate) fn check_unchanged(&self) -> Result<(), OpenError> {
        match self {
            Self::Database(database) => Ok(database.database.check_unchanged()?),
            Self::Catalog(files) => Ok(files.files.check_unchanged()?),
        }
    }
}

impl OpenCatalog {
    /// Returns the document of a bundle.
    pub(super) fn document(&self, id: ManifestsId) -> Result<Option<Document>, OpenError> {
        Ok(self.handle(id).map(|handle| self.files.document(handle)).transpose()?)
    }

    fn handle(&self, id: ManifestsId) -> Option<&Handle> {
        self.files.handles.get(usize::try_from(id.0).ok()?)
    }

    fn manifests(&self, id: ManifestsId) -> Result<Manifests, OpenError> {
        let document = self.document(id)?;
        Ok(document.as_ref().map(Manifests::of).unwrap_or_default())
    }
}

/// Returns the kinds whose plural names a bundle specifies. The names are in its CustomResourceDefinitions, and in the
/// owned and required APIs of its ClusterServiceVersion. If the bundle has no ClusterServiceVersion, one is generated
/// from its metadata.
fn apis_in(bundle: &Document) -> Vec<ServedResource> {
    let manifests = Manifests::of(bundle);
    let objects = manifests.objects.iter();
    let objects = objects.filter_map(|object| serde_json::from_str::<Value>(object).ok());
    let mut apis: Vec<ServedResource> = objects.filter_map(|object| served::read(&object)).flatten().collect();
    let described = manifests
        .csv
        .or_else(|| Some(manifests.metadata?.csv(bundle, None)))
        .and_then(|csv| serde_json::from_str::<Value>(&csv).ok())
        .unwrap_or_default();
    let text = |description: &Value, key: &str| description[key].as_str().unwrap_or_default().to_owned();
    for which in ["owned", "required"] {
        for crd in list(&described["spec"]["customresourcedefinitions"][which]) {
            let name = text(crd, "name");
            let Some((resource, group)) = name.split_once('.') else {
                continue;
            };
            apis.push(ServedResource {
                gvk: GroupVersionKind::new(group, text(crd, "version"), text(crd, "kind")),
                resource: resource.to_owned(),
                namespaced: None,
            });
        }
        for api in list(&described["spec"]["apiservicedefinitions"][which]) {
            apis.push(ServedResource {
                gvk: GroupVersionKind::new(text(api, "group"), text(api, "version"), text(api, "kind")),
                resource: text(api, "name"),
                namespaced: None,
            });
        }
    }
    apis
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}
