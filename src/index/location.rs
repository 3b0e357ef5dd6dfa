//! The location of an index, and its content as files.

use super::image::DATABASE_PATH;
use crate::bundle::annotations::PACKAGE;
use crate::bundle::is_bundle_folder;
use crate::bundle::location::is_path;
use crate::catalog::file_based::error::CatalogError;
use crate::catalog::file_based::limits::CatalogLimits;
use crate::catalog::file_based::read::FileBasedCatalog;
use crate::database::read::is_database;
use crate::files::{FileError, TemporaryFolder};
use crate::image::{Image, ImageError, Reference, ReferenceError, Transports, extract_file, extract_folder};
use crate::olm::label::{CONFIGS_LABEL, DATABASE_LABEL};
use crate::tree::LAYOUT_FILE;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The location of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexLocation {
    /// A database file, or a file-based catalog in a folder or file.
    File(PathBuf),
    /// An image that contains a database or a file-based catalog.
    Image(Reference),
}

/// A string that is neither a file nor a reference.
#[derive(Debug, thiserror::Error)]
#[error("{text} is neither a file nor an image")]
pub struct IndexLocationError {
    /// The string.
    pub text: String,
    /// The problem with the string as a reference.
    pub source: ReferenceError,
}

/// An error that prevents fetching an index.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The image cannot be read.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// A temporary folder or a file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// The path does not exist.
    #[error("there is no file or folder {}", path.display())]
    Missing {
        /// The path.
        path: PathBuf,
    },
    /// The image contains a file-based catalog where a database is expected.
    #[error("{image} is a file-based catalog, not an index with a database")]
    Catalog {
        /// The image.
        image: String,
    },
    /// The index is a database where a file-based catalog is expected.
    #[error("{index} is an index with a database, not a file-based catalog")]
    Database {
        /// The file or image.
        index: String,
    },
    /// A file that is named like a database is neither a database nor a catalog.
    #[error("{} is not a file-based catalog, which is a folder or a file of YAML or JSON documents", file.display())]
    NoCatalog {
        /// The file.
        file: PathBuf,
    },
    /// The location contains a bundle.
    #[error("{name} is a bundle, not an index")]
    Bundle {
        /// The folder or image.
        name: String,
    },
    /// The folder is an image layout.
    #[error("{} is an OCI image layout, not an index", folder.display())]
    Layout {
        /// The folder.
        folder: PathBuf,
    },
    /// The image does not contain the expected index.
    #[error("{image} is not an index image")]
    NoIndex {
        /// The image.
        image: String,
        /// The error from extracting the database.
        source: Box<ImageError>,
    },
}

/// A fetched index, in either form.
#[derive(Debug)]
pub enum Fetched {
    /// A database.
    Database(DatabaseFile),
    /// A file-based catalog.
    Catalog(CatalogFolder),
}

/// The folder or the only file of a file-based catalog.
#[derive(Debug)]
pub struct CatalogFolder {
    path: PathBuf,
    /// The image that the folder was unpacked from, and the path of the folder in it.
    inside: Option<(String, PathBuf)>,
    // Present if the catalog was unpacked from an image. The folder is deleted when this value is dropped.
    _unpacked: Option<TemporaryFolder>,
}

impl From<&Path> for CatalogFolder {
    /// Returns a catalog folder that is not deleted.
    fn from(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            inside: None,
            _unpacked: None,
        }
    }
}

impl CatalogFolder {
    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of a file in the folder as the user knows it: the image and the path in it if the folder came
    /// from an image.
    pub(crate) fn known_as(&self, file: &Path) -> PathBuf {
        match (&self.inside, file.strip_prefix(&self.path)) {
            (Some((image, inside)), Ok(relative)) => {
                let inside: PathBuf = inside.join(relative).components().collect();
                format!("{image}: {}", inside.display()).into()
            }
            _ => file.to_owned(),
        }
    }

    /// Reads the catalog. Errors name the image and the path in it if the folder came from an image.
    ///
    /// # Errors
    /// Returns an error if [`FileBasedCatalog::open`] does.
    pub(crate) fn read(&self, limits: CatalogLimits) -> Result<FileBasedCatalog, CatalogError> {
        match &self.inside {
            Some(_) => FileBasedCatalog::open_shown_as(&self.path, &self.known_as(&self.path), limits),
            None => FileBasedCatalog::open(&self.path, limits),
        }
    }
}

/// A database file, with the folder that it was unpacked to if it came from an image.
#[derive(Debug)]
pub struct DatabaseFile {
    path: PathBuf,
    // The folder is deleted when this value is dropped.
    _unpacked: Option<TemporaryFolder>,
}

impl From<&Path> for DatabaseFile {
    /// Returns a database file that is not deleted.
    fn from(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            _unpacked: None,
        }
    }
}

impl DatabaseFile {
    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl FromStr for IndexLocation {
    type Err = IndexLocationError;

    /// An existing path becomes [`IndexLocation::File`], even if it is a folder, and is not looked up in a registry. So
    /// does the name of a file, whether it exists or not. Rejects a word without a host, path or tag.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let path = Path::new(text);
        if is_file_name(text) || path.exists() {
            return Ok(Self::File(path.to_owned()));
        }
        Reference::parse_unless_word(text)
            .map(Self::Image)
            .map_err(|source| IndexLocationError {
                text: text.to_owned(),
                source,
            })
    }
}

