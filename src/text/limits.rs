//! Limits on the amount of text that is read.

/// Size limits for one file or for all files of one input. Input that exceeds a limit is rejected with a finding that
/// names the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum size of a file in bytes.
    pub file_bytes: usize,
    /// The maximum nesting depth of lists and maps, after aliases are expanded. Values above `Limits::MOST_DEPTH` have
    /// the effect of `Limits::MOST_DEPTH`.
    pub depth: usize,
    /// The maximum number of documents in a file.
    pub documents: usize,
    /// The maximum number of keys and values in a file, and in all files of one input (such as a bundle) together,
    /// after aliases are expanded. A document counts as four values.
    pub values: usize,
}

impl Limits {
    /// The maximum nesting depth regardless of [`Limits::depth`]. JSON readers refuse more, so a document that is
    /// accepted can be read again wherever it is stored.
    pub(crate) const MOST_DEPTH: usize = 127;

    /// The maximum file size in bytes regardless of [`Limits::file_bytes`], so that places take little memory.
    pub(crate) const MOST_FILE_BYTES: usize = u32::MAX as usize;

    /// The highest possible limits, for text that has already been read under the user's limits, or that opmx wrote.
    pub(crate) const UNLIMITED: Self = Self {
        file_bytes: usize::MAX,
        depth: Self::MOST_DEPTH,
        documents: usize::MAX,
        values: usize::MAX,
    };

    /// Returns the limits for files whose values have already been counted.
    pub(crate) fn counted(&self) -> Self {
        Self {
            values: usize::MAX,
            ..*self
        }
    }

    pub(super) fn effective_file_bytes(&self) -> usize {
        self.file_bytes.min(Self::MOST_FILE_BYTES)
    }

    pub(super) fn effective_depth(&self) -> usize {
        self.depth.min(Self::MOST_DEPTH)
    }

    /// Returns the maximum number of bytes of text that aliases may add to all files of one input. In go-yaml, aliases
    /// share one value, but a JSON value contains a copy for each alias.
    pub(super) fn alias_bytes(&self) -> usize {
        self.file_bytes
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 16 << 20,
            depth: Self::MOST_DEPTH,
            documents: 10_000,
            values: 500_000,
        }
    }
}
