//! Where an index is, and its database as a file.

use super::image::{CONFIGS_LABEL, DATABASE_LABEL, DATABASE_PATH};
use crate::database::read::is_database;
use crate::files::{FileError, TemporaryFolder};
use crate::image::{
    Image, ImageError, LAYOUT_FILE, Reference, ReferenceError, Transports, extract_file, extract_folder,
};
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Where an index is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexLocation {
    /// A database file.
    File(PathBuf),
    /// An image that holds a database.
    Image(Reference),
}

/// A string that is neither a file nor a reference.
#[derive(Debug, thiserror::Error)]
#[error("{text} is neither a file nor an image")]
pub struct IndexLocationError {
    /// The text.
    pub text: String,
    /// What is wrong with it as a reference.
    pub source: ReferenceError,
}

/// Why the database of an index cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The image cannot be read.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// A temporary folder cannot be made.
    #[error(transparent)]
    File(#[from] FileError),
    /// The image holds a catalog of the other form.
    #[error("{image} is a file-based catalog, not an index with a database")]
    Catalog {
        /// The image.
        image: String,
    },
    /// A database where a catalog of the other form is asked for.
    #[error("{index} is an index with a database, not a file-based catalog")]
    Database {
        /// The file or image.
        index: String,
    },
    /// Neither a folder nor a database.
    #[error("{} is not a directory: a file-based catalog is a folder of files", file.display())]
    NoCatalog {
        /// The file.
        file: PathBuf,
    },
    /// The image does not hold what it should.
    #[error("{image} is not an index image")]
    NoIndex {
        /// The image.
        image: String,
        /// What was looked for in vain.
        source: Box<ImageError>,
    },
}

/// An index as it was fetched, in either form.
#[derive(Debug)]
pub enum Fetched {
    /// A database.
    Database(DatabaseFile),
    /// A file-based catalog.
    Catalog(CatalogFolder),
}

/// The folder of a file-based catalog.
#[derive(Debug)]
pub struct CatalogFolder {
    path: PathBuf,
    /// Where it stands in the image that it was unpacked from.
    inside: Option<PathBuf>,
    // Deleted with this value, where it was unpacked from an image.
    _unpacked: Option<TemporaryFolder>,
}

impl From<&Path> for CatalogFolder {
    /// A folder that stays.
    fn from(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            inside: None,
            _unpacked: None,
        }
    }
}

impl CatalogFolder {
    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file in it as the user knows it: that in the image, where the folder came from one.
    pub(crate) fn known_as(&self, file: &Path) -> PathBuf {
        match (&self.inside, file.strip_prefix(&self.path)) {
            (Some(inside), Ok(relative)) => inside.join(relative),
            _ => file.to_owned(),
        }
    }
}

/// A database file, and the folder that it was unpacked to where it came from an image.
#[derive(Debug)]
pub struct DatabaseFile {
    path: PathBuf,
    // Deleted with this value.
    _unpacked: Option<TemporaryFolder>,
}

impl From<&Path> for DatabaseFile {
    /// A file that stays.
    fn from(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            _unpacked: None,
        }
    }
}

impl DatabaseFile {
    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl FromStr for IndexLocation {
    type Err = IndexLocationError;

    /// What exists is taken for a file, a folder too, which is refused later and not looked for in a registry. So is a
    /// path that begins with `/` or `.`, which no image does, and one that ends in `.db`, which is never meant for an
    /// image.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let path = Path::new(text);
        if text.starts_with(['/', '.']) || path.extension() == Some(OsStr::new("db")) || path.exists() {
            return Ok(Self::File(path.to_owned()));
        }
        text.parse().map(Self::Image).map_err(|source| IndexLocationError {
            text: text.to_owned(),
            source,
        })
    }
}

impl fmt::Display for IndexLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(formatter, "{}", path.display()),
            Self::Image(reference) => write!(formatter, "{reference}"),
        }
    }
}

