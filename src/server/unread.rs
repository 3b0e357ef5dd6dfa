//! The budget in bytes for content that clients have not received yet.
//!
//! One half is lent to every call that needs it, so that one client can use much of it while others need little. The
//! other half is lent to each client only up to its share, so that clients that do not read leave something for all
//! others. A client that does not read a stream while it makes further calls must get answers to these calls, so it
//! gets one further answer at a time beyond its share.

use super::budget::{LONGEST_WAIT, wait_for};
use super::clients::{Client, Clients};
use super::options::ServerOptions;
use std::future;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tonic::Status;

/// The budget. Clones share it.
#[derive(Debug, Clone)]
pub(super) struct Unread {
    common: Pool,
    reserved: Pool,
    clients: Arc<Clients>,
    longest_wait: Duration,
}

#[derive(Debug, Clone)]
struct Pool {
    free: Arc<Semaphore>,
    size: usize,
}

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// One message, or a list that is complete in memory.
    Whole,
    /// Messages that are read one after another, as fast as the client reads them.
    Stream,
}

/// A part of the budget. It is released when the last clone is dropped.
#[derive(Debug, Clone)]
pub(super) struct Permit {
    _taken: Arc<Taken>,
}

#[derive(Debug)]
struct Taken {
    _parts: [Option<OwnedSemaphorePermit>; 2],
    client: Option<Arc<Client>>,
}

impl Drop for Taken {
    fn drop(&mut self) {
        if let Some(client) = &self.client {
            client.moved();
        }
    }
}

impl Unread {
    pub(super) fn new(options: &ServerOptions, clients: Arc<Clients>) -> Self {
        let size = options.manifests.clamp(1, Semaphore::MAX_PERMITS);
        let pool = |size| Pool {
            free: Arc::new(Semaphore::new(size)),
            size,
        };
        Self {
            common: pool(size / 2),
            reserved: pool(size - size / 2),
            clients,
            longest_wait: LONGEST_WAIT,
        }
    }

    /// Takes `size` from the budget, if available. A size larger than a half or a share takes all of it.
    pub(super) fn try_take(&self, size: usize, client: Option<&Arc<Client>>, form: Form) -> Option<Permit> {
        if let Some(common) = self.common.try_take_whole(size) {
            return Some(permit([Some(common), None], client));
        }
        let own = match client {
            Some(client) => Some(self.try_take_own(size, client, form)?),
            None => None,
        };
        let reserved = Arc::clone(&self.reserved.free).try_acquire_many_owned(part(size, self.reserved.size));
        Some(permit([Some(reserved.ok()?), own], client))
    }

    /// Takes `size` from the budget, like [`Unread::try_take`], as soon as that much is available, and waits for it as
    /// long as the client receives its other answers.
    ///
    /// # Errors
    /// Returns `RESOURCE_EXHAUSTED` if answers that nobody reads use the budget.
    pub(super) async fn take(&self, size: usize, client: Option<&Arc<Client>>, form: Form) -> Result<Permit, Status> {
        if let Some(taken) = self.try_take(size, client, form) {
            return Ok(taken);
        }
        let common = async {
            if size <= self.common.size {
                Arc::clone(&self.common.free)
                    .acquire_many_owned(part(size, self.common.size))
                    .await
            } else {
                future::pending().await
            }
        };
        let rest = async {
            let own = match client {
                Some(client) => Some(self.take_own(size, client, form).await?),
                None => None,
            };
            Ok(permit([Some(self.take_reserved(size).await?), own], client))
        };
        tokio::select! {
            Ok(common) = common => Ok(permit([Some(common), None], client)),
            taken = rest => taken,
        }
    }

    fn try_take_own(&self, size: usize, client: &Client, form: Form) -> Option<OwnedSemaphorePermit> {
        let share = Arc::clone(&client.manifests).try_acquire_many_owned(part(size, self.clients.share()));
        match form {
            Form::Whole => share.or_else(|_| Arc::clone(&client.further).try_acquire_owned()).ok(),
            Form::Stream => share.ok(),
        }
    }

    /// Takes `size` from the share of a client, or the place of the further answer. No clients are disconnected,
    /// because that would not make room in this share.
    async fn take_own(&self, size: usize, client: &Client, form: Form) -> Result<OwnedSemaphorePermit, Status> {
        let share = Arc::clone(&client.manifests).acquire_many_owned(part(size, self.clients.share()));
        let further = async {
            match form {
                Form::Whole => Arc::clone(&client.further).acquire_owned().await,
                Form::Stream => future::pending().await,
            }
        };
        let either = async {
            tokio::select! {
                taken = share => taken,
                taken = further => taken,
            }
        };
        let taken = wait_for(either, self.longest_wait, || client.moves(), || ()).await?;
        taken.ok_or_else(|| {
            Status::resource_exhausted(
                "too many responses on this connection wait to be read; read or cancel them, or use another connection",
            )
        })
    }

