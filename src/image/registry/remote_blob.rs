//! Streams blobs from registries. A stream resumes after interruptions, and succeeds only if the digest matches.

use super::Registry;
use super::answer::Answer;
use super::error::{RegistryError, RegistryFailure, shortened};
use super::pace::Pace;
use super::repository::{Access, Repository, Request};
use super::retry::Retried;
use crate::image::digest::Hasher;
use crate::image::manifest::{Descriptor, check_digest};
use crate::image::options::RetryPolicy;
use crate::image::problem::ContentProblem;
use crate::image::reference::RegistryReference;
use reqwest::header::{CONTENT_RANGE, HeaderMap, HeaderValue, RANGE};
use reqwest::{Method, StatusCode};
use std::sync::Arc;

/// The number of bytes that must arrive before earlier interruptions are ignored.
const FORGIVEN: u64 = 1 << 20;

/// A blob in one or more repositories.
pub(in crate::image) struct RemoteBlob {
    /// The repositories that contain the blob, in the order in which they are tried until one succeeds.
    repositories: Vec<(Arc<Repository>, String)>,
    descriptor: Descriptor,
    retry: RetryPolicy,
}

impl Registry {
    /// Returns a handle to a blob in these repositories.
    pub(in crate::image) fn remote_blob(
        &self,
        repositories: &[RegistryReference],
        descriptor: &Descriptor,
    ) -> RemoteBlob {
        let repositories = repositories.iter();
        RemoteBlob {
            repositories: repositories
                .map(|reference| (self.repository(reference), reference.as_written().to_owned()))
                .collect(),
            descriptor: descriptor.clone(),
            retry: self.retry.clone(),
        }
    }
}

/// The unread remainder of a blob.
pub(in crate::image) struct RemoteReader {
    blob: Arc<RemoteBlob>,
    /// The position of the current repository.
    place: usize,
    answer: Option<(Answer, Pace)>,
    /// The number of bytes to skip at the start of the response, because an earlier response contained them.
    skip: u64,
    hasher: Hasher,
    /// The number of interruptions, and the position of the last one.
    failed: (u32, u64),
    /// The last chunk, held back until the digest has been verified.
    held: Option<Vec<u8>>,
    ended: bool,
}

impl RemoteBlob {
    /// Returns a reader for the blob, positioned at its start.
    pub(in crate::image) fn reader(self: &Arc<Self>) -> RemoteReader {
        RemoteReader {
            blob: Arc::clone(self),
            place: 0,
            answer: None,
            skip: 0,
            hasher: Hasher::new(),
            failed: (0, 0),
            held: None,
            ended: false,
        }
    }
}

impl RemoteReader {
    /// Returns the next chunk, or `None` at the end. The last chunk is returned only if the whole content matches the
    /// digest.
    pub(in crate::image) async fn next(&mut self) -> Result<Option<Vec<u8>>, RegistryError> {
        while !self.ended {
            if let Some(piece) = self.piece().await? {
                if let Some(previous) = self.held.replace(piece) {
                    return Ok(Some(previous));
                }
            } else {
                self.ended = true;
                let found = std::mem::replace(&mut self.hasher, Hasher::new()).finish();
                if let Err(problem) = check_digest(&self.blob.descriptor.digest, found) {
                    self.held = None;
                    return Err(self.wrong(problem));
                }
            }
        }
        Ok(self.held.take())
    }

    /// Returns the next received chunk, resuming after interruptions.
    async fn piece(&mut self) -> Result<Option<Vec<u8>>, RegistryError> {
        loop {
            let error = match self.try_piece().await {
                Ok(piece) => return Ok(piece),
                Err(error) => error,
            };
            self.answer = None;
            let at = self.hasher.length();
            if at >= self.failed.1 + FORGIVEN {
                self.failed = (0, at);
            }
            self.failed.0 += 1;
            let is_refused = error.attempts == 0;
            let delay = self.blob.retry.delay_after(&error.failure, self.failed.0);
            if let Some(delay) = delay.filter(|_| !is_refused) {
                tracing::info!(%error, wait = ?delay, at, "resuming the download of a blob");
                tokio::time::sleep(delay).await;
                continue;
            }
            if let Some((repository, _)) = self.blob.repositories.get(self.place) {
                repository.gave_up(&error);
            }
            if self.place + 1 < self.blob.repositories.len() {
                tracing::info!(%error, "reading a blob from another repository");
                self.place += 1;
                self.failed = (0, at);
            } else {
                return Err(if is_refused { error } else { error.after(self.failed.0) });
            }
        }
    }

