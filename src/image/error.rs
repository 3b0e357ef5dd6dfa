//! Errors from image operations.

use super::digest::Digest;
use super::platform::{Offer, Platform};
use super::problem::{BuildProblem, ContentProblem};
use super::reference::{Reference, ReferenceError};
#[cfg(feature = "registry")]
use super::registry::error::RegistryError;
use super::tag_state::Race;
use crate::causes::with_causes;
use crate::files::FileError;
use crate::tree::TreeError;

/// An error from an image operation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// A string is not an image reference.
    #[error(transparent)]
    Reference(#[from] ReferenceError),
    /// A file or directory could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A layer contains an entry that is not allowed in a file tree.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A request to a registry failed.
    #[cfg(feature = "registry")]
    #[error(transparent)]
    Registry(Box<RegistryError>),
    /// The image is in a registry, but the library was built without the `registry` feature.
    #[cfg(not(feature = "registry"))]
    #[error("{image}: this program was built without registry support")]
    NoRegistry {
        /// The reference.
        image: String,
    },
    /// The image does not exist, or does not contain the requested file.
    #[error("{image}: {what} was not found{}", list_of(available))]
    NotFound {
        /// The reference.
        image: String,
        /// The image or file that was not found.
        what: String,
        /// The available alternatives.
        available: Vec<String>,
    },
    /// The reference matches several images.
    #[error("{image}: found {} images; specify the tag or digest of one of them{}", tags.len(), list_of(tags))]
    Ambiguous {
        /// The reference.
        image: String,
        /// The available tags, or the digests of untagged images.
        tags: Vec<String>,
    },
    /// A part of the image is invalid.
    #[error("{image}: {part} {problem}")]
    Content {
        /// The reference, or the digest of an image that has not been stored.
        image: String,
        /// The affected part: the manifest, the config, or a layer with its digest.
        part: String,
        /// The problem with this part.
        problem: ContentProblem,
    },
    /// Another process has locked a layout or the folder of an archive.
    #[error("{place}: another process is still writing to it after {seconds} seconds")]
    Busy {
        /// The layout directory, or the folder of the archive.
        place: String,
        /// The time spent waiting.
        seconds: u64,
    },
    /// Another client moved the tag at the same time.
    #[error("{image} {}", moved(race))]
    Moved {
        /// The reference.
        image: String,
        /// The way in which the tag was moved.
        race: Race,
    },
    /// An image cannot be built from its input.
    #[error("cannot build the image")]
    Build {
        /// The problem with the input.
        #[source]
        problem: BuildProblem,
    },
}

#[cfg(feature = "registry")]
impl From<RegistryError> for ImageError {
    fn from(error: RegistryError) -> Self {
        Self::Registry(Box::new(error))
    }
}

impl From<BuildProblem> for ImageError {
    fn from(problem: BuildProblem) -> Self {
        Self::Build { problem }
    }
}

impl ContentProblem {
    /// Converts the problem to an error that names the image and the affected part.
    pub(crate) fn of(self, image: impl Into<String>, part: impl Into<String>) -> ImageError {
        ImageError::Content {
            image: image.into(),
            part: part.into(),
            problem: self,
        }
    }
}

impl ImageError {
    /// Returns the error for content that was not found in any of its places.
    pub(crate) fn absent(digest: &Digest) -> Self {
        Self::NotFound {
            image: digest.to_string(),
            what: "its content".to_owned(),
            available: Vec::new(),
        }
    }

    /// Returns the error for an image that is not available for `platform`, or for any platform.
    pub(crate) fn no_platform(reference: &Reference, platform: Option<&Platform>, offers: &[Offer]) -> Self {
        Self::NotFound {
            image: reference.to_string(),
            what: match platform {
                Some(platform) => format!("an image for {platform}"),
                None => "an image for any platform".to_owned(),
            },
            available: offers.iter().map(|offer| offer.platform.to_string()).collect(),
        }
    }

    /// Whether a registry could not be reached. Returns `false` if the registry refused a request.
    pub fn is_unreachable(&self) -> bool {
        match self {
            #[cfg(feature = "registry")]
            Self::Registry(error) => error.failure.is_unreachable(),
            _ => false,
        }
    }

    /// Whether a request to a registry was not sent, because a local file that it needs, such as a file with
    /// credentials or certificates, cannot be used.
    pub fn is_local(&self) -> bool {
        match self {
            #[cfg(feature = "registry")]
            Self::Registry(error) => error.failure.is_local(),
            _ => false,
        }
    }

    /// Returns the reason for a failed request to a registry, without the image and the URL, for use in a message that
    /// already names the image. For any other error, returns the whole message.
    pub fn reason(&self) -> String {
        match self {
            #[cfg(feature = "registry")]
            Self::Registry(error) => with_causes(error.failure.as_ref()),
            error => with_causes(error),
        }
    }

    /// Whether a registry reports that the requested object does not exist, or refuses access to it.
    pub(crate) fn is_refusal(&self) -> bool {
        match self {
            #[cfg(feature = "registry")]
            Self::Registry(error) => error.failure.is_refusal(),
            _ => false,
        }
    }

    /// Whether the error means that a registry requires a login, or rejects the current login.
    pub fn is_login(&self) -> bool {
        match self {
            #[cfg(feature = "registry")]
            Self::Registry(error) => error.failure.is_login(),
            _ => false,
        }
    }
}

fn moved(race: &Race) -> String {
    match race {
        Race::Before { .. } => "was changed by another client in the meantime, so opmx did not replace it".to_owned(),
        Race::After { found } => format!("was changed by another client right after the push, and is now {found}"),
        Race::Over { lost } => {
            format!("was changed to {lost} by another client in the meantime, and this push replaced that image")
        }
        Race::Unknown { lost: None } => {
            "was pushed, but it is unknown whether another client changed it in the meantime, because the registry \
             responded too slowly"
                .to_owned()
        }
        Race::Unknown { lost: Some(lost) } => format!(
            "was changed by other clients during the push, at one point to {lost}, and not all of their changes could be tracked"
        ),
    }
}

fn list_of(items: &[String]) -> String {
    const SHOWN: usize = 10;
    if items.is_empty() {
        return String::new();
    }
    let mut list = items.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if items.len() > SHOWN {
        list.push_str(", …");
    }
    format!(" (available: {list})")
}
