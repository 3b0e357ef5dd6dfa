//! Places blobs in a repository. An existing blob is kept; a missing blob is mounted from another repository, or
//! uploaded.

use super::Registry;
use super::answer::Answer;
use super::download::short;
use super::error::{RegistryError, RegistryFailure, shortened};
use super::pace::Sending;
use super::redirect::{from_stranger, refused};
use super::repository::{Access, Repository, Request, RequestBody};
use super::retry::{Retried, with_retries};
use super::transfer::Transfer;
use crate::concurrent;
use crate::image::blob_source::{BlobReader, BlobSource};
use crate::image::error::ImageError;
use crate::image::manifest::Descriptor;
use crate::image::problem::ContentProblem;
use crate::image::progress::Progress;
use crate::image::reference::RegistryReference;
use futures_util::stream;
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};
use reqwest::{Body, Method, StatusCode, Url};
use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

/// The way in which a blob was placed in a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placed {
    /// The blob was already in the repository.
    There,
    /// The registry mounted the blob from another repository.
    Mounted,
    /// The blob was uploaded.
    Sent,
}

/// An upload of a blob to a repository.
struct Upload<'a> {
    repository: &'a Repository,
    image: &'a str,
    descriptor: &'a Descriptor,
    content: &'a BlobSource,
    progress: &'a Arc<dyn Progress>,
}

/// The result of a mount request.
enum Mount {
    Done,
    /// The registry expects an upload to this URL instead.
    Begun(Url),
    Refused,
}

/// The reason why a blob was not placed in a repository.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceError {
    /// A request to the registry of the repository failed.
    #[error(transparent)]
    Target(#[from] RegistryError),
    /// The blob cannot be read from its source.
    #[error(transparent)]
    Source(ImageError),
}

/// What is known about a repository before a blob is placed in it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Before<'a> {
    /// Another repository in the registry that contains the blob.
    pub mount: Option<&'a str>,
    /// Whether the repository is new, so that the blob need not be looked up.
    pub is_new: bool,
}

impl Registry {
    /// Places a blob in the repository of a reference. If `before` specifies a repository that contains the blob, first
    /// asks the registry to mount the blob from there.
    pub(in crate::image) async fn place(
        &self,
        reference: &RegistryReference,
        descriptor: &Descriptor,
        content: &BlobSource,
        before: Before<'_>,
    ) -> Result<Placed, PlaceError> {
        let repository = self.repository(reference);
        self.place_in(&repository, reference.as_written(), descriptor, content, before)
            .await
    }

    pub(super) async fn place_in(
        &self,
        repository: &Repository,
        image: &str,
        descriptor: &Descriptor,
        content: &BlobSource,
        before: Before<'_>,
    ) -> Result<Placed, PlaceError> {
        let _permit = self.permits.acquire().await;
        let upload = Upload {
            repository,
            image,
            descriptor,
            content,
            progress: &self.progress,
        };
        if let Some(from) = before.mount {
            let mount = with_retries(&self.retry, || upload.mount(from)).await;
            match mount {
                Ok(Mount::Done) => return Ok(Placed::Mounted),
                // If this upload fails, a new upload is started.
                Ok(Mount::Begun(url)) if upload.send(url.clone()).await.is_ok() => return Ok(Placed::Sent),
                Ok(_) => {}
                Err(error) => tracing::info!(%error, "the blob was not mounted"),
            }
        }
        let mut is_absent = before.is_new;
        with_retries(&self.retry, || upload.place(std::mem::take(&mut is_absent))).await
    }
}

