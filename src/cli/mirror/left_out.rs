//! The warning about a plan that lacks content, for every command that works with the plan.

use crate::mirror::plan::Plan;
use crate::terminal::{Printer, counted};
use std::path::Path;

/// The numbers of selected images that a plan lacks.
#[derive(Debug, Clone, Copy)]
pub(super) struct LeftOut {
    /// The images that are not in the plan.
    missing: usize,
    /// The images that are in the plan without a part.
    partial: usize,
}

impl LeftOut {
    pub(super) fn of(plan: &Plan) -> Self {
        Self {
            missing: plan.missing().len(),
            partial: plan.partial().len(),
        }
    }

    /// Warns that a mirror lacks selected images, or parts of them, because the plan in `place` leaves them out.
    pub(super) fn warn(self, place: &Path, printer: &Printer) {
        for (count, what, left_out) in [
            (self.missing, "selected image", "left out of the plan"),
            (self.partial, "image", "only partly in the plan"),
        ] {
            if count > 0 {
                printer.warning(format_args!(
                    "{} {} {left_out}, so the mirror is incomplete; the field left_out in {} lists the reasons",
                    counted(count, what),
                    if count == 1 { "is" } else { "are" },
                    place.display()
                ));
            }
        }
    }
}
