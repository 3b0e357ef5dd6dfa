//! What a tag stands for, and what others can do to it while it is moved.

use super::digest::Digest;
use std::fmt;

/// What a tag stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagState {
    /// There is no such tag.
    Absent,
    /// The image, or image index, with this digest.
    Image(Digest),
}

impl TagState {
    /// The digest, where the tag is there.
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

/// How somebody else moved a tag while an image was on its way to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Race {
    /// The tag moved first. It was left alone.
    Before {
        /// What it stands for.
        found: TagState,
    },
    /// The tag stood for the image, or may have, and was moved on from there or past it.
    After {
        /// What it stands for.
        found: TagState,
    },
    /// The tag stands for the image, which took the place of one that was there for a moment only. Nobody has built on
    /// that one.
    Over {
        /// The digest of the image whose place was taken.
        lost: Digest,
    },
    /// The tag stands for the image, but the registry was too slow to tell what it stood for just before.
    Unknown {
        /// The digest of an image whose place was taken, where one was seen.
        lost: Option<Digest>,
    },
}
