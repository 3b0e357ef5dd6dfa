//! Opens everything that can be rendered, by name: databases, index images, catalogs in folders and images, and
//! bundles. Several sources together form one catalog.

use super::image_reference::{ImageReferenceTemplate, Named};
use super::{Item, RenderError, RenderOptions, RenderedIndex, render_record};
use crate::bundle::annotations::PACKAGE;
use crate::bundle::image::files_of;
use crate::bundle::{MANIFESTS, METADATA};
use crate::catalog::Catalog;
use crate::catalog::file_based::document::Document;
use crate::catalog::file_based::error::CatalogError;
use crate::catalog::file_based::load::{self, LoadError};
use crate::catalog::file_based::migrate::{self, IconWatch, Level, LostIcons};
use crate::catalog::file_based::read::{FileBasedCatalog, Handle};
use crate::catalog::file_based::rendered::rendered;
use crate::catalog::file_based::template::TemplateDocument;
use crate::catalog::file_based::write::{Language, write};
use crate::catalog::file_based::{Blob, Bundle, Key, Schema};
use crate::database::read::{Database, ReadError, is_database};
use crate::diagnostic::Diagnostic;
use crate::files::FileError;
use crate::image::{Image, ImageError, Reference, ReferenceError, Transports};
use crate::index::intake::{IntakeError, Recording, prepare};
use crate::index::location::{CatalogFolder, DatabaseFile, FetchError, Fetched, fetched_of, is_file_name};
use crate::index::open::SourceLimits;
use crate::olm::label::{CONFIGS_LABEL, DATABASE_LABEL};
use crate::synthesis::outside::Outside;
use crate::tree::{Tree, TreeError};
use crate::validation::Strictness;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The options for opening and rendering sources.
#[derive(Debug, Clone, Default)]
pub struct SourceOptions<'a> {
    /// The limits for reading sources.
    pub limits: SourceLimits,
    /// The strictness of the bundle checks.
    pub strictness: Strictness,
    /// The content to include in the catalog.
    pub options: RenderOptions,
    /// Information from outside the bundles.
    pub outside: Option<Arc<Outside>>,
    /// The references under which the bundles in folders will be published; without references, the bundles have no
    /// image.
    pub published: Option<&'a ImageReferenceTemplate>,
}

/// An open source.
#[derive(Debug)]
pub struct RenderSource {
    content: Content,
    /// The packages to render; all packages if `None`.
    only: Option<BTreeSet<String>>,
    findings: Vec<Diagnostic>,
    // Unpacked files are deleted when this value is dropped.
    _database: Option<DatabaseFile>,
    _folder: Option<CatalogFolder>,
}

#[derive(Debug)]
enum Content {
    Index(Box<RenderedIndex>),
    Files(FileBasedCatalog),
    Bundle(Box<Bundle>),
    Template(Vec<KeyedDocument>),
}

/// A generated document, with the data that determines its position in a catalog.
#[derive(Debug)]
struct KeyedDocument {
    schema: Schema,
    package: String,
    name: String,
    document: Document,
}

