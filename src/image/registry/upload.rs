//! Images into a registry: the blobs that are not there yet, then the manifests, last the one under the tag.

use super::download::short;
use super::error::{RegistryError, RegistryFailure};
use super::moving::Target;
use super::redirect::{from_stranger, refused};
use super::repository::{Access, Repository, Request, RequestBody};
use super::retry::with_retries;
use super::transfer::Transfer;
use super::{Registry, stated_digest};
use crate::image::digest::Digest;
use crate::image::error::ImageError;
use crate::image::image::Blob;
use crate::image::manifest::{Descriptor, check_digest};
use crate::image::progress::Progress;
use crate::image::reference::RegistryReference;
use crate::image::tag_state::TagState;
use crate::image::tagged_image::{Document, Tagged};
use futures_util::{StreamExt, TryStreamExt, stream};
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Body, Method, StatusCode, Url};
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that are handed to the connection at once.
const PIECE: usize = 64 << 10;

impl Registry {
    /// Pushes an image, or those for several platforms; the tag moves when everything else is there. Where `over` says
    /// what it stands for, nobody else may have moved it by then.
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
        let mut uploads = Vec::new();
        for (descriptor, content) in blobs.values() {
            uploads.push(self.upload(&repository, written, descriptor, content));
        }
        let uploads = stream::iter(uploads).buffer_unordered(self.parallel);
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
            // With a tag and a digest, the digest was checked above and the tag is what is set.
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

    /// Puts a manifest under a tag or its digest; whether the registry took it, which it must unless there is a
    /// condition.
    pub(super) async fn push_manifest(
        repository: &Repository,
        document: &Document,
        (written, name): (&str, &str),
        condition: Option<(HeaderName, HeaderValue)>,
    ) -> Result<bool, RegistryError> {
        let Descriptor {
            media_type,
            digest,
            size,
        } = &document.descriptor;
        let make = |sent: Arc<AtomicU64>| {
            sent.store(*size, Ordering::Relaxed);
            Ok(Body::from(document.bytes.to_vec()))
        };
        let mut headers = HeaderMap::new();
        let media_type = HeaderValue::from_str(media_type).map_err(|_| {
            let problem = format!("the media type {media_type:?} cannot be sent");
            RegistryError::new(written, "sending the manifest", RegistryFailure::Protocol { problem })
        })?;
        headers.insert(CONTENT_TYPE, media_type);
        let mut accepted = vec![StatusCode::CREATED, StatusCode::OK, StatusCode::ACCEPTED];
        if let Some((header, value)) = condition {
            headers.insert(header, value);
            accepted.push(StatusCode::PRECONDITION_FAILED);
        }
        let request = Request {
            image: written,
            access: Access::Push,
            method: Method::PUT,
            url: repository.url(written, &format!("manifests/{name}"))?,
            headers,
            body: Some(RequestBody {
                length: *size,
                make: &make,
            }),
        };
        let response = repository.send(&request, &accepted).await?;
        if response.status() == StatusCode::PRECONDITION_FAILED {
            return Ok(false);
        }
        match stated_digest(&response) {
            Some(found) if found != *digest => {
                let expected = *digest;
                Err(request.fail(RegistryFailure::OtherDigest { expected, found }))
            }
            _ => Ok(true),
        }
    }

    async fn upload(
        &self,
        repository: &Repository,
        image: &str,
        descriptor: &Descriptor,
        content: &Blob,
    ) -> Result<(), RegistryError> {
        let _permit = self.permits.acquire().await;
        let upload = || self.upload_once(repository, image, descriptor, content);
        with_retries(&self.retry, upload).await
    }

