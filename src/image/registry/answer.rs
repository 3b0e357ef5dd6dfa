//! An answer, which is read within its limits of size and time.

use super::error::RegistryFailure;
use super::pace::{Deadline, Pace};
use super::retry::retry_after;
use crate::image::problem::ContentProblem;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{Response, StatusCode, Url};
use std::ops::Deref;
use std::time::SystemTime;

/// Bytes of an error's body that are read.
const FAILURE_LIMIT: u64 = 64 << 10;

/// The head of an answer, with the body still to come.
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

    /// The address that gave the answer, after all redirects.
    pub(super) fn url(&self) -> &Url {
        self.response.url()
    }

    /// Whether it is of another server than the registry, or was reached through one.
    pub(super) fn is_foreign(&self) -> bool {
        self.foreign
    }

    pub(super) fn content_length(&self) -> Option<u64> {
        self.response.content_length()
    }

    /// Reads a body of at most `limit` bytes.
    pub(super) async fn read(mut self, limit: u64) -> Result<Vec<u8>, RegistryFailure> {
        let too_large = || RegistryFailure::Content {
            part: "the answer".to_owned(),
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

    /// What an answer that was not accepted means.
    pub(super) async fn failure(mut self) -> RegistryFailure {
        let status = self.status();
        let wait = self.headers().get(RETRY_AFTER);
        let wait = wait
            .and_then(|header| header.to_str().ok())
            .and_then(|header| retry_after(header, SystemTime::now()));
        let mut body = Vec::new();
        // The status says enough when the body does not come.
        while let Ok(Some(bytes)) = self.next().await {
            body.extend_from_slice(&bytes);
            if body.len() as u64 > FAILURE_LIMIT {
                break;
            }
        }
        RegistryFailure::of_status(status, wait, &body)
    }

    /// The next bytes of a small body.
    async fn next(&mut self) -> Result<Option<impl Deref<Target = [u8]> + use<>>, RegistryFailure> {
        let bytes = self.deadline.wait(self.response.chunk()).await?;
        bytes.map_err(|error| RegistryFailure::of_client(&error))
    }

    /// The next bytes of a blob, which has to keep its pace.
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
