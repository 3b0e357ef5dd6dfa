//! Reads volumes. All volumes and blobs are verified completely before their content is used.

use super::super::digest::{Digest, Hashing};
use super::super::image::{Blob, CheckedFile};
use super::super::tar_reader::{Header, TarReader};
use super::{VolumeFile, blob_of};
use crate::files::{FileError, Stamp, open_regular, read_at_most};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The maximum number of members in a volume.
const MEMBER_LIMIT: usize = 1_000_000;
const PIECE: usize = 1 << 20;

/// The content of volumes.
#[derive(Debug, Clone, Default)]
pub struct Volumes {
    /// The parts of each blob, in order.
    blobs: BTreeMap<Digest, Vec<Blob>>,
    /// The sizes of the blobs in bytes.
    sizes: BTreeMap<Digest, u64>,
}

/// An error while reading volumes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VolumesError {
    /// A volume cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A volume is missing.
    #[error("the volume {} is missing", path.display())]
    Missing {
        /// The expected path of the volume.
        path: PathBuf,
    },
    /// The digest of a volume differs from the expected digest.
    #[error("the volume {} is damaged: it has the digest {found} instead of {expected}", path.display())]
    Damaged {
        /// The path of the volume.
        path: PathBuf,
        /// The expected digest.
        expected: Digest,
        /// The actual digest.
        found: Digest,
    },
    /// The size of a volume differs from the expected size.
    #[error("the volume {} is damaged: it has {found} bytes instead of {expected}", path.display())]
    Size {
        /// The path of the volume.
        path: PathBuf,
        /// The expected size in bytes.
        expected: u64,
        /// The actual size in bytes.
        found: u64,
    },
    /// The digest of a blob differs from its name.
    #[error("the blob {digest} in {} is damaged: it has the digest {found}", folder.display())]
    Blob {
        /// The folder of the volumes.
        folder: PathBuf,
        /// The digest in the name of the blob.
        digest: Digest,
        /// The actual digest.
        found: Digest,
    },
    /// A volume is not a valid tar file.
    #[error("the volume {} is not a valid tar file", path.display())]
    Tar {
        /// The path of the volume.
        path: PathBuf,
        /// The underlying error.
        source: io::Error,
    },
}

/// Reads the volumes and verifies their sizes and digests. Also verifies the digests of the blobs in the volumes,
/// because the list of the volumes and their content may come from different sources.
///
/// # Errors
/// Returns an error if a volume is missing or damaged, or a blob is damaged. Sizes are checked before content.
pub fn read_volumes(folder: &Path, files: &[VolumeFile]) -> Result<Volumes, VolumesError> {
    for volume in files {
        let path = folder.join(&volume.name);
        let found = match path.metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(VolumesError::Missing { path }),
            found => found.map_err(|error| FileError::new("read", &path, error))?.len(),
        };
        let expected = volume.bytes;
        if found != expected {
            return Err(VolumesError::Size { path, expected, found });
        }
    }
    let (mut volumes, mut hashers) = (Volumes::default(), BTreeMap::new());
    for volume in files {
        volumes.add(folder.join(&volume.name), volume, &mut hashers)?;
    }
    for (digest, hashing) in hashers {
        let found = hashing.into_parts().1.finish();
        if found != digest {
            return Err(VolumesError::Blob {
                folder: folder.to_owned(),
                digest,
                found,
            });
        }
    }
    Ok(volumes)
}

/// Reads a file of at most `limit` bytes in a volume without verifying the volume.
///
/// # Errors
/// Returns an error if the volume cannot be read, or the file is larger.
pub fn read_file(volume: &Path, path: &str, limit: u64) -> Result<Option<Vec<u8>>, VolumesError> {
    let file = open_regular(volume).map_err(|error| FileError::new("read", volume, error))?;
    let fail = |source| VolumesError::Tar {
        path: volume.to_owned(),
        source,
    };
    let mut archive = TarReader::new(BufReader::with_capacity(PIECE, file));
    let mut members = 0;
    while let Some(header) = next_member(&mut archive, &mut members).map_err(fail)? {
        if header.name == path.as_bytes() {
            let bytes = read_at_most(archive, limit);
            return Ok(Some(bytes.map_err(|error| FileError::new("read", volume, error))?));
        }
    }
    Ok(None)
}

