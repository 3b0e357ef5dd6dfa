//! How much text is read.

/// What a file may hold, or all files of one input. Whatever passes a limit is refused by a finding that names the
/// limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one file.
    pub file_bytes: usize,
    /// Lists and maps inside one another, after aliases are expanded. More than [`Limits::MOST_DEPTH`] counts as that.
    pub depth: usize,
    /// Documents of one file.
    pub documents: usize,
    /// Keys and values of one file, and of all files of one input together, such as a bundle, after aliases are
    /// expanded. A document counts as four.
    pub values: usize,
}

impl Limits {
    /// No document is read deeper than this, whatever [`Limits::depth`] says, so that every walk over a value
    /// fits on the stack of any thread.
    pub(crate) const MOST_DEPTH: usize = 1_024;

    /// No file is read that has more bytes, whatever [`Limits::file_bytes`] says, so that places take little memory.
    pub(crate) const MOST_FILE_BYTES: usize = u32::MAX as usize;

    pub(super) fn effective_file_bytes(&self) -> usize {
        self.file_bytes.min(Self::MOST_FILE_BYTES)
    }

    pub(super) fn effective_depth(&self) -> usize {
        self.depth.min(Self::MOST_DEPTH)
    }

    /// Bytes of text that aliases may add to all files of one input: go-yaml shares what an alias repeats, a JSON value
    /// holds it again each time.
    pub(super) fn alias_bytes(&self) -> usize {
        self.file_bytes
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 16 << 20,
            depth: 512,
            documents: 10_000,
            values: 500_000,
        }
    }
}
