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
