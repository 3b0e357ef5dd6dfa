//! Time limits for servers: the total time of small responses, the transfer rate of blobs, and the time without any
//! data.

use super::error::RegistryFailure;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The factor by which the time limit is extended after an upload, because the registry then moves the content to its
/// storage.
const COMMIT_FACTOR: u32 = 5;

/// The time limits of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TimeLimits {
    /// The maximum time without any data transfer.
    pub(super) stall: Duration,
    /// The maximum total time of a response that is not a blob, including redirects.
    pub(super) request: Duration,
    /// The minimum transfer rate of a blob in bytes per second; 0 for no minimum.
    pub(super) least_rate: u64,
    /// The time window over which the transfer rate is measured.
    pub(super) rate_window: Duration,
    /// The delay before a moved tag is checked again.
    pub(super) settle: Duration,
}

/// The deadline of a small response.
#[derive(Debug)]
pub(super) struct Deadline {
    limits: TimeLimits,
    begun: Instant,
    heard: bool,
}

/// The transfer rate of a blob over the last [`TimeLimits::rate_window`].
#[derive(Debug)]
pub(super) struct Pace {
    limits: TimeLimits,
    idle: Duration,
    /// The parts of the window, oldest first. All parts except the last are at least as long as the window divided by
    /// [`PARTS`].
    parts: VecDeque<Moved>,
    /// The sum of all parts.
    window: Moved,
}

/// The number of parts that the window is divided into. A part that is too old is dropped as a whole.
const PARTS: u32 = 12;

/// The number of bytes transferred within a time span.
#[derive(Debug, Default)]
struct Moved {
    time: Duration,
    bytes: u64,
}

/// The progress of a request body.
#[derive(Debug, Default)]
pub(super) struct Sending {
    /// The number of bytes that the server has taken.
    pub(super) bytes: AtomicU64,
    /// Whether the server waits for bytes that have yet to be read from their own source.
    pub(super) is_reading: AtomicBool,
}

impl TimeLimits {
    /// Starts the deadline of a small response.
    pub(super) fn deadline(&self) -> Deadline {
        Deadline {
            limits: *self,
            begun: Instant::now(),
            heard: false,
        }
    }

    /// Starts measuring the transfer rate of a blob.
    pub(super) fn pace(&self) -> Pace {
        Pace {
            limits: *self,
            idle: Duration::ZERO,
            parts: VecDeque::new(),
            window: Moved::default(),
        }
    }
}

impl Deadline {
    /// Waits for the next data from the server.
    pub(super) async fn wait<T>(&mut self, next: impl Future<Output = T>) -> Result<T, RegistryFailure> {
        let TimeLimits { stall, request, .. } = self.limits;
        let left = request.saturating_sub(self.begun.elapsed());
        match tokio::time::timeout(left.min(stall), next).await {
            Ok(next) => {
                self.heard = true;
                Ok(next)
            }
            Err(_) if self.heard && left < stall => Err(RegistryFailure::TooLong { limit: request }),
            Err(_) => Err(RegistryFailure::Stalled {
                limit: stall.min(request),
            }),
        }
    }
}

impl Pace {
    /// Waits for data whose bytes can be counted. The time between two calls is local processing and is ignored.
    pub(super) async fn wait<T>(
        &mut self,
        next: impl Future<Output = T>,
        bytes: impl Fn(&T) -> u64,
    ) -> Result<T, RegistryFailure> {
        let mut next = pin!(next);
        loop {
            let begun = Instant::now();
            let got = tokio::time::timeout(self.patience(), &mut next).await;
            let moved = got.as_ref().map_or(0, &bytes);
            match got {
                // Without new bytes, the result is the end of the data or a more specific error.
                Ok(got) if moved == 0 => return Ok(got),
                Ok(got) => return self.passed(begun.elapsed(), moved).map(|()| got),
                Err(_) => self.passed(begun.elapsed(), 0)?,
            }
        }
    }

    /// Waits for the response to a request with a body of `length` bytes. While the body is being read from its source,
    /// which has its own limits, the server is not at fault.
    pub(super) async fn wait_sending<T>(
        mut self,
        answer: impl Future<Output = T>,
        sending: &Sending,
        length: u64,
    ) -> Result<T, RegistryFailure> {
        let mut answer = pin!(answer);
        let mut seen = 0;
        while seen < length {
            let begun = Instant::now();
            if let Ok(answer) = tokio::time::timeout(self.patience(), &mut answer).await {
                return Ok(answer);
            }
            let now = sending.bytes.load(Ordering::Relaxed);
            let moved = now - seen;
            seen = now;
            if sending.is_reading.load(Ordering::Relaxed) {
                self.idle = Duration::ZERO;
            } else if seen < length {
                self.passed(begun.elapsed(), moved)?;
            }
        }
        let patience = self.limits.stall * COMMIT_FACTOR;
        let answer = tokio::time::timeout(patience, answer).await;
        answer.map_err(|_| RegistryFailure::Stalled { limit: patience })
    }

