//! A file-based catalog as a source: names and edges in memory, and bundle documents in their files.

mod contents;
mod graph;

use super::json_message;
use super::listing::{Listing, encode_manifests};
use crate::catalog::file_based::error::CatalogError;
use crate::catalog::file_based::limits::CatalogLimits;
use crate::catalog::file_based::manifests::Manifests;
use crate::catalog::file_based::read::{FileBasedCatalog, Handle};
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
/// The catalog is served in the state in which it was opened. Renaming another file over one of its files has no effect
/// as long as there are no more files than [may stay open](CatalogLimits::open_files). If a file is written to or
/// truncated, the server notices when part of its content is requested.
#[derive(Debug)]
pub struct CatalogFiles {
    listing: Listing,
    files: Files,
}

impl CatalogFiles {
    /// Reads the catalog in a folder. The folder is kept as long as the returned value exists. The catalog should have
    /// been [checked](crate::catalog::file_based::check), because invalid parts are omitted.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or contains anything other than documents with a schema, or if a limit
    /// is exceeded.
    pub fn open(folder: CatalogFolder, limits: CatalogLimits) -> Result<Self, CatalogError> {
        let read = read(folder.path(), limits)?;
        Ok(Self::of(folder, read))
    }

    /// [Opens](Self::open) the catalog in a folder, and [checks](check_catalog) it at the same time. Returns the
    /// findings, and the catalog unless one of them is an error.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or a limit is exceeded.
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
                // No thread can be started at the moment.
                Err(_) => check(),
            };
            (checked, read)
        });
        let findings = checked?;
        // Every problem that prevents reading the catalog is also a finding with the severity error.
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

    /// Returns whether the catalog contains no package.
    pub fn is_empty(&self) -> bool {
        self.listing.size().packages == 0
    }

    /// Returns the number of files of the catalog.
    pub fn files(&self) -> usize {
        self.files.catalog.files()
    }

    /// Splits the catalog into its listing and the data for answers other than the listing.
    pub(super) fn into_parts(self) -> (Listing, Files) {
        (self.listing, self.files)
    }
}

/// The documents of a catalog, and the data derived from them.
type Read = (FileBasedCatalog, Finished);

fn read(folder: &Path, limits: CatalogLimits) -> Result<Read, CatalogError> {
    let mut contents = Contents::default();
    let catalog = FileBasedCatalog::open_and_visit(folder, limits, |handle, document| contents.add(handle, document))?;
    Ok((catalog, contents.finish()))
}

/// The data for answers other than the listing.
#[derive(Debug)]
pub(super) struct Files {
    catalog: FileBasedCatalog,
    pub(super) graph: Graph,
    /// The package and name of each bundle, indexed by [`ManifestsId`].
    bundles: Vec<(Text, Text)>,
    // The folder is deleted with the catalog if it was extracted from an image.
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

    /// Returns the length in bytes of the document of a bundle.
    pub(super) fn length(&self, id: ManifestsId) -> usize {
        self.handle(id).map_or(0, Handle::length)
    }

    /// Returns the manifest fields of a bundle, read from its file.
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

    /// Returns the positions of the documents that have the schema `schema` and belong to `package`, or to no package
    /// if `package` is empty.
    pub(super) fn custom(&self, schema: &str, package: &str) -> Vec<usize> {
        let schema = Schema::from(schema);
        if schema.is_of_olm() {
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

    /// Returns the length in bytes of the document at a position.
    pub(super) fn custom_length(&self, at: usize) -> usize {
        self.catalog.handles.get(at).map_or(0, Handle::length)
    }

    /// Returns the document at a position, as a message.
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

    /// Checks that all files are unchanged since the catalog was opened.
    pub(super) fn check_unchanged(&self) -> Result<(), CatalogError> {
        self.catalog.check_unchanged()
    }
}

#[cfg(test)]
mod tests;