    async fn try_piece(&mut self) -> Result<Option<Vec<u8>>, RegistryError> {
        let size = self.blob.descriptor.size;
        if self.answer.is_none() {
            if self.hasher.length() == size && size > 0 {
                return Ok(None);
            }
            self.ask().await?;
        }
        loop {
            let Some((answer, pace)) = &mut self.answer else {
                return Ok(None);
            };
            let next = answer.next_of_blob(pace).await;
            let Some(piece) = next.map_err(|failure| self.failed(failure))? else {
                let (found, skip) = (self.hasher.length(), self.skip);
                if found < size || skip > 0 {
                    let cause = format!("received {found} of {size} bytes");
                    return Err(self.failed(RegistryFailure::ShortBody { cause }));
                }
                return Ok(None);
            };
            let mut piece: &[u8] = &piece;
            if self.skip > 0 {
                let skipped = usize::try_from(self.skip).unwrap_or(usize::MAX).min(piece.len());
                self.skip -= skipped as u64;
                piece = &piece[skipped..];
            }
            if piece.is_empty() {
                continue;
            }
            let found = self.hasher.length() + piece.len() as u64;
            if found > size {
                return Err(self.wrong(ContentProblem::WrongSize { expected: size, found }));
            }
            self.hasher.update(piece);
            return Ok(Some(piece.to_vec()));
        }
    }

    /// Requests the missing bytes.
    async fn ask(&mut self) -> Result<(), RegistryError> {
        let at = self.hasher.length();
        let Some((repository, image)) = self.blob.repositories.get(self.place) else {
            let problem = "no repository is known to contain the blob".to_owned();
            return Err(self.failed(RegistryFailure::Protocol { problem }));
        };
        let mut headers = HeaderMap::new();
        if at > 0
            && let Ok(range) = HeaderValue::try_from(format!("bytes={at}-"))
        {
            headers.insert(RANGE, range);
        }
        let request = Request {
            image,
            access: Access::Pull,
            method: Method::GET,
            url: repository.url(image, &format!("blobs/{}", self.blob.descriptor.digest))?,
            headers,
            body: None,
        };
        let accepted: &[StatusCode] = if at > 0 {
            &[StatusCode::PARTIAL_CONTENT, StatusCode::OK]
        } else {
            &[StatusCode::OK]
        };
        repository.check(&request)?;
        let answer = repository.send(&request, accepted).await?;
        // A registry without range support sends the blob from the beginning.
        let from = if answer.status() == StatusCode::PARTIAL_CONTENT {
            start_of_range(answer.headers().get(CONTENT_RANGE), at).map_err(|failure| request.fail(failure))?
        } else {
            0
        };
        let expected = self.blob.descriptor.size;
        let found = answer.content_length().map(|length| from.saturating_add(length));
        if let Some(found) = found.filter(|found| *found != expected) {
            return Err(self.wrong(ContentProblem::WrongSize { expected, found }));
        }
        self.skip = at - from;
        let pace = repository.time_limits().pace();
        self.answer = Some((answer, pace));
        Ok(())
    }

    fn failed(&self, failure: RegistryFailure) -> RegistryError {
        let (host, image) = match self.blob.repositories.get(self.place) {
            Some((repository, image)) => (repository.host().to_owned(), image.as_str()),
            None => (String::new(), ""),
        };
        let asked = format!("GET {} from {host}", self.blob.descriptor.digest);
        RegistryError::new(image, asked, failure)
    }

    fn wrong(&self, problem: ContentProblem) -> RegistryError {
        let part = format!("the blob {}", self.blob.descriptor.digest);
        self.failed(RegistryFailure::Content { part, problem })
    }
}

/// Returns the offset of the first byte in a response to a request for all bytes from `at`. The response may start
/// earlier. Not every registry states the range; without it, the response is assumed to be the requested range, and the
/// digest decides.
fn start_of_range(stated: Option<&HeaderValue>, at: u64) -> Result<u64, RegistryFailure> {
    let Some(stated) = stated else { return Ok(at) };
    let text = String::from_utf8_lossy(stated.as_bytes());
    let range = text.trim().strip_prefix("bytes ");
    let start = range.and_then(|range| range.split_once('-')?.0.trim().parse().ok());
    start
        .filter(|start| *start <= at)
        .ok_or_else(|| RegistryFailure::Protocol {
            problem: format!(
                "it contains the range {:?} instead of the bytes from {at}",
                shortened(&text)
            ),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_that_leaves_a_gap_is_rejected() {
        let start = |stated: &'static str| start_of_range(Some(&HeaderValue::from_static(stated)), 100);
        assert_eq!(start("bytes 100-199/200").unwrap(), 100);
        assert_eq!(start("bytes 100-199/*").unwrap(), 100);
        assert_eq!(start("bytes 40-199/200").unwrap(), 40);
        assert_eq!(start_of_range(None, 100).unwrap(), 100);
        for other in [
            "bytes 101-199/200",
            "bytes */200",
            "items 100-199/200",
            "bytes -100/200",
            "",
        ] {
            let error = start(other).unwrap_err().to_string();
            assert!(error.contains("instead of the bytes from 100"), "{error}");
        }
    }
}
