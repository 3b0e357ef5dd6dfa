//! Accepting connections, never more than a bounded number at once, and closing those whose clients take nothing.

use super::Options;
use super::metrics::Metrics;
use futures_util::Stream;
use futures_util::stream::unfold;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Interval, MissedTickBehavior, interval};
use tonic::transport::server::Connected;

/// How long to wait when the system has no resources for another connection.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_millis(100);

/// What is smaller than this waits, up to the next flush, for what is written after it.
///
/// The frames of a small answer then leave together. Each write of its own would wake the client once more, which costs
/// more than all else that a small answer takes.
const SMALL: usize = 2048;

/// A connection, counted for as long as it lives.
#[derive(Debug)]
pub(super) struct Connection {
    stream: TcpStream,
    /// What was written, but has not left yet.
    held: Vec<u8>,
    progress: Arc<Progress>,
    /// When the progress is looked at.
    looks: Interval,
    patience: Duration,
    metrics: Arc<Metrics>,
    _permit: OwnedSemaphorePermit,
}

/// Whether the client of a connection takes what it asked for.
#[derive(Debug)]
pub(super) struct Progress {
    opened: Instant,
    /// When something was taken last, in milliseconds after the opening.
    moved: AtomicU64,
    /// Answers that are on their way.
    answers: AtomicUsize,
}

/// An answer that is on its way.
#[derive(Debug)]
pub(super) struct Waiting(Arc<Progress>);

impl Progress {
    fn new() -> Self {
        Self {
            opened: Instant::now(),
            moved: AtomicU64::new(0),
            answers: AtomicUsize::new(0),
        }
    }

    /// An answer begins.
    pub(super) fn wait_for_client(self: Arc<Self>) -> Waiting {
        self.answers.fetch_add(1, Ordering::Relaxed);
        let waiting = Waiting(self);
        waiting.moved();
        waiting
    }

    fn is_stalled(&self, patience: Duration) -> bool {
        let moved = Duration::from_millis(self.moved.load(Ordering::Relaxed));
        self.answers.load(Ordering::Relaxed) > 0 && self.opened.elapsed().saturating_sub(moved) > patience
    }
}

