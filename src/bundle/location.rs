//! The location of a bundle: a local folder or an image.

use super::image::files_of;
use crate::image::{ImageError, Reference, ReferenceError, Transports};
use crate::olm::label::{CONFIGS_LABEL, DATABASE_LABEL};
use crate::tree::{Tree, TreeError, TreeLimits};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A location from which a bundle can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// A folder with `manifests/` and `metadata/`.
    Directory(PathBuf),
    /// An image in a registry, a layout or an archive.
    Image(Reference),
}

/// An error while reading a bundle from its location.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The folder cannot be read, or contains an entry that is not allowed in a bundle.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The image cannot be read, or contains an entry that is not allowed in a bundle.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// The image contains an index.
    #[error("{image} is an index image, not a bundle image")]
    Index {
        /// The reference.
        image: String,
    },
    /// The image contains none of the bundle folders.
    #[error("{image} is not a bundle image: it contains no files in manifests/ or metadata/")]
    NoBundle {
        /// The reference.
        image: String,
    },
    /// The task was cancelled, for example at program exit.
    #[error("reading was interrupted")]
    Interrupted,
}

/// The error for a string that is neither a folder nor a reference.
#[derive(Debug, thiserror::Error)]
#[error("{text} is neither a folder nor an image reference")]
pub struct LocationError {
    /// The string.
    pub text: String,
    /// The reason why the string is not a valid reference.
    pub source: ReferenceError,
}

impl FromStr for Location {
    type Err = LocationError;

    /// Treats a string as a folder if a folder with this name exists. A string that begins with `/` or `.`, or ends
    /// with `/`, is also treated as a folder, because no image reference has this form. So is a single word, because it
    /// specifies neither a host nor a tag.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if is_path(text) || Path::new(text).is_dir() {
            return Ok(Self::Directory(PathBuf::from(text)));
        }
        let reference = text.parse().map_err(|source| LocationError {
            text: text.to_owned(),
            source,
        })?;
        if is_word(text) {
            return Ok(Self::Directory(PathBuf::from(text)));
        }
        Ok(Self::Image(reference))
    }
}

/// Whether a string can only be a path, and not an image reference.
pub(crate) fn is_path(text: &str) -> bool {
    text.starts_with(['/', '.']) || text.ends_with('/')
}

/// Whether a string specifies neither a host nor a tag, and is thus more likely the name of a folder than an image.
pub(crate) fn is_word(text: &str) -> bool {
    !text.contains(['/', ':', '@'])
}

impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Directory(directory) => write!(formatter, "{}", directory.display()),
            Self::Image(reference) => write!(formatter, "{reference}"),
        }
    }
}

impl Location {
    /// Returns the reference as the user wrote it, if the bundle is in a registry. An index stores this form.
    pub(crate) fn registry_reference(&self) -> Option<&str> {
        match self {
            Self::Image(Reference::Registry(reference)) => Some(reference.as_written()),
            Self::Image(_) | Self::Directory(_) => None,
        }
    }

    /// Reads the files of the bundle.
    ///
    /// # Errors
    /// Returns an error if the location cannot be read, contains no bundle, or contains entries that are not allowed in
    /// a bundle.
    pub async fn load(&self, transports: &Transports, limits: TreeLimits) -> Result<Tree, LoadError> {
        match self {
            Self::Directory(directory) => {
                let directory = directory.clone();
                let read = move || Tree::from_directory(&directory, &limits);
                let tree = tokio::task::spawn_blocking(read).await;
                Ok(tree.map_err(|_| LoadError::Interrupted)??)
            }
            Self::Image(reference) => {
                let image = transports.pull(reference).await?;
                let is_index = [DATABASE_LABEL, CONFIGS_LABEL]
                    .iter()
                    .any(|label| image.label(label).is_some());
                let files = tokio::task::spawn_blocking(move || files_of(&image, &limits)).await;
                let tree = files.map_err(|_| LoadError::Interrupted)??;
                if tree.is_empty() {
                    let image = reference.to_string();
                    return Err(if is_index {
                        LoadError::Index { image }
                    } else {
                        LoadError::NoBundle { image }
                    });
                }
                Ok(tree)
            }
        }
    }
}
