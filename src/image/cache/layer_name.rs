//! The files of a cache that say which blob a layer was written as.

use crate::files::open_regular;
use crate::image::digest::Digest;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Bytes of the name of a blob, and more.
const NAME_LIMIT: u64 = 200;

/// Whether a file is called as those are that [`name`] gives, of this compression or another.
pub(super) fn is_name(file: &str) -> bool {
    file.split_once('.').is_some_and(|(diff_id, compression)| {
        format!("sha256:{diff_id}").parse::<Digest>().is_ok() && compression.parse::<u32>().is_ok()
    })
}

/// The blob that is written in the file of a name.
pub(super) fn named_by(path: &Path) -> Option<Digest> {
    digest_in(open_regular(path).ok()?)
}

pub(in crate::image) fn digest_in(file: File) -> Option<Digest> {
    let mut written = String::new();
    file.take(NAME_LIMIT).read_to_string(&mut written).ok()?;
    written.trim_end().parse().ok()
}
