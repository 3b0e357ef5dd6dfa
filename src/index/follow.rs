//! Repeats, in a file-based catalog, a change to a database that was made from the catalog. Everything else in the
//! catalog stays unchanged, including data that a database cannot represent.

use super::location::CatalogFolder;
use super::render::{Item, RenderError, RenderOptions, RenderedIndex};
use crate::catalog::file_based::document::Document;
use crate::catalog::file_based::draft::{NewBundle, Placement, Shape};
use crate::catalog::file_based::edit::{CatalogEditError, Editor};
use crate::catalog::file_based::error::CatalogError;
use crate::catalog::file_based::folder::files_inside;
use crate::catalog::file_based::limits::CatalogLimits;
use crate::catalog::file_based::migrate::{Level, level_of, migrated};
use crate::catalog::file_based::read::FileBasedCatalog;
use crate::catalog::file_based::shown::Shown;
use crate::catalog::file_based::{Blob, WrittenEntry};
use crate::catalog::graph::Mode;
use crate::database::add::{AddedBundle, Report};
use crate::database::compare::changed_bundles;
use crate::database::read::{Database, ReadError};
use crate::files::{FileError, TemporaryFolder};
use crate::version::parse_tolerant;
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
/// New bundles are instead placed in their channels as `additions` specifies: the edges of a catalog belong to its
/// channels, while a database has one set of edges per bundle and drops the bundles to which none leads. The report is
/// changed to match.
///
/// # Errors
/// Returns an error if a file cannot be read, or the change would introduce errors into the catalog.
pub(super) fn follow(
    catalog: &CatalogFolder,
    before: &Path,
    after: &Path,
    mut additions: Option<(Mode, &mut Report)>,
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
    let mut documents: BTreeMap<String, BTreeMap<String, NewDocument>> = BTreeMap::new();
    let bundles = index.items().into_iter();
    for item in bundles.filter(|item| matches!(item, Item::Bundle(..))) {
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
    let nothing = Shape::default();
    let mut unlisted = Vec::new();
    let packages: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for package in packages {
        let (old, new) = (before.get(package), after.get(package));
        let mut documents = documents.remove(package).unwrap_or_default();
        if old == new && documents.is_empty() {
            continue;
        }
        let old = old.unwrap_or(&nothing);
        if let (Some((mode, report)), Some(new)) = (&mut additions, new)
            && let Some(bundles) = placeable(report, package, &mut documents)
        {
            let changes_default = new.default_channel != old.default_channel;
            let placement = Placement {
                mode: *mode,
                default_channel: changes_default.then(|| new.default_channel.clone()),
                ..Placement::default()
            };
            editor.add(package, &bundles, &placement)?;
            as_placed(report, package);
            continue;
        }
        let documents = documents.into_iter().map(|(name, new)| (name, new.document)).collect();
        let gone = editor.follow(package, old, new, &documents)?;
        unlisted.extend(gone.into_iter().filter(|bundle| index.contains(bundle)));
    }
    editor.finish()?.write()?;
    let files = files_inside(folder.path(), limits)?;
    Ok(FollowedCatalog {
        files,
        unlisted,
        _folder: folder,
    })
}

/// The document of a bundle that is new or has different content.
struct NewDocument {
    document: Value,
    /// What user interfaces show of the bundle's package, if the bundle begins it.
    shown: Shown,
}

/// Returns the new bundles of a package, ordered from the lowest version up. Returns `None` if existing bundles are
/// changed too.
fn placeable(report: &Report, package: &str, documents: &mut BTreeMap<String, NewDocument>) -> Option<Vec<NewBundle>> {
    let added = report.bundles.iter().filter(|bundle| bundle.package == package);
    let mut added: Vec<&AddedBundle> = added.collect();
    let is_new = |bundle: &&AddedBundle| {
        bundle.substitutes.is_empty()
            && !report.overwritten.contains(&bundle.name)
            && documents.contains_key(&bundle.name)
    };
    if added.len() != documents.len() || !added.iter().all(is_new) {
        return None;
    }
    added.sort_by_key(|bundle| parse_tolerant(&bundle.version));
    let new = added.into_iter().filter_map(|bundle| {
        let NewDocument { document, shown } = documents.remove(&bundle.name)?;
        Some(NewBundle {
            document,
            entry: WrittenEntry {
                name: bundle.name.clone(),
                replaces: bundle.replaces.clone(),
                skips: bundle.skips.clone(),
                skip_range: bundle.skip_range.clone(),
            },
            version: parse_tolerant(&bundle.version),
            channels: bundle.channels.clone(),
            default_channel: bundle.default_channel.clone(),
            shown,
            stated: bundle.stated.clone(),
        })
    });
    Some(new.collect())
}

/// Removes the changes from the report that a database makes when bundles are added, but a catalog does not.
fn as_placed(report: &mut Report, package: &str) {
    let bundles = report.bundles.iter().filter(|bundle| bundle.package == package);
    let named: BTreeSet<&String> = bundles.flat_map(|bundle| &bundle.channels).collect();
    for change in report.packages.iter_mut().filter(|change| change.package == package) {
        change.dropped.clear();
        change.channels.retain(|changed| named.contains(&changed.channel));
    }
    report.stranded.retain(|stranded| stranded.package != package);
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
fn document(index: &RenderedIndex, item: Item, level: Level) -> Result<Option<NewDocument>, FollowError> {
    let Some(blob) = index.blob(item)? else { return Ok(None) };
    let shown = match &blob {
        Blob::Bundle(bundle) => Shown::of_bundle(bundle),
        Blob::Package(_) | Blob::Channel(_) => Shown::default(),
    };
    let value = serde_json::to_string(&blob)
        .and_then(|json| Document::from_json(&json))
        .and_then(|document| serde_json::to_value(migrated(document, level)));
    let document = value.map_err(FollowError::Write)?;
    Ok(Some(NewDocument { document, shown }))
}
