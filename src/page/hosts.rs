//! The registries that do not answer: they are asked once, and not again for each image.

use crate::causes::with_causes;
use std::collections::BTreeSet;
use std::error::Error;
use std::sync::{Mutex, PoisonError};

/// The hosts that could not be reached.
#[derive(Debug, Default)]
pub struct Hosts {
    unreachable: Mutex<BTreeSet<String>>,
}

impl Hosts {
    /// Forgets the unreachable hosts, so that they are tried again.
    pub(super) fn forget(&self) {
        self.unreachable.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Returns an error if the host could not be reached before.
    pub(super) fn check(&self, host: &str) -> Result<(), String> {
        let unreachable = self.unreachable.lock().unwrap_or_else(PoisonError::into_inner);
        if unreachable.contains(host) {
            Err(format!("{host} could not be reached before"))
        } else {
            Ok(())
        }
    }

    pub(super) fn give_up(&self, host: &str) {
        let mut unreachable = self.unreachable.lock().unwrap_or_else(PoisonError::into_inner);
        unreachable.insert(host.to_owned());
    }
}

/// Returns the reason of an error, without the image that is shown next to it.
pub(super) fn reason(error: &dyn Error, image: &str) -> String {
    let reason = with_causes(error);
    let behind = reason.strip_prefix(image).and_then(|reason| reason.strip_prefix(": "));
    behind.unwrap_or(&reason).to_owned()
}