impl Upload<'_> {
    /// Uploads a blob unless it is already in the repository. Every retry checks this first, because an earlier attempt
    /// may have succeeded although its response was lost.
    async fn place(&self, is_absent: bool) -> Result<Placed, PlaceError> {
        if !is_absent && self.is_there().await? {
            return Ok(Placed::There);
        }
        let begin = self.begin()?;
        let session = self.repository.send(&begin, &[StatusCode::ACCEPTED]).await?;
        let url = self.location(&begin, &session)?;
        self.send(url).await?;
        Ok(Placed::Sent)
    }

    async fn is_there(&self) -> Result<bool, RegistryError> {
        let url = self
            .repository
            .url(self.image, &format!("blobs/{}", self.descriptor.digest))?;
        let head = self.request(Method::HEAD, url);
        let answer = self.repository.send(&head, &[StatusCode::OK, StatusCode::NOT_FOUND]);
        Ok(answer.await?.describes_blob(None))
    }

    /// Asks the registry to mount the blob from another repository.
    async fn mount(&self, from: &str) -> Result<Mount, RegistryError> {
        let mut begin = self.begin()?;
        begin.access = Access::Mount(from.to_owned());
        begin
            .url
            .query_pairs_mut()
            .append_pair("mount", &self.descriptor.digest.to_string())
            .append_pair("from", from);
        let accepted = [StatusCode::CREATED, StatusCode::ACCEPTED];
        match self.repository.send(&begin, &accepted).await {
            Ok(answer) if answer.status() == StatusCode::CREATED => Ok(Mount::Done),
            Ok(answer) => self.location(&begin, &answer).map(Mount::Begun),
            // Some registries do not support mounts, and the login might not be valid for the other repository.
            Err(error) if error.failure.is_refusal() => Ok(Mount::Refused),
            Err(error) => Err(error),
        }
    }

    /// Sends the content to the upload URL.
    async fn send(&self, url: Url) -> Result<(), PlaceError> {
        let what = format!("{} {}", self.image, short(self.descriptor));
        let transfer = Transfer::new(self.progress.as_ref(), &what, self.descriptor.size);
        let watch = Watch {
            progress: Arc::clone(self.progress),
            id: transfer.id(),
            failure: Arc::default(),
        };
        let make = |sending| {
            let reader = self.content.reader(self.descriptor)?;
            Ok(body(reader, sending, watch.clone()))
        };
        let mut put = self.request(Method::PUT, url);
        put.headers
            .insert(CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
        put.headers.insert(CONTENT_LENGTH, self.descriptor.size.into());
        put.body = Some(RequestBody {
            length: self.descriptor.size,
            make: &make,
        });
        let accepted = [StatusCode::CREATED, StatusCode::OK, StatusCode::NO_CONTENT];
        let put = self.repository.send(&put, &accepted).await;
        let failure = concurrent::lock(&watch.failure).take();
        match (put, failure) {
            (Ok(_), _) => Ok(()),
            (Err(_), Some(failure)) => Err(PlaceError::Source(failure)),
            (Err(error), None) => Err(error.into()),
        }
    }

    fn begin(&self) -> Result<Request<'_>, RegistryError> {
        let mut begin = self.request(Method::POST, self.repository.url(self.image, "blobs/uploads/")?);
        begin.headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
        Ok(begin)
    }

    fn request(&self, method: Method, url: Url) -> Request<'_> {
        Request {
            image: self.image,
            access: Access::Push,
            method,
            url,
            headers: HeaderMap::new(),
            body: None,
        }
    }

    /// Returns the URL to which a started upload sends the content.
    fn location(&self, begin: &Request<'_>, session: &Answer) -> Result<Url, RegistryError> {
        let location = session.headers().get(LOCATION);
        let location = location.and_then(|location| location.to_str().ok());
        let url = upload_url(session.url(), location, self.descriptor).map_err(|failure| begin.fail(failure))?;
        if session.is_foreign() && self.repository.is_own(&url) {
            // If this were allowed, another server could make opmx write to any repository with the login of the user.
            let reason = "another server answered for the registry and named the registry as the upload location";
            return Err(begin.fail(refused(&url, reason)));
        }
        Ok(url)
    }
}

impl From<PlaceError> for ImageError {
    fn from(error: PlaceError) -> Self {
        match error {
            PlaceError::Target(error) => error.into(),
            PlaceError::Source(error) => error,
        }
    }
}

impl Retried for PlaceError {
    fn failure(&self) -> Option<&RegistryFailure> {
        match self {
            Self::Target(error) => Some(&error.failure),
            // The source has already retried its own requests. A retry can only help if the content had the wrong
            // digest.
            Self::Source(ImageError::Registry(error)) => match error.failure.as_ref() {
                failure @ RegistryFailure::Content {
                    problem: ContentProblem::WrongDigest { .. },
                    ..
                } => Some(failure),
                _ => None,
            },
            Self::Source(_) => None,
        }
    }

