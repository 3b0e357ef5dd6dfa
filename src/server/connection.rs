//! Accepting connections, never more than a bounded number at once, and closing those whose clients hold them up.

use super::Options;
use super::clients::{Client, Clients};
use super::metrics::Metrics;
use futures_util::Stream;
use futures_util::stream::unfold;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Interval, MissedTickBehavior, interval};
use tonic::transport::server::Connected;

/// How long to wait when the system has no resources for another connection.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_millis(100);

/// What Unix calls it when the process, or the system, has too many files open.
const TOO_MANY_FILES: [i32; 2] = [24, 23];

/// What every client sends first: the preface of HTTP/2, and at least the head of a frame.
const GREETING: usize = 24 + 9;

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
    /// Since when the client has not taken what is written, if it does not.
    blocked: Option<Instant>,
    /// Bytes that came, while they are less than the greeting.
    heard: usize,
    opened: Instant,
    client: Arc<Client>,
    clients: Arc<Clients>,
    /// When it is looked whether the client goes on.
    looks: Interval,
    options: Options,
    metrics: Arc<Metrics>,
    _permit: OwnedSemaphorePermit,
}

/// Accepts connections. For one above the limit, the client that is missed least is disconnected.
pub(super) fn accept(
    listener: TcpListener,
    options: Options,
    clients: Arc<Clients>,
    metrics: Arc<Metrics>,
) -> impl Stream<Item = io::Result<Connection>> {
    let permits = Arc::new(Semaphore::new(options.connections.max(1)));
    unfold(
        (listener, permits, clients, metrics),
        move |(listener, permits, clients, metrics)| async move {
            let stream = loop {
                match listener.accept().await {
                    Ok((stream, _)) => break stream,
                    // The one connection was gone again, or there are no file descriptors left: neither ends the server.
                    Err(error) => {
                        tracing::warn!(%error, "cannot accept a connection");
                        if error.raw_os_error().is_some_and(|code| TOO_MANY_FILES.contains(&code)) {
                            clients.close_one();
                        }
                        tokio::time::sleep(PAUSE_AFTER_FAILURE).await;
                    }
                }
            };
            if permits.available_permits() == 0 {
                clients.close_one();
            }
            let permit = Arc::clone(&permits).acquire_owned().await.ok()?;
            // Answers are small; without this they would wait for each other.
            let _ = stream.set_nodelay(true);
            metrics.connection_opened();
            let mut looks = interval(
                (options.patience / 4)
                    .min(options.greeting)
                    .max(Duration::from_millis(1)),
            );
            looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            let connection = Connection {
                stream,
                held: Vec::new(),
                blocked: None,
                heard: 0,
                opened: Instant::now(),
                client: clients.add(),
                clients: Arc::clone(&clients),
                looks,
                options,
                metrics: Arc::clone(&metrics),
                _permit: permit,
            };
            Some((Ok(connection), (listener, permits, clients, metrics)))
        },
    )
}

impl Connection {
    /// Ends the connection, and with it all that is kept for it, when its client has held it up for too long, or others
    /// need its place.
    fn look(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        if self.client.poll_closing(context.waker()) {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        while self.looks.poll_tick(context).is_ready() {
            let Options { patience, greeting, .. } = self.options;
            let blocked = self.blocked.is_some_and(|since| since.elapsed() > patience);
            if blocked || self.client.stalled() > patience {
                tracing::info!("a client that does not read its answers was disconnected");
                return Err(io::ErrorKind::TimedOut.into());
            }
            if !self.client.has_greeted() && self.opened.elapsed() >= greeting {
                tracing::info!("a client that did not begin to speak HTTP/2 was disconnected");
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
        Ok(())
    }

    /// Counts what came of the greeting.
    fn hear(&mut self, bytes: usize) {
        if !self.client.has_greeted() {
            self.heard = self.heard.saturating_add(bytes);
            if self.heard >= GREETING {
                self.client.greeted();
            }
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.clients.remove(&self.client);
        self.metrics.connection_closed();
    }
}

impl Connected for Connection {
    type ConnectInfo = Arc<Client>;

    fn connect_info(&self) -> Arc<Client> {
        Arc::clone(&self.client)
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.look(context)?;
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.hear(buffer.filled().len() - before);
        read
    }
}

impl Connection {
    /// Writes what is held, and `buffer` after it; how much of `buffer` was written.
    fn poll_write_held_and(&mut self, context: &mut Context<'_>, buffer: &[u8]) -> Poll<io::Result<usize>> {
        let written = self.poll_write_all_held_and(context, buffer);
        match &written {
            Poll::Ready(_) => self.blocked = None,
            Poll::Pending => drop(self.blocked.get_or_insert_with(Instant::now)),
        }
        written
    }

    fn poll_write_all_held_and(&mut self, context: &mut Context<'_>, buffer: &[u8]) -> Poll<io::Result<usize>> {
        while !self.held.is_empty() {
            let both = [IoSlice::new(&self.held), IoSlice::new(buffer)];
            let written = ready!(Pin::new(&mut self.stream).poll_write_vectored(context, &both))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.blocked = None;
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
        self.look(context)?;
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
        let options = Options::default();
        let mut accepted = pin!(accept(
            listener,
            options,
            Arc::new(Clients::new(&options)),
            Arc::default()
        ));
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