/// Returns the headers of the next member, and counts it.
fn next_member(archive: &mut TarReader<impl Read>, members: &mut usize) -> io::Result<Option<Header>> {
    let header = archive.next_member()?;
    *members += usize::from(header.is_some());
    if *members > MEMBER_LIMIT {
        return Err(io::Error::other(format!("it has more than {MEMBER_LIMIT} entries")));
    }
    Ok(header)
}

impl Volumes {
    fn add(&mut self, path: PathBuf, volume: &VolumeFile, hashers: &mut Hashers) -> Result<(), VolumesError> {
        let fail = |error| FileError::new("read", &path, error);
        let file = open_regular(&path).map_err(fail)?;
        // An archive may have more volumes than a process may open files, so volumes are not kept open.
        let stamp = Stamp::from(&file.metadata().map_err(fail)?);
        let checked = Arc::new(CheckedFile::new(path.clone(), stamp));
        let mut archive = TarReader::new(Hashing::new(BufReader::with_capacity(PIECE, file)));
        let mut found = Vec::new();
        let read = members(&mut archive, &checked, &mut found, hashers);
        let mut reader = archive.into_source();
        io::copy(&mut reader, &mut io::sink()).map_err(fail)?;
        let digest = reader.hasher.finish();
        // A damaged volume might not be a valid tar file, but reporting the damage is more helpful.
        if digest != volume.sha256 {
            return Err(VolumesError::Damaged {
                path,
                expected: volume.sha256,
                found: digest,
            });
        }
        read.map_err(|source| VolumesError::Tar { path, source })?;
        for (digest, length, blob) in found {
            self.blobs.entry(digest).or_default().push(blob);
            *self.sizes.entry(digest).or_default() += length;
        }
        Ok(())
    }

    /// Returns a blob if the volumes contain it completely.
    pub fn blob(&self, digest: &Digest, bytes: u64) -> Option<Blob> {
        if self.sizes.get(digest) != Some(&bytes) {
            return None;
        }
        Some(match self.blobs.get(digest)?.as_slice() {
            [whole] => whole.clone(),
            parts => Blob::Joined(parts.into()),
        })
    }
}

type Found = (Digest, u64, Blob);

/// The hashers of all blobs. The parts of a blob may be in several volumes.
type Hashers = BTreeMap<Digest, Hashing<io::Sink>>;

fn members(
    archive: &mut TarReader<Hashing<BufReader<File>>>,
    file: &Arc<CheckedFile>,
    found: &mut Vec<Found>,
    hashers: &mut Hashers,
) -> io::Result<()> {
    let mut count = 0;
    while let Some(header) = next_member(archive, &mut count)? {
        // In other kinds of entries, such as sparse files, the bytes in the archive are not the content.
        let is_file = matches!(header.kind, 0 | b'0') && !header.is_sparse;
        let Some(digest) = blob_of(&String::from_utf8_lossy(&header.name)).filter(|_| is_file) else {
            continue;
        };
        let (start, length) = (archive.source().hasher.length(), header.size);
        let file = Arc::clone(file);
        found.push((digest, length, Blob::Part { file, start, length }));
        let hashing = hashers.entry(digest).or_insert_with(|| Hashing::new(io::sink()));
        io::copy(archive, hashing)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entries_of_a_volume_are_limited() {
        let mut tar = tar::Builder::new(Vec::new());
        for name in ["first", "last"] {
            tar.append_data(&mut tar::Header::new_ustar(), name, io::empty())
                .unwrap();
        }
        let bytes = tar.into_inner().unwrap();
        let mut archive = TarReader::new(bytes.as_slice());
        let mut members = MEMBER_LIMIT - 1;
        assert_eq!(next_member(&mut archive, &mut members).unwrap().unwrap().name, b"first");
        let error = next_member(&mut archive, &mut members).unwrap_err();
        assert_eq!(error.to_string(), "it has more than 1000000 entries");
        let mut members = MEMBER_LIMIT - 2;
        let mut archive = TarReader::new(bytes.as_slice());
        while next_member(&mut archive, &mut members).unwrap().is_some() {}
    }
}
