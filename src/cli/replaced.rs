//! Reports the image that a tag pointed to before it was replaced.

use crate::image::{Reference, TagState};
use crate::terminal::Printer;

/// Reports the image that was replaced at `target`, unless it is the same as the new image, `pinned`.
pub(crate) fn report(target: &Reference, before: Option<TagState>, pinned: &Reference, printer: &Printer) {
    let replaced = before.and_then(TagState::digest);
    if let Some(replaced) = replaced.filter(|digest| Some(*digest) != pinned.digest()) {
        printer.status(format_args!("replaced {}", target.with_digest(&replaced)));
    }
}
