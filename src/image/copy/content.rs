//! Reads the content to be copied.

use super::{Place, Stored};
use crate::files::read_at_most;
use crate::image::blob_source::{BlobSource, held_name};
use crate::image::document::Document;
use crate::image::error::ImageError;
use crate::image::image::Blob;
use crate::image::manifest::{MANIFEST_LIMIT, check_digest};
use crate::image::problem::ContentProblem;
use crate::image::reference::Reference;
use crate::image::transport::Transports;

/// Reads content from the places that contain it.
pub(in crate::image) struct Contents<'a> {
    pub(in crate::image) source: &'a Transports,
    pub(in crate::image) target: Option<&'a Transports>,
    /// Blobs up to this size are kept in memory while they are in flight.
    pub(in crate::image) small: u64,
}

impl<'a> Contents<'a> {
    /// Divides half of the memory among `under_way` blobs in flight; the other half is for connection buffers.
    pub(in crate::image) fn within(memory: u64, under_way: usize, source: &'a Transports) -> Self {
        Self {
            source,
            target: None,
            small: memory / under_way.max(1) as u64 / 2,
        }
    }

    /// Whether this blob is small enough to be kept in memory while it is in flight.
    pub(super) fn is_small(&self, stored: &Stored) -> bool {
        stored.descriptor.size <= self.small
    }

    pub(in crate::image) fn blob(&self, stored: &Stored) -> BlobSource {
        let (mut repositories, mut at_target) = (Vec::new(), Vec::new());
        for place in &stored.places {
            match place {
                Place::Held(blob) => return BlobSource::Held(blob.clone()),
                Place::Registry(reference) => repositories.push(reference.clone()),
                Place::Target(reference) => at_target.push(reference.clone()),
            }
        }
        let whole = self.is_small(stored);
        match self.target {
            Some(target) if repositories.is_empty() => target.blob_in(&at_target, &stored.descriptor, whole),
            _ => self.source.blob_in(&repositories, &stored.descriptor, whole),
        }
    }

    pub(in crate::image) async fn document(&self, stored: &Stored) -> Result<Document, ImageError> {
        let digest = &stored.descriptor.digest;
        let mut last = None;
        for place in &stored.places {
            let found = match (place, self.target) {
                (Place::Held(blob), _) => held(blob, stored),
                (Place::Target(reference), Some(target)) => {
                    let pinned = Reference::Registry(reference.with_digest(digest));
                    target.document(&pinned).await
                }
                (Place::Registry(reference) | Place::Target(reference), _) => {
                    let pinned = Reference::Registry(reference.with_digest(digest));
                    self.source.document(&pinned).await
                }
            };
            match found {
                Ok(document) => return Ok(document),
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or_else(|| ImageError::absent(digest)))
    }
}

fn held(blob: &Blob, stored: &Stored) -> Result<Document, ImageError> {
    let digest = &stored.descriptor.digest;
    let fail = |problem: ContentProblem| problem.of(held_name(blob, digest), "the manifest");
    let bytes = read_at_most(blob.open()?, MANIFEST_LIMIT).map_err(|error| fail(ContentProblem::Unreadable(error)))?;
    let document = Document::read(bytes, Some(stored.descriptor.media_type.as_str())).map_err(fail)?;
    check_digest(digest, document.descriptor.digest).map_err(fail)?;
    Ok(document)
}
