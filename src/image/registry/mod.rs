//! Images in registries that speak the OCI distribution protocol.
//!
//! The error lists are those of the oci-client crate. Its HTTP client is not used: it drops statuses and `Retry-After`,
//! which retries are decided by, reads manifests without a limit, knows one login per host, and panics on a machine
//! without system certificates and on tokens that are no header values. The requests are made here, on the same HTTP
//! library.

mod address;
mod answer;
mod authentication;
mod challenge;
mod client;
mod download;
pub(super) mod error;
mod moving;
mod pace;
mod redirect;
mod repository;
mod retry;
mod transfer;
mod upload;

pub use error::{RegistryError, RegistryFailure};

use super::cache::Cache;
use super::credentials::Credentials;
use super::digest::Digest;
use super::error::ImageError;
use super::image::{Blob, Image};
use super::manifest::{
    self, CONFIG_LIMIT, DOCKER_INDEX, DOCKER_MANIFEST, Descriptor, INDEX, ImageManifest, MANIFEST, MANIFEST_LIMIT,
    Manifest, check_digest,
};
use super::options::{ImageOptions, RetryPolicy};
use super::platform::{Offer, Platform};
use super::problem::ContentProblem;
use super::progress::Progress;
use super::reference::RegistryReference;
use crate::limit::Limit;
use answer::Answer;
use client::Clients;
use futures_util::{StreamExt, TryStreamExt, stream};
use repository::{Access, Repository, Request};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Method, StatusCode};
use retry::with_retries;
use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;

const DIGEST_HEADER: &str = "docker-content-digest";

/// What registries are asked with.
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

/// A manifest as it came.
struct Document {
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

    /// How long a tag is left alone before it is looked at again.
    fn settle(&self) -> Duration {
        self.clients.options.time_limits.settle
    }

    /// Requests to one repository share its login.
    fn repository(&self, reference: &RegistryReference) -> Arc<Repository> {
        let key = (reference.host().to_owned(), reference.repository().to_owned());
        let mut repositories = self.repositories.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || {
            Arc::new(Repository::new(
                Arc::clone(&self.clients),
                Arc::clone(&self.credentials),
                reference,
            ))
        };
        Arc::clone(repositories.entry(key).or_insert_with(new))
    }

    /// Pulls an image with all of its layers.
    pub(super) async fn pull(&self, reference: &RegistryReference, platform: &Platform) -> Result<Image, ImageError> {
        let image = reference.as_written();
        let repository = self.repository(reference);
        let fail = |problem: ContentProblem| problem.of(image, "the manifest");
        let top = self
            .document(&repository, image, reference.manifest_name(), reference.digest())
            .await?;
        let source = top.digest;
        let mut document = top;
        let mut manifest = Manifest::parse(&document.bytes, document.media_type.as_deref()).map_err(fail)?;
        if let Manifest::Index(entries) = &manifest {
            let chosen = manifest::choose(entries, platform).ok_or_else(|| fail(ContentProblem::EmptyIndex))?;
            let Descriptor { media_type, digest, .. } = chosen.descriptor.clone();
            document = self
                .document(&repository, image, &digest.to_string(), Some(digest))
                .await?;
            manifest = Manifest::parse(&document.bytes, Some(&media_type)).map_err(fail)?;
            document.media_type = Some(media_type);
        }
        let Manifest::Image(manifest) = manifest else {
            return Err(fail(ContentProblem::EmptyIndex));
        };
        self.check_sizes(image, &manifest)?;
        let config = self.config(&repository, image, &manifest.config).await?;
        let layers = self.layers(&repository, image, &manifest.layers).await?;
        let image = Image::new(image, document.media_type.as_deref(), document.bytes, config, layers)?;
        Ok(image.chosen_from(source))
    }

    /// The images that a reference stands for, by platform: a list of images names them, of a single image its config
    /// does.
    pub(super) async fn offers(&self, reference: &RegistryReference) -> Result<Vec<Offer>, ImageError> {
        let image = reference.as_written();
        let repository = self.repository(reference);
        let fail = |problem: ContentProblem| problem.of(image, "the manifest");
        let document = self
            .document(&repository, image, reference.manifest_name(), reference.digest())
            .await?;
        match Manifest::parse(&document.bytes, document.media_type.as_deref()).map_err(fail)? {
            Manifest::Index(entries) => Ok(manifest::offers(entries)),
            Manifest::Image(manifest) => {
                self.check_sizes(image, &manifest)?;
                let config = self.config(&repository, image, &manifest.config).await?;
                let fail = |error: serde_json::Error| ContentProblem::from(error).of(image, "the config");
                let config = serde_json::from_slice(&config).map_err(fail)?;
                let digest = document.digest;
                let platform = Platform::of_config(&config).filter(Platform::is_real);
                let offer = platform.map(|platform| Offer { platform, digest });
                Ok(offer.into_iter().collect())
            }
        }
    }

