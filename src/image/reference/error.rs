//! The error for a string that is not an image reference.

use super::name;
use crate::image::digest::DigestError;

/// The error for a string that is not an image reference.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReferenceError {
    /// An empty string, or a transport without an image.
    #[error("{reference:?} does not specify an image: expected HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG")]
    Empty {
        /// The rejected string.
        reference: String,
    },
    /// A transport of other container tools that opmx does not support.
    #[error(
        "{reference:?}: the transport {transport:?} is not supported; use docker://, oci: or oci-archive:{}",
        in_docker_hub(reference)
    )]
    Transport {
        /// The rejected string.
        reference: String,
        /// The part before the colon.
        transport: String,
    },
    /// A web address with `http://` or `https://`.
    #[error("{reference:?} is a web address, not an image reference; remove {scheme:?}")]
    Address {
        /// The rejected string.
        reference: String,
        /// `http://` or `https://`.
        scheme: String,
    },
    /// A repository, tag or port that violates the reference grammar.
    #[error("{reference:?} is not an image reference: {problem}")]
    Grammar {
        /// The rejected string.
        reference: String,
        /// A description of the invalid part and the expected format.
        problem: String,
    },
    /// An invalid digest.
    #[error("{reference:?} is not an image reference")]
    Digest {
        /// The rejected string.
        reference: String,
        /// The error for the invalid digest.
        source: DigestError,
    },
}

/// Returns the way to write the image on Docker Hub that has the name of a transport and a tag.
fn in_docker_hub(reference: &str) -> String {
    match name::parse(reference) {
        Ok(_) => format!("; for an image on Docker Hub, write docker://docker.io/library/{reference}"),
        Err(_) => String::new(),
    }
}
