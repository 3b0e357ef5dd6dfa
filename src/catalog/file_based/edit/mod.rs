//! Editing a catalog in a folder: changed documents keep their comments and layout, and all others keep their bytes.
//!
//! An [`Editor`] returns the documents of a package as values and accepts their new values. Nothing on disk changes
//! before [`Edited::write`], which changes either all files or none. [`template`] does the same with templates, and
//! [`merge`](fn@merge) merges several catalogs into one.

mod documents;
mod error;
mod format;
mod merge;
mod own_file;
mod pieces;
mod result;
pub mod template;
mod together;
mod whole;

pub use error::CatalogEditError;
pub use format::Kept;
pub use merge::{Conflict, Merged, MergedPackage, merge};
pub use whole::Wanted;
pub(crate) use whole::is_same;

use super::Schema;
use super::draft::{Draft, DraftError, NewBundle, Placement, Revised, Shape};
use super::error::CatalogError;
use super::folder::finish_changes;
use super::limits::CatalogLimits;
use super::load::{self, Loaded};
use super::manifests::Manifests;
use super::migrate::{Level, level_of};
use super::read::{FileBasedCatalog, Handle};
use crate::catalog::{Bundle, Catalog};
use crate::diagnostic::Diagnostic;
use crate::files::{self, FileChange, FileError};
use crate::kubernetes::names::is_dns1123_label;
use crate::text::{self, Document};
use pieces::{Edit, apply};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

/// A catalog that is being edited.
#[derive(Debug)]
pub struct Editor {
    folder: PathBuf,
    /// The folder that errors name: the edited folder or, if that folder is a copy, the original.
    shown: PathBuf,
    limits: CatalogLimits,
    catalog: FileBasedCatalog,
    /// The edits of each file, by the position of the file.
    edits: BTreeMap<usize, Vec<Edit>>,
    /// Documents in files that do not exist yet, by path inside the folder.
    new_files: BTreeMap<String, Vec<Value>>,
    /// The changed packages.
    packages: Vec<String>,
    /// The bundles that remain in the changed packages.
    stay: BTreeMap<String, BTreeSet<String>>,
    /// Whether new files are placed in the folder itself instead of in a folder for the package.
    is_of_one_package: bool,
    /// Whether published bundles were added. Faults in published bundles can no longer be corrected.
    adds_published: bool,
}

/// The documents of a package. Only the identifying fields of bundles are read: names, images and versions.
#[derive(Debug)]
pub struct PackageDocuments {
    name: String,
    handles: Vec<usize>,
    /// The values, in catalog order.
    pub values: Vec<Value>,
    read: Vec<Option<Document>>,
}

/// The changes that an edit makes to files on disk.
#[derive(Debug)]
#[must_use = "nothing on disk changes before `Edited::write`"]
pub struct Edited {
    /// The folder of the catalog or of the template.
    pub folder: PathBuf,
    /// The folder as messages name it. Empty if the user specified a path in the working directory.
    pub shown: PathBuf,
    /// The changed files, by path inside the folder.
    pub files: BTreeMap<String, FileChange>,
    /// The tolerated errors in the changed packages: errors that existed before the change, and errors in published
    /// bundles.
    pub findings: Vec<Diagnostic>,
    is_template: bool,
}

impl Edited {
    /// Creates a change to `files`, each specified by its path inside `folder`.
    pub(crate) fn new(folder: PathBuf, files: BTreeMap<String, FileChange>) -> Self {
        Self {
            shown: folder.clone(),
            folder,
            files,
            findings: Vec::new(),
            is_template: false,
        }
    }

    /// Writes the change: either all files or none.
    ///
    /// # Errors
    /// Returns an error if a file has changed in the meantime, or cannot be written.
    pub fn write(&self) -> Result<(), FileError> {
        if self.is_template {
            let mut changes = self.files.iter();
            return changes.try_for_each(|(path, change)| files::write_change(&self.folder.join(path), change));
        }
        files::write_changes(&self.folder, &self.files)
    }
}

impl Editor {
    /// Opens the catalog in a folder, after completing a change that a killed process left unfinished.
    ///
    /// # Errors
    /// Returns an error if the catalog cannot be read.
    pub fn open(folder: &Path, limits: CatalogLimits) -> Result<Self, CatalogEditError> {
        let metadata = std::fs::metadata(folder).map_err(|error| FileError::new("read", folder, error))?;
        if !metadata.is_dir() {
            let file = folder.to_owned();
            return Err(CatalogError::NotAFolder { file }.into());
        }
        finish_changes(folder)?;
        Ok(Self::of(FileBasedCatalog::open(folder, limits)?, limits))
    }

