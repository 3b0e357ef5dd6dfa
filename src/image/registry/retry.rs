//! Asking again: after which failures, how often, and after which wait.

use super::error::{RegistryError, RegistryFailure};
use crate::image::options::RetryPolicy;
use crate::image::problem::ContentProblem;
use std::future::Future;
use std::time::{Duration, SystemTime};

/// How a failure may be mended by asking again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Again {
    Never,
    /// What came was wrong or too slow; another try may bring something else, but rarely.
    FewTimes,
    /// The server or network may recover, after this wait at the least.
    After(Duration),
}

impl RegistryFailure {
    /// Whether, and how, it is worth another try.
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

/// Repetitions when the content that came was wrong, or came too slowly.
const WRONG_CONTENT_RETRIES: u32 = 2;

impl RetryPolicy {
    /// The wait before the next try, after `failed` tries; none when it is over.
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

/// Runs `attempt` until it succeeds, fails for good, or was repeated often enough.
pub(super) async fn with_retries<T, F, A>(policy: &RetryPolicy, mut attempt: F) -> Result<T, RegistryError>
where
    F: FnMut() -> A,
    A: Future<Output = Result<T, RegistryError>>,
{
    let mut failed = 0;
    loop {
        let mut error = match attempt().await {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        failed += 1;
        let Some(delay) = policy.delay(error.failure.again(), failed) else {
            error.attempts = failed;
            return Err(error);
        };
        tracing::info!(%error, wait = ?delay, "trying again");
        tokio::time::sleep(delay).await;
    }
}

/// The wait in a `Retry-After` header: seconds, or a date.
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
    fn waits_double_up_to_the_longest_and_end() {
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
    fn a_wait_that_is_asked_for_is_kept_unless_it_is_too_long() {
        let policy = RetryPolicy::default();
        let delay = |seconds| policy.delay(Again::After(Duration::from_secs(seconds)), 1);
        assert_eq!(delay(7), Some(Duration::from_secs(7)));
        assert_eq!(delay(121), None);
    }

    #[test]
    fn wrong_content_is_asked_for_three_times_in_all() {
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
    fn only_what_may_recover_is_asked_again() {
        let of = |status| RegistryFailure::of_status(StatusCode::from_u16(status).unwrap(), None, b"");
        for status in [401, 403, 404, 400, 501] {
            assert_eq!(of(status).again(), Again::Never, "{status}");
        }
        for status in [408, 429, 500, 502, 503, 504] {
            assert_eq!(of(status).again(), Again::After(Duration::ZERO), "{status}");
        }
    }
}
