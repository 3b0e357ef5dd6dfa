//! Blobs from a registry: into memory or a file, counted and hashed on the way.

use super::Registry;
use super::error::{RegistryError, RegistryFailure};
use super::repository::{Access, Repository, Request, next_chunk};
use super::retry::with_retries;
use crate::files::{FileError, temporary_directory};
use crate::image::cache::{Cache, Incoming};
use crate::image::digest::Hasher;
use crate::image::error::ContentProblem;
use crate::image::image::Blob;
use crate::image::layer::MEMORY_LIMIT;
use crate::image::manifest::{Descriptor, check_digest};
use crate::image::progress::Transfer;
use reqwest::header::HeaderMap;
use reqwest::{Method, StatusCode};
use std::fs::File;
use std::io::{Seek, Write};

impl Registry {
    /// A blob, from the cache if it is there.
    pub(super) async fn blob(
        &self,
        repository: &Repository,
        image: &str,
        descriptor: &Descriptor,
    ) -> Result<Blob, RegistryError> {
        if let Some(blob) = self.cache.as_ref().and_then(|cache| cache.get(&descriptor.digest)) {
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
        with_retries(&self.retry, || self.blob_once(repository, &request, descriptor)).await
    }

    async fn blob_once(
        &self,
        repository: &Repository,
        request: &Request<'_>,
        descriptor: &Descriptor,
    ) -> Result<Blob, RegistryError> {
        let fail = |failure| request.fail(failure);
        let file = |error: FileError| fail(error.into());
        let content = |problem| {
            let part = format!("the blob {}", descriptor.digest);
            fail(RegistryFailure::Content { part, problem })
        };
        let mut response = repository.send(request, &[StatusCode::OK]).await?;
        let expected = descriptor.size;
        if let Some(found) = response.content_length().filter(|found| *found != expected) {
            return Err(content(ContentProblem::WrongSize { expected, found }));
        }
        let what = format!("{} {}", request.image, short(descriptor));
        let transfer = Transfer::new(self.progress.as_ref(), &what, expected);
        let mut sink = Sink::new(descriptor, self.cache.as_ref()).map_err(file)?;
        let mut hasher = Hasher::new();
        while let Some(bytes) = next_chunk(&mut response, repository.stall_timeout())
            .await
            .map_err(fail)?
        {
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
            let cause = format!("{found} of {expected} bytes came");
            return Err(fail(RegistryFailure::ShortBody { cause }));
        }
        check_digest(&descriptor.digest, hasher.finish()).map_err(content)?;
        sink.finish(descriptor, self.cache.as_ref()).map_err(file)
    }
}

/// Enough of a digest to tell blobs apart.
pub(super) fn short(descriptor: &Descriptor) -> String {
    descriptor.digest.hex().chars().take(12).collect()
}

/// Where a blob goes while it comes. Small ones stay in memory.
enum Sink {
    Memory(Vec<u8>),
    Temporary(File),
    Cached(Incoming),
}

impl Sink {
    fn new(descriptor: &Descriptor, cache: Option<&Cache>) -> Result<Self, FileError> {
        if descriptor.size <= MEMORY_LIMIT as u64 {
            return Ok(Self::Memory(Vec::new()));
        }
        if let Some(cache) = cache {
            match cache.start(&descriptor.digest) {
                Ok(file) => return Ok(Self::Cached(file)),
                Err(error) => tracing::warn!(%error, "the cache is not used"),
            }
        }
        let file = tempfile::tempfile();
        let fail = |error| FileError::new("create a temporary file in", temporary_directory(), error);
        file.map(Self::Temporary).map_err(fail)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        match self {
            Self::Memory(content) => content.extend_from_slice(bytes),
            Self::Temporary(file) => {
                let fail = |error| FileError::new("write a temporary file in", temporary_directory(), error);
                file.write_all(bytes).map_err(fail)?;
            }
            Self::Cached(file) => {
                let written = file.file().write_all(bytes);
                written.map_err(|error| FileError::new("write", file.path(), error))?;
            }
        }
        Ok(())
    }

    fn finish(self, descriptor: &Descriptor, cache: Option<&Cache>) -> Result<Blob, FileError> {
        match self {
            Self::Memory(content) => {
                if let Some(cache) = cache {
                    cache.keep(&descriptor.digest, &content);
                }
                Ok(Blob::Memory(content.into()))
            }
            Self::Temporary(mut file) => {
                let fail = |error| FileError::new("read a temporary file in", temporary_directory(), error);
                file.rewind().map_err(fail)?;
                Ok(Blob::of_file(file, descriptor.size))
            }
            Self::Cached(file) => Ok(Blob::of_file(file.keep(), descriptor.size)),
        }
    }
}
