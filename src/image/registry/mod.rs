//! Images in registries that implement the OCI distribution specification.
//!
//! The types of error responses are from the oci-client crate. The HTTP client of that crate is not used: it discards
//! the statuses and `Retry-After` headers that retries need, reads manifests without a size limit, and supports only
//! one login per host. It also panics on machines without system certificates and on tokens that are not valid header
//! values. This module uses the HTTP library of that crate directly.

mod address;
mod answer;
mod authentication;
mod challenge;
mod client;
mod download;
pub(super) mod error;
mod hosts;
mod moving;
mod pace;
mod place;
mod presence;
mod put;
mod redirect;
mod referrers;
mod remote_blob;
mod repository;
mod retry;
mod settings;
mod tls;
mod transfer;
mod upload;

pub use error::{LoginTried, RegistryError, RegistryFailure};
pub use place::{Before, PlaceError, Placed};
pub use presence::Deletion;
pub(super) use remote_blob::{RemoteBlob, RemoteReader};
pub use settings::proxy_problem;

use super::cache::Cache;
use super::credentials::Credentials;
use super::digest::Digest;
use super::document::Document;
use super::error::ImageError;
use super::image::{Blob, Image};
use super::json;
use super::manifest::{
    self, CONFIG_LIMIT, DOCKER_INDEX, DOCKER_MANIFEST, Descriptor, INDEX, ImageManifest, MANIFEST, MANIFEST_LIMIT,
    Manifest, check_digest,
};
use super::memory::{distinct, is_small};
use super::options::{ImageOptions, RetryPolicy};
use super::platform::{Offer, Platform};
use super::problem::ContentProblem;
use super::progress::Progress;
use super::reference::RegistryReference;
use crate::concurrent;
use crate::limit::Limit;
use answer::Answer;
use client::Clients;
use futures_util::TryStreamExt;
use repository::{Access, Repository, Request};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Method, StatusCode};
use serde_json::Value;
use std::collections::HashMap;
use std::io::Read;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Semaphore;

const DIGEST_HEADER: &str = "docker-content-digest";

/// A client for registries.
pub(super) struct Registry {
    clients: Arc<Clients>,
    credentials: Arc<Credentials>,
    retry: RetryPolicy,
    parallel: usize,
    permits: Semaphore,
    cache: Option<Cache>,
    image_limit: u64,
    progress: Arc<dyn Progress>,
    repositories: Mutex<HashMap<(String, String), Arc<Repository>>>,
}

/// A manifest in the form in which it was received.
struct Received {
    bytes: Vec<u8>,
    media_type: Option<String>,
    digest: Digest,
}

impl Registry {
    pub(super) fn new(options: &ImageOptions, cache: Option<Cache>, progress: Arc<dyn Progress>) -> Self {
        let parallel = options.parallel.max(1);
        Self {
            clients: Arc::new(Clients::new(options.into())),
            credentials: Arc::new(options.credentials.clone()),
            retry: options.retry.clone(),
            parallel,
            permits: Semaphore::new(parallel),
            cache,
            image_limit: options.image_limit,
            progress,
            repositories: Mutex::new(HashMap::new()),
        }
    }

    /// Forgets which hosts could not be reached, so that requests are sent to them again.
    pub(super) fn forget_unreachable(&self) {
        self.clients.hosts.forget();
    }

    /// Returns the delay before a moved tag is checked again.
    pub(super) fn settle(&self) -> Duration {
        self.clients.options.time_limits.settle
    }

    /// Returns the repository of a reference. Requests to the same repository share a login.
    fn repository(&self, reference: &RegistryReference) -> Arc<Repository> {
        let key = (reference.host().to_owned(), reference.repository().to_owned());
        let mut repositories = concurrent::lock(&self.repositories);
        let new = || {
            Arc::new(Repository::new(
                Arc::clone(&self.clients),
                Arc::clone(&self.credentials),
                reference,
            ))
        };
        Arc::clone(repositories.entry(key).or_insert_with(new))
    }

