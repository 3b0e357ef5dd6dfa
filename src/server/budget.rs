//! A bounded budget for data that clients have not received yet.

use super::clients::{Client, Clients};
use super::pool::stopping;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tonic::Status;

/// The maximum time that a call waits for its part of the budget.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// The time that a call waits before each attempt to disconnect stalled clients.
const PRESSURE: Duration = Duration::from_millis(100);

/// The maximum number of calls that wait for one budget; further calls fail at once.
const WAITING: usize = 4096;

/// A budget for calls or for bytes. Answers keep their part until they end; if no budget is left, calls wait for a
/// while.
#[derive(Debug, Clone)]
pub(super) struct Budget {
    free: Arc<Semaphore>,
    size: usize,
    waiting: Arc<AtomicUsize>,
    clients: Arc<Clients>,
}

/// A part of a budget, and of the share of a client. Both are released when the last clone is dropped.
#[derive(Debug, Clone)]
pub(super) struct Permit {
    _budget: Arc<OwnedSemaphorePermit>,
    _share: Option<Arc<OwnedSemaphorePermit>>,
}

/// A waiting call.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn begin(count: &'a AtomicUsize) -> Result<Self, Status> {
        let waiting = Self(count);
        if count.fetch_add(1, Ordering::Relaxed) < WAITING {
            Ok(waiting)
        } else {
            Err(exhausted())
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
        let size = size.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            free: Arc::new(Semaphore::new(size)),
            size,
            waiting: Arc::default(),
            clients,
        }
    }

    /// Takes `size` from the budget, if available; a size larger than the budget takes all of it. The size is also
    /// taken from the share of the client, in the same way.
    pub(super) fn try_take(&self, size: usize, client: Option<&Arc<Client>>) -> Option<Permit> {
        let share = match client {
            Some(client) => {
                let size = part(size, self.clients.share());
                let share = Arc::clone(&client.manifests).try_acquire_many_owned(size);
                Some(Arc::new(share.ok()?))
            }
            None => None,
        };
        let budget = Arc::clone(&self.free).try_acquire_many_owned(part(size, self.size));
        Some(Permit {
            _budget: Arc::new(budget.ok()?),
            _share: share,
        })
    }

    /// Takes `size` from the budget, like [`Budget::try_take`], as soon as that much is available. To make room for
    /// waiting clients, clients that do not read their answers are disconnected.
    ///
    /// # Errors
    /// Returns `RESOURCE_EXHAUSTED` if not enough budget becomes available in time, or if too many calls are waiting.
    pub(super) async fn take(&self, size: usize, client: Option<&Arc<Client>>) -> Result<Permit, Status> {
        if let Some(taken) = self.try_take(size, client) {
            return Ok(taken);
        }
        let _waiting = Waiting::begin(&self.waiting)?;
        let share = match client {
            Some(client) => {
                let share = take_own(&client.manifests, part(size, self.clients.share()));
                Some(Arc::new(share.await?))
            }
            None => None,
        };
        let budget = self.take_of_all(part(size, self.size)).await?;
        Ok(Permit {
            _budget: Arc::new(budget),
            _share: share,
        })
    }

    async fn take_of_all(&self, size: u32) -> Result<OwnedSemaphorePermit, Status> {
        let begun = Instant::now();
        let mut budget = Box::pin(Arc::clone(&self.free).acquire_many_owned(size));
        loop {
            match timeout(PRESSURE, &mut budget).await {
                Ok(budget) => return budget.map_err(|_| stopping()),
                Err(_) if begun.elapsed() > LONGEST_WAIT => return Err(exhausted()),
                Err(_) => self.clients.close_stalled(),
            }
        }
    }
}

/// Takes `size` from the budget of a single client as soon as that much is available. No other clients are
/// disconnected, because that would not make room in this budget.
///
/// # Errors
/// Returns the same errors as [`Budget::take`].
pub(super) async fn take_own(own: &Arc<Semaphore>, size: u32) -> Result<OwnedSemaphorePermit, Status> {
    let taken = timeout(LONGEST_WAIT, Arc::clone(own).acquire_many_owned(size)).await;
    taken.map_err(|_| exhausted())?.map_err(|_| stopping())
}

fn part(size: usize, whole: usize) -> u32 {
    u32::try_from(size.min(whole)).unwrap_or(u32::MAX)
}

fn exhausted() -> Status {
    Status::resource_exhausted("too many responses are waiting for clients that do not read them; try again later")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::ServerOptions;

    fn clients(share: usize) -> Arc<Clients> {
        Arc::new(Clients::new(&ServerOptions {
            manifests_per_connection: share,
            ..ServerOptions::default()
        }))
    }

    #[tokio::test]
    async fn a_client_gets_no_more_than_its_share() {
        let clients = clients(10);
        let budget = Budget::new(100, Arc::clone(&clients));
        let (hog, other) = (clients.add(), clients.add());
        let first = budget.take(8, Some(&hog)).await.unwrap();
        assert!(budget.try_take(3, Some(&hog)).is_none());
        // A size larger than a share takes all of it.
        let large = budget.take(60, Some(&other)).await.unwrap();
        assert!(budget.try_take(1, Some(&other)).is_none());
        assert!(budget.try_take(32, None).is_some() && budget.try_take(33, None).is_none());
        drop(first);
        let again = budget.take(3, Some(&hog)).await.unwrap();
        drop((large, again));
        assert!(budget.try_take(1000, None).is_some());
    }

    #[tokio::test]
    async fn waiting_clients_get_released_memory() {
        let budget = Budget::new(2, clients(1));
        let taken = budget.take(2, None).await.unwrap();
        let waiting = tokio::spawn({
            let budget = budget.clone();
            async move { budget.take(1, None).await.is_ok() }
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
        let budget = Budget::new(1, clients(1));
        let _taken = budget.take(1, None).await.unwrap();
        budget.waiting.store(WAITING, Ordering::Relaxed);
        let refused = budget.take(1, None).await.unwrap_err();
        assert_eq!(refused.code(), tonic::Code::ResourceExhausted);
        assert_eq!(budget.waiting.load(Ordering::Relaxed), WAITING);
    }
}
