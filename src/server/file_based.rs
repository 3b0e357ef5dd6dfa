//! A file-based catalog as a source: names and edges in memory, the documents of bundles in their files.

mod contents;
mod graph;

use super::json_message;
use super::listing::{Listing, encode_manifests};
use crate::catalog::file_based::manifests::Manifests;
use crate::catalog::file_based::read::{CatalogError, CatalogLimits, FileBasedCatalog, Handle};
use crate::catalog::file_based::{Key, Schema};
use crate::catalog::{ManifestsId, Text};
use crate::diagnostic::{Diagnostic, has_errors};
use crate::index::check::check_catalog;
use crate::index::location::CatalogFolder;
use crate::rules::Gate;
use crate::validation::Strictness;
use contents::{Contents, Finished};
use graph::Graph;
use prost::bytes::Bytes;
use std::panic::resume_unwind;
use std::path::Path;
use std::thread;

/// A file-based catalog that is ready to be served.
///
/// It is served as it was when it was opened: a file renamed over one of its files changes nothing as long as there are
/// no more files than [may stay open](CatalogLimits::open_files), a file written to or cut is noticed when something of
/// it is asked for.
#[derive(Debug)]
pub struct CatalogFiles {
    listing: Listing,
    files: Files,
}

impl CatalogFiles {
    /// Reads the catalog in a folder, which is kept as long as the catalog is. It should have been
    /// [checked](crate::catalog::file_based::check): what makes no sense is left out.
    ///
    /// # Errors
    /// When a file cannot be read or holds something else than documents with a schema, or there is too much.
    pub fn open(folder: CatalogFolder, limits: CatalogLimits) -> Result<Self, CatalogError> {
        let read = read(folder.path(), limits)?;
        Ok(Self::of(folder, read))
    }

    /// [Opens](Self::open) the catalog in a folder, and [checks](check_catalog) it meanwhile: what was found, and the
    /// catalog unless some of that is an error.
    ///
    /// # Errors
    /// When a file cannot be read, or there is too much.
    pub fn open_checked(
        folder: CatalogFolder,
        limits: CatalogLimits,
    ) -> Result<(Vec<Diagnostic>, Option<Self>), CatalogError> {
        let (checked, read) = thread::scope(|scope| {
            let check = || check_catalog(&folder, limits, &Strictness::at(Gate::Serving));
            let checking = thread::Builder::new().spawn_scoped(scope, check);
            let read = read(folder.path(), limits);
            let checked = match checking {
                Ok(checking) => checking.join().unwrap_or_else(|panic| resume_unwind(panic)),
                // No thread can be started now.
                Err(_) => check(),
            };
            (checked, read)
        });
        let findings = checked?;
        // What keeps a catalog from being read is among the errors.
        let catalog = if has_errors(&findings) {
            None
        } else {
            Some(Self::of(folder, read?))
        };
        Ok((findings, catalog))
    }

    fn of(folder: CatalogFolder, (catalog, finished): Read) -> Self {
        let Finished {
            listing,
            graph,
            bundles,
        } = finished;
        let files = Files {
            catalog,
            graph,
            bundles,
            _folder: folder,
        };
        Self { listing, files }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.files.catalog.folder()
    }

    /// The listing apart from what the other answers are made of.
    pub(super) fn into_parts(self) -> (Listing, Files) {
        (self.listing, self.files)
    }
}

/// The documents of a catalog, and what is made of them.
type Read = (FileBasedCatalog, Finished);

fn read(folder: &Path, limits: CatalogLimits) -> Result<Read, CatalogError> {
    let mut contents = Contents::default();
    let catalog = FileBasedCatalog::open_and_visit(folder, limits, |handle, document| contents.add(handle, document))?;
    Ok((catalog, contents.finish()))
}

/// What the server asks, besides the listing.
#[derive(Debug)]
pub(super) struct Files {
    catalog: FileBasedCatalog,
    pub(super) graph: Graph,
    /// Package and name of each bundle, at the place that its [`ManifestsId`] says.
    bundles: Vec<(Text, Text)>,
    // Deleted with the catalog, where it was taken out of an image.
    _folder: CatalogFolder,
}

impl Files {
    fn handle(&self, id: ManifestsId) -> Option<&Handle> {
        let (package, name) = self.bundles.get(usize::try_from(id.0).ok()?)?;
        self.find(&Key::new(&Schema::Bundle, package, name))
    }

    fn find(&self, key: &Key<'_>) -> Option<&Handle> {
        let at = self.catalog.handles.binary_search_by(|handle| handle.key().cmp(key));
        self.catalog.handles.get(at.ok()?)
    }

    /// Bytes of the document of a bundle.
    pub(super) fn length(&self, id: ManifestsId) -> usize {
        self.handle(id).map_or(0, Handle::length)
    }

    /// The fields with the manifests of a bundle, read from its file.
    pub(super) fn manifests(&self, id: ManifestsId) -> Result<Bytes, CatalogError> {
        let Some(handle) = self.handle(id) else {
            return Ok(Bytes::new());
        };
        let document = self.catalog.document(handle)?;
        let mut manifests = Manifests::of(&document);
        if let Some(metadata) = &manifests.metadata {
            let package = self.find(&Key::new(&Schema::Package, &handle.package, &handle.package));
            let package = package.map(|handle| self.catalog.document(handle)).transpose()?;
            let csv = metadata.csv(&document, package.as_ref());
            if manifests.objects.is_empty() {
                manifests.objects.push(csv.clone());
            }
            manifests.csv = Some(csv);
        }
        Ok(encode_manifests(manifests.csv.as_deref(), &manifests.objects))
    }

    /// The documents of a schema that belong to a package, or to none where that is empty, by their places among all.
    pub(super) fn custom(&self, schema: &str, package: &str) -> Vec<usize> {
        let schema = Schema::from(schema);
        if !matches!(schema, Schema::Other(_)) {
            return Vec::new();
        }
        let key = Key::new(&schema, package, "");
        let handles = &self.catalog.handles;
        let first = handles.partition_point(|handle| handle.key() < key);
        let rest = handles.iter().enumerate().skip(first);
        rest.take_while(|(_, handle)| handle.key() == key)
            .map(|(at, _)| at)
            .collect()
    }

    /// How many bytes one of them has in its file.
    pub(super) fn custom_length(&self, at: usize) -> usize {
        self.catalog.handles.get(at).map_or(0, Handle::length)
    }

    /// One of them, as a message.
    pub(super) fn custom_document(&self, at: usize) -> Result<Bytes, CatalogError> {
        let Some(handle) = self.catalog.handles.get(at) else {
            return Ok(Bytes::new());
        };
        let document = self.catalog.document(handle)?;
        let read = serde_json::to_string(&document).and_then(|text| serde_json::from_str(&text));
        let object = read.map_err(|problem| CatalogError::Document {
            file: self.catalog.file(handle).to_owned(),
            line: handle.line,
            problem: problem.to_string(),
        })?;
        Ok(json_message::encode(&object))
    }

    /// Whether all files are still what they were when the catalog was opened.
    pub(super) fn is_unchanged(&self) -> bool {
        self.catalog.check_unchanged().is_ok()
    }
}

#[cfg(test)]
mod tests;
