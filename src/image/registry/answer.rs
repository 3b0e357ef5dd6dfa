//! HTTP responses whose bodies are read within size and time limits.

use super::error::RegistryFailure;
use super::pace::{Deadline, Pace};
use super::retry::retry_after;
use crate::image::problem::ContentProblem;
use reqwest::header::{CONTENT_LENGTH, HeaderMap, RETRY_AFTER};
use reqwest::{Response, StatusCode, Url};
use std::ops::Deref;
use std::time::SystemTime;

/// The maximum number of bytes read from an error body.
const FAILURE_LIMIT: u64 = 64 << 10;

/// The head of a response whose body has not been read yet.
#[derive(Debug)]
pub(super) struct Answer {
    response: Response,
    deadline: Deadline,
    foreign: bool,
}

impl Answer {
    pub(super) fn new(response: Response, deadline: Deadline, foreign: bool) -> Self {
        Self {
            response,
            deadline,
            foreign,
        }
    }

    pub(super) fn status(&self) -> StatusCode {
        self.response.status()
    }

    pub(super) fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    /// Whether the response to a HEAD request describes a blob of this size. A response without a size, or a blob of
    /// unknown size, is assumed to be right.
    pub(super) fn describes_blob(&self, size: Option<u64>) -> bool {
        let stated = self.headers().get(CONTENT_LENGTH);
        let stated = stated.and_then(|length| length.to_str().ok()?.parse().ok());
        self.status() == StatusCode::OK && size.zip(stated).is_none_or(|(size, stated): (u64, u64)| size == stated)
    }

    /// Returns the URL of the response after all redirects.
    pub(super) fn url(&self) -> &Url {
        self.response.url()
    }

    /// Whether the response comes from a server other than the registry, or was redirected by such a server.
    pub(super) fn is_foreign(&self) -> bool {
        self.foreign
    }

    pub(super) fn content_length(&self) -> Option<u64> {
        self.response.content_length()
    }

    /// Reads the body, which may have at most `limit` bytes.
    pub(super) async fn read(mut self, limit: u64) -> Result<Vec<u8>, RegistryFailure> {
        let too_large = || RegistryFailure::Content {
            part: "the response".to_owned(),
            problem: ContentProblem::TooMuch { limit },
        };
        if self.content_length().is_some_and(|length| length > limit) {
            return Err(too_large());
        }
        let mut body = Vec::new();
        while let Some(bytes) = self.next().await? {
            body.extend_from_slice(&bytes);
            if body.len() as u64 > limit {
                return Err(too_large());
            }
        }
        Ok(body)
    }

    /// Creates a failure from a response whose status is not accepted.
    pub(super) async fn failure(mut self) -> RegistryFailure {
        let status = self.status();
        let wait = self.headers().get(RETRY_AFTER);
        let wait = wait
            .and_then(|header| header.to_str().ok())
            .and_then(|header| retry_after(header, SystemTime::now()));
        let mut body = Vec::new();
        // If the body cannot be read, report only the status.
        while let Ok(Some(bytes)) = self.next().await {
            body.extend_from_slice(&bytes);
            if body.len() as u64 > FAILURE_LIMIT {
                break;
            }
        }
        RegistryFailure::of_status(status, wait, &body)
    }

    /// Returns the next chunk of a small body.
    async fn next(&mut self) -> Result<Option<impl Deref<Target = [u8]> + use<>>, RegistryFailure> {
        let bytes = self.deadline.wait(self.response.chunk()).await?;
        bytes.map_err(|error| RegistryFailure::of_client(&error))
    }

    /// Returns the next chunk of a blob, which must arrive at the minimum rate.
    pub(super) async fn next_of_blob(
        &mut self,
        pace: &mut Pace,
    ) -> Result<Option<impl Deref<Target = [u8]> + use<>>, RegistryFailure> {
        let arrived = |chunk: &Result<Option<_>, _>| match chunk {
            Ok(Some(bytes)) => length(bytes),
            _ => 0,
        };
        let bytes = pace.wait(self.response.chunk(), arrived).await?;
        bytes.map_err(|error| RegistryFailure::of_client(&error))
    }
}

fn length(bytes: &impl Deref<Target = [u8]>) -> u64 {
    bytes.len() as u64
}
