//! The one door to images, wherever they live.

use super::archive::{offers_in_archive, read_archive, replace_archive, resolve_archive, state_in_archive};
use super::cache::Cache;
use super::digest::Digest;
use super::error::ImageError;
use super::image::Image;
use super::layout::{offers_in_layout, read_layout, replace_in_layout, resolve_layout, state_in_layout};
use super::manifest::check_digest;
#[cfg(not(feature = "registry"))]
use super::no_registry::Registry;
use super::options::{CacheMode, ImageOptions};
use super::platform::Offer;
use super::platform::Platform;
use super::progress::Progress;
use super::reference::Reference;
#[cfg(feature = "registry")]
use super::registry::Registry;
use super::tag_state::TagState;
use super::tagged_image::Tagged;
use std::sync::Arc;

/// Moves images between their places and memory.
pub struct Transports {
    registry: Registry,
    cache: Option<Cache>,
    platform: Platform,
    image_limit: u64,
}

impl Transports {
    /// Prepares the transports. Nothing is read or connected before it is needed.
    pub fn new(options: ImageOptions, progress: Arc<dyn Progress>) -> Self {
        let cache = match &options.cache {
            CacheMode::Off => None,
            CacheMode::Directory(directory) => {
                let directory = directory.clone();
                Some(Cache::watched(directory, options.cache_size, Arc::clone(&progress)))
            }
        };
        let registry = Registry::new(&options, cache.clone(), progress);
        Self {
            registry,
            cache,
            platform: options.platform.unwrap_or_default(),
            image_limit: options.image_limit,
        }
    }

    /// Where content is kept between runs, if it is.
    pub fn cache(&self) -> Option<&Cache> {
        self.cache.as_ref()
    }

    /// Reads an image with all of its layers; large ones are left on disk.
    ///
    /// # Errors
    /// When there is no such image, its content is not what its digests say, or its place cannot be read.
    pub async fn pull(&self, reference: &Reference) -> Result<Image, ImageError> {
        let (platform, limit) = (self.platform.clone(), self.image_limit);
        match reference.clone() {
            Reference::Registry(registry) => self.registry.pull(&registry, &self.platform).await,
            Reference::Layout { directory, tag } => {
                blocking(move || read_layout(&directory, tag.as_deref(), &platform)).await
            }
            Reference::Archive { file, tag } => {
                blocking(move || read_archive(&file, tag.as_deref(), &platform, limit)).await
            }
        }
    }

    /// Writes an image to its place and gives the reference that names exactly it. Blobs that are there are not written
    /// again, and the tag is set when everything else is there.
    ///
    /// # Errors
    /// When the place cannot be written, or the reference names another digest than the image has.
    pub async fn push(&self, image: &Image, reference: &Reference) -> Result<Reference, ImageError> {
        self.push_over(&image.into(), reference, None).await
    }

    /// As [`Transports::push`], also for several platforms. Where `over` says what the reference stands for, nobody
    /// else may have moved it when the image is there. In layouts and archives no other writer can come between; a
    /// registry is asked before and after.
    ///
    /// # Errors
    /// As [`Transports::push`], and [`ImageError::Moved`] when somebody else moved the reference.
    pub(crate) async fn push_over(
        &self,
        tagged: &Tagged,
        reference: &Reference,
        over: Option<TagState>,
    ) -> Result<Reference, ImageError> {
        if let Some(expected) = reference.digest() {
            let checked = check_digest(&expected, tagged.digest());
            checked.map_err(|problem| problem.of(reference.to_string(), "the image"))?;
        }
        let (tag, limit) = (reference.tag().map(str::to_owned), self.image_limit);
        let written = tagged.clone();
        match reference.clone() {
            Reference::Registry(registry) => self.registry.push(tagged, &registry, over).await?,
            Reference::Layout { directory, .. } => {
                blocking(move || replace_in_layout(&written, &directory, tag.as_deref(), over)).await?;
            }
            Reference::Archive { file, .. } => {
                blocking(move || replace_archive(&written, &file, tag.as_deref(), over, limit)).await?;
            }
        }
        Ok(reference.with_digest(&tagged.digest()))
    }

