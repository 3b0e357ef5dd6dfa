//! Serves pages over HTTP/1, with the same protection against clients that block connections as for the registry API.

use super::clients::Clients;
use super::{ServerOptions, connection};
use futures_util::StreamExt;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use prost::bytes::Bytes;
use std::convert::Infallible;
use std::sync::{Arc, OnceLock};
use tokio::net::TcpListener;
use tonic::transport::server::Connected;

/// The maximum size in bytes of the headers of a request.
const HEADERS: usize = 64 * 1024;

/// Serves pages as long as the future is polled. Clients that send nothing make room for others, as they do on the port
/// of the index. A client may take as long as it needs to receive a page, while it receives anything.
pub(crate) async fn serve(
    listener: TcpListener,
    connections: usize,
    page: impl Fn(&Request<Incoming>) -> Response<Full<Bytes>> + Send + Sync + 'static,
) {
    let options = ServerOptions {
        connections,
        ..ServerOptions::default()
    };
    let clients = Arc::new(Clients::new(&options));
    let incoming = connection::accept(listener, options, clients, None);
    tokio::pin!(incoming);
    let page = Arc::new(page);
    while let Some(Ok(connection)) = incoming.next().await {
        let page = Arc::clone(&page);
        tokio::spawn(async move {
            let client = connection.connect_info();
            let call = OnceLock::new();
            let answer = service_fn(|request| {
                client.greeted();
                client.called();
                call.get_or_init(|| client.begin());
                std::future::ready(Ok::<_, Infallible>(page(&request)))
            });
            // An invalid or slow request receives no answer.
            let _ = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(options.request_time)
                .keep_alive(false)
                .max_buf_size(HEADERS)
                .serve_connection(TokioIo::new(connection), answer)
                .await;
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Ipv4Addr, SocketAddr};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    /// The size of a page of which the sockets of a connection cannot keep everything.
    const PAGE: usize = 64 << 20;
    const CONNECTIONS: usize = 8;

    /// Requests the page, and reads the first byte of the answer.
    async fn begin(address: SocketAddr) -> TcpStream {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream
            .write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            .await
            .unwrap();
        assert_eq!(stream.read_u8().await.unwrap(), b'H');
        stream
    }

    #[tokio::test]
    async fn clients_that_read_a_page_byte_by_byte_make_room_for_others() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let page = Bytes::from(vec![b'x'; PAGE]);
        let serving = serve(listener, CONNECTIONS, move |_| Response::new(Full::new(page.clone())));
        let serving = tokio::spawn(serving);
        let mut slow: Vec<TcpStream> = Vec::new();
        for _ in 0..2 * CONNECTIONS {
            slow.push(begin(address).await);
            for stream in slow.iter_mut().rev().take(CONNECTIONS) {
                stream.read_u8().await.unwrap();
            }
        }
        let mut whole = Vec::new();
        begin(address).await.read_to_end(&mut whole).await.unwrap();
        assert!(whole.len() > PAGE, "{} bytes", whole.len());
        // The first ones were disconnected before they had received the page.
        for mut stream in slow.drain(..CONNECTIONS) {
            let mut rest = Vec::new();
            let _ = stream.read_to_end(&mut rest).await;
            assert!(rest.len() < PAGE, "{} bytes", rest.len());
        }
        // A client that reads slowly receives its page nevertheless, if nobody needs its place.
        let mut last = Vec::new();
        slow.pop().unwrap().read_to_end(&mut last).await.unwrap();
        assert!(last.len() > PAGE - CONNECTIONS, "{} bytes", last.len());
        serving.abort();
    }
}
