//! The retry policy: the failures after which requests are retried, the number of retries, and the delays.

use super::error::{RegistryError, RegistryFailure};
use crate::image::options::RetryPolicy;
use crate::image::problem::ContentProblem;
use std::future::Future;
use std::time::{Duration, SystemTime};

/// Whether a retry may help after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Again {
    Never,
    /// The content was wrong or arrived too slowly, so a retry rarely helps.
    FewTimes,
    /// The server or network may recover after at least this delay.
    After(Duration),
}

impl RegistryFailure {
    /// Returns whether a retry after this failure may help.
    fn again(&self) -> Again {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Unavailable { retry_after, .. } => {
                Again::After(retry_after.unwrap_or_default())
            }
            Self::Connection { .. } | Self::Stalled { .. } | Self::ShortBody { .. } => Again::After(Duration::ZERO),
            Self::TooLong { .. }
            | Self::TooSlow { .. }
            | Self::Content {
                problem: ContentProblem::WrongDigest { .. } | ContentProblem::WrongSize { .. },
                ..
            } => Again::FewTimes,
            _ => Again::Never,
        }
    }
}

/// The number of retries if the content was wrong or arrived too slowly.
const WRONG_CONTENT_RETRIES: u32 = 2;

impl RetryPolicy {
    /// Returns the delay before the next attempt after `failed` attempts, the last of which ended with this failure.
    /// Returns `None` if there should be no further attempt.
    pub(super) fn delay_after(&self, failure: &RegistryFailure, failed: u32) -> Option<Duration> {
        self.delay(failure.again(), failed)
    }

    /// Returns the delay before the next attempt after `failed` attempts, or `None` if there should be no further
    /// attempt.
    fn delay(&self, again: Again, failed: u32) -> Option<Duration> {
        let (allowed, asked) = match again {
            Again::Never => return None,
            Again::FewTimes => (self.retries.min(WRONG_CONTENT_RETRIES), Duration::ZERO),
            Again::After(asked) => (self.retries, asked),
        };
        if failed > allowed || asked > self.longest_wait {
            return None;
        }
        let doubled = self
            .first_delay
            .saturating_mul(2_u32.saturating_pow(failed.saturating_sub(1)));
        Some(doubled.min(self.longest_delay).max(asked))
    }
}

/// An error of an operation that may be retried.
pub(super) trait Retried: std::fmt::Display {
    /// Returns the failure that determines whether to retry, or `None` if the operation must not be retried.
    fn failure(&self) -> Option<&RegistryFailure>;

    /// Returns this error with the number of attempts set to `tries`.
    fn after(self, tries: u32) -> Self;
}

impl Retried for RegistryError {
    fn failure(&self) -> Option<&RegistryFailure> {
        Some(&self.failure)
    }

    fn after(mut self, tries: u32) -> Self {
        self.attempts = tries;
        self
    }
}

/// Runs `attempt` until it succeeds, fails permanently, or reaches the maximum number of retries.
pub(super) async fn with_retries<T, E, F, A>(policy: &RetryPolicy, mut attempt: F) -> Result<T, E>
where
    E: Retried,
    F: FnMut() -> A,
    A: Future<Output = Result<T, E>>,
{
    let mut failed = 0;
    loop {
        let error = match attempt().await {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        failed += 1;
        let again = error.failure().map_or(Again::Never, RegistryFailure::again);
        let Some(delay) = policy.delay(again, failed) else {
            return Err(error.after(failed));
        };
        tracing::info!(%error, wait = ?delay, "retrying");
        tokio::time::sleep(delay).await;
    }
}

/// Returns the delay in a `Retry-After` header, which contains seconds or a date.
pub(super) fn retry_after(header: &str, now: SystemTime) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(header).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::StatusCode;

    #[test]
    fn delays_double_up_to_the_maximum_and_end() {
        let policy = RetryPolicy {
            retries: 6,
            ..RetryPolicy::default()
        };
        let delays: Vec<_> = (1..=7)
            .map(|failed| policy.delay(Again::After(Duration::ZERO), failed))
            .collect();
        let milliseconds = |delay: Option<Duration>| delay.map(|delay| delay.as_millis());
        let delays: Vec<_> = delays.into_iter().map(milliseconds).collect();
        let expected = [
            Some(500),
            Some(1000),
            Some(2000),
            Some(4000),
            Some(8000),
            Some(15_000),
            None,
        ];
        assert_eq!(delays, expected);
    }

    #[test]
    fn a_requested_delay_is_respected_unless_it_is_too_long() {
        let policy = RetryPolicy::default();
        let delay = |seconds| policy.delay(Again::After(Duration::from_secs(seconds)), 1);
        assert_eq!(delay(7), Some(Duration::from_secs(7)));
        assert_eq!(delay(121), None);
    }

    #[test]
    fn wrong_content_is_requested_three_times_in_total() {
        let policy = RetryPolicy::default();
        assert!(policy.delay(Again::FewTimes, 2).is_some());
        assert_eq!(policy.delay(Again::FewTimes, 3), None);
        assert_eq!(policy.delay(Again::Never, 1), None);
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        assert_eq!(retry_after("3", now), Some(Duration::from_secs(3)));
        assert_eq!(
            retry_after("Sun, 06 Nov 1994 08:49:47 GMT", now),
            Some(Duration::from_secs(10))
        );
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:49:27 GMT", now), Some(Duration::ZERO));
        assert_eq!(retry_after("soon", now), None);
    }

    #[test]
    fn only_transient_failures_are_retried() {
        let of = |status| RegistryFailure::of_status(StatusCode::from_u16(status).unwrap(), None, b"");
        for status in [401, 403, 404, 400, 501] {
            assert_eq!(of(status).again(), Again::Never, "{status}");
        }
        for status in [408, 429, 500, 502, 503, 504] {
            assert_eq!(of(status).again(), Again::After(Duration::ZERO), "{status}");
        }
    }
}
