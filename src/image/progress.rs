//! Progress reports for transfers.

use std::time::Duration;

/// The interval between reports of the progress of a larger operation.
pub(super) const TICK: Duration = Duration::from_secs(1);

/// A receiver of progress reports about transfers of large content from and to registries; reading and writing layouts
/// and archives is not reported. Several threads may report at the same time.
pub trait Progress: Send + Sync {
    /// Reports the start of a transfer. `what` describes the transfer, and `bytes` is its size if known. Returns the ID
    /// of the transfer.
    fn started(&self, what: &str, bytes: Option<u64>) -> u64;

    /// Reports that `bytes` more bytes were transferred.
    fn advanced(&self, id: u64, bytes: u64);

    /// Reports the end of a transfer, successful or not. A retry is a new transfer.
    fn finished(&self, id: u64);

    /// Reports, about once a second, the progress of a larger operation that consists of several transfers. `None`
    /// reports the end of the operation.
    fn whole(&self, _whole: Option<Whole>) {}

    /// Reports a warning to the user; the operation continues.
    fn warned(&self, _message: &str) {}
}

/// The progress of an operation that consists of several transfers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Whole {
    /// The number of bytes transferred.
    pub bytes: u64,
    /// The total number of bytes.
    pub bytes_of: u64,
    /// The number of images completed.
    pub items: u64,
    /// The number of images that failed.
    pub failed: u64,
    /// The total number of images.
    pub items_of: u64,
}

/// A [`Progress`] that ignores all reports.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn started(&self, _what: &str, _bytes: Option<u64>) -> u64 {
        0
    }

    fn advanced(&self, _id: u64, _bytes: u64) {}

    fn finished(&self, _id: u64) {}
}
