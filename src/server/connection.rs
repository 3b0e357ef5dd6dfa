//! Accepts connections up to a maximum number, and closes connections that are blocked by their clients.

use super::ServerOptions;
use super::clients::{Client, Clients};
use super::metrics::Metrics;
use futures_util::Stream;
use futures_util::stream::unfold;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Interval, MissedTickBehavior, interval};
use tonic::transport::server::Connected;

/// The pause before the next attempt if the system has no resources for a new connection.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_millis(100);

/// The Unix error codes for too many open files in the process and in the system.
const TOO_MANY_FILES: [i32; 2] = [24, 23];

/// The minimum length of the first data that every client sends: the preface of HTTP/2, and the header of a frame.
const GREETING: usize = 24 + 9;

/// The number of bytes written at once that are a part of an answer that uses much memory. Answers to pings and most
/// other answers are shorter.
const MUCH: usize = 4096;

/// A connection, counted while it exists.
#[derive(Debug)]
pub(super) struct Connection {
    stream: TcpStream,
    /// The time at which the client stopped accepting data, if writing to it is blocked.
    blocked: Option<Instant>,
    /// The number of bytes received before the greeting was complete.
    heard: usize,
    opened: Instant,
    client: Arc<Client>,
    clients: Arc<Clients>,
    /// The interval at which to check whether the client has blocked the connection.
    looks: Interval,
    options: ServerOptions,
    metrics: Option<Arc<Metrics>>,
    _permit: OwnedSemaphorePermit,
}

/// Accepts connections, and counts them in `metrics`. For each connection above the limit, the client with the lowest
/// priority is disconnected.
pub(super) fn accept(
    listener: TcpListener,
    options: ServerOptions,
    clients: Arc<Clients>,
    metrics: Option<Arc<Metrics>>,
) -> impl Stream<Item = io::Result<Connection>> {
    let permits = Arc::new(Semaphore::new(options.connections.max(1)));
    unfold(
        (listener, permits, clients, metrics),
        move |(listener, permits, clients, metrics)| async move {
            let stream = loop {
                match listener.accept().await {
                    Ok((stream, _)) => break stream,
                    // Either this connection is already closed, or no file descriptors are left. Neither error stops
                    // the server.
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
            // Answers are small. Without this option, the system would hold back an answer until the client confirms
            // the previous one.
            let _ = stream.set_nodelay(true);
            if let Some(metrics) = &metrics {
                metrics.connection_opened();
            }
            let mut looks = interval(
                (options.patience / 4)
                    .min(options.greeting)
                    .max(Duration::from_millis(1)),
            );
            looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            let connection = Connection {
                stream,
                blocked: None,
                heard: 0,
                opened: Instant::now(),
                client: clients.add(),
                clients: Arc::clone(&clients),
                looks,
                options,
                metrics: metrics.clone(),
                _permit: permit,
            };
            Some((Ok(connection), (listener, permits, clients, metrics)))
        },
    )
}

impl Connection {
    /// Ends the connection, and releases its resources, if the client has blocked it for too long or its place is
    /// needed for other clients.
    fn check_limits(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        if self.client.poll_closing(context.waker()) {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        while self.looks.poll_tick(context).is_ready() {
            let ServerOptions { patience, greeting, .. } = self.options;
            let blocked = self.blocked.is_some_and(|since| since.elapsed() > patience);
            if blocked {
                tracing::info!("a client that accepts no data was disconnected");
                return Err(io::ErrorKind::TimedOut.into());
            }
            if !self.client.has_greeted() && self.opened.elapsed() >= greeting {
                tracing::info!("a client that did not start HTTP/2 was disconnected");
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
        Ok(())
    }

    /// Records whether the client accepts data and, if not, the time at which it stopped.
    fn note_write(&mut self, written: &Poll<io::Result<usize>>) {
        match written {
            Poll::Ready(Ok(bytes)) if *bytes >= MUCH => {
                self.blocked = None;
                self.client.moved();
            }
            Poll::Ready(_) => self.blocked = None,
            Poll::Pending => drop(self.blocked.get_or_insert_with(Instant::now)),
        }
    }

    /// Counts the received bytes of the greeting.
    fn count_greeting(&mut self, bytes: usize) {
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
        if let Some(metrics) = &self.metrics {
            metrics.connection_closed();
        }
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
        self.check_limits(context)?;
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.count_greeting(buffer.filled().len() - before);
        read
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &[u8]) -> Poll<io::Result<usize>> {
        self.check_limits(context)?;
        let written = Pin::new(&mut self.stream).poll_write(context, buffer);
        self.note_write(&written);
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.check_limits(context)?;
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, buffers);
        self.note_write(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check_limits(context)?;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check_limits(context)?;
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
