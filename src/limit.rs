//! The limits that whoever calls the library sets, as errors name them.

/// A limit that can be raised. An error carries it, so that whoever prints the error can say how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Files of a bundle.
    Files,
    /// Bytes of one file of a bundle.
    FileBytes,
    /// Bytes of all files of a bundle.
    TotalBytes,
    /// Bytes of all layers of an image, unpacked.
    ImageBytes,
}
