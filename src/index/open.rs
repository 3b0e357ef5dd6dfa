//! An index that is open for looking at, whichever form it has: a database, or a file-based catalog.

mod contents;
mod described;

pub(crate) use described::{Described, DescribedPackage, Describer};

use super::image::{CONFIGS_LABEL, DATABASE_LABEL};
use super::location::{
    CatalogFolder, DatabaseFile, FetchError, Fetched, IndexLocation, IndexLocationError, fetched_of,
};
use crate::bundle::annotations::PACKAGE;
use crate::bundle::{BundleLimits, is_bundle_folder};
use crate::catalog::file_based::load::{self, LoadError, Loaded};
use crate::catalog::file_based::read::{CatalogError, CatalogLimits, FileBasedCatalog};
use crate::database::guard::STEPS;
use crate::database::read::{Database, ReadError, is_database};
use crate::files::FileError;
use crate::image::{DEFAULT_IMAGE_LIMIT, ImageError, Transports};
use std::ffi::OsStr;
use std::path::Path;

/// An index that is open.
#[derive(Debug)]
pub enum Index {
    /// A database.
    Database(OpenDatabase),
    /// A file-based catalog.
    Catalog(Box<OpenCatalog>),
}

/// A database that is open.
#[derive(Debug)]
pub struct OpenDatabase {
    /// The database.
    pub database: Database,
    // What was unpacked goes with it.
    _file: Option<Box<DatabaseFile>>,
}

/// A file-based catalog that is open.
#[derive(Debug)]
pub struct OpenCatalog {
    /// Its documents.
    pub files: FileBasedCatalog,
    /// What they say.
    pub loaded: Loaded,
    // What was unpacked goes with it.
    _folder: CatalogFolder,
}

/// How much may be read.
#[derive(Debug, Clone, Copy)]
pub struct OpenLimits {
    /// A file-based catalog.
    pub catalog: CatalogLimits,
    /// Bytes that the layers of an image may unpack to.
    pub image: u64,
    /// Steps that the database engine may take for a database.
    pub steps: u64,
}

/// How much may be read of whatever is named: a bundle, or an index.
#[derive(Debug, Clone, Copy, Default)]
pub struct SourceLimits {
    /// A bundle, or files like those of one.
    pub bundle: BundleLimits,
    /// An index of either form.
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

/// Why an index cannot be looked at.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The name is that of neither a file nor an image.
    #[error(transparent)]
    Location(#[from] IndexLocationError),
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

impl OpenDatabase {
    /// Opens the database in a file, for which the database engine may take so many steps.
    ///
    /// # Errors
    /// When it cannot be read, or is none.
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
    /// Opens the index that is named: a database file, the folder of a file-based catalog, or an image.
    ///
    /// # Errors
    /// When the name is none, or as in [`Index::open`].
    pub async fn open_named(name: &str, transports: &Transports, limits: OpenLimits) -> Result<Self, OpenError> {
        Self::open(&name.parse()?, transports, limits).await
    }

    /// Opens the index at a place. A folder is a file-based catalog; so is a file that is no database.
    ///
    /// # Errors
    /// When it is not there, cannot be read, or is no index.
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
    /// When it cannot be read, or is no catalog.
    pub fn of_catalog(folder: CatalogFolder, limits: CatalogLimits) -> Result<Self, OpenError> {
        let files = FileBasedCatalog::open(folder.path(), limits)?;
        let loaded = load::load(&files)?;
        Ok(Self::Catalog(Box::new(OpenCatalog {
            files,
            loaded,
            _folder: folder,
        })))
    }

    /// What a file-based catalog says, which is more than a catalog in memory holds.
    pub fn loaded(&self) -> Option<&Loaded> {
        match self {
            Self::Database(_) => None,
            Self::Catalog(files) => Some(&files.loaded),
        }
    }
}

/// Finds out which form the index at a place has, and takes it out of its image, whose layers may unpack to `limit`
/// bytes.
///
/// # Errors
/// When the image cannot be read, or there is a bundle.
pub async fn fetch(location: &IndexLocation, transports: &Transports, limit: u64) -> Result<Fetched, OpenError> {
    let reference = match location {
        IndexLocation::File(path) => return at_path(path),
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
    Ok(fetched_of(&image, reference, limit)?)
}

fn at_path(path: &Path) -> Result<Fetched, OpenError> {
    let is_layout = path.join("oci-layout").is_file();
    if is_bundle_folder(path) {
        let name = path.display().to_string();
        return Err(OpenError::Bundle { name });
    }
    // What is named as a database is to be one: that it is none is said better by opening it.
    let is_text =
        || Ok::<_, OpenError>(path.extension() != Some(OsStr::new("db")) && path.is_file() && !is_database(path)?);
    if (path.is_dir() && !is_layout) || is_text()? {
        return Ok(Fetched::Catalog(path.into()));
    }
    Ok(Fetched::Database(path.into()))
}