    fn after(self, tries: u32) -> Self {
        match self {
            Self::Target(error) => Self::Target(error.after(tries)),
            Self::Source(error) => Self::Source(error),
        }
    }
}

/// Returns the URL for sending the content: the URL specified by the registry, with the digest added.
fn upload_url(asked: &Url, location: Option<&str>, descriptor: &Descriptor) -> Result<Url, RegistryFailure> {
    let url = location.and_then(|location| from_stranger(Some(asked), location).ok());
    let mut url = url.ok_or_else(|| RegistryFailure::Protocol {
        problem: match location {
            Some(location) => format!(
                "its Location header {:?} is not a valid upload address",
                shortened(location)
            ),
            None => "it has no readable Location header with the upload address".to_owned(),
        },
    })?;
    if asked.scheme() == "https" && url.scheme() != "https" {
        // Registries behind a proxy are often unaware that clients use HTTPS.
        let same = url.host_str() == asked.host_str();
        if !same || url.set_scheme("https").is_err() || url.set_port(asked.port()).is_err() {
            return Err(refused(&url, "it does not use HTTPS"));
        }
    }
    url.query_pairs_mut()
        .append_pair("digest", &descriptor.digest.to_string());
    Ok(url)
}

/// The state that a request body needs to report its progress and its error. The body outlives the borrow of the
/// transfer, so it owns this state.
#[derive(Clone)]
struct Watch {
    progress: Arc<dyn Progress>,
    id: u64,
    /// The error that occurred while reading the content.
    failure: Arc<Mutex<Option<ImageError>>>,
}

/// Creates a request body that reads the content in chunks and reports its progress.
fn body(reader: BlobReader, sending: Arc<Sending>, watch: Watch) -> Body {
    let pieces = stream::try_unfold((reader, sending, watch), |(mut reader, sending, watch)| async move {
        sending.is_reading.store(true, Ordering::Relaxed);
        let piece = reader.next().await;
        sending.is_reading.store(false, Ordering::Relaxed);
        let piece = match piece {
            Ok(Some(piece)) => piece,
            Ok(None) => return Ok(None),
            Err(error) => {
                let words = io::Error::other(error.to_string());
                *concurrent::lock(&watch.failure) = Some(error);
                return Err(words);
            }
        };
        let length = piece.len() as u64;
        sending.bytes.fetch_add(length, Ordering::Relaxed);
        watch.progress.advanced(watch.id, length);
        Ok(Some((piece, (reader, sending, watch))))
    });
    Body::wrap_stream(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::digest::Digest;
    use crate::image::manifest::LAYER_GZIP;

    fn url(asked: &str, location: &str) -> Result<String, RegistryFailure> {
        let descriptor = Descriptor {
            media_type: LAYER_GZIP.to_owned(),
            digest: Digest::of(b""),
            size: 0,
        };
        let url = upload_url(&asked.parse().unwrap(), Some(location), &descriptor)?;
        Ok(url.as_str().split("digest=").next().unwrap().to_owned())
    }

    #[test]
    fn the_location_of_an_upload_may_be_relative_and_keeps_its_query() {
        let asked = "https://registry.example.com:5000/v2/a/blobs/uploads/";
        let here = |path: &str| format!("https://registry.example.com:5000{path}");
        assert_eq!(
            url(asked, "/v2/a/blobs/uploads/1?state=x%3D").unwrap(),
            here("/v2/a/blobs/uploads/1?state=x%3D&")
        );
        assert_eq!(
            url(asked, "https://elsewhere.example.com/up").unwrap(),
            "https://elsewhere.example.com/up?"
        );
        assert_eq!(url(asked, "http://registry.example.com/up").unwrap(), here("/up?"));
    }

    #[test]
    fn an_upload_does_not_downgrade_from_https() {
        let asked = "https://registry.example.com/v2/a/blobs/uploads/";
        assert!(matches!(
            url(asked, "http://elsewhere.example.com/up"),
            Err(RegistryFailure::Redirect { .. })
        ));
        let descriptor = Descriptor {
            media_type: LAYER_GZIP.to_owned(),
            digest: Digest::of(b""),
            size: 0,
        };
        let error = upload_url(&asked.parse().unwrap(), None, &descriptor).unwrap_err();
        let message = "the response is invalid: it has no readable Location header with the upload address";
        assert_eq!(error.to_string(), message);
    }
}
