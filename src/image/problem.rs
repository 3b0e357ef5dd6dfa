//! Problems with the bytes of an image, or with the input for building an image.

use super::digest::{Digest, DigestError};
use super::platform::Platform;
use crate::counted::counted;
use crate::limit::Limit;
use std::io;

/// A problem with the bytes of an image.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContentProblem {
    /// Invalid JSON, or JSON that does not follow the OCI image specification.
    #[error("is invalid: {0}")]
    Json(serde_json::Error),
    /// A descriptor with an invalid digest.
    #[error("is invalid: {0}")]
    Digest(DigestError),
    /// A Docker schema 1 manifest, or a manifest with an unknown schema version.
    #[error("has schema version {version}, but only version 2 is supported (push the image again with a current tool)")]
    SchemaVersion {
        /// The schema version of the manifest.
        version: i64,
    },
    /// A document that is not clearly an image manifest or an index: it has the fields of neither, or of both.
    #[error("is neither an image manifest nor an image index (media type {media_type:?})")]
    MediaType {
        /// The media type of the document.
        media_type: String,
    },
    /// An index without entries, or an index nested in an index.
    #[error("is an image index that contains no image")]
    EmptyIndex,
    /// Bytes whose digest differs from the expected digest.
    #[error("has the digest {found} instead of {expected}; the content is damaged or was replaced")]
    WrongDigest {
        /// The expected digest.
        expected: Digest,
        /// The actual digest of the bytes.
        found: Digest,
    },
    /// Content whose size differs from the size in the descriptor.
    #[error("has {found} bytes instead of {expected}")]
    WrongSize {
        /// The size in the descriptor, in bytes.
        expected: u64,
        /// The actual size in bytes.
        found: u64,
    },
    /// A size in a descriptor that is negative or exceeds the limit.
    #[error("refers to content of {found} bytes; the limit is {limit} bytes")]
    Size {
        /// The size in the descriptor.
        found: i64,
        /// The limit in bytes.
        limit: u64,
    },
    /// Content that exceeds a size limit.
    #[error("exceeds the limit of {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
        /// The limit that the user can raise, if any. The limits for manifests and configs are fixed, as in registries.
        raised_by: Option<Limit>,
    },
    /// Content that exceeds a fixed size limit.
    #[error("is larger than {limit} bytes")]
    TooMuch {
        /// The limit in bytes.
        limit: u64,
    },
    /// A list with too many entries.
    #[error("contains more than {limit} {what}")]
    TooMany {
        /// The kind of the entries.
        what: &'static str,
        /// The maximum number of entries.
        limit: usize,
    },
    /// A layer with an unsupported compression method.
    #[error("is compressed with {method}, which is not supported (push the image with gzip layers)")]
    Compression {
        /// The compression method.
        method: &'static str,
    },
    /// A layer that ends prematurely.
    #[error("is truncated: {0}")]
    Truncated(io::Error),
    /// A layer with invalid gzip or tar data.
    #[error("is damaged: {0}")]
    Damaged(io::Error),
    /// Content whose file cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(io::Error),
    /// A link, device or pipe where a regular file is expected.
    #[error("contains {path} as a {kind} instead of a regular file")]
    EntryType {
        /// The path of the entry.
        path: String,
        /// The kind of the entry.
        kind: &'static str,
    },
    /// A config that does not list the digest of each layer's uncompressed content.
    #[error("lists the digests of {}, but the image has {expected}", counted(*.found, "uncompressed layer"))]
    DiffIds {
        /// The number of layers.
        expected: usize,
        /// The number of digests in the config.
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

/// A problem with the input for building an image.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildProblem {
    /// A path that is absolute, points outside the root, or is not normalized.
    #[error("the path {path:?} is not a plain relative path")]
    Path {
        /// The path.
        path: String,
    },
    /// A path in so many folders that opmx would not read the layer again.
    #[error("the path {path} has more than {limit} components")]
    Deep {
        /// The path.
        path: String,
        /// The maximum number of components.
        limit: usize,
    },
    /// A path that is used for two files, or for a file and a folder.
    #[error("{path} is added twice")]
    Duplicate {
        /// The path.
        path: String,
    },
    /// A file whose size changed while it was being read.
    #[error("{path} changed while it was being read")]
    Changed {
        /// The file on disk.
        path: String,
    },
    /// A layer whose uncompressed content has no known digest.
    #[error("the digest of the uncompressed layer {layer} is unknown")]
    DiffId {
        /// The digest of the layer.
        layer: Digest,
    },
    /// An image without a platform among images for several platforms.
    #[error("the config of {image} does not specify a platform")]
    NoPlatform {
        /// The digest of the image.
        image: Digest,
    },
    /// Two images for the same platform.
    #[error("two images have the platform {platform}")]
    SamePlatform {
        /// The platform.
        platform: Platform,
    },
    /// A temporary file could not be written.
    #[error("cannot write a temporary file in {}", crate::files::temporary_directory().display())]
    Temporary {
        /// The underlying error.
        source: io::Error,
    },
}
