//! The entry point for reading and writing images, wherever they are stored.

use super::archive::{open_archive, replace_archive, state_in_archive};
#[cfg(feature = "registry")]
use super::blob_source::BlobSource;
use super::cache::Cache;
use super::digest::Digest;
use super::document::Document;
use super::error::ImageError;
use super::image::{Image, program_platform};
use super::layout::{LayoutSource, Layouts};
use super::layout_writer::replace_in_layout;
#[cfg(feature = "registry")]
use super::manifest::Descriptor;
use super::manifest::ImageManifest;
use super::manifest::IndexEntry;
use super::manifest::check_digest;
#[cfg(not(feature = "registry"))]
use super::no_registry::Registry;
use super::options::{CacheMode, ImageOptions};
use super::platform::Offer;
use super::platform::Platform;
use super::progress::Progress;
use super::reference::{Reference, RegistryReference};
#[cfg(feature = "registry")]
use super::registry::{Before, Deletion, PlaceError, Placed, Registry};
use super::tag_state::TagState;
use super::tagged_image::Tagged;
use crate::concurrent::{blocking, cancellable};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
#[cfg(feature = "registry")]
use std::time::Duration;

/// Reads images from and writes images to registries, layouts and archives.
///
/// If a registry cannot be reached, further requests to it fail immediately until [`Transports::forget_unreachable`] is
/// called. Programs that run for a long time should call it before each unit of work.
///
/// # Panics
/// The futures panic outside a Tokio runtime whose drivers are all enabled (`enable_all`).
pub struct Transports {
    registry: Registry,
    layouts: Arc<Layouts>,
    cache: Option<Cache>,
    /// The platform in the options.
    wanted: Option<Platform>,
    platform: Platform,
    image_limit: u64,
}

