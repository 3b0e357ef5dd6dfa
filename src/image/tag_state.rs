//! The state of a tag, and conflicts with other writers while the tag is being moved.

use super::digest::Digest;
use std::fmt;

/// The state of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagState {
    /// The tag does not exist.
    Absent,
    /// The tag refers to the image or image index with this digest.
    Image(Digest),
}

impl TagState {
    /// Returns the digest if the tag exists.
    pub fn digest(self) -> Option<Digest> {
        match self {
            Self::Absent => None,
            Self::Image(digest) => Some(digest),
        }
    }
}

impl fmt::Display for TagState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => formatter.write_str("absent"),
            Self::Image(digest) => digest.fmt(formatter),
        }
    }
}

/// A conflict with another writer that moved a tag while an image was being pushed to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Race {
    /// Another writer moved the tag before the push, so the push left the tag unchanged.
    Before {
        /// The state of the tag.
        found: TagState,
    },
    /// The tag was moved after the push, or while the image was being pushed, and no longer refers to the image.
    After {
        /// The state of the tag.
        found: TagState,
    },
    /// The tag refers to the pushed image. The push replaced another image that was under the tag only briefly. No
    /// other image is based on the replaced image.
    Over {
        /// The digest of the replaced image.
        lost: Digest,
    },
    /// The image was pushed to the tag, but not all intermediate states of the tag are known. Either the registry was
    /// too slow, or the tag was moved more than once.
    Unknown {
        /// The digest of another image that was under the tag, if any was seen.
        lost: Option<Digest>,
    },
}
