//! Pushes manifests by tag or digest.

use super::error::{RegistryError, RegistryFailure};
use super::pace::Sending;
use super::repository::{Access, Repository, Request, RequestBody};
use super::retry::with_retries;
use super::{Registry, stated_digest};
use crate::image::document::Document;
use crate::image::error::ImageError;
use crate::image::manifest::Descriptor;
use crate::image::reference::RegistryReference;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Body, Method, StatusCode};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The header that confirms that the registry has processed the subject of a manifest.
const SUBJECT_HEADER: &str = "oci-subject";

/// The result of pushing a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Put {
    /// The manifest was stored. `knows_subject` says whether the registry confirmed that it lists the manifest as a
    /// referrer of its subject.
    Stored { knows_subject: bool },
    /// The manifest was not stored because the condition was not met.
    Refused,
}

impl Registry {
    /// Pushes a manifest to the tag or digest of a reference. Everything that the manifest references must already have
    /// been pushed. Returns whether the registry lists the manifest among the referrers of its subject.
    pub(in crate::image) async fn put_document(
        &self,
        reference: &RegistryReference,
        document: &Document,
    ) -> Result<bool, ImageError> {
        let _permit = self.permits.acquire().await;
        let (repository, image) = (self.repository(reference), reference.as_written());
        let named = (image, reference.tag().unwrap_or_else(|| reference.manifest_name()));
        let put = with_retries(&self.retry, || Self::push_manifest(&repository, document, named, None));
        Ok(put.await? == Put::Stored { knows_subject: true })
    }

    /// Pushes a manifest by tag or by digest, if the condition is met.
    pub(super) async fn push_manifest(
        repository: &Repository,
        document: &Document,
        (written, name): (&str, &str),
        condition: Option<(HeaderName, HeaderValue)>,
    ) -> Result<Put, RegistryError> {
        let Descriptor {
            media_type,
            digest,
            size,
        } = &document.descriptor;
        let make = |sending: Arc<Sending>| {
            sending.bytes.store(*size, Ordering::Relaxed);
            Ok(Body::from(document.bytes.to_vec()))
        };
        let mut headers = HeaderMap::new();
        let media_type = HeaderValue::from_str(media_type).map_err(|_| {
            let problem = format!("the media type {media_type:?} cannot be sent in an HTTP header");
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
            return Ok(Put::Refused);
        }
        match stated_digest(&response) {
            Some(found) if found != *digest => {
                let expected = *digest;
                Err(request.fail(RegistryFailure::OtherDigest { expected, found }))
            }
            _ => Ok(Put::Stored {
                knows_subject: response.headers().contains_key(SUBJECT_HEADER),
            }),
        }
    }
}
