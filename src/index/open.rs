//! An index opened for reading, in either form: a database, or a file-based catalog.

mod contents;
mod described;

pub(crate) use contents::DocumentImage;

pub(crate) use described::{Described, DescribedPackage, Describer};

use super::location::{
    CatalogFolder, DatabaseFile, FetchError, Fetched, IndexLocation, IndexLocationError, at_path, fetched_of,
};
use crate::bundle::BundleLimits;
use crate::catalog::file_based::error::CatalogError;
use crate::catalog::file_based::limits::CatalogLimits;
use crate::catalog::file_based::load::{self, LoadError, Loaded};
use crate::catalog::file_based::read::FileBasedCatalog;
use crate::database::guard::STEPS;
use crate::database::read::{Database, ReadError};
use crate::files::FileError;
use crate::image::{DEFAULT_IMAGE_LIMIT, ImageError, Transports};

/// An open index.
///
/// An index is `Send`, but not `Sync`, because of the connection to the database. To share a file-based catalog between
/// threads, open it as a [`FileBasedCatalog`] and load it into a [`Loaded`], which are both `Sync`.
///
/// ```
/// use opmx::image::{ImageOptions, Silent, Transports};
/// use opmx::index::open::{Index, OpenLimits};
/// use std::sync::Arc;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let transports = Transports::new(ImageOptions::default(), Arc::new(Silent));
/// let index = Index::open_named("testdata/catalog", &transports, OpenLimits::default()).await?;
/// assert_eq!(&*index.catalog()?.packages[0].name, "compost-operator");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub enum Index {
    /// A database.
    Database(OpenDatabase),
    /// A file-based catalog.
    Catalog(Box<OpenCatalog>),
}

/// An open database.
#[derive(Debug)]
pub struct OpenDatabase {
    /// The database.
    pub database: Database,
    // Unpacked files are deleted when this value is dropped.
    _file: Option<Box<DatabaseFile>>,
}

/// An open file-based catalog.
#[derive(Debug)]
pub struct OpenCatalog {
    /// The documents of the catalog.
    pub files: FileBasedCatalog,
    /// The content of the documents.
    pub loaded: Loaded,
    // Unpacked files are deleted when this value is dropped.
    _folder: CatalogFolder,
}

/// The limits for reading an index.
#[derive(Debug, Clone, Copy)]
pub struct OpenLimits {
    /// The limits of a file-based catalog.
    pub catalog: CatalogLimits,
    /// The maximum number of bytes that the layers of an image may unpack to.
    pub image: u64,
    /// The maximum number of steps that SQLite may take for a database.
    pub steps: u64,
}

/// The limits for reading a source: a bundle or an index.
#[derive(Debug, Clone, Copy, Default)]
pub struct SourceLimits {
    /// The limits of a bundle, or of files that contain other manifests.
    pub bundle: BundleLimits,
    /// The limits of an index of either form.
    pub index: OpenLimits,
}

impl Default for OpenLimits {
    fn default() -> Self {
        Self {
            catalog: CatalogLimits::default(),
            image: DEFAULT_IMAGE_LIMIT,
            steps: STEPS,
        }
    }
}

/// An error that occurs when an index is opened or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The name is neither a file nor an image.
    #[error(transparent)]
    Location(#[from] IndexLocationError),
    /// The image cannot be read.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// The index cannot be fetched.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The database cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The catalog cannot be read.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// The documents of the catalog are inconsistent.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
}

impl OpenDatabase {
    /// Opens the database in a file. SQLite may take at most `steps` steps for it.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or is not a database.
    pub fn open(file: DatabaseFile, steps: u64) -> Result<Self, ReadError> {
        Ok(Self {
            database: Database::open_within(file.path(), steps)?,
            _file: Some(Box::new(file)),
        })
    }
}

impl From<Database> for Index {
    fn from(database: Database) -> Self {
        Self::Database(OpenDatabase { database, _file: None })
    }
}

impl Index {
    /// Opens an index by name: a database file, the folder of a file-based catalog, or an image.
    ///
    /// # Errors
    /// Returns an error if the name refers to neither a path nor an image, or if [`Index::open`] fails.
    pub async fn open_named(name: &str, transports: &Transports, limits: OpenLimits) -> Result<Self, OpenError> {
        Self::open(&name.parse()?, transports, limits).await
    }

    /// Opens the index at a location. A folder, or a file that is not a database, is a file-based catalog.
    ///
    /// # Errors
    /// Returns an error if there is no index at the location, or if it cannot be read.
    pub async fn open(
        location: &IndexLocation,
        transports: &Transports,
        limits: OpenLimits,
    ) -> Result<Self, OpenError> {
        match fetch(location, transports, limits.image).await? {
            Fetched::Catalog(folder) => Self::of_catalog(folder, limits.catalog),
            Fetched::Database(file) => Ok(Self::Database(OpenDatabase::open(file, limits.steps)?)),
        }
    }

    /// Opens the file-based catalog in a folder.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read or is not a catalog.
    pub fn of_catalog(folder: CatalogFolder, limits: CatalogLimits) -> Result<Self, OpenError> {
        let files = folder.read(limits)?;
        let loaded = load::load(&files)?;
        Ok(Self::Catalog(Box::new(OpenCatalog {
            files,
            loaded,
            _folder: folder,
        })))
    }

    /// Returns the loaded file-based catalog, including its deprecated items; `None` for a database.
    pub fn loaded(&self) -> Option<&Loaded> {
        match self {
            Self::Database(_) => None,
            Self::Catalog(files) => Some(&files.loaded),
        }
    }
}

/// Determines the form of the index at a location, and extracts the index if it is in an image. The layers of the image
/// may unpack to at most `limit` bytes.
///
/// # Errors
/// Returns an error if the image cannot be read, or the location contains a bundle.
pub async fn fetch(location: &IndexLocation, transports: &Transports, limit: u64) -> Result<Fetched, OpenError> {
    let reference = match location {
        IndexLocation::File(path) => return Ok(at_path(path)?),
        IndexLocation::Image(reference) => reference,
    };
    transports.require_platform(reference).await?;
    let image = transports.pull(reference).await?;
    Ok(fetched_of(&image, reference, limit)?)
}
