//! Pushes images to a registry: first the missing blobs, then the manifests, and finally the tagged manifest.

use super::Registry;
use super::error::RegistryError;
use super::moving::Target;
use super::place::Before;
use super::repository::Repository;
use super::retry::with_retries;
use crate::concurrent;
use crate::image::blob_source::BlobSource;
use crate::image::digest::Digest;
use crate::image::document::Document;
use crate::image::error::ImageError;
use crate::image::image::Blob;
use crate::image::manifest::{Descriptor, check_digest};
use crate::image::reference::RegistryReference;
use crate::image::tag_state::TagState;
use crate::image::tagged_image::Tagged;
use futures_util::TryStreamExt;
use std::collections::BTreeMap;

impl Registry {
    /// Pushes an image, or images for several platforms. The tag is set last. If `over` is `Some`, the tag must still
    /// be in that state when it is set.
    pub(in crate::image) async fn push(
        &self,
        tagged: &Tagged,
        reference: &RegistryReference,
        over: Option<TagState>,
    ) -> Result<(), ImageError> {
        let written = reference.as_written();
        if let Some(expected) = reference.digest() {
            check_digest(&expected, tagged.digest()).map_err(|problem| problem.of(written, "the image"))?;
        }
        let repository = self.repository(reference);
        let mut blobs: BTreeMap<Digest, (Descriptor, Blob)> = BTreeMap::new();
        for image in tagged.images() {
            for layer in image.layers() {
                let (descriptor, content) = (layer.descriptor.clone(), layer.content.clone());
                blobs.insert(descriptor.digest, (descriptor, content));
            }
            let config = image.config_descriptor().clone();
            blobs.insert(config.digest, (config, Blob::Memory(image.config().into())));
        }
        let upload = |(descriptor, content)| self.upload(&repository, written, descriptor, content);
        let uploads = concurrent::unordered(
            blobs.values().map(|(descriptor, content)| (descriptor, content)),
            self.parallel,
            upload,
        );
        uploads.try_collect::<()>().await?;
        for document in tagged.behind() {
            let name = document.descriptor.digest.to_string();
            self.put(&repository, &document, written, &name).await?;
        }
        let document = tagged.document();
        match (reference.tag(), over) {
            (Some(tag), Some(over)) => {
                let target = Target {
                    repository: &repository,
                    image: written,
                    tag,
                };
                self.move_tag(document, target, over).await
            }
            // If the reference contains both a tag and a digest, the digest was checked above, and the tag is set.
            (Some(tag), None) => Ok(self.put(&repository, document, written, tag).await?),
            (None, _) => {
                let name = tagged.digest().to_string();
                Ok(self.put(&repository, document, written, &name).await?)
            }
        }
    }

    async fn put(
        &self,
        repository: &Repository,
        document: &Document,
        written: &str,
        name: &str,
    ) -> Result<(), RegistryError> {
        let _permit = self.permits.acquire().await;
        let put = || Self::push_manifest(repository, document, (written, name), None);
        with_retries(&self.retry, put).await.map(drop)
    }

    async fn upload(
        &self,
        repository: &Repository,
        image: &str,
        descriptor: &Descriptor,
        content: &Blob,
    ) -> Result<(), ImageError> {
        let content = BlobSource::Held(content.clone());
        let placed = self.place_in(repository, image, descriptor, &content, Before::default());
        Ok(placed.await.map(drop)?)
    }
}
