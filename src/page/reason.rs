//! The reasons why images could not be read.

use crate::causes::with_causes;
use std::error::Error;

/// Returns the message of an error, without the image that is shown next to it.
pub(super) fn reason(error: &dyn Error, image: &str) -> String {
    let reason = with_causes(error);
    let behind = reason.strip_prefix(image).and_then(|reason| reason.strip_prefix(": "));
    behind.unwrap_or(&reason).to_owned()
}