impl IndexLocation {
    /// The database, taken out of the image where it is in one. It may be as large as `limit`, in bytes.
    ///
    /// # Errors
    /// When the image cannot be read or holds no database. Whether a file is there is not looked at.
    pub async fn fetch(&self, transports: &Transports, limit: u64) -> Result<DatabaseFile, FetchError> {
        let reference = match self {
            Self::File(path) => return Ok(path.as_path().into()),
            Self::Image(reference) => reference,
        };
        let image = transports.pull(reference).await?;
        database_of(&image, reference, limit)
    }
}

impl IndexLocation {
    /// The database or the file-based catalog, taken out of the image where it is in one. Its layers may unpack to
    /// `limit` bytes.
    ///
    /// # Errors
    /// When the image cannot be read or holds neither. Whether a file is there is not looked at.
    pub(crate) async fn fetch_any(&self, transports: &Transports, limit: u64) -> Result<Fetched, FetchError> {
        let reference = match self {
            Self::File(path) if path.is_dir() && !path.join(LAYOUT_FILE).is_file() => {
                return Ok(Fetched::Catalog(path.as_path().into()));
            }
            Self::File(_) => return self.fetch(transports, limit).await.map(Fetched::Database),
            Self::Image(reference) => reference,
        };
        let image = transports.pull(reference).await?;
        fetched_of(&image, reference, limit)
    }

    /// The folder of the file-based catalog.
    ///
    /// # Errors
    /// As [`IndexLocation::fetch_any`], and when there is a database.
    pub(crate) async fn fetch_catalog(&self, transports: &Transports, limit: u64) -> Result<CatalogFolder, FetchError> {
        match self.fetch_any(transports, limit).await? {
            Fetched::Catalog(catalog) => Ok(catalog),
            Fetched::Database(database) if !is_database(database.path())? => {
                let file = database.path().to_owned();
                Err(FetchError::NoCatalog { file })
            }
            Fetched::Database(_) => Err(FetchError::Database {
                index: self.to_string(),
            }),
        }
    }
}

/// What an image that was read from `reference` holds: a database, unless its labels name a file-based catalog alone.
/// Its layers may unpack to `limit` bytes.
///
/// # Errors
/// When the image holds neither.
pub(super) fn fetched_of(image: &Image, reference: &Reference, limit: u64) -> Result<Fetched, FetchError> {
    match (image.label(DATABASE_LABEL), image.label(CONFIGS_LABEL)) {
        (None, Some(configs)) => {
            let unpacked = TemporaryFolder::new()?;
            extract_folder(image, configs, unpacked.path(), limit)?;
            Ok(Fetched::Catalog(CatalogFolder {
                path: unpacked.path().to_owned(),
                inside: Some(configs.into()),
                _unpacked: Some(unpacked),
            }))
        }
        _ => database_of(image, reference, limit).map(Fetched::Database),
    }
}

/// The database in an image that was read from `reference`. It may be as large as `limit`, in bytes.
///
/// # Errors
/// When the image holds no database.
fn database_of(image: &Image, reference: &Reference, limit: u64) -> Result<DatabaseFile, FetchError> {
    if image.label(DATABASE_LABEL).is_none() && image.label(CONFIGS_LABEL).is_some() {
        let image = reference.to_string();
        return Err(FetchError::Catalog { image });
    }
    let inside = image.label(DATABASE_LABEL).unwrap_or(DATABASE_PATH);
    let unpacked = TemporaryFolder::new()?;
    let path = unpacked.file("index.db")?;
    let extracted = extract_file(image, inside.trim_start_matches('/'), &path, limit);
    extracted.map_err(|source| FetchError::NoIndex {
        image: reference.to_string(),
        source: Box::new(source),
    })?;
    Ok(DatabaseFile {
        path,
        _unpacked: Some(unpacked),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_in_db_or_begins_as_a_path_is_a_file_whether_it_is_there_or_not() {
        for text in ["nope.db", "a/b.db", "./x", "/x/y", "../index"] {
            let location: IndexLocation = text.parse().unwrap();
            assert_eq!(location, IndexLocation::File(text.into()));
        }
        for text in ["registry.example.com/index:v1", "oci:index:latest", "index"] {
            let location: IndexLocation = text.parse().unwrap();
            assert!(matches!(location, IndexLocation::Image(_)), "{text}");
        }
        assert!("Not An Image".parse::<IndexLocation>().is_err());
    }
}
