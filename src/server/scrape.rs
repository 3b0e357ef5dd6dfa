//! The page with the metrics of a server, which Prometheus requests.

use super::metrics::Metrics;
use super::pages;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use prost::bytes::Bytes;
use std::sync::Arc;
use tokio::net::TcpListener;

/// The media type of the text format.
const TEXT_FORM: HeaderValue = HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

/// The maximum number of concurrent connections to the metrics page.
const SCRAPERS: usize = 16;

/// Serves the metrics under `/metrics`, as long as the future is polled.
pub(crate) async fn expose(listener: TcpListener, metrics: Arc<Metrics>) {
    pages::serve(listener, SCRAPERS, move |request| page(request, &metrics)).await;
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
