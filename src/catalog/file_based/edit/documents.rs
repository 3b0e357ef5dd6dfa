//! Reads the documents of a package that is edited.

use super::pieces::read_piece;
use super::{CatalogEditError, Editor, PackageDocuments};
use crate::catalog::file_based::error::CatalogError;
use crate::catalog::file_based::read::Handle;
use crate::catalog::file_based::{Identity, Key, Schema};
use crate::shape::nearest;
use crate::text::Document;
use serde_json::{Value, json};

impl Editor {
    /// Returns the documents of a package; empty if the catalog does not contain the package.
    ///
    /// # Errors
    /// Returns an error if two documents have the same subject, or one of them cannot be read.
    pub fn documents(&self, package: &str) -> Result<PackageDocuments, CatalogEditError> {
        let mut documents = PackageDocuments {
            name: package.to_owned(),
            handles: Vec::new(),
            values: Vec::new(),
            read: Vec::new(),
        };
        let handles = self.catalog.handles.iter().enumerate();
        let own = handles.filter(|(_, handle)| &*handle.package == package);
        self.require_each_once(own.clone().map(|(_, handle)| handle))?;
        for (index, handle) in own {
            let (value, read) = if handle.schema == Schema::Bundle {
                (self.bundle(handle)?, None)
            } else {
                match self.read(handle) {
                    Ok(read) => (read.value().clone(), Some(read)),
                    // The document can be read, but not edited; this matters only if it is to be changed.
                    Err(CatalogEditError::Catalog(CatalogError::Document { .. })) => {
                        let document = self.catalog.document(handle)?;
                        (serde_json::to_value(&document).map_err(CatalogEditError::Write)?, None)
                    }
                    Err(error) => return Err(error),
                }
            };
            documents.handles.push(index);
            documents.values.push(value);
            documents.read.push(read);
        }
        Ok(documents)
    }

    /// Like [`Editor::documents`], for a package that the catalog must contain.
    ///
    /// # Errors
    /// Fails like [`Editor::documents`]. Also returns an error if the catalog does not contain the package.
    pub fn known(&self, package: &str) -> Result<PackageDocuments, CatalogEditError> {
        let documents = self.documents(package)?;
        if documents.values.is_empty() {
            return Err(CatalogEditError::Package {
                folder: self.shown.clone(),
                package: package.to_owned(),
                nearest: nearest(package, self.packages()).map(str::to_owned),
            });
        }
        Ok(documents)
    }

    /// Makes sure that no two of these documents, which are in catalog order, have the same subject.
    pub(super) fn require_each_once<'h>(
        &self,
        mut handles: impl Iterator<Item = &'h Handle>,
    ) -> Result<(), CatalogEditError> {
        let mut before = handles.next();
        for handle in handles {
            if let Some(other) = before.filter(|other| same(other, handle)) {
                return Err(self.twice(other, handle));
            }
            before = Some(handle);
        }
        Ok(())
    }

    fn twice(&self, first: &Handle, second: &Handle) -> CatalogEditError {
        CatalogEditError::Twice {
            file: self.catalog.file(second).to_owned(),
            line: second.line,
            other: self.catalog.file(first).to_owned(),
            other_line: first.line,
            subject: second.subject(),
        }
    }

    /// Returns the identifying fields of a bundle.
    fn bundle(&self, handle: &Handle) -> Result<Value, CatalogEditError> {
        let document = self.catalog.document(handle)?;
        let properties = document.properties().unwrap_or_default();
        let identity = Identity::among(&properties);
        let mut value = json!({"schema": Schema::Bundle.name(), "package": &*handle.package, "name": &*handle.name});
        if let Some(map) = value.as_object_mut() {
            for (field, text) in [
                ("image", Some(document.text("image"))),
                ("version", identity.version),
                ("release", identity.release),
            ] {
                map.extend(text.map(|text| (field.to_owned(), Value::from(text))));
            }
        }
        Ok(value)
    }

    /// Returns the whole document of a bundle, or `None` if the bundle does not exist.
    pub(super) fn bundle_document(
        &self,
        documents: &PackageDocuments,
        name: &str,
    ) -> Result<Option<Value>, CatalogEditError> {
        let handles = documents
            .handles
            .iter()
            .filter_map(|index| self.catalog.handles.get(*index));
        let mut bundles = handles.filter(|handle| handle.schema == Schema::Bundle && &*handle.name == name);
        let found = bundles.next().map(|handle| self.read(handle)).transpose()?;
        Ok(found.map(|found| found.value().clone()))
    }

    /// Reads the whole document.
    pub(super) fn read(&self, handle: &Handle) -> Result<Document, CatalogEditError> {
        let file = self.catalog.file(handle);
        let bytes = self.catalog.bytes(handle)?;
        Ok(read_piece(file, handle, &bytes, &self.limits)?)
    }
}

/// Returns whether two documents of one package have the same subject.
fn same(one: &Handle, other: &Handle) -> bool {
    one.schema.is_unique() && Key::cmp(&one.key(), &other.key()).is_eq()
}