impl Transports {
    /// Creates the transports. Files are read and connections are made only when needed. `progress` receives reports
    /// about transfers from and to registries, and none about layouts and archives. Keep the transports for several
    /// calls, because they remember logins, connections and registries that
    /// [cannot be reached](Transports::forget_unreachable).
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
            layouts: Arc::default(),
            cache,
            wanted: options.platform.clone(),
            platform: options.platform.unwrap_or_default(),
            image_limit: options.image_limit,
        }
    }

    /// Returns the cache for pulled content, if it is enabled.
    pub fn cache(&self) -> Option<&Cache> {
        self.cache.as_ref()
    }

    /// Returns the maximum total size in bytes of the layers of an image.
    pub(crate) fn image_limit(&self) -> u64 {
        self.image_limit
    }

    /// Opens a layout or archive, and reads from it on another thread.
    async fn stored<T: Send + 'static>(
        &self,
        local: Local,
        tag: Option<String>,
        read: impl FnOnce(LayoutSource<'_>, Option<&str>) -> Result<T, ImageError> + Send + 'static,
    ) -> Result<T, ImageError> {
        let (layouts, limit) = (Arc::clone(&self.layouts), self.image_limit);
        blocking(move || {
            let tag = tag.as_deref();
            let source = match &local {
                Local::Layout(directory) => layouts.open(directory, tag)?,
                Local::Archive(file) => open_archive(file, tag, limit)?,
            };
            read(source, tag)
        })
        .await
    }

    /// Reads an image with all its layers. Large layers stay on disk. If there is no image for the platform in the
    /// options, another one is read; see [`Transports::require_platform`].
    ///
    /// # Errors
    /// Returns an error if the image does not exist, cannot be read, or has content that does not match its digests.
    pub async fn pull(&self, reference: &Reference) -> Result<Image, ImageError> {
        match Place::of(reference) {
            Place::Registry(registry) => self.registry.pull(registry, &self.platform).await,
            Place::Local(local, tag) => {
                let platform = self.platform.clone();
                self.stored(local, tag, move |source, tag| source.read(tag, &platform))
                    .await
            }
        }
    }

    /// Writes an image and returns a reference to it by digest. Existing blobs are not written again, and the tag is
    /// set last. If the future is dropped before the tag is set, the tag stays as it is.
    ///
    /// # Errors
    /// Returns an error if the image cannot be written, or the reference contains a digest other than that of the
    /// image.
    pub async fn push(&self, image: impl Into<Tagged>, reference: &Reference) -> Result<Reference, ImageError> {
        self.push_over(&image.into(), reference, None).await
    }

    /// Like [`Transports::push`], but also supports images for several platforms. If `over` is `Some`, the reference
    /// must still be in that state when the tag is set. Layouts and archives are locked, so other writers cannot
    /// interfere; in a registry, the tag is checked before and after the push.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Transports::push`], or [`ImageError::Moved`] if another client moved the
    /// tag.
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
                cancellable(move |cancellation| {
                    replace_in_layout(&written, &directory, tag.as_deref(), over, cancellation)
                })
                .await?;
            }
            Reference::Archive { file, .. } => {
                cancellable(move |cancellation| {
                    replace_archive(&written, &file, tag.as_deref(), over, limit, cancellation)
                })
                .await?;
            }
        }
        Ok(reference.with_digest(&tagged.digest()))
    }

    /// Returns the state of the tag that `Transports::push_over` would replace.
    ///
    /// # Errors
    /// Returns an error if the registry, layout or archive cannot be read.
    pub async fn state(&self, reference: &Reference) -> Result<TagState, ImageError> {
        let (tag, limit) = (reference.tag().map(str::to_owned), self.image_limit);
        let layouts = Arc::clone(&self.layouts);
        match reference.clone() {
            Reference::Registry(registry) => self.registry.state(&registry).await,
            Reference::Layout { directory, .. } => blocking(move || layouts.state(&directory, tag.as_deref())).await,
            Reference::Archive { file, .. } => blocking(move || state_in_archive(&file, tag.as_deref(), limit)).await,
        }
    }

    /// Returns the digest that the reference currently refers to. If it refers to images for several platforms, this is
    /// the digest of the image index.
    ///
    /// # Errors
    /// Returns an error if the image does not exist or cannot be read.
    pub async fn resolve(&self, reference: &Reference) -> Result<Digest, ImageError> {
        match Place::of(reference) {
            Place::Registry(registry) => self.registry.resolve(registry).await,
            Place::Local(local, tag) => {
                self.stored(local, tag, |source, tag| Ok(source.find(tag)?.digest))
                    .await
            }
        }
    }

    /// Returns the manifest or image index that the reference refers to, in its stored form. No other content is read.
    ///
    /// # Errors
    /// Returns an error if the image does not exist, or its manifest is damaged or cannot be read.
    pub async fn document(&self, reference: &Reference) -> Result<Document, ImageError> {
        match Place::of(reference) {
            Place::Registry(registry) => self.registry.stored(registry).await,
            Place::Local(local, tag) => self.stored(local, tag, |source, tag| source.stored(tag)).await,
        }
    }

    /// Returns the manifest or image index that a reference refers to, or `None` if the registry does not contain it.
    /// Also returns `None` if access is refused, because some registries require a login instead of reporting that a
    /// manifest does not exist.
    ///
    /// # Errors
    /// Returns an error if a request to the registry fails, or the manifest is damaged.
    pub async fn find(&self, reference: &RegistryReference) -> Result<Option<Document>, ImageError> {
        self.registry.find(reference).await
    }

    /// Returns the manifest or image index that a reference refers to, or `None` if the registry reports that it does
    /// not exist.
    ///
    /// # Errors
    /// Returns an error if a request to the registry fails, access is refused, or the manifest is damaged.
    pub async fn lookup(&self, reference: &RegistryReference) -> Result<Option<Document>, ImageError> {
        self.registry.lookup(reference).await
    }

    /// Like [`Transports::lookup`], for a tag that is about to be replaced.
    #[cfg(feature = "registry")]
    pub(super) async fn lookup_to_replace(
        &self,
        reference: &RegistryReference,
    ) -> Result<Option<Document>, ImageError> {
        self.registry.lookup_to_replace(reference).await
    }

    /// Returns the delay after which a tag that was replaced is checked again.
    #[cfg(feature = "registry")]
    pub(super) fn settle(&self) -> Duration {
        self.registry.settle()
    }

    /// Returns the tags of a repository, or `None` if the registry does not list them or lists too many.
    ///
    /// # Errors
    /// Returns an error if a request to the registry fails.
    pub async fn tags(&self, repository: &RegistryReference) -> Result<Option<BTreeSet<String>>, ImageError> {
        self.registry.tags(repository).await
    }

    /// Returns the referrers of the manifest that a reference specifies by digest, or `None` if the registry does not
    /// list them.
    ///
    /// # Errors
    /// Returns an error if a request to the registry fails, access is refused, or the registry lists too many
    /// referrers.
    pub async fn referrers(&self, reference: &RegistryReference) -> Result<Option<Vec<IndexEntry>>, ImageError> {
        self.registry.referrers(reference).await
    }

    /// Returns the number of referrers of these manifests in the layout or archive of a reference, and 0 for a
    /// registry.
    ///
    /// # Errors
    /// Returns an error if the layout or archive cannot be read.
    pub(crate) async fn count_stored_referrers(
        &self,
        reference: &Reference,
        of: BTreeSet<Digest>,
    ) -> Result<usize, ImageError> {
        match Place::of(reference) {
            Place::Registry(_) => Ok(0),
            Place::Local(local, _) => {
                self.stored(local, None, move |source, _| Ok(source.count_referrers(&of)))
                    .await
            }
        }
    }

    /// Returns a blob that is in these repositories, which are tried in order until one succeeds. The blob is streamed
    /// to its target, or is read completely into memory first if `whole` is set.
    #[cfg(feature = "registry")]
    pub fn blob_in(&self, repositories: &[RegistryReference], descriptor: &Descriptor, whole: bool) -> BlobSource {
        BlobSource::remote(self.registry.remote_blob(repositories, descriptor), whole)
    }

    /// Places a blob in the repository of a reference. If another repository in the registry is known to contain the
    /// blob, the registry is asked to mount it from that repository.
    ///
    /// # Errors
    /// Returns an error if a request to the registry fails, or the blob cannot be read.
    #[cfg(feature = "registry")]
    pub async fn place(
        &self,
        reference: &RegistryReference,
        descriptor: &Descriptor,
        content: &BlobSource,
        before: Before<'_>,
    ) -> Result<Placed, PlaceError> {
        self.registry.place(reference, descriptor, content, before).await
    }

    /// Pushes a manifest to the tag or digest of a reference. Everything that the manifest references must already have
    /// been pushed. Returns whether the registry lists the manifest among the referrers of its subject.
    ///
    /// # Errors
    /// Returns an error if a request to the registry fails.
    #[cfg(feature = "registry")]
    pub async fn put_document(&self, reference: &RegistryReference, document: &Document) -> Result<bool, ImageError> {
        self.registry.put_document(reference, document).await
    }

    /// Whether the repository of a reference contains a blob of this size. The size is not compared if it is unknown or
    /// the registry does not report it.
    ///
    /// # Errors
    /// Returns an error if a request to the registry fails.
    #[cfg(feature = "registry")]
    pub async fn has_blob(
        &self,
        reference: &RegistryReference,
        digest: &Digest,
        size: Option<u64>,
    ) -> Result<bool, ImageError> {
        self.registry.has_blob(reference, digest, size).await
    }

    /// Whether the repository of a reference is new: the registry reports that the repository has no list of tags.
    /// Registries may also report this for an existing repository that has no tags.
    ///
    /// # Errors
    /// Returns an error if a request to the registry fails.
    #[cfg(feature = "registry")]
    pub async fn is_new(&self, reference: &RegistryReference) -> Result<bool, ImageError> {
        self.registry.is_new(reference).await
    }

    /// Forgets which registries could not be reached, so that requests are sent to them again.
    pub fn forget_unreachable(&self) {
        #[cfg(feature = "registry")]
        self.registry.forget_unreachable();
    }

    /// Checks that the registry of a reference can be reached, and that it accepts the login.
    ///
    /// # Errors
    /// Returns an error if a request to the registry fails.
    #[cfg(feature = "registry")]
    pub async fn ping(&self, reference: &RegistryReference) -> Result<(), ImageError> {
        self.registry.ping(reference).await
    }

    /// Reads a whole blob in the repository of a reference, and checks that it matches its digest.
    ///
    /// # Errors
    /// Returns an error if the blob cannot be read, or does not match its digest.
    #[cfg(feature = "registry")]
    pub async fn read_through(&self, reference: &RegistryReference, descriptor: &Descriptor) -> Result<(), ImageError> {
        let mut reader = self
            .blob_in(std::slice::from_ref(reference), descriptor, false)
            .reader(descriptor)?;
        while reader.next().await?.is_some() {}
        Ok(())
    }

    /// Deletes a manifest, which the reference specifies by digest, from its registry.
    ///
    /// # Errors
    /// Returns an error if a request to the registry fails.
    #[cfg(feature = "registry")]
    pub async fn delete_manifest(&self, reference: &RegistryReference) -> Result<Deletion, ImageError> {
        self.registry.delete_manifest(reference).await
    }

    /// Checks that there is an image for the platform in the options, if they contain one. Images without a known
    /// platform suit every platform.
    ///
    /// # Errors
    /// Returns an error if there are only images for other platforms, or the image cannot be read.
    pub async fn require_platform(&self, reference: &Reference) -> Result<(), ImageError> {
        let Some(wanted) = &self.wanted else {
            return Ok(());
        };
        let offers = self.offers(reference).await?;
        if offers.is_empty() || offers.iter().any(|offer| offer.platform == *wanted) {
            return Ok(());
        }
        Err(ImageError::no_platform(reference, Some(wanted), &offers))
    }

    /// Returns the platform of the program that the image with this manifest starts. Returns `None` if the image starts
    /// no program, or if its platform is unknown. No layers are downloaded from a registry.
    ///
    /// # Errors
    /// Returns an error if the config does not exist or cannot be read.
    pub(crate) async fn program_platform(
        &self,
        reference: &Reference,
        manifest: &ImageManifest,
    ) -> Result<Option<Platform>, ImageError> {
        let config = match reference {
            Reference::Registry(reference) => self.registry.config_of(reference, manifest).await?,
            _ => Some(self.pull(reference).await?.config_value().clone()),
        };
        Ok(config.as_ref().and_then(program_platform))
    }

    /// Returns the images that the reference refers to, each with its platform. No layers are downloaded from a
    /// registry.
    ///
    /// # Errors
    /// Returns an error if the image does not exist or cannot be read.
    pub async fn offers(&self, reference: &Reference) -> Result<Vec<Offer>, ImageError> {
        match Place::of(reference) {
            Place::Registry(registry) => self.registry.offers(registry).await,
            Place::Local(local, tag) => self.stored(local, tag, |source, tag| source.offers(tag)).await,
        }
    }
}