    /// What stands where [`Transports::push_over`] would put an image.
    ///
    /// # Errors
    /// When its place cannot be read.
    pub async fn state(&self, reference: &Reference) -> Result<TagState, ImageError> {
        let (tag, limit) = (reference.tag().map(str::to_owned), self.image_limit);
        match reference.clone() {
            Reference::Registry(registry) => self.registry.state(&registry).await,
            Reference::Layout { directory, .. } => blocking(move || state_in_layout(&directory, tag.as_deref())).await,
            Reference::Archive { file, .. } => blocking(move || state_in_archive(&file, tag.as_deref(), limit)).await,
        }
    }

    /// The digest that the reference stands for now: of the index, where it names images for several platforms.
    ///
    /// # Errors
    /// When there is no such image, or its place cannot be read.
    pub async fn resolve(&self, reference: &Reference) -> Result<Digest, ImageError> {
        let limit = self.image_limit;
        match reference.clone() {
            Reference::Registry(registry) => self.registry.resolve(&registry).await,
            Reference::Layout { directory, tag } => blocking(move || resolve_layout(&directory, tag.as_deref())).await,
            Reference::Archive { file, tag } => blocking(move || resolve_archive(&file, tag.as_deref(), limit)).await,
        }
    }

    /// The images that the reference stands for, each for a platform. From a registry no layer is read.
    ///
    /// # Errors
    /// When there is no such image, or its place cannot be read.
    pub async fn offers(&self, reference: &Reference) -> Result<Vec<Offer>, ImageError> {
        let limit = self.image_limit;
        match reference.clone() {
            Reference::Registry(registry) => self.registry.offers(&registry).await,
            Reference::Layout { directory, tag } => {
                blocking(move || offers_in_layout(&directory, tag.as_deref())).await
            }
            Reference::Archive { file, tag } => blocking(move || offers_in_archive(&file, tag.as_deref(), limit)).await,
        }
    }
}

/// Runs work on files beside the threads that serve connections.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ImageError> + Send + 'static,
) -> Result<T, ImageError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::tests::{assert_same, image};
    use super::super::progress::Silent;
    use super::*;

    fn transports() -> Transports {
        let options = ImageOptions {
            cache: CacheMode::Off,
            ..ImageOptions::default()
        };
        Transports::new(options, Arc::new(Silent))
    }

    fn is_send<T: Send>(value: T) -> T {
        value
    }

    #[tokio::test]
    async fn layouts_and_archives_are_written_read_and_resolved_through_the_one_door() {
        let directory = tempfile::tempdir().unwrap();
        let transports = transports();
        let written = image("one", true);
        for transport in ["oci", "oci-archive"] {
            let place = format!("{transport}:{}", directory.path().join(transport).display());
            let tagged: Reference = format!("{place}:v1").parse().unwrap();
            let pinned = is_send(transports.push(&written, &tagged)).await.unwrap();
            assert_eq!(pinned.to_string(), format!("{place}@{}", written.digest()));
            for reference in [tagged, pinned, place.parse().unwrap()] {
                assert_same(&is_send(transports.pull(&reference)).await.unwrap(), &written);
                let resolved = is_send(transports.resolve(&reference)).await.unwrap();
                assert_eq!(resolved, written.digest());
            }
        }
    }

    #[tokio::test]
    async fn a_digest_as_target_only_takes_its_own_image() {
        let directory = tempfile::tempdir().unwrap();
        let layout = directory.path().join("layout");
        let reference = format!("oci:{}@{}", layout.display(), Digest::of(b"another"));
        let error = transports()
            .push(&image("one", false), &reference.parse().unwrap())
            .await;
        assert!(error.unwrap_err().to_string().contains("has the digest"));
        assert!(!layout.exists());
    }
}