/// An error that prevents rendering a source.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The source is a single bundle, not an index.
    #[error("{name} is a bundle, not an index")]
    NoIndex {
        /// The folder or image.
        name: String,
    },
    /// The documents of the catalog are inconsistent.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The path does not exist.
    #[error("there is no file or folder {}", path.display())]
    Missing {
        /// The path.
        path: PathBuf,
    },
    /// The string is neither a path nor a reference.
    #[error("{text} is neither a file, a folder nor an image")]
    Name {
        /// The string.
        text: String,
        /// The problem with the string as a reference.
        source: ReferenceError,
    },
    /// The labels of an image do not identify its content.
    #[error("{image} is neither an index, a catalog nor a bundle because it has none of the corresponding labels")]
    Unknown {
        /// The image.
        image: String,
    },
    /// The image cannot be read.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// The index in the image cannot be fetched.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The folder of a bundle cannot be read.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The bundle has errors.
    #[error(transparent)]
    Intake(#[from] IntakeError),
    /// The database cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The catalog cannot be read.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// A document cannot be generated.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A document cannot be written as JSON.
    #[error("a document cannot be written")]
    Write(#[source] serde_json::Error),
}

impl RenderSource {
    /// Opens the source that `name` refers to: an existing file or folder, otherwise an image.
    ///
    /// # Errors
    /// Returns an error if the source does not exist, cannot be read, or cannot be rendered.
    pub async fn open(name: &str, transports: &Transports, opening: &SourceOptions<'_>) -> Result<Self, SourceError> {
        let path = Path::new(name);
        if path.is_dir() {
            return Self::of_folder(path, opening);
        }
        // A path that is neither a file nor a folder is refused by `of_file`.
        if path.exists() {
            return Self::of_file(path, opening);
        }
        if is_file_name(name) {
            return Err(SourceError::Missing { path: path.to_owned() });
        }
        let reference: Reference = Reference::parse_unless_word(name).map_err(|source| SourceError::Name {
            text: name.to_owned(),
            source,
        })?;
        let image = transports.pull(&reference).await?;
        // The content of a bundle does not depend on the platform.
        if image.label(PACKAGE).is_none() {
            transports.require_platform(&reference).await?;
        }
        Self::of_image(&image, &reference, opening)
    }

    /// Returns a source for the documents of a generated catalog.
    ///
    /// # Errors
    /// Returns an error if a document cannot be written as JSON.
    pub(crate) fn of_documents(documents: &[TemplateDocument]) -> Result<Self, SourceError> {
        let read = documents.iter().map(|made| {
            let document = made.document()?;
            Ok(KeyedDocument {
                schema: Schema::from(document.text("schema")),
                package: document.package(),
                name: document.text("name"),
                document,
            })
        });
        let documents = read.collect::<Result<_, _>>().map_err(SourceError::Write)?;
        Ok(Self::plain(Content::Template(documents)))
    }

    fn of_folder(path: &Path, opening: &SourceOptions<'_>) -> Result<Self, SourceError> {
        if path.join(MANIFESTS).is_dir() && path.join(METADATA).is_dir() {
            let tree = Tree::from_directory(path, &opening.limits.bundle.tree)?;
            let mut read = bundle_of(&tree, None, opening)?;
            if let Some(published) = opening.published {
                // The values of the placeholders are known only after the bundle has been read.
                let reference = published.of(&Named::of(&read.0));
                read = bundle_of(&tree, Some(&reference), opening)?;
            }
            return Ok(Self::of_bundle(read));
        }
        let catalog = FileBasedCatalog::open(path, opening.limits.index.catalog)?;
        Ok(Self::plain(Content::Files(catalog)))
    }

    fn of_file(path: &Path, opening: &SourceOptions<'_>) -> Result<Self, SourceError> {
        // A file that is named like a database should be one; if it is not, opening it as a database produces a better
        // error.
        if is_database(path)? || path.extension().is_some_and(|extension| extension == "db") {
            let rendered = RenderedIndex::new(
                Database::open_within(path, opening.limits.index.steps)?,
                opening.options,
            )?;
            return Ok(Self::plain(Content::Index(Box::new(rendered))));
        }
        let catalog = FileBasedCatalog::open(path, opening.limits.index.catalog)?;
        Ok(Self::plain(Content::Files(catalog)))
    }

    fn of_image(image: &Image, reference: &Reference, opening: &SourceOptions<'_>) -> Result<Self, SourceError> {
        let limits = &opening.limits;
        if [DATABASE_LABEL, CONFIGS_LABEL]
            .iter()
            .any(|label| image.label(label).is_some())
        {
            return match fetched_of(image, reference, limits.index.image)? {
                Fetched::Database(database) => {
                    let rendered = RenderedIndex::new(
                        Database::open_within(database.path(), limits.index.steps)?,
                        opening.options,
                    )?;
                    Ok(Self {
                        _database: Some(database),
                        ..Self::plain(Content::Index(Box::new(rendered)))
                    })
                }
                Fetched::Catalog(folder) => {
                    let catalog = folder.read(limits.index.catalog)?;
                    Ok(Self {
                        _folder: Some(folder),
                        ..Self::plain(Content::Files(catalog))
                    })
                }
            };
        }
        if image.label(PACKAGE).is_none() {
            let image = reference.to_string();
            return Err(SourceError::Unknown { image });
        }
        let tree = files_of(image, &limits.bundle.tree)?;
        let written = match reference {
            Reference::Registry(registry) => Some(registry.as_written()),
            Reference::Layout { .. } | Reference::Archive { .. } => None,
        };
        Ok(Self::of_bundle(bundle_of(&tree, written, opening)?))
    }

    fn of_bundle((bundle, findings): (Bundle, Vec<Diagnostic>)) -> Self {
        Self {
            findings,
            ..Self::plain(Content::Bundle(Box::new(bundle)))
        }
    }

    /// Returns the findings about an opened bundle.
    pub fn findings(&self) -> &[Diagnostic] {
        &self.findings
    }

    /// Returns the bundles of a database that are omitted because they are deprecated, each after its package.
    pub fn omitted(&self) -> BTreeSet<(&str, &str)> {
        let Content::Index(index) = &self.content else {
            return BTreeSet::new();
        };
        let mut omitted = index.omitted();
        if let Some(only) = &self.only {
            omitted.retain(|(package, _)| only.contains(*package));
        }
        omitted
    }

    /// Returns the faults of a database that make the rendered catalog invalid, each after its package.
    pub fn faults(&self) -> Vec<(&str, String)> {
        let Content::Index(index) = &self.content else {
            return Vec::new();
        };
        let mut faults = index.faults();
        if let Some(only) = &self.only {
            faults.retain(|(package, _)| only.contains(*package));
        }
        faults
    }

    /// Returns the bundles of a database that are not in any channel of a package, and thus not in the rendered
    /// catalog.
    pub fn unlisted(&self) -> Vec<&str> {
        match (&self.content, &self.only) {
            (Content::Index(index), None) => index.unlisted(),
            _ => Vec::new(),
        }
    }

    /// Returns whether the source has no documents.
    pub fn is_empty(&self) -> bool {
        self.parts().is_empty()
    }

    fn plain(content: Content) -> Self {
        Self {
            content,
            only: None,
            findings: Vec::new(),
            _database: None,
            _folder: None,
        }
    }

    /// Whether the source is a single bundle.
    pub(crate) fn is_bundle(&self) -> bool {
        matches!(self.content, Content::Bundle(_))
    }

    /// Whether the source keeps a database open, which other processes cannot write to in the meantime.
    pub(crate) fn holds_database(&self) -> bool {
        matches!(self.content, Content::Index(_))
    }

    /// Returns the index that was opened under this name, without the manifests.
    ///
    /// # Errors
    /// Returns an error if the source is a single bundle, or a catalog with inconsistent documents.
    pub fn catalog(&self, name: &str) -> Result<Cow<'_, Catalog>, SourceError> {
        match &self.content {
            Content::Index(index) => Ok(Cow::Borrowed(&index.catalog)),
            Content::Files(files) => Ok(Cow::Owned(load::load(files)?.catalog)),
            Content::Bundle(_) | Content::Template(_) => {
                let name = name.to_owned();
                Err(SourceError::NoIndex { name })
            }
        }
    }

    /// Limits rendering to these packages. Returns the number of documents that are also omitted because they belong to
    /// no package.
    pub fn keep(&mut self, packages: BTreeSet<String>) -> usize {
        let of_none = self.parts().iter().filter(|(key, _)| key.package().is_empty()).count();
        self.only = Some(packages);
        of_none
    }

    /// Returns the documents, each with its position in a catalog.
    fn parts(&self) -> Vec<(Key<'_>, Part<'_>)> {
        let mut parts = self.all_parts();
        if let Some(only) = &self.only {
            parts.retain(|(key, _)| only.contains(key.package()));
        }
        parts
    }

    fn all_parts(&self) -> Vec<(Key<'_>, Part<'_>)> {
        match &self.content {
            Content::Index(index) => {
                let items = index.items().into_iter();
                items.map(|item| (index.key(item), Part::Item(index, item))).collect()
            }
            Content::Files(files) => {
                let handles = files.handles.iter();
                handles
                    .map(|handle| (handle.key(), Part::File(files, handle)))
                    .collect()
            }
            Content::Bundle(bundle) => {
                vec![(
                    Key::new(&Schema::Bundle, &bundle.package, &bundle.name),
                    Part::Bundle(bundle),
                )]
            }
            Content::Template(documents) => {
                let parts = documents.iter().map(|made| {
                    let key = Key::new(&made.schema, &made.package, &made.name);
                    (key, Part::Document(&made.document))
                });
                parts.collect()
            }
        }
    }
}