/// Where an image is stored; outside of registries, with its tag or digest.
enum Place<'a> {
    Registry(&'a RegistryReference),
    Local(Local, Option<String>),
}

enum Local {
    Layout(PathBuf),
    Archive(PathBuf),
}

impl<'a> Place<'a> {
    fn of(reference: &'a Reference) -> Self {
        match reference {
            Reference::Registry(registry) => Self::Registry(registry),
            Reference::Layout { directory, tag } => Self::Local(Local::Layout(directory.clone()), tag.clone()),
            Reference::Archive { file, tag } => Self::Local(Local::Archive(file.clone()), tag.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout_writer::tests::{assert_same, image};
    use super::super::progress::Silent;
    use super::super::write_layout;
    use super::*;
    use crate::tree::LAYOUT_FILE;
    use std::time::Duration;

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
    async fn layouts_and_archives_are_written_read_and_resolved_by_transports() {
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
                let document = is_send(transports.document(&reference)).await.unwrap();
                assert_eq!(&*document.bytes, written.manifest());
            }
        }
    }

    #[test]
    fn a_dropped_push_does_not_set_the_tag() {
        let folder = tempfile::tempdir().unwrap();
        let layout = folder.path().join("layout");
        write_layout(&image("one", true), &layout, Some("v1")).unwrap();
        for (place, locked) in [
            (format!("oci:{}:v2", layout.display()), layout.join(LAYOUT_FILE)),
            (
                format!("oci-archive:{}:v2", folder.path().join("file.tar").display()),
                folder.path().to_owned(),
            ),
        ] {
            let reference: Reference = place.parse().unwrap();
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.unwrap();
            // While the place is locked, the writer waits.
            let lock = std::fs::File::open(&locked).unwrap();
            lock.lock().unwrap();
            let (transports, written) = (transports(), image("two", true));
            let pushed = runtime.block_on(async {
                tokio::time::timeout(Duration::from_millis(200), transports.push(&written, &reference)).await
            });
            assert!(pushed.is_err(), "the push did not wait for the lock");
            drop(lock);
            // Waits for the writer.
            drop(runtime);
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let state = runtime.block_on(transports.state(&reference)).unwrap();
            assert_eq!(state, TagState::Absent, "{place}");
        }
    }

    #[tokio::test]
    async fn a_digest_as_a_target_accepts_only_its_own_image() {
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
