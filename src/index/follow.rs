//! Repeats, in a file-based catalog, a change to a database that was made from the catalog. Everything else in the
//! catalog stays unchanged, including data that a database cannot represent.

use super::location::CatalogFolder;
use super::render::{Item, RenderError, RenderOptions, RenderedIndex};
use crate::catalog::file_based::Blob;
use crate::catalog::file_based::document::Document;
use crate::catalog::file_based::draft::Shape;
use crate::catalog::file_based::edit::{CatalogEditError, Editor};
use crate::catalog::file_based::error::CatalogError;
use crate::catalog::file_based::folder::files_inside;
use crate::catalog::file_based::limits::CatalogLimits;
use crate::catalog::file_based::migrate::{Level, level_of, migrated};
use crate::catalog::file_based::read::FileBasedCatalog;
use crate::database::compare::changed_bundles;
use crate::database::read::{Database, ReadError};
use crate::files::{FileError, TemporaryFolder};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// An error that prevents a catalog from following a change.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FollowError {
    /// The catalog cannot be read.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// The catalog cannot be changed in the same way as the database.
    #[error(transparent)]
    Edit(Box<CatalogEditError>),
    /// A database cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A document cannot be generated from a database.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// A document cannot be written as JSON.
    #[error("a document cannot be written")]
    Write(#[source] serde_json::Error),
    /// A file cannot be copied.
    #[error(transparent)]
    File(#[from] FileError),
}

impl From<CatalogEditError> for FollowError {
    fn from(error: CatalogEditError) -> Self {
        Self::Edit(Box::new(error))
    }
}

/// A changed copy of a catalog.
#[derive(Debug)]
pub(super) struct FollowedCatalog {
    /// The files of the catalog, each with its path relative to the catalog folder.
    pub(super) files: Vec<(String, PathBuf)>,
    /// The bundles that the changed database still contains, but that no channel of the catalog lists anymore.
    pub(super) unlisted: Vec<String>,
    // The folder is deleted when this value is dropped.
    _folder: TemporaryFolder,
}

/// Applies the difference between the databases `before` and `after` to a copy of the catalog from which `before` was
/// made.
///
/// # Errors
/// Returns an error if a file cannot be read, or the change would introduce errors into the catalog.
pub(super) fn follow(
    catalog: &CatalogFolder,
    before: &Path,
    after: &Path,
    limits: CatalogLimits,
) -> Result<FollowedCatalog, FollowError> {
    let folder = TemporaryFolder::new()?;
    copy(catalog.path(), folder.path(), limits)?;
    let level = level_of(&FileBasedCatalog::open(folder.path(), limits)?, None)?;
    let level = level.unwrap_or(Level::BundleObjectToCsvMetadata);
    let differing = changed_bundles(before, after)?;
    let [before, after] = [before, after].map(|path| -> Result<_, FollowError> {
        let index = RenderedIndex::new(Database::open(path)?, RenderOptions::default())?.with_deprecated();
        let shapes = shapes(&index)?;
        Ok((index, shapes))
    });
    let ((_, before), (index, after)) = (before?, after?);
    let mut documents: BTreeMap<String, BTreeMap<String, Value>> = BTreeMap::new();
    for item in index
        .items()
        .into_iter()
        .filter(|item| matches!(item, Item::Bundle(..)))
    {
        let key = index.key(item);
        let (package, name) = (key.package().to_owned(), key.name().to_owned());
        let known = before.get(&package).filter(|shape| shape.bundles.contains(&name));
        // A catalog states in another document that a bundle is deprecated.
        let is_marked = known.is_some_and(|shape| !shape.deprecated.contains(&name)) && index.is_deprecated(&name);
        if known.is_none() || differing.contains(&name) && !is_marked {
            let document = document(&index, item, level)?;
            documents
                .entry(package)
                .or_default()
                .extend(document.map(|document| (name, document)));
        }
    }
    let shown = catalog.known_as(catalog.path()).components().collect();
    let mut editor = Editor::open(folder.path(), limits)?.shown_as(shown);
    let (nothing, no_documents) = (Shape::default(), BTreeMap::new());
    let mut unlisted = Vec::new();
    let packages: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for package in packages {
        let (old, new) = (before.get(package), after.get(package));
        let documents = documents.get(package).unwrap_or(&no_documents);
        if old != new || !documents.is_empty() {
            let gone = editor.follow(package, old.unwrap_or(&nothing), new, documents)?;
            unlisted.extend(gone.into_iter().filter(|bundle| index.contains(bundle)));
        }
    }
    editor.finish()?.write()?;
    let files = files_inside(folder.path(), limits)?;
    Ok(FollowedCatalog {
        files,
        unlisted,
        _folder: folder,
    })
}

fn copy(from: &Path, to: &Path, limits: CatalogLimits) -> Result<(), FollowError> {
    for (inside, file) in files_inside(from, limits)? {
        let target = to.join(inside);
        let copied = target.parent().map_or(Ok(()), fs::create_dir_all);
        let copied = copied.and_then(|()| fs::copy(&file, &target));
        copied.map_err(|error| FileError::new("copy", &file, error))?;
    }
    Ok(())
}

/// Returns the packages of an index, by name.
fn shapes(index: &RenderedIndex) -> Result<BTreeMap<String, Shape>, FollowError> {
    let mut shapes: BTreeMap<String, Shape> = BTreeMap::new();
    for item in index.items() {
        let key = index.key(item);
        let shape = shapes.entry(key.package().to_owned()).or_default();
        if matches!(item, Item::Bundle(..)) {
            shape.bundles.insert(key.name().to_owned());
            if index.is_deprecated(key.name()) {
                shape.deprecated.insert(key.name().to_owned());
            }
            continue;
        }
        match index.blob(item)? {
            Some(Blob::Package(package)) => shape.default_channel = package.default_channel,
            Some(Blob::Channel(channel)) => {
                shape.channels.insert(channel.name, channel.entries);
            }
            Some(Blob::Bundle(_)) | None => {}
        }
    }
    Ok(shapes)
}

/// Returns the document of a bundle, migrated to `level`.
fn document(index: &RenderedIndex, item: Item, level: Level) -> Result<Option<Value>, FollowError> {
    let Some(blob) = index.blob(item)? else { return Ok(None) };
    let value = serde_json::to_string(&blob)
        .and_then(|json| Document::from_json(&json))
        .and_then(|document| serde_json::to_value(migrated(document, level)));
    value.map(Some).map_err(FollowError::Write)
}