impl Waiting {
    /// The client has taken what there was so far.
    pub(super) fn moved(&self) {
        let now = u64::try_from(self.0.opened.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.0.moved.store(now, Ordering::Relaxed);
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.moved();
        self.0.answers.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Accepts connections; those above the limit wait in the queue of the system.
pub(super) fn accept(
    listener: TcpListener,
    options: Options,
    metrics: Arc<Metrics>,
) -> impl Stream<Item = io::Result<Connection>> {
    let permits = Arc::new(Semaphore::new(options.connections));
    unfold(
        (listener, permits, metrics),
        move |(listener, permits, metrics)| async move {
            let permit = Arc::clone(&permits).acquire_owned().await.ok()?;
            let stream = loop {
                match listener.accept().await {
                    Ok((stream, _)) => break stream,
                    // The one connection was gone again, or there are no file descriptors left: neither ends the server.
                    Err(error) => {
                        tracing::warn!(%error, "cannot accept a connection");
                        tokio::time::sleep(PAUSE_AFTER_FAILURE).await;
                    }
                }
            };
            // Answers are small; without this they would wait for each other.
            let _ = stream.set_nodelay(true);
            metrics.connection_opened();
            let mut looks = interval((options.patience / 4).max(Duration::from_millis(1)));
            looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            let connection = Connection {
                stream,
                held: Vec::new(),
                progress: Arc::new(Progress::new()),
                looks,
                patience: options.patience,
                metrics: Arc::clone(&metrics),
                _permit: permit,
            };
            Some((Ok(connection), (listener, permits, metrics)))
        },
    )
}

impl Connection {
    /// Ends the connection, and with it all that is kept for it, when its client has not taken anything for too long.
    fn look(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        while self.looks.poll_tick(context).is_ready() {
            if self.progress.is_stalled(self.patience) {
                tracing::info!("a client that takes nothing of its answers was disconnected");
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
        Ok(())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.metrics.connection_closed();
    }
}

impl Connected for Connection {
    type ConnectInfo = Arc<Progress>;

    fn connect_info(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.look(context)?;
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl Connection {
    /// Writes what is held, and `buffer` after it; how much of `buffer` was written.
    fn poll_write_held_and(&mut self, context: &mut Context<'_>, buffer: &[u8]) -> Poll<io::Result<usize>> {
        while !self.held.is_empty() {
            let both = [IoSlice::new(&self.held), IoSlice::new(buffer)];
            let written = ready!(Pin::new(&mut self.stream).poll_write_vectored(context, &both))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            let of_held = written.min(self.held.len());
            self.held.drain(..of_held);
            if written > of_held {
                return Poll::Ready(Ok(written - of_held));
            }
        }
        if buffer.is_empty() {
            return Poll::Ready(Ok(0));
        }
        Pin::new(&mut self.stream).poll_write(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &[u8]) -> Poll<io::Result<usize>> {
        self.look(context)?;
        if self.held.len() + buffer.len() <= SMALL {
            self.held.extend_from_slice(buffer);
            return Poll::Ready(Ok(buffer.len()));
        }
        self.poll_write_held_and(context, buffer)
    }

    /// The frames are joined here, and small ones before they come here.
    fn is_write_vectored(&self) -> bool {
        false
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.look(context)?;
        ready!(self.poll_write_held_and(context, &[]))?;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_write_held_and(context, &[]))?;
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::net::Ipv4Addr;
    use std::pin::pin;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio_stream::StreamExt;

    /// A connection as the server accepts it, and its client.
    async fn connected() -> (Connection, TcpStream) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let mut accepted = pin!(accept(listener, Options::default(), Arc::default()));
        (accepted.next().await.unwrap().unwrap(), client)
    }

    #[tokio::test]
    async fn small_writes_leave_together_and_no_later_than_the_flush() {
        let (mut connection, mut client) = connected().await;
        connection.write_all(b"one, ").await.unwrap();
        connection.write_all(b"two").await.unwrap();
        let mut nothing = [0];
        let early = client.try_read(&mut nothing).unwrap_err();
        assert_eq!(early.kind(), io::ErrorKind::WouldBlock);
        connection.flush().await.unwrap();
        let mut read = [0; 64];
        let length = client.read(&mut read).await.unwrap();
        assert_eq!(read[..length], *b"one, two");
    }

    #[tokio::test]
    async fn what_is_held_leaves_before_the_end() {
        let (mut connection, mut client) = connected().await;
        connection.write_all(b"goodbye").await.unwrap();
        connection.shutdown().await.unwrap();
        let mut read = String::new();
        client.read_to_string(&mut read).await.unwrap();
        assert_eq!(read, "goodbye");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn all_arrives_in_its_order(writes in prop::collection::vec((0..3 * SMALL, any::<bool>()), 0..60), large in 0..4_000_000_usize) {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let (written, read) = runtime.block_on(async {
                let (mut connection, mut client) = connected().await;
                let read = tokio::spawn(async move {
                    let mut read = Vec::new();
                    client.read_to_end(&mut read).await.unwrap();
                    read
                });
                let mut written = Vec::new();
                for (length, flushed) in writes.into_iter().chain([(large, false), (3, false)]) {
                    let start = written.len();
                    written.extend((start..start + length).map(|at| u8::try_from(at % 251).unwrap()));
                    connection.write_all(&written[start..]).await.unwrap();
                    if flushed {
                        connection.flush().await.unwrap();
                    }
                }
                connection.shutdown().await.unwrap();
                (written, read.await.unwrap())
            });
            prop_assert!(written == read, "{} bytes of {}", read.len(), written.len());
        }
    }
}
