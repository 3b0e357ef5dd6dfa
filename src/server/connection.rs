//! Accepting connections, never more than a bounded number at once.

use futures_util::Stream;
use futures_util::stream::unfold;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tonic::transport::server::Connected;

/// How long to wait when the system has no resources for another connection.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_millis(100);

/// A connection, counted for as long as it lives.
#[derive(Debug)]
pub(super) struct Connection {
    stream: TcpStream,
    _permit: OwnedSemaphorePermit,
}

/// Accepts up to `limit` connections at once; further ones wait in the queue of the system.
pub(super) fn accept(listener: TcpListener, limit: usize) -> impl Stream<Item = io::Result<Connection>> {
    let permits = Arc::new(Semaphore::new(limit));
    unfold((listener, permits), |(listener, permits)| async move {
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
        let connection = Connection {
            stream,
            _permit: permit,
        };
        Some((Ok(connection), (listener, permits)))
    })
}

impl Connected for Connection {
    type ConnectInfo = ();

    fn connect_info(&self) {}
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, buffer)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, buffers)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
