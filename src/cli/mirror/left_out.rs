//! The warning about a plan that lacks content, for every command that works with the plan.

use crate::terminal::{Printer, counted};
use std::path::Path;

/// Warns that a mirror lacks selected images, because the plan in `place` leaves out `missing` of them.
pub(super) fn warn(missing: usize, place: &Path, printer: &Printer) {
    if missing > 0 {
        printer.warning(format_args!(
            "{} left out of the plan, so the mirror is incomplete; the field left_out in {} lists the reasons",
            match missing {
                1 => "1 selected image is".to_owned(),
                missing => format!("{} are", counted(missing, "selected image")),
            },
            place.display()
        ));
    }
}
