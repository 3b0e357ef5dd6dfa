//! The source of a blob's bytes during a transfer: memory, a file or a registry.

use super::digest::Digest;
use super::error::ImageError;
use super::image::Blob;
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
    Held {
        reader: Box<dyn Read + Send>,
        digest: Digest,
    },
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

    /// Returns a reader for the blob, positioned at its start. `digest` names the blob in messages.
    pub(super) fn reader(&self, digest: &Digest) -> Result<BlobReader, FileError> {
        Ok(match self {
            Self::Held(blob) => BlobReader::Held {
                reader: blob.open()?,
                digest: *digest,
            },
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
    /// Returns the next chunk of bytes, or `None` at the end of the blob.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<u8>>, ImageError> {
        match self {
            Self::Held { reader, digest } => {
                let mut piece = vec![0; PIECE];
                let read = reader.read(&mut piece);
                // A blob may be in several files, or in a file without a name.
                let read =
                    read.map_err(|error| ContentProblem::Unreadable(error).of(digest.to_string(), "the blob"))?;
                piece.truncate(read);
                Ok((read > 0).then_some(piece))
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
    async fn a_blob_that_cannot_be_read_is_named_with_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part-2");
        let blob = Blob::Joined([Blob::Memory(b"one".to_vec().into()), Blob::File(path.clone())].into());
        let digest = Digest::of(b"one and two");
        let mut reader = BlobSource::Held(blob).reader(&digest).unwrap();
        assert_eq!(reader.next().await.unwrap().unwrap(), b"one");
        let error = reader.next().await.unwrap_err().to_string();
        let expected = format!("{digest}: the blob cannot be read: cannot read {}", path.display());
        assert!(error.starts_with(&expected), "{error}");
    }
}
