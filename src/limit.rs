//! The limits that callers of the library can set, as named in errors.

/// A limit that can be raised. Errors contain the limit, so that error output can explain how to raise it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The number of files in a bundle.
    Files,
    /// The size in bytes of one file in a bundle.
    FileBytes,
    /// The total size in bytes of all files in a bundle.
    TotalBytes,
    /// The total unpacked size in bytes of all layers of an image.
    ImageBytes,
}
