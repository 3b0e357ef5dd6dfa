//! An index that is open for looking at, whichever form it has: a database, or a file-based catalog.

use super::image::{CONFIGS_LABEL, DATABASE_LABEL};
use super::location::{CatalogFolder, DatabaseFile, FetchError, Fetched, IndexLocation, fetched_of};
use super::read::{Index, ReadError, is_database};
use crate::bundle::annotations::PACKAGE;
use crate::bundle::{MANIFESTS, METADATA};
use crate::catalog::Catalog;
use crate::catalog::file_based::load::{self, LoadError, Loaded};
use crate::catalog::file_based::read::{CatalogError, CatalogLimits, FileBasedCatalog};
use crate::files::FileError;
use crate::image::{ImageError, Transports};
use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::Path;

/// An index that is open.
#[derive(Debug)]
pub enum Opened {
    /// A database.
    Database(OpenDatabase),
    /// A file-based catalog.
    Files(Box<OpenFiles>),
}

/// A database that is open.
#[derive(Debug)]
pub struct OpenDatabase {
    /// The database.
    pub index: Index,
    // What was unpacked goes with it.
    _file: Option<DatabaseFile>,
}

/// A file-based catalog that is open.
#[derive(Debug)]
pub struct OpenFiles {
    /// Its documents.
    pub files: FileBasedCatalog,
    /// What they say.
    pub loaded: Loaded,
    // What was unpacked goes with it.
    _folder: Option<CatalogFolder>,
}

/// How much may be read.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenLimits {
    /// A file-based catalog.
    pub catalog: CatalogLimits,
    /// Bytes that the layers of an image may unpack to.
    pub image: u64,
}

/// Why an index cannot be looked at.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The image cannot be read.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// The image holds no database.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The database cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The catalog cannot be read.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// The documents of the catalog do not fit together.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The system refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// A single bundle.
    #[error("{name} is a bundle, not an index")]
    Bundle {
        /// The folder or image.
        name: String,
    },
}

impl Opened {
    /// Opens the index at a place. A folder is a file-based catalog; so is a file that is no database.
    ///
    /// # Errors
    /// When it is not there, cannot be read, or is no index.
    pub async fn open(
        location: &IndexLocation,
        transports: &Transports,
        limits: OpenLimits,
    ) -> Result<Self, OpenError> {
        let reference = match location {
            IndexLocation::File(path) => return Self::of_path(path, limits),
            IndexLocation::Image(reference) => reference,
        };
        let image = transports.pull(reference).await?;
        let is_index = [DATABASE_LABEL, CONFIGS_LABEL]
            .iter()
            .any(|label| image.label(label).is_some());
        if !is_index && image.label(PACKAGE).is_some() {
            let name = reference.to_string();
            return Err(OpenError::Bundle { name });
        }
        match fetched_of(&image, reference, limits.image)? {
            Fetched::Catalog(folder) => {
                let files = FileBasedCatalog::open(folder.path(), limits.catalog)?;
                Self::of_files(files, Some(folder))
            }
            Fetched::Database(file) => Ok(Self::Database(OpenDatabase {
                index: Index::open(file.path())?,
                _file: Some(file),
            })),
        }
    }

    fn of_path(path: &Path, limits: OpenLimits) -> Result<Self, OpenError> {
        let is_layout = path.join("oci-layout").is_file();
        if path.join(MANIFESTS).is_dir() && path.join(METADATA).is_dir() {
            let name = path.display().to_string();
            return Err(OpenError::Bundle { name });
        }
        // What is named as a database is to be one: that it is none is said better by opening it.
        let is_text =
            || Ok::<_, OpenError>(path.extension() != Some(OsStr::new("db")) && path.is_file() && !is_database(path)?);
        if (path.is_dir() && !is_layout) || is_text()? {
            return Self::of_files(FileBasedCatalog::open(path, limits.catalog)?, None);
        }
        Ok(Self::Database(OpenDatabase {
            index: Index::open(path)?,
            _file: None,
        }))
    }

    fn of_files(files: FileBasedCatalog, folder: Option<CatalogFolder>) -> Result<Self, OpenError> {
        let loaded = load::load(&files)?;
        Ok(Self::Files(Box::new(OpenFiles {
            files,
            loaded,
            _folder: folder,
        })))
    }

    /// What a file-based catalog says, which is more than a [`Catalog`] holds.
    pub fn loaded(&self) -> Option<&Loaded> {
        match self {
            Self::Database(_) => None,
            Self::Files(files) => Some(&files.loaded),
        }
    }

    /// Packages, channels and bundles, without the manifests.
    ///
    /// # Errors
    /// When the database is damaged or changes meanwhile.
    pub fn catalog(&self) -> Result<Cow<'_, Catalog>, ReadError> {
        match self {
            Self::Database(database) => Ok(Cow::Owned(database.index.catalog()?)),
            Self::Files(files) => Ok(Cow::Borrowed(&files.loaded.catalog)),
        }
    }
}
