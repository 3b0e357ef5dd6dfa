//! Work that runs at the same time: futures of several items, functions on other threads, and data that threads share.

use futures_util::StreamExt;
use futures_util::stream::{FuturesOrdered, FuturesUnordered, Stream};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

/// A stream of the results of futures, one for each item of an iterator. At most `limit` futures exist at once.
///
/// Unlike the combinators of `futures`, it is `Send` even if the items borrow: its type does not name the result of
/// the closure.
pub(crate) struct Concurrent<I, S, Q> {
    items: I,
    start: S,
    limit: usize,
    running: usize,
    queue: Q,
}

/// Runs a future for each item, at most `limit` at once but at least one. The results are in the order of the items.
pub(crate) fn in_order<I, S, F>(items: I, limit: usize, start: S) -> Concurrent<I::IntoIter, S, FuturesOrdered<F>>
where
    I: IntoIterator,
    S: FnMut(I::Item) -> F,
    F: Future,
{
    Concurrent::new(items.into_iter(), limit, start)
}

/// Like [`in_order`], but the results are in the order in which the futures finish.
pub(crate) fn unordered<I, S, F>(items: I, limit: usize, start: S) -> Concurrent<I::IntoIter, S, FuturesUnordered<F>>
where
    I: IntoIterator,
    S: FnMut(I::Item) -> F,
    F: Future,
{
    Concurrent::new(items.into_iter(), limit, start)
}

/// Locks a mutex. If a thread has panicked while it held the lock, the data is used as the thread left it.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a function that reads files or computes for a long time on another thread, so that other futures continue.
///
/// # Panics
/// Panics if the function panics.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime is shutting down, so nobody waits for the result.
            Err(_) => std::future::pending().await,
        },
    }
}

/// Whether the future that waits for a function on another thread was dropped.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// Whether nobody waits for the result anymore, so that the function must not have any further effect.
    pub(crate) fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Like [`blocking`], for a function that writes. A thread cannot be stopped, so if the future is dropped, the function
/// itself has to stop before its writes take effect.
///
/// # Panics
/// Panics if the function panics.
pub(crate) async fn cancellable<T: Send + 'static>(work: impl FnOnce(&Cancellation) -> T + Send + 'static) -> T {
    struct Guard(Cancellation);
    impl Drop for Guard {
        fn drop(&mut self) {
            self.0.0.store(true, Ordering::Relaxed);
        }
    }
    let cancellation = Cancellation::default();
    let _guard = Guard(cancellation.clone());
    blocking(move || work(&cancellation)).await
}

impl<I, S, Q: Default> Concurrent<I, S, Q> {
    fn new(items: I, limit: usize, start: S) -> Self {
        Self {
            items,
            start,
            limit: limit.max(1),
            running: 0,
            queue: Q::default(),
        }
    }
}

impl<I, S, F, Q> Stream for Concurrent<I, S, Q>
where
    I: Iterator + Unpin,
    S: FnMut(I::Item) -> F + Unpin,
    Q: Stream + Extend<F> + Unpin,
{
    type Item = Q::Item;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Q::Item>> {
        let this = self.get_mut();
        while this.running < this.limit
            && let Some(item) = this.items.next()
        {
            this.queue.extend([(this.start)(item)]);
            this.running += 1;
        }
        let result = this.queue.poll_next_unpin(context);
        if let Poll::Ready(Some(_)) = result {
            this.running -= 1;
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Takes longer the smaller the number is. `running` is the number of futures that run now, and the most that ran
    /// at once.
    async fn wait(number: usize, running: &Cell<(usize, usize)>) -> usize {
        let (now, most) = running.get();
        running.set((now + 1, most.max(now + 1)));
        for _ in number..10 {
            tokio::task::yield_now().await;
        }
        let (now, most) = running.get();
        running.set((now - 1, most));
        number
    }

    #[tokio::test]
    async fn results_are_in_the_order_of_the_items() {
        let running = Cell::default();
        let results: Vec<usize> = in_order(0..6, 3, |number| wait(number, &running)).collect().await;
        assert_eq!(results, [0, 1, 2, 3, 4, 5]);
        assert_eq!(running.get(), (0, 3));
    }

    #[tokio::test]
    async fn unordered_results_are_in_the_order_in_which_the_futures_finish() {
        let running = Cell::default();
        let results: Vec<usize> = unordered(0..3, 3, |number| wait(number, &running)).collect().await;
        assert_eq!(results, [2, 1, 0]);
        assert_eq!(running.get(), (0, 3));
    }

    #[tokio::test]
    async fn a_limit_of_zero_runs_one_future_at_a_time() {
        let running = Cell::default();
        let results: Vec<usize> = unordered(0..4, 0, |number| wait(number, &running)).collect().await;
        assert_eq!(results, [0, 1, 2, 3]);
        assert_eq!(running.get(), (0, 1));
    }
}
