//! Where a bundle is: a folder on this machine, or an image.

use super::image::files_of;
use crate::image::{ImageError, LAYOUT_FILE, Reference, ReferenceError, Transports};
use crate::tree::{Tree, TreeError, TreeLimits};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A place that a bundle can be read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// A folder with `manifests/` and `metadata/`.
    Directory(PathBuf),
    /// An image in a registry, a layout or an archive.
    Image(Reference),
}

/// Why a bundle cannot be read from its place.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The folder cannot be read, or holds what no bundle may hold.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The image cannot be read, or holds what no bundle may hold.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// The image holds none of a bundle's folders.
    #[error("{image} is no bundle image: it has no files in manifests/ or metadata/")]
    NoBundle {
        /// The reference.
        image: String,
    },
    /// The folder is an image layout, and not a bundle itself.
    #[error("{} is an OCI image layout, not the folder of a bundle", directory.display())]
    Layout {
        /// The folder.
        directory: PathBuf,
    },
    /// The work was given up, as at the end of the program.
    #[error("reading was interrupted")]
    Interrupted,
}

/// A string that is neither a folder nor a reference.
#[derive(Debug, thiserror::Error)]
#[error("{text} is neither a folder nor an image")]
pub struct LocationError {
    /// The text.
    pub text: String,
    /// What is wrong with it as a reference.
    pub source: ReferenceError,
}

impl FromStr for Location {
    type Err = LocationError;

    /// An existing folder is taken for the folder; so is a path that begins with `/` or `.`, which no image does. A
    /// word without a host, a path or a tag is rather the name of a folder that is not there.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.starts_with(['/', '.']) || Path::new(text).is_dir() {
            return Ok(Self::Directory(PathBuf::from(text)));
        }
        let read = text.parse().and_then(|reference| {
            if text.contains(['/', ':', '@']) {
                return Ok(reference);
            }
            Err(ReferenceError::Grammar {
                reference: text.to_owned(),
                problem: "it has neither a host nor a tag".to_owned(),
            })
        });
        read.map(Self::Image).map_err(|source| LocationError {
            text: text.to_owned(),
            source,
        })
    }
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
    /// The reference as the user wrote it, where the bundle is in a registry: the form that an index records.
    pub(crate) fn registry_reference(&self) -> Option<&str> {
        match self {
            Self::Image(Reference::Registry(reference)) => Some(reference.as_written()),
            Self::Image(_) | Self::Directory(_) => None,
        }
    }

    /// Reads the files of the bundle.
    ///
    /// # Errors
    /// When the place cannot be read, holds no bundle, or holds what a bundle may not hold.
    pub async fn load(&self, transports: &Transports, limits: TreeLimits) -> Result<Tree, LoadError> {
        match self {
            Self::Directory(directory) => {
                let directory = directory.clone();
                if directory.join(LAYOUT_FILE).is_file() {
                    return Err(LoadError::Layout { directory });
                }
                let read = move || Tree::from_directory(&directory, &limits);
                let tree = tokio::task::spawn_blocking(read).await;
                Ok(tree.map_err(|_| LoadError::Interrupted)??)
            }
            Self::Image(reference) => {
                let image = transports.pull(reference).await?;
                let files = tokio::task::spawn_blocking(move || files_of(&image, &limits)).await;
                let tree = files.map_err(|_| LoadError::Interrupted)??;
                if tree.is_empty() {
                    let image = reference.to_string();
                    return Err(LoadError::NoBundle { image });
                }
                Ok(tree)
            }
        }
    }
}