    /// Sends a blob unless the registry has it. Every repetition asks first, since the try before may have succeeded
    /// without the answer getting here.
    async fn upload_once(
        &self,
        repository: &Repository,
        image: &str,
        descriptor: &Descriptor,
        content: &Blob,
    ) -> Result<(), RegistryError> {
        let request = |method: Method, url: Url| Request {
            image,
            access: Access::Push,
            method,
            url,
            headers: HeaderMap::new(),
            body: None,
        };
        let head = request(
            Method::HEAD,
            repository.url(image, &format!("blobs/{}", descriptor.digest))?,
        );
        let present = repository.send(&head, &[StatusCode::OK, StatusCode::NOT_FOUND]).await?;
        if present.status() == StatusCode::OK {
            return Ok(());
        }
        let mut begin = request(Method::POST, repository.url(image, "blobs/uploads/")?);
        begin.headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
        let session = repository.send(&begin, &[StatusCode::ACCEPTED]).await?;
        let location = session
            .headers()
            .get(LOCATION)
            .and_then(|location| location.to_str().ok());
        let url = upload_url(session.url(), location, descriptor).map_err(|failure| begin.fail(failure))?;
        if session.is_foreign() && repository.is_own(&url) {
            // With the login, another server would write where it likes.
            let reason = "another server answered for the registry and names it as the upload location";
            return Err(begin.fail(refused(&url, reason)));
        }

        let what = format!("{image} {}", short(descriptor));
        let progress = Arc::clone(&self.progress);
        let transfer = Transfer::new(self.progress.as_ref(), &what, descriptor.size);
        let watch = Watch {
            progress,
            id: transfer.id(),
        };
        let make = |sent| body(content, sent, watch.clone());
        let mut put = request(Method::PUT, url);
        put.headers
            .insert(CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
        put.headers.insert(CONTENT_LENGTH, descriptor.size.into());
        put.body = Some(RequestBody {
            length: descriptor.size,
            make: &make,
        });
        repository
            .send(&put, &[StatusCode::CREATED, StatusCode::OK, StatusCode::NO_CONTENT])
            .await?;
        Ok(())
    }
}

/// Where the content is sent to: the address that the registry named, with the digest.
fn upload_url(asked: &Url, location: Option<&str>, descriptor: &Descriptor) -> Result<Url, RegistryFailure> {
    let url = location.and_then(|location| from_stranger(Some(asked), location).ok());
    let mut url = url.ok_or_else(|| RegistryFailure::Protocol {
        problem: format!("it has no usable upload address (Location: {location:?})"),
    })?;
    if asked.scheme() == "https" && url.scheme() != "https" {
        // Registries behind a proxy often do not know that they are reached by HTTPS.
        let same = url.host_str() == asked.host_str();
        if !same || url.set_scheme("https").is_err() || url.set_port(asked.port()).is_err() {
            return Err(refused(&url, "it would leave HTTPS"));
        }
    }
    url.query_pairs_mut()
        .append_pair("digest", &descriptor.digest.to_string());
    Ok(url)
}

/// Tells the progress of a transfer from within a body, which outlives the borrow of the transfer.
#[derive(Clone)]
struct Watch {
    progress: Arc<dyn Progress>,
    id: u64,
}

/// A body that reads the content piece by piece and counts what it gave away.
fn body(content: &Blob, sent: Arc<AtomicU64>, watch: Watch) -> Result<Body, RegistryFailure> {
    let reader = content.open()?;
    let pieces = stream::try_unfold((reader, sent, watch), |(mut reader, sent, watch)| async move {
        let mut piece = vec![0; PIECE];
        let read = reader.read(&mut piece)?;
        if read == 0 {
            return Ok::<_, io::Error>(None);
        }
        piece.truncate(read);
        sent.fetch_add(read as u64, Ordering::Relaxed);
        watch.progress.advanced(watch.id, read as u64);
        Ok(Some((piece, (reader, sent, watch))))
    });
    Ok(Body::wrap_stream(pieces))
}

#[cfg(test)]
mod tests {
    use super::*;
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
    fn the_address_of_an_upload_may_be_relative_and_keeps_its_query() {
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
    fn an_upload_does_not_leave_https() {
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
        assert!(matches!(
            upload_url(&asked.parse().unwrap(), None, &descriptor),
            Err(RegistryFailure::Protocol { .. })
        ));
    }
}
