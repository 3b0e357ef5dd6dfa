//! Cache files, each of which maps a layer to its compressed blob.

use crate::files::open_regular;
use crate::image::digest::Digest;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The maximum number of bytes in a layer name file.
const NAME_LIMIT: u64 = 200;

/// Whether a file name is `HEX.NUMBER`: the hexadecimal digits of a digest and a compression version, which need not be
/// the current version.
pub(super) fn is_name(file: &str) -> bool {
    file.split_once('.').is_some_and(|(diff_id, compression)| {
        format!("sha256:{diff_id}").parse::<Digest>().is_ok() && compression.parse::<u32>().is_ok()
    })
}

/// Returns the blob digest that a layer name file records.
pub(super) fn named_by(path: &Path) -> Option<Digest> {
    digest_in(open_regular(path).ok()?)
}

pub(in crate::image) fn digest_in(file: File) -> Option<Digest> {
    let mut written = String::new();
    file.take(NAME_LIMIT).read_to_string(&mut written).ok()?;
    written.trim_end().parse().ok()
}
