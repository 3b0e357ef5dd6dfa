//! A budget for concurrent calls, and how calls wait for a part of any budget.

use super::clients::Clients;
use super::pool::stopping;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tonic::Status;

/// The maximum time that a call waits while nothing happens that could release a part of the budget.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// The time that a call waits before each attempt to disconnect stalled clients.
const PRESSURE: Duration = Duration::from_millis(100);

/// The maximum number of calls that wait for one budget; further calls fail at once.
const WAITING: usize = 4096;

/// A budget for calls. Answers keep their part until they end; if no budget is left, calls wait for a while.
#[derive(Debug, Clone)]
pub(super) struct Budget {
    free: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
    clients: Arc<Clients>,
}

/// A waiting call.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn begin(count: &'a AtomicUsize) -> Result<Self, Status> {
        let waiting = Self(count);
        if count.fetch_add(1, Ordering::Relaxed) < WAITING {
            Ok(waiting)
        } else {
            Err(too_many_calls())
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Budget {
    pub(super) fn new(size: usize, clients: Arc<Clients>) -> Self {
        Self {
            free: Arc::new(Semaphore::new(size.clamp(1, Semaphore::MAX_PERMITS))),
            waiting: Arc::default(),
            clients,
        }
    }

    /// Takes the part of one call as soon as it is available. To make room for waiting clients, clients that do not
    /// read their answers are disconnected.
    ///
    /// # Errors
    /// Returns `RESOURCE_EXHAUSTED` if no part becomes available in time, or if too many calls are waiting.
    pub(super) async fn take(&self) -> Result<OwnedSemaphorePermit, Status> {
        if let Ok(taken) = Arc::clone(&self.free).try_acquire_owned() {
            return Ok(taken);
        }
        let _waiting = Waiting::begin(&self.waiting)?;
        let taken = Arc::clone(&self.free).acquire_owned();
        let taken = wait_for(taken, LONGEST_WAIT, || 0, || self.clients.close_stalled());
        taken.await?.ok_or_else(too_many_calls)
    }
}

/// Waits for a part of a budget. Returns `None` if `moves`, a count of events that release parts sooner or later, has
/// not changed for the time `longest`. While the call is waiting, `press` is called again and again.
///
/// # Errors
/// Returns `UNAVAILABLE` if the server is stopping.
pub(super) async fn wait_for(
    part: impl Future<Output = Result<OwnedSemaphorePermit, AcquireError>>,
    longest: Duration,
    moves: impl Fn() -> u64,
    press: impl Fn(),
) -> Result<Option<OwnedSemaphorePermit>, Status> {
    let mut part = pin!(part);
    let (mut known, mut since) = (moves(), Instant::now());
    loop {
        if let Ok(taken) = timeout(PRESSURE.min(longest), &mut part).await {
            return taken.map(Some).map_err(|_| stopping());
        }
        press();
        let now = moves();
        if now != known {
            (known, since) = (now, Instant::now());
        } else if since.elapsed() >= longest {
            return Ok(None);
        }
    }
}

fn too_many_calls() -> Status {
    Status::resource_exhausted("too many calls are in progress; try again later")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::ServerOptions;

    fn clients() -> Arc<Clients> {
        Arc::new(Clients::new(&ServerOptions::default()))
    }

    #[tokio::test]
    async fn a_waiting_call_gets_a_released_part() {
        let budget = Budget::new(1, clients());
        let taken = budget.take().await.unwrap();
        let waiting = tokio::spawn({
            let budget = budget.clone();
            async move { budget.take().await.is_ok() }
        });
        while budget.waiting.load(Ordering::Relaxed) == 0 {
            tokio::task::yield_now().await;
        }
        drop(taken);
        assert!(waiting.await.unwrap());
        assert_eq!(budget.waiting.load(Ordering::Relaxed), 0);
    }

    #[tokio::test]
    async fn with_too_many_waiting_others_fail_immediately() {
        let budget = Budget::new(1, clients());
        let _taken = budget.take().await.unwrap();
        budget.waiting.store(WAITING, Ordering::Relaxed);
        let refused = budget.take().await.unwrap_err();
        assert_eq!(refused.code(), tonic::Code::ResourceExhausted);
        assert_eq!(budget.waiting.load(Ordering::Relaxed), WAITING);
    }

    #[tokio::test]
    async fn a_call_waits_while_there_are_moves() {
        let moves = std::cell::Cell::new(0);
        let count = || {
            moves.set((moves.get() + 1).min(5));
            moves.get()
        };
        let never = std::future::pending();
        let waited = wait_for(never, Duration::from_millis(1), count, || ()).await.unwrap();
        assert!(waited.is_none() && moves.get() == 5);
    }
}