    async fn take_reserved(&self, size: usize) -> Result<OwnedSemaphorePermit, Status> {
        let taken = Arc::clone(&self.reserved.free).acquire_many_owned(part(size, self.reserved.size));
        let (moves, press) = (|| self.clients.moves(), || self.clients.close_stalled());
        let taken = wait_for(taken, self.longest_wait, moves, press).await?;
        taken.ok_or_else(|| {
            Status::resource_exhausted(
                "too many responses are waiting for clients that do not read them; try again later",
            )
        })
    }
}

impl Pool {
    fn try_take_whole(&self, size: usize) -> Option<OwnedSemaphorePermit> {
        let fits = size <= self.size;
        fits.then(|| {
            Arc::clone(&self.free)
                .try_acquire_many_owned(part(size, self.size))
                .ok()
        })?
    }
}

fn permit(parts: [Option<OwnedSemaphorePermit>; 2], client: Option<&Arc<Client>>) -> Permit {
    let taken = Taken {
        _parts: parts,
        client: client.cloned(),
    };
    Permit {
        _taken: Arc::new(taken),
    }
}

fn part(size: usize, whole: usize) -> u32 {
    u32::try_from(size.min(whole)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::Form::{Stream, Whole};
    use super::*;

    /// Returns a budget of 200 bytes, with shares of 10 bytes.
    fn budget() -> (Unread, Arc<Clients>) {
        let options = ServerOptions {
            manifests: 200,
            manifests_per_connection: 10,
            ..ServerOptions::default()
        };
        let clients = Arc::new(Clients::new(&options));
        let mut budget = Unread::new(&options, Arc::clone(&clients));
        budget.longest_wait = Duration::from_millis(50);
        (budget, clients)
    }

    #[tokio::test]
    async fn one_client_may_use_half_and_its_share_and_others_get_their_shares() {
        let (budget, clients) = budget();
        let (hog, other) = (clients.add(), clients.add());
        let half = budget.take(100, Some(&hog), Stream).await.unwrap();
        let share = budget.take(8, Some(&hog), Stream).await.unwrap();
        assert!(budget.try_take(3, Some(&hog), Stream).is_none());
        // A size larger than a share takes all of it.
        let large = budget.take(60, Some(&other), Stream).await.unwrap();
        assert!(budget.try_take(1, Some(&other), Stream).is_none());
        assert!(budget.try_take(32, None, Stream).is_some() && budget.try_take(33, None, Stream).is_none());
        drop(share);
        let again = budget.take(3, Some(&hog), Stream).await.unwrap();
        drop((half, large, again));
        assert!(budget.try_take(1000, None, Stream).is_some());
    }

    #[tokio::test]
    async fn a_client_gets_one_whole_answer_at_a_time_beyond_the_streams_that_it_does_not_read() {
        let (budget, clients) = budget();
        let client = clients.add();
        let _streams = [100, 10].map(|size| budget.try_take(size, Some(&client), Stream).unwrap());
        for _ in 0..3 {
            let answer = budget.take(60, Some(&client), Whole).await.unwrap();
            assert!(budget.try_take(1, Some(&client), Whole).is_none());
            drop(answer);
        }
        let refused = budget.take(1, Some(&client), Stream).await.unwrap_err();
        assert_eq!(refused.code(), tonic::Code::ResourceExhausted);
        assert!(refused.message().contains("on this connection"), "{refused}");
    }

    #[tokio::test]
    async fn a_call_waits_for_its_share_while_its_client_receives_other_answers() {
        let (budget, clients) = budget();
        let client = clients.add();
        let _half = budget.take(100, None, Stream).await.unwrap();
        let share = budget.take(10, Some(&client), Stream).await.unwrap();
        let waiting = tokio::spawn({
            let (budget, client) = (budget.clone(), Arc::clone(&client));
            async move { budget.take(5, Some(&client), Stream).await.is_ok() }
        });
        // Three times as long as a call waits without this.
        for _ in 0..30 {
            client.moved();
            tokio::time::sleep(budget.longest_wait / 10).await;
        }
        assert!(!waiting.is_finished());
        drop(share);
        assert!(waiting.await.unwrap());
    }

    #[tokio::test]
    async fn calls_that_wait_get_what_is_released_in_either_half() {
        let (budget, clients) = budget();
        let client = clients.add();
        for common in [true, false] {
            let (first, second) = (
                budget.take(100, None, Stream).await.unwrap(),
                budget.take(100, None, Stream).await,
            );
            let waiting = tokio::spawn({
                let (budget, client) = (budget.clone(), Arc::clone(&client));
                async move { budget.take(5, Some(&client), Whole).await.is_ok() }
            });
            tokio::task::yield_now().await;
            let kept = if common {
                drop(first);
                second.unwrap()
            } else {
                drop(second);
                first
            };
            assert!(waiting.await.unwrap());
            drop(kept);
        }
    }
}
