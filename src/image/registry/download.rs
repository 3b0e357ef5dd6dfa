//! Downloads blobs from a registry to memory or a file, and verifies their size and digest.

use super::Registry;
use super::error::{RegistryError, RegistryFailure};
use super::repository::{Access, Repository, Request};
use super::transfer::Transfer;
use crate::concurrent;
use crate::files::FileError;
use crate::image::cache::{Cache, Incoming};
use crate::image::digest::{Digest, Hasher};
use crate::image::image::Blob;
use crate::image::manifest::{Descriptor, check_digest};
use crate::image::problem::ContentProblem;
use reqwest::header::HeaderMap;
use reqwest::{Method, StatusCode};

impl Registry {
    /// Returns a blob, from the cache if possible. A blob that may not stay in memory is written to a file.
    pub(super) async fn blob(
        &self,
        repository: &Repository,
        image: &str,
        descriptor: &Descriptor,
        in_memory: bool,
    ) -> Result<Blob, RegistryError> {
        if let Some(blob) = self.cached(descriptor.digest).await {
            return Ok(blob);
        }
        let request = Request {
            image,
            access: Access::Pull,
            method: Method::GET,
            url: repository.url(image, &format!("blobs/{}", descriptor.digest))?,
            headers: HeaderMap::new(),
            body: None,
        };
        let _permit = self.permits.acquire().await;
        repository
            .ask(&request, &self.retry, || {
                self.blob_once(repository, &request, descriptor, in_memory)
            })
            .await
    }

    /// Returns content from the cache. Verifying a large blob takes long, and the time would count as waiting for the
    /// other requests.
    pub(super) async fn cached(&self, digest: Digest) -> Option<Blob> {
        let cache = self.cache.clone()?;
        concurrent::blocking(move || cache.get(&digest)).await
    }

    async fn blob_once(
        &self,
        repository: &Repository,
        request: &Request<'_>,
        descriptor: &Descriptor,
        in_memory: bool,
    ) -> Result<Blob, RegistryError> {
        let fail = |failure| request.fail(failure);
        let file = |error: FileError| fail(error.into());
        let content = |problem| {
            let part = format!("the blob {}", descriptor.digest);
            fail(RegistryFailure::Content { part, problem })
        };
        let mut answer = repository.send(request, &[StatusCode::OK]).await?;
        let expected = descriptor.size;
        if let Some(found) = answer.content_length().filter(|found| *found != expected) {
            return Err(content(ContentProblem::WrongSize { expected, found }));
        }
        let what = format!("{} {}", request.image, short(descriptor));
        let transfer = Transfer::new(self.progress.as_ref(), &what, expected);
        let mut sink = Sink::new(descriptor, in_memory, self.cache.as_ref()).map_err(file)?;
        let mut hasher = Hasher::new();
        let mut pace = repository.time_limits().pace();
        while let Some(bytes) = answer.next_of_blob(&mut pace).await.map_err(fail)? {
            hasher.update(&bytes);
            if hasher.length() > expected {
                let found = hasher.length();
                return Err(content(ContentProblem::WrongSize { expected, found }));
            }
            sink.write(&bytes).map_err(file)?;
            transfer.advanced(bytes.len() as u64);
        }
        let found = hasher.length();
        if found < expected {
            let cause = format!("received {found} of {expected} bytes");
            return Err(fail(RegistryFailure::ShortBody { cause }));
        }
        check_digest(&descriptor.digest, hasher.finish()).map_err(content)?;
        Ok(sink.finish(descriptor, self.cache.as_ref()))
    }
}

/// Returns an abbreviated digest that is long enough to distinguish blobs.
pub(super) fn short(descriptor: &Descriptor) -> String {
    descriptor.digest.hex().chars().take(12).collect()
}

/// The destination of a blob during its download.
enum Sink {
    Memory(Vec<u8>),
    File(Incoming),
}

impl Sink {
    fn new(descriptor: &Descriptor, in_memory: bool, cache: Option<&Cache>) -> Result<Self, FileError> {
        if in_memory {
            return Ok(Self::Memory(Vec::new()));
        }
        let cached = cache.and_then(|cache| cache.start(&descriptor.digest));
        Ok(Self::File(match cached {
            Some(incoming) => incoming,
            None => Incoming::nameless()?,
        }))
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        match self {
            Self::Memory(content) => content.extend_from_slice(bytes),
            Self::File(file) => file.write(bytes)?,
        }
        Ok(())
    }

    fn finish(self, descriptor: &Descriptor, cache: Option<&Cache>) -> Blob {
        match self {
            Self::Memory(content) => {
                if let Some(cache) = cache {
                    cache.keep(&descriptor.digest, &content);
                }
                Blob::Memory(content.into())
            }
            Self::File(file) => Blob::of_file(file.keep(), descriptor.size),
        }
    }
}
