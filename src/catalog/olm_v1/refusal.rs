//! A reason why OLM v1 does not install a bundle.

use crate::text::Path;

/// A reason why OLM v1 does not install a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The reason, as a clause about the bundle.
    pub(crate) reason: String,
    /// What the author can do about it, as a sentence.
    pub(crate) help: &'static str,
    /// The part of the bundle with the problem.
    pub(crate) part: Part,
}

/// A part of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// The metadata.
    Metadata,
    /// A value in the ClusterServiceVersion.
    Csv(Path),
    /// A value in one of the objects, by its position.
    Object(usize, Path),
}

impl Refusal {
    pub(super) fn new(part: Part, reason: impl Into<String>, help: &'static str) -> Self {
        Self {
            reason: reason.into(),
            help,
            part,
        }
    }
}
