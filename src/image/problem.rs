//! What is wrong with the bytes of an image, or with what one is to be built from.

use super::digest::{Digest, DigestError};
use super::platform::Platform;
use crate::limit::Limit;
use std::io;

/// What is wrong with the bytes of an image.
#[derive(Debug, thiserror::Error)]
pub enum ContentProblem {
    /// Not JSON, or not of the shape that the OCI image specification gives.
    #[error("is not valid: {0}")]
    Json(serde_json::Error),
    /// A descriptor with an unusable digest.
    #[error("is not valid: {0}")]
    Digest(DigestError),
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
    Truncated(io::Error),
    /// A layer that is not gzip or tar all the way.
    #[error("is damaged: {0}")]
    Damaged(io::Error),
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

impl From<serde_json::Error> for ContentProblem {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error)
    }
}

impl From<DigestError> for ContentProblem {
    fn from(error: DigestError) -> Self {
        Self::Digest(error)
    }
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
    #[error("cannot write a temporary file in {}", crate::files::temporary_directory().display())]
    Temporary {
        /// What the system said.
        source: io::Error,
    },
}