    /// Pulls an image with all its layers.
    pub(super) async fn pull(&self, reference: &RegistryReference, platform: &Platform) -> Result<Image, ImageError> {
        let image = reference.as_written();
        let repository = self.repository(reference);
        let fail = |problem: ContentProblem| problem.of(image, "the manifest");
        let mut document = self.stored(reference).await?;
        let source = document.descriptor.digest;
        let mut manifest = document.manifest().map_err(fail)?;
        if let Manifest::Index(entries) = &manifest {
            let chosen = manifest::choose(entries, platform).ok_or_else(|| fail(ContentProblem::EmptyIndex))?;
            let Descriptor { media_type, digest, .. } = &chosen.descriptor;
            let name = digest.to_string();
            document = self
                .document(&repository, image, &name, Some(*digest), Some(media_type))
                .await?;
            manifest = document.manifest().map_err(fail)?;
        }
        let Manifest::Image(manifest) = manifest else {
            return Err(fail(ContentProblem::EmptyIndex));
        };
        self.check_sizes(image, &manifest)?;
        let config = self.config(&repository, image, &manifest.config).await?;
        let layers = self.layers(&repository, image, &manifest.layers).await?;
        let media_type = document.descriptor.media_type;
        let image = Image::new(image, Some(&media_type), document.bytes.to_vec(), config, layers)?;
        Ok(image.chosen_from(source))
    }

    /// Returns the manifest or image index that a reference refers to, in its stored form.
    pub(super) async fn stored(&self, reference: &RegistryReference) -> Result<Document, ImageError> {
        let (image, digest) = (reference.as_written(), reference.digest());
        let repository = self.repository(reference);
        self.document(&repository, image, reference.manifest_name(), digest, None)
            .await
    }

    /// Returns the images that a reference refers to, each with its platform. The platforms are specified in the image
    /// index or, for a single image, in its config.
    pub(super) async fn offers(&self, reference: &RegistryReference) -> Result<Vec<Offer>, ImageError> {
        let image = reference.as_written();
        let repository = self.repository(reference);
        let fail = |problem: ContentProblem| problem.of(image, "the manifest");
        let document = self.stored(reference).await?;
        match document.manifest().map_err(fail)? {
            Manifest::Index(entries) => Ok(manifest::offers(entries)),
            Manifest::Image(manifest) => {
                self.check_sizes(image, &manifest)?;
                let config = self.config(&repository, image, &manifest.config).await?;
                let fail = |error: serde_json::Error| ContentProblem::from(error).of(image, "the config");
                let config = json::config(&config).map_err(fail)?;
                let digest = document.descriptor.digest;
                let platform = Platform::of_config(&config).filter(Platform::is_real);
                let offer = platform.map(|platform| Offer { platform, digest });
                Ok(offer.into_iter().collect())
            }
        }
    }

    /// Returns the config of the image with this manifest; `None` if the config is not JSON.
    pub(super) async fn config_of(
        &self,
        reference: &RegistryReference,
        manifest: &ImageManifest,
    ) -> Result<Option<Value>, ImageError> {
        let image = reference.as_written();
        check_config_size(image, manifest)?;
        let repository = self.repository(reference);
        let config = self.config(&repository, image, &manifest.config).await?;
        Ok(json::config(&config).ok())
    }

    async fn config(
        &self,
        repository: &Repository,
        image: &str,
        descriptor: &Descriptor,
    ) -> Result<Vec<u8>, ImageError> {
        let in_memory = is_small(descriptor);
        let config = self.blob(repository, image, descriptor, in_memory).await?;
        let mut bytes = Vec::new();
        let read = config.open()?.read_to_end(&mut bytes);
        read.map_err(|error| ContentProblem::Damaged(error).of(image, "the config"))?;
        Ok(bytes)
    }

    fn check_sizes(&self, image: &str, manifest: &ImageManifest) -> Result<(), ImageError> {
        check_config_size(image, manifest)?;
        let sizes = manifest.layers.iter().map(|layer| layer.size);
        if sizes.fold(0, u64::saturating_add) > self.image_limit {
            let limit = self.image_limit;
            let raised_by = Some(Limit::ImageBytes);
            return Err(ContentProblem::TooLarge { limit, raised_by }.of(image, "the total size of the layers"));
        }
        Ok(())
    }

    async fn layers(
        &self,
        repository: &Repository,
        image: &str,
        descriptors: &[Descriptor],
    ) -> Result<Vec<Blob>, ImageError> {
        let pull = |(descriptor, in_memory)| self.layer(repository, image, descriptor, in_memory);
        let pulls = concurrent::unordered(distinct(descriptors), self.parallel, pull);
        let pulled: HashMap<Digest, Blob> = pulls.try_collect().await?;
        Ok(descriptors
            .iter()
            .filter_map(|descriptor| pulled.get(&descriptor.digest).cloned())
            .collect())
    }

    async fn layer(
        &self,
        repository: &Repository,
        image: &str,
        descriptor: &Descriptor,
        in_memory: bool,
    ) -> Result<(Digest, Blob), ImageError> {
        let blob = self.blob(repository, image, descriptor, in_memory).await?;
        Ok((descriptor.digest, blob))
    }

