//! A section of text to read, with the mapping of its offsets to the file.

use super::decoded::Offsets;
use crate::source::{Place, SourceFile};
use std::ops::Range;
use std::sync::{Arc, LazyLock};

/// The text of one document: a part of a file, or of a scalar of a file.
#[derive(Debug, Clone)]
pub(super) struct Passage {
    source: Arc<SourceFile>,
    scalar: Option<Arc<Scalar>>,
    range: Range<usize>,
}

/// The decoded text of a scalar, with its offsets in the text that contains the scalar. The offsets are determined when
/// a place is first needed.
#[derive(Debug)]
struct Scalar {
    text: String,
    offsets: LazyLock<Offsets, Box<dyn FnOnce() -> Offsets + Send>>,
    written: Passage,
}

impl Passage {
    pub(super) fn file(source: &Arc<SourceFile>) -> Self {
        Self {
            source: Arc::clone(source),
            scalar: None,
            range: 0..source.text().len(),
        }
    }

    /// Returns the decoded text of a scalar in this text; `offsets` returns the mapping of the decoded text to this
    /// text.
    pub(super) fn scalar(&self, text: String, offsets: impl FnOnce() -> Offsets + Send + 'static) -> Self {
        Self {
            source: Arc::clone(&self.source),
            range: 0..text.len(),
            scalar: Some(Arc::new(Scalar {
                text,
                offsets: LazyLock::new(Box::new(offsets)),
                written: self.clone(),
            })),
        }
    }

    /// Returns a part of this text by byte offsets.
    pub(super) fn part(&self, range: Range<usize>) -> Self {
        Self {
            source: Arc::clone(&self.source),
            scalar: self.scalar.clone(),
            range: self.range.start + range.start..self.range.start + range.end,
        }
    }

    pub(super) fn source(&self) -> &Arc<SourceFile> {
        &self.source
    }

    pub(super) fn text(&self) -> &str {
        let whole = self.scalar.as_ref().map_or(self.source.text(), |scalar| &scalar.text);
        whole.get(self.range.clone()).unwrap_or_default()
    }

    /// Returns whether this is the text of a scalar rather than of a file.
    pub(super) fn is_embedded(&self) -> bool {
        self.scalar.is_some()
    }

    /// Returns the place of a range of this text in the file.
    pub(super) fn place(&self, range: Range<usize>) -> Place {
        Place::new(&self.source, self.span(range))
    }

    /// Returns the bytes of the file that a range of this text comes from.
    pub(super) fn span(&self, range: Range<usize>) -> Range<usize> {
        let start = self.range.start + range.start;
        let end = self.range.start + range.end.max(range.start);
        match &self.scalar {
            Some(scalar) => scalar.written.span(scalar.offsets.span(start..end)),
            None => start.min(self.range.end)..end.min(self.range.end),
        }
    }
}
