//! The warning about images that bundles mention, but that a mirror of them would not contain.

use super::following;
use crate::mirror::images::Unlisted;
use crate::terminal::{Printer, counted};

/// The maximum number of images that are shown.
const SHOWN: usize = 20;

/// Warns of images that bundles mention but do not list. `place` is what lacks them.
pub(super) fn warn(place: &str, unlisted: &Unlisted, hint: &str, printer: &Printer) {
    for (image, bundles) in unlisted.iter().take(SHOWN) {
        let bundles: Vec<String> = bundles.iter().cloned().collect();
        let verb = if bundles.len() == 1 {
            "mentions it but does not list it"
        } else {
            "mention it but do not list it"
        };
        printer.warning(format_args!(
            "{place} lacks {image}: {} {verb} as a related image",
            following::some(&bundles)
        ));
    }
    if unlisted.len() > SHOWN {
        let more = counted(unlisted.len() - SHOWN, "more image");
        printer.warning(format_args!(
            "{place} lacks {more} that bundles mention but do not list"
        ));
    }
    if !unlisted.is_empty() {
        printer.warning_hint(hint);
    }
}