    /// Returns a manifest. If the reference contains a digest and the cache contains the manifest, reads the manifest
    /// from the cache. `declared` is the media type in the image index.
    async fn document(
        &self,
        repository: &Repository,
        image: &str,
        name: &str,
        digest: Option<Digest>,
        declared: Option<&str>,
    ) -> Result<Document, ImageError> {
        let cached = match digest {
            Some(digest) => self.cached_document(digest).await,
            None => None,
        };
        let received = match cached {
            Some(bytes) => Received {
                digest: Digest::of(&bytes),
                bytes,
                media_type: None,
            },
            None => self.received(repository, image, name, digest).await?,
        };
        let declared = declared.or(received.media_type.as_deref());
        Document::read(received.bytes, declared).map_err(|problem| problem.of(image, "the manifest"))
    }

    async fn received(
        &self,
        repository: &Repository,
        image: &str,
        name: &str,
        digest: Option<Digest>,
    ) -> Result<Received, ImageError> {
        let _permit = self.permits.acquire().await;
        let request = manifest_request(repository, image, Method::GET, name)?;
        let received = repository
            .ask(&request, &self.retry, || {
                Self::document_once(repository, &request, digest)
            })
            .await?;
        if let Some(cache) = &self.cache {
            cache.keep(&received.digest, &received.bytes);
        }
        Ok(received)
    }

    async fn cached_document(&self, digest: Digest) -> Option<Vec<u8>> {
        let blob = self.cached(digest).await?;
        let mut bytes = Vec::new();
        blob.open().ok()?.take(MANIFEST_LIMIT).read_to_end(&mut bytes).ok()?;
        (Digest::of(&bytes) == digest).then_some(bytes)
    }

    async fn document_once(
        repository: &Repository,
        request: &Request<'_>,
        expected: Option<Digest>,
    ) -> Result<Received, RegistryError> {
        let answer = repository.send(request, &[StatusCode::OK]).await?;
        let media_type = header(&answer, CONTENT_TYPE.as_str());
        let media_type = media_type.map(|value| value.split(';').next().unwrap_or_default().trim().to_owned());
        let stated = stated_digest(&answer);
        let bytes = answer.read(MANIFEST_LIMIT).await;
        let bytes = bytes.map_err(|failure| request.fail(failure))?;
        let digest = Digest::of(&bytes);
        for expected in [expected, stated].iter().flatten() {
            check_digest(expected, digest).map_err(|problem| {
                let part = "the manifest".to_owned();
                request.fail(RegistryFailure::Content { part, problem })
            })?;
        }
        Ok(Received {
            bytes,
            media_type,
            digest,
        })
    }

    /// Returns the digest that a tag currently refers to.
    pub(super) async fn resolve(&self, reference: &RegistryReference) -> Result<Digest, ImageError> {
        let image = reference.as_written();
        let repository = self.repository(reference);
        let request = manifest_request(&repository, image, Method::HEAD, reference.manifest_name())?;
        let head = {
            let _permit = self.permits.acquire().await;
            repository
                .ask(&request, &self.retry, || repository.send(&request, &[StatusCode::OK]))
                .await?
        };
        if let Some(digest) = stated_digest(&head) {
            return Ok(digest);
        }
        // Not every registry reports the digest.
        let received = self
            .received(&repository, image, reference.manifest_name(), reference.digest())
            .await?;
        Ok(received.digest)
    }
}

fn manifest_request<'a>(
    repository: &Repository,
    image: &'a str,
    method: Method,
    name: &str,
) -> Result<Request<'a>, RegistryError> {
    let mut headers = HeaderMap::new();
    for media_type in [MANIFEST, DOCKER_MANIFEST, INDEX, DOCKER_INDEX] {
        headers.append(ACCEPT, HeaderValue::from_static(media_type));
    }
    Ok(Request {
        image,
        access: Access::Pull,
        method,
        url: repository.url(image, &format!("manifests/{name}"))?,
        headers,
        body: None,
    })
}

fn header(answer: &Answer, name: &str) -> Option<String> {
    Some(answer.headers().get(name)?.to_str().ok()?.to_owned())
}

fn stated_digest(answer: &Answer) -> Option<Digest> {
    header(answer, DIGEST_HEADER)?.parse().ok()
}

fn check_config_size(image: &str, manifest: &ImageManifest) -> Result<(), ImageError> {
    if manifest.config.size > CONFIG_LIMIT {
        return Err(ContentProblem::TooMuch { limit: CONFIG_LIMIT }.of(image, "the config"));
    }
    Ok(())
}