/// Renders a bundle whose current or future image is `reference`.
fn bundle_of(
    tree: &Tree,
    reference: Option<&str>,
    opening: &SourceOptions<'_>,
) -> Result<(Bundle, Vec<Diagnostic>), SourceError> {
    let recording = Recording {
        reference,
        outside: opening.outside.as_deref(),
        ..Recording::default()
    };
    let prepared = prepare(tree, recording, &opening.limits.bundle.text, &opening.strictness)?;
    let bundle = render_record(&prepared.record, opening.options)?;
    Ok((bundle, prepared.diagnostics))
}

/// A document of a source.
#[derive(Debug, Clone, Copy)]
enum Part<'a> {
    Item(&'a RenderedIndex, Item),
    File(&'a FileBasedCatalog, &'a Handle),
    Bundle(&'a Bundle),
    Document(&'a Document),
}

impl Part<'_> {
    /// Adds the document to `out`.
    fn write(self, form: Form, icons: &mut IconWatch, out: &mut Vec<u8>) -> Result<(), SourceError> {
        let document = match self {
            Self::Item(index, item) => {
                icons.lost.extend(index.unreadable_icon(item)?);
                return match index.blob(item)? {
                    Some(blob) => write_blob(&blob, form, icons, out),
                    None => Ok(()),
                };
            }
            Self::Bundle(bundle) => return write_blob(&Blob::Bundle(bundle.clone()), form, icons, out),
            Self::Document(document) => document.clone(),
            Self::File(files, handle) => rendered(files.document(handle)?, !handle.is_json()),
        };
        write_migrated(&document, form, icons, out).map_err(SourceError::Write)
    }
}

/// A generated document is only parsed if parts of it may have to be replaced.
fn write_blob(blob: &Blob, form: Form, icons: &mut IconWatch, out: &mut Vec<u8>) -> Result<(), SourceError> {
    let written = if form.level == Level::None {
        write(blob, form.language, out)
    } else {
        serde_json::to_string(blob)
            .and_then(|json| Document::from_json(&json))
            .and_then(|document| write_migrated(&document, form, icons, out))
    };
    written.map_err(SourceError::Write)
}

fn write_migrated(
    document: &Document,
    form: Form,
    icons: &mut IconWatch,
    out: &mut Vec<u8>,
) -> Result<(), serde_json::Error> {
    if form.level == Level::None {
        return write(document, form.language, out);
    }
    let migrated = migrate::migrated(document.clone(), form.level);
    icons.add(document, &migrated);
    write(&migrated, form.language, out)
}

/// The form in which documents are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Form {
    /// The language.
    pub language: Language,
    /// The level to which documents are migrated.
    pub level: Level,
}

/// Passes the documents of all sources to `sink`, in the order of one catalog. Each document is passed with its
/// package, which is empty for documents that belong to no package. Returns the icons that the documents lack.
///
/// # Errors
/// Returns an error if a document cannot be read, or `sink` fails.
pub fn write_all<E: From<SourceError>>(
    sources: &[RenderSource],
    form: Form,
    mut sink: impl FnMut(&str, &[u8]) -> Result<(), E>,
) -> Result<Vec<LostIcons>, E> {
    let mut all: Vec<(Key<'_>, Part<'_>)> = sources.iter().flat_map(RenderSource::parts).collect();
    all.sort_by_key(|(key, _)| *key);
    let (mut out, mut icons) = (Vec::new(), IconWatch::default());
    for (key, part) in all {
        out.clear();
        part.write(form, &mut icons, &mut out)?;
        sink(key.package(), &out)?;
    }
    Ok(icons.lost)
}
