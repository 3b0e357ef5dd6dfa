//! Names that are derived from other names, and must not exceed a length.

use crate::image::Digest;

/// Returns `name` and `end` in at most `most` bytes. A name that is too long is cut, and gets a part of its digest, so
/// that it stays distinct and reproducible.
pub(crate) fn generated_name(name: &str, end: &str, most: usize) -> String {
    if name.len() + end.len() <= most {
        return format!("{name}{end}");
    }
    let digest = Digest::of(name.as_bytes()).hex();
    let digest = &digest[..8];
    let room = most.saturating_sub(digest.len() + 1 + end.len());
    let start = name[..name.floor_char_boundary(room)].trim_end_matches(['-', '.', '_']);
    format!("{start}-{digest}{end}")
}
