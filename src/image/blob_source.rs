//! The source of a blob's bytes during a transfer: memory, a file or a registry.

use super::digest::{Digest, Hasher};
use super::error::ImageError;
use super::image::Blob;
use super::manifest::{Descriptor, check_digest};
use super::problem::ContentProblem;
use super::registry::{RemoteBlob, RemoteReader};
use crate::files::FileError;
use std::io::Read;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// The maximum number of bytes per chunk.
const PIECE: usize = 64 << 10;

/// The source of a blob's bytes.
#[derive(Clone)]
#[non_exhaustive]
pub enum BlobSource {
    /// The blob is in memory or in files.
    Held(Blob),
    /// The blob is in a registry.
    Remote(RemoteSource),
}

/// A blob in a registry.
#[derive(Clone)]
pub struct RemoteSource {
    blob: Arc<RemoteBlob>,
    /// The whole blob once it has been read, so that it need not be read again if the upload fails.
    kept: Option<Arc<OnceCell<Arc<[u8]>>>>,
}

/// The unread remainder of a blob.
pub(super) enum BlobReader {
    Held(Box<HeldReader>),
    Streamed(Box<RemoteReader>),
    Kept {
        blob: Arc<RemoteBlob>,
        cell: Arc<OnceCell<Arc<[u8]>>>,
        position: usize,
    },
}

impl BlobSource {
    /// Creates a source for a blob in a registry. The blob is streamed to its target, or is read completely first if
    /// `whole` is set.
    pub(super) fn remote(blob: RemoteBlob, whole: bool) -> Self {
        Self::Remote(RemoteSource {
            blob: Arc::new(blob),
            kept: whole.then(Arc::default),
        })
    }

    /// Returns a reader for the blob, positioned at its start.
    pub(super) fn reader(&self, descriptor: &Descriptor) -> Result<BlobReader, FileError> {
        Ok(match self {
            Self::Held(blob) => BlobReader::Held(Box::new(HeldReader {
                reader: blob.open()?,
                name: held_name(blob, &descriptor.digest),
                descriptor: descriptor.clone(),
                hasher: Hasher::new(),
                held: None,
                ended: false,
            })),
            Self::Remote(RemoteSource { blob, kept: None }) => BlobReader::Streamed(Box::new(blob.reader())),
            Self::Remote(RemoteSource { blob, kept: Some(cell) }) => BlobReader::Kept {
                blob: Arc::clone(blob),
                cell: Arc::clone(cell),
                position: 0,
            },
        })
    }
}

impl BlobReader {
    /// Returns the next chunk of bytes, or `None` at the end of the blob. The last chunk is returned only if the whole
    /// blob matches its descriptor.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<u8>>, ImageError> {
        match self {
            Self::Held(reader) => {
                let next = reader.next();
                next.map_err(|problem| problem.of(&reader.name, "the blob"))
            }
            Self::Streamed(reader) => Ok(reader.next().await?),
            Self::Kept { blob, cell, position } => {
                let all = cell.get_or_try_init(|| read_all(blob)).await?;
                let end = all.len().min(*position + PIECE);
                let piece = all.get(*position..end).unwrap_or_default();
                *position = end;
                Ok((!piece.is_empty()).then(|| piece.to_vec()))
            }
        }
    }
}

/// A reader that compares a blob in memory or in files with its descriptor, so that damaged content is not mistaken for
/// a fault of its target.
pub(super) struct HeldReader {
    reader: Box<dyn Read + Send>,
    name: String,
    descriptor: Descriptor,
    hasher: Hasher,
    /// The last chunk that was read.
    held: Option<Vec<u8>>,
    ended: bool,
}

impl HeldReader {
    fn next(&mut self) -> Result<Option<Vec<u8>>, ContentProblem> {
        let next = self.checked();
        if next.is_err() {
            self.ended = true;
            self.held = None;
        }
        next
    }

    fn checked(&mut self) -> Result<Option<Vec<u8>>, ContentProblem> {
        let expected = self.descriptor.size;
        while !self.ended {
            let mut piece = vec![0; PIECE];
            let read = self.reader.read(&mut piece).map_err(ContentProblem::Unreadable)?;
            piece.truncate(read);
            self.hasher.update(&piece);
            let found = self.hasher.length();
            self.ended = read == 0;
            if found > expected || self.ended && found < expected {
                return Err(ContentProblem::WrongSize { expected, found });
            }
            if self.ended {
                check_digest(&self.descriptor.digest, std::mem::take(&mut self.hasher).finish())?;
            } else if let Some(previous) = self.held.replace(piece) {
                return Ok(Some(previous));
            }
        }
        Ok(self.held.take())
    }
}

/// Returns the name of a blob in messages: its file or, because a blob may also be in several files or in a file
/// without a name, its digest.
pub(super) fn held_name(blob: &Blob, digest: &Digest) -> String {
    match blob {
        Blob::File(path) => path.display().to_string(),
        _ => digest.to_string(),
    }
}

async fn read_all(blob: &Arc<RemoteBlob>) -> Result<Arc<[u8]>, ImageError> {
    let (mut all, mut reader) = (Vec::new(), blob.reader());
    while let Some(piece) = reader.next().await? {
        all.extend_from_slice(&piece);
    }
    Ok(all.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_unreadable_blob_is_reported_with_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part-2");
        let blob = Blob::Joined([Blob::Memory(b"one".to_vec().into()), Blob::File(path.clone())].into());
        let digest = Digest::of(b"one and two");
        let mut reader = BlobSource::Held(blob).reader(&descriptor(b"one and two")).unwrap();
        let error = reader.next().await.unwrap_err().to_string();
        let expected = format!("{digest}: the blob cannot be read: cannot read {}", path.display());
        assert!(error.starts_with(&expected), "{error}");
    }

    #[tokio::test]
    async fn the_end_of_a_damaged_file_is_withheld_and_the_file_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("blob");
        let whole = vec![b'x'; PIECE + 1];
        let mut changed = whole.clone();
        changed[0] = b'y';
        let longer = [&whole[..], b"x"].concat();
        for (content, problem) in [
            (&whole[..PIECE], "the blob has 65536 bytes instead of 65537"),
            (&longer, "the blob has 65538 bytes instead of 65537"),
            (&changed, "the blob has the digest sha256:"),
        ] {
            std::fs::write(&path, content).unwrap();
            let source = BlobSource::Held(Blob::File(path.clone()));
            let mut reader = source.reader(&descriptor(&whole)).unwrap();
            let mut length = 0;
            let error = loop {
                match reader.next().await {
                    Ok(piece) => length += piece.unwrap().len(),
                    Err(error) => break error.to_string(),
                }
            };
            assert!(length < whole.len());
            assert_eq!(reader.next().await.unwrap(), None, "nothing follows an error");
            assert!(error.starts_with(&format!("{}: {problem}", path.display())), "{error}");
        }
        std::fs::write(&path, &whole).unwrap();
        let mut reader = BlobSource::Held(Blob::File(path)).reader(&descriptor(&whole)).unwrap();
        let mut read = Vec::new();
        while let Some(piece) = reader.next().await.unwrap() {
            read.extend(piece);
        }
        assert_eq!(read, whole);
    }

    fn descriptor(content: &[u8]) -> Descriptor {
        Descriptor {
            media_type: String::new(),
            digest: Digest::of(content),
            size: content.len() as u64,
        }
    }
}
