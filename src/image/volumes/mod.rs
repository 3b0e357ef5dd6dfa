//! OCI layouts in volumes: tar files of limited size. Each volume is a layout, and all volumes form a single layout
//! when they are unpacked to the same folder.
//!
//! All positions are determined by the content sizes, before any content is read. Therefore, blobs can be written in
//! any order, the same content results in the same bytes, and an interrupted run can be resumed by checking the
//! existing volumes. A blob that is larger than a volume is split into parts.

#[cfg(feature = "registry")]
mod fill;
mod plan;
mod read;
mod write;

#[cfg(feature = "registry")]
pub use fill::fill;
pub use plan::{Content, Fixed, MOST_VOLUMES, Member, Volume, VolumeSizeError, volumes};
pub use read::{Volumes, VolumesError, read_file, read_volumes};
pub use write::Writer;

use super::digest::Digest;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io;

/// A volume on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VolumeFile {
    /// The file name of the volume.
    pub name: String,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The digest of the file.
    pub sha256: Digest,
}

/// Returns the file name of a volume; `number` starts at 1.
fn file_name(name: &str, number: usize) -> String {
    format!("{name}-{number:04}.tar")
}

/// Returns the path, in a layout, of a blob or of one of its parts. Part numbers start at 1.
fn blob_path(digest: &Digest, part: Option<u32>) -> String {
    let hex = digest.hex();
    match part {
        None => format!("blobs/sha256/{hex}"),
        Some(part) => format!("blobs/sha256/{hex}.part-{part:04}"),
    }
}

/// Returns the digest of the blob to which a path in a layout belongs. The path may be that of a part.
fn blob_of(path: &str) -> Option<Digest> {
    let name = path.strip_prefix("blobs/sha256/")?;
    let hex = match name.split_once(".part-") {
        None => name,
        Some((hex, part)) => part.parse::<u32>().is_ok().then_some(hex)?,
    };
    format!("sha256:{hex}").parse().ok()
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], position: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, position)
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut position: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = std::os::windows::fs::FileExt::seek_write(file, bytes, position)?;
        position += written as u64;
        bytes = bytes.get(written..).unwrap_or_default();
    }
    Ok(())
}
