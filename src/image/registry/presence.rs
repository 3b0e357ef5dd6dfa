//! Checks whether content is in a registry, reads manifests that may be absent, and deletes manifests.

use super::answer::Answer;
use super::error::{RegistryError, RegistryFailure};
use super::repository::{Access, Request};
use super::{Registry, manifest_request};
use crate::image::digest::Digest;
use crate::image::document::Document;
use crate::image::error::ImageError;
use crate::image::reference::RegistryReference;
use reqwest::header::HeaderMap;
use reqwest::{Method, StatusCode, Url};

/// The result of deleting a manifest from a registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deletion {
    /// The manifest was deleted, together with the tags that referred to it.
    Done,
    /// The manifest did not exist.
    Absent,
    /// The registry does not support deletion.
    Unsupported,
}

const FOUND_OR_NOT: [StatusCode; 2] = [StatusCode::OK, StatusCode::NOT_FOUND];

impl Registry {
    /// Returns the document that a tag or digest refers to, or `None` if the registry reports that it does not exist.
    /// If access is refused, this is an error.
    pub(in crate::image) async fn lookup(&self, reference: &RegistryReference) -> Result<Option<Document>, ImageError> {
        existing(self.stored(reference).await)
    }

    /// Like [`Registry::lookup`], for a tag that is about to be replaced: a registry may hide its tags from clients
    /// without push access.
    pub(in crate::image) async fn lookup_to_replace(
        &self,
        reference: &RegistryReference,
    ) -> Result<Option<Document>, ImageError> {
        let (repository, image) = (self.repository(reference), reference.as_written());
        let mut request = manifest_request(&repository, image, Method::GET, reference.manifest_name())?;
        request.access = Access::Push;
        let received = {
            let _permit = self.permits.acquire().await;
            repository
                .ask(&request, &self.retry, || {
                    Self::document_once(&repository, &request, None)
                })
                .await
        };
        let document = received.map_err(ImageError::from).and_then(|received| {
            let document = Document::read(received.bytes, received.media_type.as_deref());
            document.map_err(|problem| problem.of(image, "the manifest"))
        });
        existing(document)
    }

    /// Whether the repository of a reference contains a blob of this size. The size is not compared if it is unknown or
    /// the registry does not report it.
    pub(in crate::image) async fn has_blob(
        &self,
        reference: &RegistryReference,
        digest: &Digest,
        size: Option<u64>,
    ) -> Result<bool, ImageError> {
        let url = self.url(reference, &format!("blobs/{digest}"))?;
        let answer = self.ask(reference, (Method::HEAD, Access::Pull), url, &FOUND_OR_NOT);
        Ok(answer.await?.describes_blob(size))
    }

    /// Whether the repository of a reference is new: the registry reports that the repository has no list of tags.
    /// Registries may also report this for an existing repository that has no tags.
    pub(in crate::image) async fn is_new(&self, reference: &RegistryReference) -> Result<bool, ImageError> {
        let url = self.url(reference, "tags/list")?;
        let answer = self.ask(reference, (Method::GET, Access::Pull), url, &FOUND_OR_NOT);
        Ok(answer.await?.status() == StatusCode::NOT_FOUND)
    }

    /// Checks that the registry of a reference can be reached, and that it accepts the login. The request is a GET,
    /// because only the response body shows that a server expects HTTPS.
    pub(in crate::image) async fn ping(&self, reference: &RegistryReference) -> Result<(), ImageError> {
        let url = self.repository(reference).registry_url(reference.as_written(), "")?;
        let answer = self.ask(reference, (Method::GET, Access::Pull), url, &[StatusCode::OK]);
        answer.await.map(drop)
    }

    /// Deletes a manifest, which the reference specifies by digest, from the registry.
    pub(in crate::image) async fn delete_manifest(
        &self,
        reference: &RegistryReference,
    ) -> Result<Deletion, ImageError> {
        let accepted = [
            StatusCode::ACCEPTED,
            StatusCode::OK,
            StatusCode::NO_CONTENT,
            StatusCode::NOT_FOUND,
            StatusCode::METHOD_NOT_ALLOWED,
        ];
        let url = self.url(reference, &format!("manifests/{}", reference.manifest_name()))?;
        let answer = self.ask(reference, (Method::DELETE, Access::Delete), url, &accepted);
        Ok(match answer.await?.status() {
            StatusCode::NOT_FOUND => Deletion::Absent,
            StatusCode::METHOD_NOT_ALLOWED => Deletion::Unsupported,
            _ => Deletion::Done,
        })
    }

    fn url(&self, reference: &RegistryReference, path: &str) -> Result<Url, RegistryError> {
        self.repository(reference).url(reference.as_written(), path)
    }

    async fn ask(
        &self,
        reference: &RegistryReference,
        (method, access): (Method, Access),
        url: Url,
        accepted: &[StatusCode],
    ) -> Result<Answer, ImageError> {
        let _permit = self.permits.acquire().await;
        let (repository, image) = (self.repository(reference), reference.as_written());
        let request = Request {
            image,
            access,
            method,
            url,
            headers: HeaderMap::new(),
            body: None,
        };
        let answer = repository.ask(&request, &self.retry, || repository.send(&request, accepted));
        Ok(answer.await?)
    }
}

fn existing(found: Result<Document, ImageError>) -> Result<Option<Document>, ImageError> {
    match found {
        Err(ImageError::Registry(error)) if matches!(*error.failure, RegistryFailure::NotFound { .. }) => Ok(None),
        found => found.map(Some),
    }
}
