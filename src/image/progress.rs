//! How far a transfer is, for whoever watches.

/// Told about the transfers of large content, from several threads at once.
pub trait Progress: Send + Sync {
    /// A transfer begins: what it is about, and its number of bytes if known. The answer names it from now on.
    fn started(&self, what: &str, bytes: Option<u64>) -> u64;

    /// This many more bytes of the transfer are done.
    fn advanced(&self, id: u64, bytes: u64);

    /// The transfer is over, well or not. A repeated transfer begins anew.
    fn finished(&self, id: u64);

    /// Something that the user should know, although everything goes on.
    fn warned(&self, _message: &str) {}
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn started(&self, _what: &str, _bytes: Option<u64>) -> u64 {
        0
    }

    fn advanced(&self, _id: u64, _bytes: u64) {}

    fn finished(&self, _id: u64) {}
}
