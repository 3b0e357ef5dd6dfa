//! Why an image cannot be read, built or moved.

use super::problem::{BuildProblem, ContentProblem};
use super::reference::ReferenceError;
#[cfg(feature = "registry")]
use super::registry::error::RegistryError;
use super::tag_state::Race;
use crate::files::FileError;
use crate::tree::TreeError;

/// An image operation that failed.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// The text is not a reference.
    #[error(transparent)]
    Reference(#[from] ReferenceError),
    /// A file or directory could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A layer holds something that a tree of files may not hold.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A request to a registry failed.
    #[cfg(feature = "registry")]
    #[error(transparent)]
    Registry(Box<RegistryError>),
    /// The image is in a registry, and the library was built without the feature `registry`.
    #[cfg(not(feature = "registry"))]
    #[error("{image}: this program was built without access to registries")]
    NoRegistry {
        /// The reference.
        image: String,
    },
    /// There is no such image, or no such file in it.
    #[error("{image}: {what} was not found{}", list_of(available))]
    NotFound {
        /// The reference.
        image: String,
        /// What was looked for.
        what: String,
        /// What there is instead.
        available: Vec<String>,
    },
    /// Several images, and nothing that says which.
    #[error("{image}: it holds {} images, name one of them by its tag{}", tags.len(), list_of(tags))]
    Ambiguous {
        /// The reference.
        image: String,
        /// The tags (or digests) there are.
        tags: Vec<String>,
    },
    /// The image's own bytes are not what they should be.
    #[error("{image}: {part} {problem}")]
    Content {
        /// The reference, or the digest of an image that was never stored.
        image: String,
        /// The manifest, the config, or a layer with its digest.
        part: String,
        /// What is wrong with it.
        problem: ContentProblem,
    },
    /// Another process keeps a layout, or the folder of an archive, locked.
    #[error("{place}: another process is writing to it, waited {seconds} seconds")]
    Busy {
        /// The folder.
        place: String,
        /// How long was waited.
        seconds: u64,
    },
    /// The tag that was to be moved was moved by somebody else, too.
    #[error("{image} {}", moved(race))]
    Moved {
        /// The reference.
        image: String,
        /// How it was moved.
        race: Race,
    },
    /// Something that cannot be put into a layer or config.
    #[error("cannot build the image")]
    Build {
        /// What is wrong.
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
    /// Says which part of which image has the problem.
    pub(super) fn of(self, image: impl Into<String>, part: impl Into<String>) -> ImageError {
        ImageError::Content {
            image: image.into(),
            part: part.into(),
            problem: self,
        }
    }
}

fn moved(race: &Race) -> String {
    match race {
        Race::Before { .. } => "was changed by another client in the meantime, so it was left as it is".to_owned(),
        Race::After { found } => format!("was changed by another client right after the push, and is {found} now"),
        Race::Over { lost } => {
            format!("was changed by another client in the meantime, to {lost}, which this push replaced")
        }
        Race::Unknown { lost: None } => {
            "was pushed, but the registry was too slow to tell whether another client had changed it in the meantime"
                .to_owned()
        }
        Race::Unknown { lost: Some(lost) } => format!(
            "was changed by other clients during the push, and not all of their changes could be followed: {lost} was one"
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
    format!(" (there is: {list})")
}
