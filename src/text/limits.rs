//! How much text is read.

/// What one file may hold. Whatever passes a limit is refused by a finding that names the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one file.
    pub file_bytes: usize,
    /// Lists and maps inside one another, after aliases are expanded. More than [`Limits::MOST_DEPTH`] counts as that.
    pub depth: usize,
    /// Documents of one file.
    pub documents: usize,
}

impl Limits {
    /// No document is read deeper than this, whatever [`Limits::depth`] says, so that every walk over a value
    /// fits on the stack of any thread.
    pub const MOST_DEPTH: usize = 1_024;

    pub(super) fn effective_depth(&self) -> usize {
        self.depth.min(Self::MOST_DEPTH)
    }

    /// Bytes of text that aliases and merges may add to one document: go-yaml shares what an alias repeats, a JSON
    /// value holds it again each time.
    pub(super) fn alias_bytes(&self) -> usize {
        self.file_bytes.saturating_mul(4)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 16 << 20,
            depth: 512,
            documents: 10_000,
        }
    }
}