    async fn config(
        &self,
        repository: &Repository,
        image: &str,
        descriptor: &Descriptor,
    ) -> Result<Vec<u8>, ImageError> {
        let config = self.blob(repository, image, descriptor).await?;
        let mut bytes = Vec::new();
        let read = config.open()?.read_to_end(&mut bytes);
        read.map_err(|error| ContentProblem::Damaged(error).of(image, "the config"))?;
        Ok(bytes)
    }

    fn check_sizes(&self, image: &str, manifest: &ImageManifest) -> Result<(), ImageError> {
        if manifest.config.size > CONFIG_LIMIT {
            return Err(ContentProblem::TooMuch { limit: CONFIG_LIMIT }.of(image, "the config"));
        }
        let sizes = manifest.layers.iter().map(|layer| layer.size);
        if sizes.fold(0, u64::saturating_add) > self.image_limit {
            let limit = self.image_limit;
            let raised_by = Some(Limit::ImageBytes);
            return Err(ContentProblem::TooLarge { limit, raised_by }.of(image, "the size of all layers"));
        }
        Ok(())
    }

    async fn layers(
        &self,
        repository: &Repository,
        image: &str,
        descriptors: &[Descriptor],
    ) -> Result<Vec<Blob>, ImageError> {
        // One layer may stand in an image more than once.
        let (mut asked, mut pulls) = (HashSet::new(), Vec::new());
        for descriptor in descriptors {
            if asked.insert(descriptor.digest) {
                pulls.push(self.layer(repository, image, descriptor));
            }
        }
        let pulls = stream::iter(pulls).buffer_unordered(self.parallel);
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
    ) -> Result<(Digest, Blob), ImageError> {
        let blob = self.blob(repository, image, descriptor).await?;
        Ok((descriptor.digest, blob))
    }

    /// A manifest, from the cache when it is asked for by digest.
    async fn document(
        &self,
        repository: &Repository,
        image: &str,
        name: &str,
        digest: Option<Digest>,
    ) -> Result<Document, ImageError> {
        if let Some(document) = digest.and_then(|digest| self.cached_document(digest)) {
            return Ok(document);
        }
        let _permit = self.permits.acquire().await;
        let request = manifest_request(repository, image, Method::GET, name)?;
        let document = with_retries(&self.retry, || Self::document_once(repository, &request, digest)).await?;
        if let Some(cache) = &self.cache {
            cache.keep(&document.digest, &document.bytes);
        }
        Ok(document)
    }

    fn cached_document(&self, digest: Digest) -> Option<Document> {
        let blob = self.cache.as_ref()?.get(&digest)?;
        let mut bytes = Vec::new();
        blob.open().ok()?.take(MANIFEST_LIMIT).read_to_end(&mut bytes).ok()?;
        let media_type = None;
        (Digest::of(&bytes) == digest).then_some(Document {
            bytes,
            media_type,
            digest,
        })
    }

    async fn document_once(
        repository: &Repository,
        request: &Request<'_>,
        expected: Option<Digest>,
    ) -> Result<Document, RegistryError> {
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
        Ok(Document {
            bytes,
            media_type,
            digest,
        })
    }

    /// The digest that a tag stands for now.
    pub(super) async fn resolve(&self, reference: &RegistryReference) -> Result<Digest, ImageError> {
        let image = reference.as_written();
        let repository = self.repository(reference);
        let request = manifest_request(&repository, image, Method::HEAD, reference.manifest_name())?;
        let head = {
            let _permit = self.permits.acquire().await;
            with_retries(&self.retry, || repository.send(&request, &[StatusCode::OK])).await?
        };
        if let Some(digest) = stated_digest(&head) {
            return Ok(digest);
        }
        // Not every registry states it.
        let document = self
            .document(&repository, image, reference.manifest_name(), reference.digest())
            .await?;
        Ok(document.digest)
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
