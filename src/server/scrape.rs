//! The page with the metrics of a server, which Prometheus requests.

use super::clients::Clients;
use super::metrics::Metrics;
use super::{ServerOptions, connection};
use futures_util::StreamExt;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use prost::bytes::Bytes;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tonic::transport::server::Connected;

/// The media type of the text format.
const TEXT_FORM: HeaderValue = HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

/// The maximum number of concurrent connections to the metrics page, and the maximum duration of each.
const SCRAPERS: usize = 16;
const SCRAPE_TIME: Duration = Duration::from_secs(10);

/// Serves the metrics under `/metrics`, as long as the future is polled. Clients that send nothing make room for
/// others, as they do on the port of the index.
pub(crate) async fn expose(listener: TcpListener, metrics: Arc<Metrics>) {
    let options = ServerOptions {
        connections: SCRAPERS,
        ..ServerOptions::default()
    };
    let clients = Arc::new(Clients::new(&options));
    let incoming = connection::accept(listener, options, clients, None);
    tokio::pin!(incoming);
    while let Some(Ok(connection)) = incoming.next().await {
        let metrics = Arc::clone(&metrics);
        tokio::spawn(async move {
            let client = connection.connect_info();
            let page = service_fn(|request| {
                client.called();
                std::future::ready(Ok::<_, Infallible>(page(&request, &metrics)))
            });
            let serving = http1::Builder::new()
                .keep_alive(false)
                .max_buf_size(16 * 1024)
                .serve_connection(TokioIo::new(connection), page);
            // An invalid or slow request receives no answer.
            let _ = tokio::time::timeout(SCRAPE_TIME, serving).await;
        });
    }
}

fn page(request: &Request<Incoming>, metrics: &Metrics) -> Response<Full<Bytes>> {
    let found = request.uri().path() == "/metrics";
    let reads = [Method::GET, Method::HEAD].contains(request.method());
    let (status, text) = match (found, reads) {
        (true, true) => (StatusCode::OK, metrics.text()),
        (true, false) => (
            StatusCode::METHOD_NOT_ALLOWED,
            "only GET and HEAD are supported\n".to_owned(),
        ),
        (false, _) => (StatusCode::NOT_FOUND, "the metrics are at /metrics\n".to_owned()),
    };
    let mut response = Response::new(Full::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, TEXT_FORM);
    response
}
