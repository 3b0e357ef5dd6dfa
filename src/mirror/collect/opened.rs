//! A requested catalog that has been read, as a folder.

use super::CollectError;
use crate::catalog::file_based::edit::Editor;
use crate::catalog::file_based::limits::CatalogLimits;
use crate::catalog::file_based::migrate::LostIcons;
use crate::files::TemporaryFolder;
use crate::image::{Digest, Reference, RegistryReference, Transports};
use crate::index::location::IndexLocation;
use crate::index::render::folder::write_folder;
use crate::index::render::sources::{Form, RenderSource, SourceError, SourceOptions};
use std::path::{Path, PathBuf};

/// An index that is an image in a registry or layout.
pub(super) struct Original {
    /// The reference in the request.
    pub(super) written: Reference,
    /// The same reference, by digest.
    pub(super) pinned: Reference,
    pub(super) digest: Digest,
}

impl Original {
    pub(super) fn registry(&self) -> Option<&RegistryReference> {
        match &self.written {
            Reference::Registry(reference) => Some(reference),
            _ => None,
        }
    }
}

/// A catalog that has been read.
pub(super) struct Opened {
    /// The image of the index, if it is one.
    pub(super) original: Option<Original>,
    pub(super) is_database: bool,
    /// The bundles that a database marks as deprecated, with their packages. The folder does not contain them.
    pub(super) deprecated: Vec<(String, String)>,
    /// The icons that the folder lacks.
    pub(super) lost_icons: Vec<LostIcons>,
    temporary: TemporaryFolder,
}

impl Opened {
    /// Reads a catalog into a temporary folder.
    pub(super) async fn new(
        catalog: &str,
        transports: &Transports,
        reading: &SourceOptions<'_>,
    ) -> Result<Self, CollectError> {
        let original = original(catalog, transports).await?;
        let name = original
            .as_ref()
            .map_or_else(|| catalog.to_owned(), |original| original.pinned.to_string());
        let source = |source: SourceError| CollectError::Source {
            catalog: catalog.to_owned(),
            source: Box::new(source),
        };
        let opened = RenderSource::open(&name, transports, reading).await.map_err(source)?;
        if opened.is_bundle() {
            return Err(source(SourceError::NoIndex { name }));
        }
        let is_database = opened.holds_database();
        let owned = |(package, bundle): (&str, &str)| (package.to_owned(), bundle.to_owned());
        let deprecated = opened.omitted().into_iter().map(owned).collect();
        let mut read = Self {
            original,
            is_database,
            deprecated,
            lost_icons: Vec::new(),
            temporary: TemporaryFolder::new()?,
        };
        read.lost_icons = write_folder(&[opened], Form::default(), &read.folder())?.lost_icons;
        Ok(read)
    }

    /// Returns the folder with the catalog.
    pub(super) fn folder(&self) -> PathBuf {
        self.temporary.path().join("catalog")
    }

    /// Opens the folder for changes. Errors name the catalog instead of the folder.
    pub(super) fn editor(&self, catalog: &str, limits: CatalogLimits) -> Result<Editor, CollectError> {
        let editor = Editor::open(&self.folder(), limits).map_err(|error| CollectError::filter(catalog, error))?;
        Ok(editor.shown_as(Path::new(catalog).components().collect()))
    }
}

/// Resolves the name of an index to a digest if the index is an image.
async fn original(name: &str, transports: &Transports) -> Result<Option<Original>, CollectError> {
    // Reading the catalog later reports a name that is neither a file nor an image.
    let Ok(IndexLocation::Image(written)) = name.parse() else {
        return Ok(None);
    };
    let digest = transports.resolve(&written).await?;
    let pinned = written.with_digest(&digest);
    Ok(Some(Original {
        written,
        pinned,
        digest,
    }))
}
