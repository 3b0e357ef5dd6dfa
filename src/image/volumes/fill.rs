//! Writes the content of a copy to volumes.

use super::super::blob_source::BlobSource;
use super::super::copy::{Contents, Copy, CopyOptions, Place, Stored};
use super::super::digest::Digest;
use super::super::error::ImageError;
use super::super::manifest::Descriptor;
use super::super::problem::ContentProblem;
use super::super::progress::{Progress, TICK, Whole};
use super::super::transport::Transports;
use super::Writer;
use crate::causes::with_causes;
use crate::concurrent;
use crate::files::FileError;
use futures_util::StreamExt;
use std::collections::{BTreeMap, BTreeSet};

/// The reason why content was not written to the volumes.
enum FillError {
    /// A volume cannot be written. Continuing is pointless, for example if the disk is full.
    Volume(FileError),
    /// The content cannot be read. Other content may still be readable.
    Source(ImageError),
}

impl<E: Into<ImageError>> From<E> for FillError {
    fn from(error: E) -> Self {
        Self::Source(error.into())
    }
}

/// Writes the manifests and blobs of a copy, largest first, to volumes that have space reserved for them. Content that
/// the volumes already contain is skipped. Returns the digests of the content that is still missing, each with the
/// reason.
///
/// # Errors
/// Returns an error if the volumes cannot be written.
pub async fn fill(
    writer: &Writer,
    copy: &Copy,
    wanted: &BTreeMap<Digest, u64>,
    there: &BTreeSet<Digest>,
    source: &Transports,
    options: &CopyOptions<'_>,
) -> Result<BTreeMap<Digest, String>, ImageError> {
    let contents = Contents::within(options.memory, options.concurrency, source);
    let absent = wanted.iter().filter(|(digest, _)| !there.contains(digest));
    let mut waiting: Vec<(u64, Digest)> = absent.map(|(digest, bytes)| (*bytes, *digest)).collect();
    waiting.sort_by_key(|(bytes, digest)| (std::cmp::Reverse(*bytes), *digest));
    let mut whole = Whole {
        bytes: 0,
        bytes_of: waiting.iter().map(|(bytes, _)| bytes).sum(),
        items: 0,
        failed: 0,
        items_of: waiting.len() as u64,
    };
    let not_tried = |(_, digest): &(u64, Digest)| {
        (
            *digest,
            "it was not copied, because copying other content failed".to_owned(),
        )
    };
    let mut open: BTreeMap<Digest, String> = waiting.iter().map(not_tried).collect();
    let contents = &contents;
    let transfer = |(bytes, digest)| async move {
        let moved = match (copy.blobs.get(&digest), copy.manifests.get(&digest)) {
            (Some(stored), _) => blob(writer, stored, contents.blob(stored), options.progress).await,
            (None, Some(stored)) => match contents.document(stored).await {
                Ok(document) => write(writer, &stored.descriptor, 0, &document.bytes),
                Err(error) => Err(error.into()),
            },
            (None, None) => Ok(()),
        };
        (bytes, digest, moved)
    };
    let mut transfers = concurrent::unordered(waiting, options.concurrency, transfer);
    loop {
        options.progress.whole(Some(whole));
        let moved = tokio::select! {
            moved = transfers.next() => moved,
            () = tokio::time::sleep(TICK) => continue,
        };
        let Some((bytes, digest, moved)) = moved else { break };
        match moved {
            Ok(()) => {
                whole.items += 1;
                open.remove(&digest);
            }
            Err(FillError::Volume(error)) => return Err(error.into()),
            Err(FillError::Source(error)) => {
                whole.failed += 1;
                open.insert(digest, with_causes(&error));
            }
        }
        whole.bytes += bytes;
        if options.fail_fast && whole.failed > 0 {
            break;
        }
    }
    drop(transfers);
    options.progress.whole(None);
    Ok(open)
}

async fn blob(writer: &Writer, stored: &Stored, content: BlobSource, progress: &dyn Progress) -> Result<(), FillError> {
    let what = stored.places.first().map_or_else(String::new, |place| match place {
        Place::Registry(reference) | Place::Target(reference) => reference.full_repository(),
        Place::Held(_) => stored.descriptor.digest.to_string(),
    });
    let id = progress.started(&what, Some(stored.descriptor.size));
    let written = written(writer, stored, content, |bytes| progress.advanced(id, bytes)).await;
    progress.finished(id);
    written
}

async fn written(
    writer: &Writer,
    stored: &Stored,
    content: BlobSource,
    advanced: impl Fn(u64),
) -> Result<(), FillError> {
    let (mut reader, mut position) = (content.reader(&stored.descriptor)?, 0);
    while let Some(piece) = reader.next().await? {
        write(writer, &stored.descriptor, position, &piece)?;
        position += piece.len() as u64;
        advanced(piece.len() as u64);
    }
    Ok(())
}

/// Writes bytes of content that starts at the offset `position`. The volumes have space for the stated size only.
fn write(writer: &Writer, descriptor: &Descriptor, position: u64, bytes: &[u8]) -> Result<(), FillError> {
    let (expected, found) = (descriptor.size, position + bytes.len() as u64);
    if found > expected {
        let problem = ContentProblem::WrongSize { expected, found };
        return Err(problem.of(descriptor.digest.to_string(), "the content").into());
    }
    writer
        .write(&descriptor.digest, position, bytes)
        .map_err(FillError::Volume)
}
