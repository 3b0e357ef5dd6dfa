//! The bundles of an open index, by name.

use super::{ContentError, of_document, served};
use crate::catalog::file_based::document::Document;
use crate::catalog::file_based::manifests::Manifests;
use crate::catalog::file_based::{self, Blob};
use crate::catalog::{BundleId, Catalog, Channel, ChannelEntry};
use crate::database::read::ReadError;
use crate::index::open::{Index, OpenCatalog};
use crate::index::render::{Item, RenderOptions, RenderedIndex};
use crate::olm::property::BUNDLE_OBJECT;
use crate::shape::nearest;
use crate::steps::Content;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;

/// The bundles of an open index of any format. What the index says about all of them is read only once.
#[derive(Debug)]
pub struct IndexBundles<'i>(Documents<'i>);

/// The documents of the bundles.
#[derive(Debug)]
enum Documents<'i> {
    Database {
        rendered: Box<RenderedIndex>,
        items: HashMap<BundleId, Item>,
    },
    Catalog(&'i OpenCatalog),
}

impl<'i> IndexBundles<'i> {
    /// Reads packages, channels and bundles, without the manifests.
    ///
    /// # Errors
    /// Returns an error if a database is damaged or changes while it is being read.
    pub fn of(opened: &'i Index) -> Result<Self, ReadError> {
        let database = match opened {
            Index::Database(database) => &database.database,
            Index::Catalog(open) => return Ok(Self(Documents::Catalog(open))),
        };
        let rendered = Box::new(RenderedIndex::new(database.reopen()?, RenderOptions::default())?);
        let mut items = HashMap::new();
        for item in rendered.items() {
            if let Item::Bundle(_, id) = item {
                items.entry(id).or_insert(item);
            }
        }
        Ok(Self(Documents::Database { rendered, items }))
    }

    /// Returns the packages, channels and bundles.
    pub fn catalog(&self) -> &Catalog {
        match &self.0 {
            Documents::Database { rendered, .. } => rendered.catalog(),
            Documents::Catalog(open) => &open.loaded.catalog,
        }
    }

    /// Returns the bundle with this name. Without a package, any package may contain it.
    ///
    /// # Errors
    /// Returns an error if the index does not contain the bundle, or if it contains no manifests for the bundle.
    pub fn content(&self, package: Option<&str>, bundle: &str) -> Result<Content, ContentError> {
        let catalog = self.catalog();
        let unknown = || {
            let names = catalog.bundles.iter().map(|bundle| &*bundle.name);
            ContentError::Unknown {
                bundle: bundle.to_owned(),
                nearest: head_of(catalog, bundle)
                    .or_else(|| nearest(bundle, names))
                    .map(str::to_owned),
            }
        };
        let found = match package {
            Some(package) => catalog.find_in(package, bundle),
            None => catalog.find(bundle),
        };
        let id = found.ok_or_else(unknown)?;
        let mut content = match &self.0 {
            Documents::Database { rendered, items } => {
                let blob = items.get(&id).map(|item| rendered.blob(*item)).transpose()?.flatten();
                let Some(Blob::Bundle(document)) = blob else {
                    let bundle = bundle.to_owned();
                    return Err(ContentError::Deprecated { bundle });
                };
                let mut content = of_document(&document)?;
                if let (Some(_), Some(stored)) = (&content.served, catalog.bundle(id)) {
                    let properties = stored.properties.iter();
                    let properties = properties.map(|property| (&*property.kind, &*property.value));
                    content.served = Some(served(bundle, properties)?);
                }
                content
            }
            Documents::Catalog(open) => {
                let number = catalog.bundle(id).map(|bundle| bundle.manifests.0);
                let number = number.and_then(|number| usize::try_from(number).ok());
                let handle = number
                    .and_then(|number| open.files.handles.get(number))
                    .ok_or_else(unknown)?;
                of_document(&bundle_of(&open.files.document(handle)?)?)?
            }
        };
        if let Some(entry) = entry_of(catalog, id) {
            replace(&mut content.csv, entry.replaces.as_deref());
        }
        Ok(content)
    }
}

/// Returns the head of the default channel of a package.
fn head_of<'a>(catalog: &'a Catalog, package: &str) -> Option<&'a str> {
    let package = catalog.packages.iter().find(|known| *known.name == *package)?;
    let is_default = |channel: &&Channel| Some(&channel.name) == package.default_channel.as_ref();
    package.channels.iter().find(is_default)?.head.as_deref()
}

/// Returns the entry for a bundle in the default channel of its package. If this channel does not contain the bundle,
/// returns the entry in the first channel that does.
fn entry_of(catalog: &Catalog, id: BundleId) -> Option<&ChannelEntry> {
    let entry = |channel: &&Channel| channel.entries.iter().any(|entry| entry.bundle == id);
    let package = catalog
        .packages
        .iter()
        .find(|package| package.channels.iter().any(|channel| entry(&channel)))?;
    let is_default = |channel: &&Channel| Some(&channel.name) == package.default_channel.as_ref();
    let listing = || package.channels.iter().filter(entry);
    let channel = listing().find(is_default).or_else(|| listing().next())?;
    channel.entries.iter().find(|entry| entry.bundle == id)
}

/// Sets `spec.replaces` of a ClusterServiceVersion to the version that the index specifies, as OLM does.
fn replace(csv: &mut Value, replaces: Option<&str>) {
    let Some(spec) = csv.get_mut("spec").and_then(Value::as_object_mut) else {
        return;
    };
    match replaces {
        Some(name) => spec.insert("replaces".to_owned(), name.into()),
        None => spec.shift_remove("replaces"),
    };
}

/// Reads an `olm.bundle` document.
fn bundle_of(document: &Document) -> Result<file_based::Bundle, ContentError> {
    #[derive(Deserialize)]
    struct Written<'a> {
        #[serde(rename = "type")]
        kind: String,
        #[serde(borrow)]
        value: &'a RawValue,
    }
    let (name, written) = (document.text("name"), document.field("properties"));
    let unreadable = |error: serde_json::Error| ContentError::Property {
        bundle: name.clone(),
        kind: "properties".to_owned(),
        reason: error.to_string(),
    };
    let written = written.map(|written| serde_json::from_str(written.get())).transpose();
    let written: Vec<Written<'_>> = written.map_err(unreadable)?.unwrap_or_default();
    let others = written.iter().filter(|property| property.kind != BUNDLE_OBJECT);
    let others = others.map(|property| file_based::Property::parse(&property.kind, property.value.get()));
    let mut properties: Vec<_> = others.collect::<Result<_, _>>().map_err(unreadable)?;
    let manifests = Manifests::of(document);
    properties.extend(
        manifests
            .objects
            .iter()
            .map(|object| file_based::Property::of_object(object)),
    );
    Ok(file_based::Bundle {
        package: document.text("package"),
        image: document.text("image"),
        properties,
        related_images: Vec::new(),
        name,
    })
}
