//! A transfer whose progress is reported.

use crate::image::progress::Progress;

/// A transfer. Its end is reported when the value is dropped, whether or not the transfer succeeded.
pub(super) struct Transfer<'a> {
    progress: &'a dyn Progress,
    id: u64,
}

impl<'a> Transfer<'a> {
    pub(super) fn new(progress: &'a dyn Progress, what: &str, bytes: u64) -> Self {
        let id = progress.started(what, Some(bytes));
        Self { progress, id }
    }

    pub(super) fn id(&self) -> u64 {
        self.id
    }

    pub(super) fn advanced(&self, bytes: u64) {
        self.progress.advanced(self.id, bytes);
    }
}

impl Drop for Transfer<'_> {
    fn drop(&mut self) {
        self.progress.finished(self.id);
    }
}