    /// Returns the time to wait until the limits are checked again.
    fn patience(&self) -> Duration {
        let stall = self.limits.stall.saturating_sub(self.idle);
        let part = self.limits.rate_window / PARTS;
        stall.min(self.limits.rate_window.saturating_sub(self.window.time).max(part))
    }

    /// Checks the limits after `moved` bytes were transferred within `time`.
    fn passed(&mut self, time: Duration, moved: u64) -> Result<(), RegistryFailure> {
        let TimeLimits {
            stall,
            least_rate,
            rate_window,
            ..
        } = self.limits;
        self.idle = if moved > 0 { Duration::ZERO } else { self.idle + time };
        if self.idle >= stall {
            return Err(RegistryFailure::Stalled { limit: stall });
        }
        self.slide(time, moved);
        if self.window.time >= rate_window {
            #[expect(clippy::cast_precision_loss, reason = "a rate need not be exact")]
            let least = least_rate as f64 * rate_window.as_secs_f64();
            #[expect(clippy::cast_precision_loss, reason = "a rate need not be exact")]
            let moved = self.window.bytes as f64;
            if moved < least {
                return Err(RegistryFailure::TooSlow {
                    least_rate,
                    window: rate_window,
                });
            }
        }
        Ok(())
    }

    /// Adds a transfer to the window, and removes old parts.
    fn slide(&mut self, time: Duration, bytes: u64) {
        let window = self.limits.rate_window;
        match self.parts.back_mut() {
            Some(last) if last.time < window / PARTS => {
                last.time += time;
                last.bytes += bytes;
            }
            _ => self.parts.push_back(Moved { time, bytes }),
        }
        self.window.time += time;
        self.window.bytes += bytes;
        while let Some(oldest) = self
            .parts
            .pop_front_if(|oldest| self.window.time.saturating_sub(oldest.time) >= window)
        {
            self.window.time -= oldest.time;
            self.window.bytes -= oldest.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn limits() -> TimeLimits {
        TimeLimits {
            stall: 20 * SECOND,
            request: 60 * SECOND,
            least_rate: 100,
            rate_window: 60 * SECOND,
            settle: Duration::from_secs(1),
        }
    }

    /// Returns the number of seconds after which the transfer of a blob fails if `bytes` bytes arrive every `gap`
    /// seconds.
    fn given_up(limits: TimeLimits, gap: u32, bytes: u64) -> Option<(u32, RegistryFailure)> {
        given_up_when(limits, |second| if second % gap == 0 { bytes } else { 0 })
    }

    /// Returns the number of seconds after which the transfer of a blob fails if `bytes(second)` bytes arrive in each
    /// second.
    fn given_up_when(limits: TimeLimits, bytes: impl Fn(u32) -> u64) -> Option<(u32, RegistryFailure)> {
        let mut pace = limits.pace();
        (1..=600).find_map(|second| Some((second, pace.passed(SECOND, bytes(second)).err()?)))
    }

    #[test]
    fn a_blob_must_keep_the_minimum_rate() {
        assert!(given_up(limits(), 1, 100).is_none());
        assert!(given_up(limits(), 10, 1000).is_none());
        assert!(matches!(
            given_up(limits(), 2, 1),
            Some((60, RegistryFailure::TooSlow { .. }))
        ));
        assert!(matches!(
            given_up(limits(), 1, 99),
            Some((60, RegistryFailure::TooSlow { .. }))
        ));
        assert!(matches!(
            given_up(limits(), 30, 1 << 20),
            Some((20, RegistryFailure::Stalled { .. }))
        ));
    }

    #[test]
    fn every_minute_is_measured_and_not_only_consecutive_ones() {
        // Of every two minutes, the first and the last second each transfer the minimum amount for one minute.
        let late = |second| if second % 120 < 2 { 6_000 } else { 1 };
        let (second, failure) = given_up_when(limits(), late).unwrap();
        assert!((61..=67).contains(&second), "{second}");
        assert!(matches!(failure, RegistryFailure::TooSlow { .. }));
        // A fast period has no lasting effect.
        let once = |second| if second == 31 { 1 << 30 } else { 50 };
        let (second, failure) = given_up_when(limits(), once).unwrap();
        assert!((91..=97).contains(&second), "{second}");
        assert!(matches!(failure, RegistryFailure::TooSlow { .. }));
    }

    #[test]
    fn a_window_is_stored_in_few_parts() {
        let mut pace = limits().pace();
        for _ in 0..100_000 {
            pace.passed(Duration::from_millis(7), 1).unwrap();
        }
        assert!(pace.parts.len() <= 13, "{}", pace.parts.len());
        let time: Duration = pace.parts.iter().map(|part| part.time).sum();
        let bytes: u64 = pace.parts.iter().map(|part| part.bytes).sum();
        assert_eq!((time, bytes), (pace.window.time, pace.window.bytes));
        assert!((60 * SECOND..66 * SECOND).contains(&time), "{time:?}");
    }

    #[test]
    fn without_a_minimum_rate_any_rate_is_sufficient() {
        let limits = TimeLimits {
            least_rate: 0,
            ..limits()
        };
        assert!(given_up(limits, 19, 1).is_none());
        assert!(matches!(
            given_up(limits, 21, 1),
            Some((20, RegistryFailure::Stalled { .. }))
        ));
    }

    #[test]
    fn the_clock_is_read_when_a_limit_may_be_reached() {
        let mut pace = limits().pace();
        assert_eq!(pace.patience(), 20 * SECOND);
        pace.passed(5 * SECOND, 0).unwrap();
        assert_eq!(pace.patience(), 15 * SECOND);
        pace.passed(45 * SECOND, 10_000).unwrap();
        assert_eq!(pace.patience(), 10 * SECOND);
        pace.passed(10 * SECOND, 10_000).unwrap();
        assert_eq!(pace.patience(), 5 * SECOND);
    }

    #[tokio::test]
    async fn an_upload_must_keep_the_minimum_rate() {
        let limits = TimeLimits {
            stall: Duration::from_millis(200),
            least_rate: 1 << 30,
            rate_window: Duration::from_millis(50),
            ..limits()
        };
        let sent = Sending::default();
        let waited = limits
            .pace()
            .wait_sending(std::future::pending::<()>(), &sent, 100)
            .await;
        assert!(matches!(waited, Err(RegistryFailure::TooSlow { .. })));
        let silent = TimeLimits {
            stall: Duration::from_millis(20),
            ..limits
        };
        let waited = silent
            .pace()
            .wait_sending(std::future::pending::<()>(), &sent, 100)
            .await;
        assert!(matches!(waited, Err(RegistryFailure::Stalled { .. })));
        // The time limit is longer once the whole body has been sent.
        sent.bytes.store(100, Ordering::Relaxed);
        let waited = silent
            .pace()
            .wait_sending(std::future::pending::<()>(), &sent, 100)
            .await;
        assert!(matches!(waited, Err(RegistryFailure::Stalled { limit }) if limit == silent.stall * COMMIT_FACTOR));
        let answered = silent.pace().wait_sending(std::future::ready(7), &sent, 100).await;
        assert_eq!(answered.unwrap(), 7);
    }

    #[tokio::test]
    async fn a_server_is_not_blamed_for_the_source_of_an_upload() {
        let limits = TimeLimits {
            stall: Duration::from_millis(1),
            ..limits()
        };
        let sending = Sending::default();
        sending.is_reading.store(true, Ordering::Relaxed);
        let answer = async {
            tokio::time::sleep(20 * limits.stall).await;
            7
        };
        assert_eq!(limits.pace().wait_sending(answer, &sending, 100).await.unwrap(), 7);
        sending.is_reading.store(false, Ordering::Relaxed);
        let waited = limits.pace().wait_sending(std::future::pending::<()>(), &sending, 100);
        assert!(matches!(waited.await, Err(RegistryFailure::Stalled { .. })));
    }

    #[tokio::test]
    async fn a_stall_and_a_missed_deadline_are_distinguished() {
        let limits = TimeLimits {
            stall: Duration::from_millis(50),
            request: Duration::from_millis(50),
            ..limits()
        };
        let mut deadline = limits.deadline();
        let silence = deadline.wait(std::future::pending::<()>()).await;
        assert!(matches!(silence, Err(RegistryFailure::Stalled { .. })));
        let mut deadline = limits.deadline();
        deadline.wait(std::future::ready(())).await.unwrap();
        let late = deadline.wait(std::future::pending::<()>()).await;
        assert!(matches!(late, Err(RegistryFailure::TooLong { .. })));
    }
}
