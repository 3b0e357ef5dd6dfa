//! The human-readable descriptions of packages and bundles in an index.

use super::{Index, OpenCatalog, OpenError};
use crate::catalog::file_based::document::Document;
use crate::catalog::file_based::manifests::Manifests;
use crate::catalog::file_based::{Deprecation, RelatedImage, Schema, related};
use crate::catalog::{Bundle, Text};
use crate::index::render::named_images;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};

/// The description of a bundle.
#[derive(Debug, Default)]
pub(crate) struct Described {
    /// The ClusterServiceVersion as JSON. If a catalog contains no manifests, the ClusterServiceVersion is generated
    /// from metadata.
    pub(crate) csv: Option<String>,
    /// The manifests as JSON, including the ClusterServiceVersion; empty if the index does not contain them.
    pub(crate) objects: Vec<String>,
    /// The images that the bundle needs.
    pub(crate) related_images: Vec<RelatedImage>,
}

/// The description of a package in a file-based catalog, without its channels.
#[derive(Debug, Default)]
pub(crate) struct DescribedPackage {
    /// The description, in Markdown.
    pub(crate) description: String,
    /// The bytes of the icon, in base64.
    pub(crate) icon: Option<String>,
    /// The deprecated items, each with its message.
    pub(crate) deprecations: Vec<Deprecation>,
    /// The package's documents that have custom schemas, in the order of the catalog.
    pub(crate) others: Vec<Document>,
    /// The document of the package.
    document: Option<Document>,
}

/// Reads an index package by package.
#[derive(Debug)]
pub(crate) struct Describer<'a> {
    index: &'a Index,
    /// The related images in a database, by bundle.
    images: HashMap<String, Vec<String>>,
    /// For each package, the positions of the catalog documents that describe it.
    documents: HashMap<Text, Vec<usize>>,
}

impl<'a> Describer<'a> {
    /// Reads the related images of a database, or finds the catalog documents about packages.
    ///
    /// # Errors
    /// Returns an error if the database is damaged or changes while it is being read.
    pub(crate) fn new(index: &'a Index) -> Result<Self, OpenError> {
        let (mut images, mut documents) = (HashMap::new(), HashMap::<Text, Vec<usize>>::new());
        match index {
            Index::Database(open) => images = open.database.related_images()?,
            Index::Catalog(open) => {
                for (number, handle) in open.files.handles.iter().enumerate() {
                    if !handle.schema.has_names() {
                        documents.entry(handle.package.clone()).or_default().push(number);
                    }
                }
            }
        }
        Ok(Self {
            index,
            images,
            documents,
        })
    }

    /// Returns the description of a package.
    ///
    /// # Errors
    /// Returns an error if the catalog cannot be read again.
    pub(crate) fn package(&self, package: &str) -> Result<DescribedPackage, OpenError> {
        let mut described = DescribedPackage::default();
        let Index::Catalog(open) = self.index else {
            return Ok(described);
        };
        for number in self.documents.get(package).into_iter().flatten() {
            let Some(handle) = open.files.handles.get(*number) else {
                continue;
            };
            let document = open.files.document(handle)?;
            match handle.schema {
                Schema::Package => {}
                Schema::Deprecations => {
                    let written = document.deprecations().unwrap_or_default();
                    described.deprecations.extend(written);
                    continue;
                }
                _ => {
                    described.others.push(document);
                    continue;
                }
            }
            let icon: Option<Value> = document
                .field("icon")
                .and_then(|icon| serde_json::from_str(icon.get()).ok());
            let data = icon.as_ref().and_then(|icon| icon.get("base64data")?.as_str());
            described.icon = data.map(str::to_owned);
            described.description = document.text("description");
            described.document = Some(document);
        }
        Ok(described)
    }

    /// Returns the description of a bundle of a package.
    ///
    /// # Errors
    /// Returns an error if the index is damaged or changes while it is being read.
    pub(crate) fn bundle(&self, package: &DescribedPackage, bundle: &Bundle) -> Result<Described, OpenError> {
        match self.index {
            Index::Database(open) => {
                let stored = open.database.manifests(bundle.manifests)?;
                let stand_in = match stored.csv {
                    Some(_) => None,
                    None => open.database.stand_in(bundle.manifests)?,
                };
                let related_images = if let Some(stand_in) = &stand_in {
                    // It lists all related images of the bundle.
                    related(named_images(stand_in), [])
                } else {
                    let others = self.images.get(&*bundle.name).cloned().unwrap_or_default();
                    related(stored.csv.as_deref().map(named_images).unwrap_or_default(), others)
                };
                Ok(Described {
                    csv: stored.csv.or(stand_in),
                    objects: stored.objects,
                    related_images,
                })
            }
            Index::Catalog(open) => of_catalog(open, package, bundle),
        }
    }
}

fn of_catalog(open: &OpenCatalog, package: &DescribedPackage, bundle: &Bundle) -> Result<Described, OpenError> {
    let Some(document) = open.document(bundle.manifests)? else {
        return Ok(Described::default());
    };
    let manifests = Manifests::of(&document);
    let stands_for = || {
        let metadata = manifests.metadata.as_ref()?;
        Some(metadata.csv(&document, package.document.as_ref()))
    };
    let images: BTreeSet<(String, String)> = document
        .related_images()
        .unwrap_or_default()
        .into_iter()
        .map(|image| (image.image, image.name))
        .collect();
    Ok(Described {
        csv: manifests.csv.clone().or_else(stands_for),
        related_images: images
            .into_iter()
            .map(|(image, name)| RelatedImage { name, image })
            .collect(),
        objects: manifests.objects,
    })
}
