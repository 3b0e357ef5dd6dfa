//! Why an image cannot be read, built or moved.

use super::digest::{Digest, DigestError};
use super::manifest::Platform;
use super::reference::ReferenceError;
use super::registry::RegistryError;
use super::tag::Race;
use crate::files::FileError;
use crate::limit::Limit;
use crate::tree::TreeError;
use std::io;

/// An image operation that failed.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// The text is not a reference.
    #[error("{0}")]
    Reference(#[from] ReferenceError),
    /// A file or directory could not be read or written.
    #[error("{0}")]
    File(#[from] FileError),
    /// A layer holds something that a tree of files may not hold.
    #[error("{0}")]
    Tree(#[from] TreeError),
    /// A request to a registry failed.
    #[error("{0}")]
    Registry(#[source] Box<RegistryError>),
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
    #[error("cannot build the image: {problem}")]
    Build {
        /// What is wrong.
        #[source]
        problem: BuildProblem,
    },
}

/// What is wrong with the bytes of an image.
#[derive(Debug, thiserror::Error)]
pub enum ContentProblem {
    /// Not JSON, or not of the shape that the OCI image specification gives.
    #[error("is not valid: {0}")]
    Json(#[from] serde_json::Error),
    /// A descriptor with an unusable digest.
    #[error("is not valid: {0}")]
    Digest(#[from] DigestError),
    /// A Docker schema 1 manifest, or a future version.
    #[error("has schema version {version}; only version 2 is supported (push the image again with a current tool)")]
    SchemaVersion {
        /// What it says.
        version: i64,
    },
    /// Neither an image manifest nor an index, or both at once.
    #[error("is neither an image manifest nor an image index (media type {media_type:?})")]
    MediaType {
        /// What it says it is.
        media_type: String,
    },
    /// An index inside an index, or one without entries.
    #[error("is an image index that names no image")]
    EmptyIndex,
    /// The bytes have another digest than the name under which they are stored.
    #[error("has the digest {found}, expected {expected}: the content is damaged or was replaced")]
    WrongDigest {
        /// What was asked for.
        expected: Digest,
        /// What came.
        found: Digest,
    },
    /// More or fewer bytes than the descriptor says.
    #[error("has {found} bytes, expected {expected}")]
    WrongSize {
        /// As the descriptor says.
        expected: u64,
        /// What came.
        found: u64,
    },
    /// More than a limit allows.
    #[error("is over the limit of {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
        /// The limit that can be raised; those on manifests and configs are fixed, as in registries.
        raised_by: Option<Limit>,
    },
    /// More than anything of its kind may have.
    #[error("has more than {limit} bytes")]
    TooMuch {
        /// The limit in bytes.
        limit: u64,
    },
    /// More entries than a limit allows.
    #[error("has more than {limit} {what}")]
    TooMany {
        /// What is counted.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// A layer that is compressed in a way that opmx does not read.
    #[error("is compressed with {method}, which is not supported (push the image with gzip layers)")]
    Compression {
        /// The method.
        method: &'static str,
    },
    /// A layer that ends too early.
    #[error("is cut short: {0}")]
    Truncated(#[source] io::Error),
    /// A layer that is not gzip or tar all the way.
    #[error("is damaged: {0}")]
    Damaged(#[source] io::Error),
    /// A link, device or pipe where a file is wanted.
    #[error("holds {path} as a {kind}, where a file is wanted")]
    EntryType {
        /// The path of the entry.
        path: String,
        /// What it is.
        kind: &'static str,
    },
    /// The config does not list the uncompressed digests of the layers.
    #[error("lists {found} uncompressed layer digests for {expected} layers")]
    DiffIds {
        /// Number of layers.
        expected: usize,
        /// Number of digests in the config.
        found: usize,
    },
}

/// What cannot be built into an image.
#[derive(Debug, thiserror::Error)]
pub enum BuildProblem {
    /// A path that is absolute, climbs, or is not in its plain form.
    #[error("the path {path:?} is not a plain relative path")]
    Path {
        /// The path.
        path: String,
    },
    /// One path as two files, or as a file and a folder.
    #[error("{path} is added twice")]
    Duplicate {
        /// The path.
        path: String,
    },
    /// A file that grew or shrank while it was read.
    #[error("{path} changed while it was read")]
    Changed {
        /// The file on disk.
        path: String,
    },
    /// A layer without the digest of its uncompressed content.
    #[error("the uncompressed digest of the layer {layer} is not known")]
    DiffId {
        /// The layer.
        layer: Digest,
    },
    /// An image for several platforms of which one cannot be told from the others.
    #[error("the config of {image} names no platform")]
    NoPlatform {
        /// The image.
        image: Digest,
    },
    /// Two images where a platform has one.
    #[error("two images are for {platform}")]
    SamePlatform {
        /// The platform.
        platform: Platform,
    },
    /// A temporary file could not be written.
    #[error("cannot write a temporary file in {}: {source}", crate::files::temporary_directory().display())]
    Temporary {
        /// What the system said.
        source: io::Error,
    },
}

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