    /// Opens a catalog like [`Editor::open`], or starts the catalog of one package if the folder does not exist.
    ///
    /// # Errors
    /// Returns an error if the catalog cannot be read.
    pub fn open_or_new(folder: &Path, limits: CatalogLimits) -> Result<Self, CatalogEditError> {
        let mut editor = match folder.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Self::of(FileBasedCatalog::empty(folder, limits), limits)
            }
            _ => Self::open(folder, limits)?,
        };
        editor.is_of_one_package = true;
        Ok(editor)
    }

    fn of(catalog: FileBasedCatalog, limits: CatalogLimits) -> Self {
        Self {
            folder: catalog.folder().to_owned(),
            shown: catalog.folder().to_owned(),
            limits,
            catalog,
            edits: BTreeMap::new(),
            new_files: BTreeMap::new(),
            packages: Vec::new(),
            stay: BTreeMap::new(),
            is_of_one_package: false,
            adds_published: false,
        }
    }

    /// Sets the folder that errors name, if the edited folder is a copy of it.
    #[must_use]
    pub fn shown_as(mut self, folder: PathBuf) -> Self {
        self.catalog.show_as(&folder);
        self.shown = folder;
        self
    }

    /// Loads the catalog from disk.
    ///
    /// # Errors
    /// Returns an error if a document cannot be read, or documents are inconsistent.
    pub fn catalog(&self) -> Result<Catalog, CatalogEditError> {
        Ok(self.loaded()?.catalog)
    }

    /// Loads the catalog and the deprecations from disk.
    ///
    /// # Errors
    /// Returns an error if a document cannot be read, or documents are inconsistent.
    pub fn loaded(&self) -> Result<Loaded, CatalogEditError> {
        Ok(load::load(&self.catalog)?)
    }

    /// Returns the manifests of a bundle of the loaded catalog. A missing ClusterServiceVersion is replaced by its
    /// substitute.
    ///
    /// # Errors
    /// Returns an error if the document cannot be read again.
    pub(crate) fn manifests(&self, bundle: &Bundle) -> Result<Manifests, CatalogEditError> {
        let handle = usize::try_from(bundle.manifests.0).ok();
        let Some(handle) = handle.and_then(|number| self.catalog.handles.get(number)) else {
            return Ok(Manifests::default());
        };
        let document = self.catalog.document(handle)?;
        let mut manifests = Manifests::of(&document);
        if let Some(metadata) = &manifests.metadata {
            manifests.csv = Some(metadata.csv(&document, None));
        }
        Ok(manifests)
    }

    /// Returns the migration level of the bundles in a package or, if the package has no bundles, in the whole catalog.
    /// Returns `None` if no bundle indicates a level.
    ///
    /// # Errors
    /// Returns an error if a bundle cannot be read.
    pub fn level(&self, package: &str) -> Result<Option<Level>, CatalogEditError> {
        let is_own = |handle: &Handle| handle.schema == Schema::Bundle && *handle.package == *package;
        let is_there = self.catalog.handles.iter().any(is_own);
        Ok(level_of(&self.catalog, is_there.then_some(package))?)
    }

    /// Returns the bundles that remain in the packages changed so far; empty for a removed package.
    pub fn stay(&self) -> &BTreeMap<String, BTreeSet<String>> {
        &self.stay
    }

    /// Returns the names of the packages, sorted.
    pub fn packages(&self) -> Vec<&str> {
        let handles = self.catalog.handles.iter();
        let mut names: Vec<&str> = handles
            .map(|handle| &*handle.package)
            .filter(|name| !name.is_empty())
            .collect();
        names.dedup();
        names
    }

    /// Returns the names of the channels of a package.
    pub fn channels(&self, package: &str) -> BTreeSet<&str> {
        let handles = self.catalog.handles.iter();
        handles
            .filter(|handle| handle.schema == Schema::Channel && &*handle.package == package)
            .map(|handle| &*handle.name)
            .collect()
    }

    /// Adds bundles to a package, which may be new. Returns, for each bundle, the channels to which it was added, or in
    /// which its edges were replaced. An editor changes each package once; to change a package to which bundles were
    /// added, write the edit and open another editor.
    ///
    /// # Errors
    /// Returns an error if the package has been changed already, a bundle does not fit into a channel, or the form of a
    /// document does not allow the change.
    pub fn add(
        &mut self,
        package: &str,
        bundles: &[NewBundle],
        placement: &Placement,
    ) -> Result<Vec<Vec<String>>, CatalogEditError> {
        self.require_unchanged(package)?;
        self.adds_published = true;
        let documents = self.documents(package)?;
        let mut draft = Draft::read(package, &documents.values)?;
        let mut added = Vec::with_capacity(bundles.len());
        for (place, bundle) in bundles.iter().enumerate() {
            let name = &bundle.entry.name;
            let before = bundles.iter().take(place).rfind(|before| before.entry.name == *name);
            let known = match before {
                Some(before) => Some(before.document.clone()),
                None => self.bundle_document(&documents, name)?,
            };
            added.push(draft.add(bundle, placement, known.as_ref())?);
        }
        draft.choose_default(bundles.iter(), placement)?;
        self.revise(&documents, draft.revise(&documents.values))?;
        Ok(added)
    }

    /// Changes an existing package of the catalog. An editor changes each package once.
    ///
    /// ```
    /// use opmx::catalog::file_based::edit::Editor;
    /// use opmx::catalog::file_based::limits::CatalogLimits;
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # std::fs::copy("testdata/catalog/catalog.yaml", folder.path().join("catalog.yaml"))?;
    /// let mut editor = Editor::open(folder.path(), CatalogLimits::default())?;
    /// let package = editor.packages()[0].to_owned();
    /// editor.change(&package, |draft| {
    ///     let channel = draft.channels[0].name.clone();
    ///     draft.copy(&channel, "next")
    /// })?;
    /// let edited = editor.finish()?;
    /// assert_eq!(edited.files.len(), 1);
    /// edited.write()?;
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the package does not exist or has been changed already, `change` fails, or the form of a
    /// document does not allow the change.
    pub fn change<T>(
        &mut self,
        package: &str,
        change: impl FnOnce(&mut Draft) -> Result<T, DraftError>,
    ) -> Result<T, CatalogEditError> {
        self.require_unchanged(package)?;
        let documents = self.known(package)?;
        let mut draft = Draft::read(package, &documents.values)?;
        let changed = change(&mut draft)?;
        let bundles = draft.bundles.iter().filter(|_| !draft.gone);
        let stay = bundles.map(|bundle| bundle.name.clone()).collect();
        self.stay.insert(package.to_owned(), stay);
        self.revise(&documents, draft.revise(&documents.values))?;
        Ok(changed)
    }

    /// Applies a change to a package, which may be new: the change that led from `before` to `after` in another form of
    /// the catalog. If `after` is `None`, the package is removed. `documents` contains the bundles that are new or have
    /// different content. Returns the bundles that are removed only because no channel of this form lists them anymore.
    ///
    /// # Errors
    /// Returns an error if the package has been changed already, or the form of a document does not allow the change.
    pub fn follow(
        &mut self,
        package: &str,
        before: &Shape,
        after: Option<&Shape>,
        documents: &BTreeMap<String, Value>,
    ) -> Result<Vec<String>, CatalogEditError> {
        self.require_unchanged(package)?;
        self.adds_published = true;
        let known = self.documents(package)?;
        let mut draft = Draft::read(package, &known.values)?;
        let unlisted = if let Some(after) = after {
            draft.follow(before, after, documents)
        } else {
            draft.gone = true;
            Vec::new()
        };
        self.revise(&known, draft.revise(&known.values))?;
        Ok(unlisted)
    }

    /// Adds the changes to a package's documents to the edit.
    ///
    /// # Errors
    /// Returns an error if the form of a document does not allow the change, or the package has been changed already.
    pub fn revise(&mut self, documents: &PackageDocuments, revised: Vec<Revised>) -> Result<(), CatalogEditError> {
        self.require_unchanged(&documents.name)?;
        let mut stays = BTreeSet::new();
        let mut new = Vec::new();
        let mut edits: Vec<(usize, Edit)> = Vec::new();
        for one in revised {
            match one {
                Revised::Kept(place) => {
                    stays.insert(place);
                }
                Revised::Changed(place, value) => {
                    stays.insert(place);
                    let Some(handle) = self.handle(documents, place) else {
                        continue;
                    };
                    // Of a bundle, only the identifying fields have been read.
                    if handle.schema != Schema::Bundle && documents.values.get(place) == Some(&value) {
                        continue;
                    }
                    let read = match documents.read.get(place) {
                        Some(Some(read)) => read.clone(),
                        _ => self.read(handle)?,
                    };
                    if *read.value() != value {
                        let text = text::revise(&read, &value)?;
                        edits.push((handle.file, Edit::replace(handle, text)));
                    }
                }
                Revised::New(value) => new.push(value),
            }
        }
        for place in (0..documents.values.len()).filter(|place| !stays.contains(place)) {
            if let Some(handle) = self.handle(documents, place) {
                edits.push((handle.file, Edit::remove(handle)));
            }
        }
        if edits.is_empty() && new.is_empty() {
            return Ok(());
        }
        for value in new {
            self.insert(documents, value, &mut edits)?;
        }
        self.packages.push(documents.name.clone());
        for (file, edit) in edits {
            self.edits.entry(file).or_default().push(edit);
        }
        Ok(())
    }

    /// Returns an error if the package has been changed already. Its documents would be those of before that change.
    fn require_unchanged(&self, package: &str) -> Result<(), CatalogEditError> {
        if self.packages.iter().any(|changed| changed == package) {
            let package = package.to_owned();
            return Err(CatalogEditError::Again { package });
        }
        Ok(())
    }

    fn handle(&self, documents: &PackageDocuments, place: usize) -> Option<&Handle> {
        self.catalog.handles.get(*documents.handles.get(place)?)
    }

    /// Inserts a new document after the package's last document of the same schema. If there is none, inserts it after
    /// the last document of the package.
    fn insert(
        &mut self,
        documents: &PackageDocuments,
        value: Value,
        edits: &mut Vec<(usize, Edit)>,
    ) -> Result<(), CatalogEditError> {
        let text = |field: &str| value.get(field).and_then(Value::as_str);
        let schema = text("schema").map(Schema::from);
        if schema == Some(Schema::Bundle)
            && let Some(file) = self.own_file(documents, &value)
        {
            self.new_files.entry(file).or_default().push(value);
            return Ok(());
        }
        let handles = || {
            let indexes = documents.handles.iter();
            indexes.filter_map(|index| self.catalog.handles.get(*index))
        };
        let place = |handle: &&Handle| (handle.file, handle.start);
        let of_schema = handles().filter(|handle| Some(&handle.schema) == schema.as_ref());
        let mut beside = of_schema.max_by_key(place).or_else(|| handles().max_by_key(place));
        let mut files = self.catalog.paths();
        let json = files.len() > 0 && files.all(|path| path.extension().is_some_and(|extension| extension == "json"));
        let name = format!("catalog.{}", if json { "json" } else { "yaml" });
        let name = if self.is_of_one_package {
            name
        } else {
            format!("{}/{name}", documents.name)
        };
        if beside.is_none() {
            // A catalog in a single file remains a single file, unless that file is in the folder of its package.
            let mut files = self.catalog.paths();
            let is_single = files.len() == 1 && files.all(|path| path.parent() == Some(&self.folder));
            let file = if is_single {
                Some(0)
            } else {
                self.catalog.paths().position(|path| path == self.folder.join(&name))
            };
            let of_file = self.catalog.handles.iter().filter(|handle| Some(handle.file) == file);
            beside = of_file.max_by_key(place);
        }
        if let Some(beside) = beside {
            edits.push((beside.file, Edit::insert(beside, value)));
            return Ok(());
        }
        if !is_dns1123_label(&documents.name) {
            let package = documents.name.clone();
            return Err(CatalogEditError::Name { package });
        }
        self.new_files.entry(name).or_default().push(value);
        Ok(())
    }

    /// Assembles the changed files and validates the resulting catalog.
    ///
    /// # Errors
    /// Returns an error if the change would introduce errors in the catalog. Faults that OLM's own tools accept in
    /// published bundles are not errors.
    pub fn finish(self) -> Result<Edited, CatalogEditError> {
        let mut files = BTreeMap::new();
        for (number, path) in self.catalog.paths().enumerate() {
            let Some(edits) = self.edits.get(&number) else {
                continue;
            };
            let before = std::fs::read(path).map_err(|error| FileError::new("read", path, error))?;
            let after = apply(&before, edits);
            if after.as_ref() != Some(&before) {
                let change = FileChange {
                    before: Some(before),
                    after,
                };
                files.insert(self.inside(path), change);
            }
        }
        for (path, values) in &self.new_files {
            let new = pieces::new_file(
                values,
                Path::new(path).extension().is_some_and(|extension| extension == "json"),
            );
            let before = self.without_documents(path)?;
            let after = match &before {
                Some(before) => pieces::appended(before, &new),
                None => new,
            };
            let change = FileChange {
                before,
                after: Some(after),
            };
            files.insert(path.clone(), change);
        }
        self.catalog.check_unchanged()?;
        let findings = if files.is_empty() {
            Vec::new()
        } else {
            result::check(&self, &files)?
        };
        Ok(Edited {
            shown: self.folder.clone(),
            folder: self.folder,
            files,
            findings,
            is_template: false,
        })
    }

    /// Returns the content of an existing file of the catalog that contains no document, but possibly comments. New
    /// documents are added to it.
    fn without_documents(&self, path: &str) -> Result<Option<Vec<u8>>, CatalogEditError> {
        let path = self.folder.join(path);
        let Some(number) = self.catalog.paths().position(|known| known == path) else {
            return Ok(None);
        };
        if self.catalog.handles.iter().any(|handle| handle.file == number) {
            return Ok(None);
        }
        let content = std::fs::read(&path).map_err(|error| FileError::new("read", &path, error))?;
        Ok(Some(content))
    }

    fn inside(&self, path: &Path) -> String {
        let inside = path.strip_prefix(&self.folder).unwrap_or(path);
        inside.to_string_lossy().into_owned()
    }
}

#[cfg(test)]
mod tests;