/// Whether a string is the name of a file rather than an image: a path that begins with `/` or `.` or ends with `/`, or
/// a name with the extension of a database or a document. Such a name without a file is never looked up in a registry.
pub(crate) fn is_file_name(text: &str) -> bool {
    let extension = Path::new(text).extension().and_then(OsStr::to_str);
    let is_of_file = match extension {
        Some("db") => true,
        // A tag may end in the same way.
        Some("json" | "yaml" | "yml") => !text.contains([':', '@']),
        _ => false,
    };
    is_path(text) || is_of_file
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
    /// Returns the database, extracted if it is in an image. The maximum size is `limit` bytes.
    ///
    /// # Errors
    /// Returns an error if the image cannot be read or contains no database. Does not check whether a file exists.
    pub async fn fetch(&self, transports: &Transports, limit: u64) -> Result<DatabaseFile, FetchError> {
        let reference = match self {
            Self::File(path) => {
                require_index(path)?;
                return Ok(path.as_path().into());
            }
            Self::Image(reference) => reference,
        };
        transports.require_platform(reference).await?;
        let image = transports.pull(reference).await?;
        database_of(&image, reference, limit)
    }
}

impl IndexLocation {
    /// Returns the database or the file-based catalog, extracted if it is in an image. The layers of the image may
    /// unpack to at most `limit` bytes.
    ///
    /// # Errors
    /// Returns an error if the path does not exist, or if the image cannot be read or contains neither a database nor a
    /// file-based catalog.
    pub(crate) async fn fetch_any(&self, transports: &Transports, limit: u64) -> Result<Fetched, FetchError> {
        let reference = match self {
            Self::File(path) => return at_path(path),
            Self::Image(reference) => reference,
        };
        transports.require_platform(reference).await?;
        let image = transports.pull(reference).await?;
        fetched_of(&image, reference, limit)
    }

    /// Returns the folder or file of the file-based catalog.
    ///
    /// # Errors
    /// Returns an error if [`IndexLocation::fetch_any`] fails, or if the index is a database.
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

/// Returns the index at a path. A folder, or a file that is not a database, is a file-based catalog.
///
/// # Errors
/// Returns an error if the path does not exist or is that of a bundle or an image layout, or if the file cannot be
/// read.
pub(super) fn at_path(path: &Path) -> Result<Fetched, FetchError> {
    if matches!(path.try_exists(), Ok(false)) {
        return Err(FetchError::Missing { path: path.to_owned() });
    }
    require_index(path)?;
    // A file that is named like a database should be one; if it is not, opening it as a database produces a better
    // error.
    let is_text =
        || Ok::<_, FetchError>(path.extension() != Some(OsStr::new("db")) && path.is_file() && !is_database(path)?);
    if path.is_dir() || is_text()? {
        return Ok(Fetched::Catalog(path.into()));
    }
    Ok(Fetched::Database(path.into()))
}

/// Returns an error if the path is that of a bundle or an image layout.
pub(super) fn require_index(path: &Path) -> Result<(), FetchError> {
    if path.join(LAYOUT_FILE).is_file() {
        let folder = path.to_owned();
        return Err(FetchError::Layout { folder });
    }
    if is_bundle_folder(path) {
        let name = path.display().to_string();
        return Err(FetchError::Bundle { name });
    }
    Ok(())
}

/// Returns the content of an image that was read from `reference`: a database, unless the labels name only a file-based
/// catalog. The layers of the image may unpack to at most `limit` bytes.
///
/// # Errors
/// Returns an error if the image contains neither a database nor a file-based catalog.
pub(super) fn fetched_of(image: &Image, reference: &Reference, limit: u64) -> Result<Fetched, FetchError> {
    match (image.label(DATABASE_LABEL), image.label(CONFIGS_LABEL)) {
        (None, Some(configs)) => {
            let unpacked = TemporaryFolder::new()?;
            extract_folder(image, configs, unpacked.path(), limit)?;
            Ok(Fetched::Catalog(CatalogFolder {
                path: unpacked.path().to_owned(),
                inside: Some((reference.to_string(), configs.into())),
                _unpacked: Some(unpacked),
            }))
        }
        _ => database_of(image, reference, limit).map(Fetched::Database),
    }
}

/// Returns the database in an image that was read from `reference`. The maximum size is `limit` bytes.
///
/// # Errors
/// Returns an error if the image contains no database.
fn database_of(image: &Image, reference: &Reference, limit: u64) -> Result<DatabaseFile, FetchError> {
    if image.label(DATABASE_LABEL).is_none() {
        let name = reference.to_string();
        if image.label(CONFIGS_LABEL).is_some() {
            return Err(FetchError::Catalog { image: name });
        }
        if image.label(PACKAGE).is_some() {
            return Err(FetchError::Bundle { name });
        }
    }
    let inside = image.label(DATABASE_LABEL).unwrap_or(DATABASE_PATH);
    let unpacked = TemporaryFolder::new()?;
    let path = unpacked.file("index.db")?;
    let extracted = extract_file(image, inside.trim_start_matches('/'), &path, limit);
    extracted.map_err(|source| match source {
        // The temporary file cannot be written, whatever the image contains.
        ImageError::File(error) => FetchError::File(error),
        source => FetchError::NoIndex {
            image: reference.to_string(),
            source: Box::new(source),
        },
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
    fn a_path_or_a_name_with_a_file_extension_is_a_file_whether_or_not_it_exists() {
        for text in ["nope.db", "a/b.db", "a/b.yaml", "c.json", "./x", "/x/y", "../index"] {
            let location: IndexLocation = text.parse().unwrap();
            assert_eq!(location, IndexLocation::File(text.into()));
        }
        for text in [
            "registry.example.com/index:v1",
            "oci:index:latest",
            "index:v1",
            "a/index:v1.yaml",
        ] {
            let location: IndexLocation = text.parse().unwrap();
            assert!(matches!(location, IndexLocation::Image(_)), "{text}");
        }
        for text in ["Not An Image", "index"] {
            assert!(text.parse::<IndexLocation>().is_err(), "{text}");
        }
    }
}
