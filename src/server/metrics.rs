//! What the server has done, in numbers: counted as calls pass, written in the text form of Prometheus.
//!
//! The names are those that gRPC servers of other languages use, so that dashboards made for them fit.

use super::listing::Size;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method as HttpMethod, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use prost::bytes::Bytes;
use std::convert::Infallible;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tonic::Code;

/// A method of the server: its path, its service, its name, and whether it answers with a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Method(usize);

const REGISTRY: &str = "api.Registry";
const HEALTH: &str = "grpc.health.v1.Health";
const METHODS: [(&str, &str, bool); 15] = [
    (REGISTRY, "ListPackages", true),
    (REGISTRY, "GetPackage", false),
    (REGISTRY, "GetBundle", false),
    (REGISTRY, "GetBundleForChannel", false),
    (REGISTRY, "GetChannelEntriesThatReplace", true),
    (REGISTRY, "GetBundleThatReplaces", false),
    (REGISTRY, "GetChannelEntriesThatProvide", true),
    (REGISTRY, "GetLatestChannelEntriesThatProvide", true),
    (REGISTRY, "GetDefaultBundleThatProvides", false),
    (REGISTRY, "ListBundles", true),
    (HEALTH, "Check", false),
    (HEALTH, "Watch", true),
    ("grpc.reflection.v1.ServerReflection", "ServerReflectionInfo", true),
    ("grpc.reflection.v1alpha.ServerReflection", "ServerReflectionInfo", true),
    // What the server does not have.
    ("unknown", "unknown", false),
];

impl Method {
    /// The method that a path asks for.
    pub(super) fn of(path: &str) -> Self {
        let mut parts = path.strip_prefix('/').unwrap_or_default().splitn(2, '/');
        let asked = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let known = METHODS.iter().position(|(service, name, _)| (*service, *name) == asked);
        Self(known.unwrap_or(METHODS.len() - 1))
    }

    pub(super) fn service(self) -> &'static str {
        METHODS.get(self.0).map_or("", |(service, ..)| service)
    }

    pub(super) fn name(self) -> &'static str {
        METHODS.get(self.0).map_or("", |(_, name, _)| name)
    }

    /// What it is about.
    pub(super) fn subject(self) -> Subject {
        match (self.service(), self.name()) {
            (REGISTRY, _) => Subject::Registry,
            (HEALTH, "Check") => Subject::Health,
            (HEALTH, _) => Subject::Watch,
            _ => Subject::Other,
        }
    }
}

/// What a method is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    /// What is served.
    Registry,
    /// The health of the server, now.
    Health,
    /// The health of the server, for as long as a client wants to know it.
    Watch,
    /// The description of the services, or nothing that the server has.
    Other,
}

/// The upper bounds of the histogram of durations, in seconds.
const BOUNDS: [f64; 12] = [
    0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5, 10.0,
];

/// How many status codes there are.
const CODES: usize = 17;

/// Their names, as labels.
const CODE_NAMES: [&str; CODES] = [
    "OK",
    "Canceled",
    "Unknown",
    "InvalidArgument",
    "DeadlineExceeded",
    "NotFound",
    "AlreadyExists",
    "PermissionDenied",
    "ResourceExhausted",
    "FailedPrecondition",
    "Aborted",
    "OutOfRange",
    "Unimplemented",
    "Internal",
    "Unavailable",
    "DataLoss",
    "Unauthenticated",
];

/// The name of a status code, as other servers write it in logs and metrics.
pub(super) fn name_of(code: Code) -> &'static str {
    CODE_NAMES.get(place_of(code)).copied().unwrap_or("Unknown")
}

fn place_of(code: Code) -> usize {
    usize::try_from(i32::from(code)).unwrap_or_default()
}

/// One of the counters of a method.
type Count = fn(&OfMethod) -> u64;

#[derive(Debug, Default)]
struct OfMethod {
    started: AtomicU64,
    handled: [AtomicU64; CODES],
    /// The last one counts what took longer than all bounds.
    durations: [AtomicU64; BOUNDS.len() + 1],
    nanoseconds: AtomicU64,
    messages: AtomicU64,
    bytes: AtomicU64,
}

/// The numbers of a server.
#[derive(Debug, Default)]
pub struct Metrics {
    methods: [OfMethod; METHODS.len()],
    accepted: AtomicU64,
    closed: AtomicU64,
    size: OnceLock<Size>,
}

/// What is known of a call at its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ended {
    pub(super) code: Code,
    pub(super) duration: Duration,
    pub(super) messages: u64,
    pub(super) bytes: u64,
}

fn add(counter: &AtomicU64, count: u64) {
    counter.fetch_add(count, Ordering::Relaxed);
}

fn get(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

impl Metrics {
    pub(super) fn catalog(&self, size: Size) {
        let _ = self.size.set(size);
    }

    pub(super) fn connection_opened(&self) {
        add(&self.accepted, 1);
    }

    pub(super) fn connection_closed(&self) {
        add(&self.closed, 1);
    }

    pub(super) fn call_started(&self, method: Method) {
        if let Some(method) = self.methods.get(method.0) {
            add(&method.started, 1);
        }
    }

    pub(super) fn call_ended(&self, method: Method, ended: Ended) {
        let Some(method) = self.methods.get(method.0) else {
            return;
        };
        if let Some(handled) = method.handled.get(place_of(ended.code)) {
            add(handled, 1);
        }
        let seconds = ended.duration.as_secs_f64();
        let bucket = BOUNDS
            .iter()
            .position(|bound| seconds <= *bound)
            .unwrap_or(BOUNDS.len());
        if let Some(bucket) = method.durations.get(bucket) {
            add(bucket, 1);
        }
        add(
            &method.nanoseconds,
            u64::try_from(ended.duration.as_nanos()).unwrap_or(u64::MAX),
        );
        add(&method.messages, ended.messages);
        add(&method.bytes, ended.bytes);
    }

    /// Everything, in the text form of Prometheus.
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.write_calls(&mut text);
        self.write_durations(&mut text);
        let accepted = get(&self.accepted);
        let open = accepted.saturating_sub(get(&self.closed));
        single(
            &mut text,
            "opmx_connections_accepted_total",
            "counter",
            "Connections that were accepted.",
            accepted,
        );
        single(
            &mut text,
            "opmx_connections_open",
            "gauge",
            "Connections that are open.",
            open,
        );
        let size = self.size.get().copied().unwrap_or_default();
        for (what, count) in [
            ("packages", size.packages),
            ("channels", size.channels),
            ("bundles", size.bundles),
            ("entries", size.entries),
        ] {
            let (name, help) = (format!("opmx_catalog_{what}"), format!("The {what} of what is served."));
            single(&mut text, &name, "gauge", &help, count as u64);
        }
        text
    }

    fn write_calls(&self, text: &mut String) {
        let count: [(&str, &str, Count); 3] = [
            ("grpc_server_started_total", "Calls that began.", |method| {
                get(&method.started)
            }),
            ("grpc_server_msg_sent_total", "Messages that were sent.", |method| {
                get(&method.messages)
            }),
            ("opmx_sent_bytes_total", "Bytes of messages that were sent.", |method| {
                get(&method.bytes)
            }),
        ];
        for (name, help, count) in count {
            head(text, name, "counter", help);
            for (method, labels) in self.labelled() {
                let _ = writeln!(text, "{name}{{{labels}}} {}", count(method));
            }
        }
        let name = "grpc_server_handled_total";
        head(text, name, "counter", "Calls that came to their end, by status code.");
        for (method, labels) in self.labelled() {
            for (code, (count, label)) in method.handled.iter().zip(CODE_NAMES).enumerate() {
                // That something went well is said also before anything did.
                if code == 0 || get(count) > 0 {
                    let _ = writeln!(text, "{name}{{{labels},grpc_code=\"{label}\"}} {}", get(count));
                }
            }
        }
    }

    #[allow(clippy::cast_precision_loss, reason = "for printing")]
    fn write_durations(&self, text: &mut String) {
        let name = "grpc_server_handling_seconds";
        head(text, name, "histogram", "How long calls took, to their last byte.");
        for (method, labels) in self.labelled() {
            let bounds = BOUNDS.iter().map(f64::to_string).chain(["+Inf".to_owned()]);
            let mut count = 0;
            for (bound, calls) in bounds.zip(&method.durations) {
                count += get(calls);
                let _ = writeln!(text, "{name}_bucket{{{labels},le=\"{bound}\"}} {count}");
            }
            let seconds = get(&method.nanoseconds) as f64 / 1e9;
            let _ = writeln!(text, "{name}_sum{{{labels}}} {seconds}");
            let _ = writeln!(text, "{name}_count{{{labels}}} {count}");
        }
    }

    fn labelled(&self) -> impl Iterator<Item = (&OfMethod, String)> {
        self.methods
            .iter()
            .zip(METHODS)
            .map(|(method, (service, name, streams))| {
                let kind = if streams { "server_stream" } else { "unary" };
                let labels = format!("grpc_type=\"{kind}\",grpc_service=\"{service}\",grpc_method=\"{name}\"");
                (method, labels)
            })
    }
}

fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn single(text: &mut String, name: &str, kind: &str, help: &str, value: u64) {
    head(text, name, kind, help);
    let _ = writeln!(text, "{name} {value}");
}

/// The media type of the text form.
const TEXT_FORM: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");

/// Connections to the page with the numbers at once, and how long each may take.
const SCRAPERS: usize = 16;
const SCRAPE_TIME: Duration = Duration::from_secs(10);

/// Shows the numbers under `/metrics`, for as long as it is polled.
pub async fn expose(listener: TcpListener, metrics: Arc<Metrics>) {
    let permits = Arc::new(Semaphore::new(SCRAPERS));
    while let Ok(permit) = Arc::clone(&permits).acquire_owned().await {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let metrics = Arc::clone(&metrics);
        tokio::spawn(async move {
            let page = service_fn(|request| std::future::ready(Ok::<_, Infallible>(page(&request, &metrics))));
            let serving = http1::Builder::new()
                .keep_alive(false)
                .max_buf_size(16 * 1024)
                .serve_connection(TokioIo::new(stream), page);
            // Who asks wrongly or slowly gets no answer.
            let _ = tokio::time::timeout(SCRAPE_TIME, serving).await;
            drop(permit);
        });
    }
}

fn page(request: &Request<Incoming>, metrics: &Metrics) -> Response<Full<Bytes>> {
    let found = request.uri().path() == "/metrics";
    let reads = [HttpMethod::GET, HttpMethod::HEAD].contains(request.method());
    let (status, text) = match (found, reads) {
        (true, true) => (StatusCode::OK, metrics.text()),
        (true, false) => (StatusCode::METHOD_NOT_ALLOWED, "this page is only read\n".to_owned()),
        (false, _) => (StatusCode::NOT_FOUND, "the page is /metrics\n".to_owned()),
    };
    let mut response = Response::new(Full::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, TEXT_FORM);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_by_method_and_code() {
        let metrics = Metrics::default();
        let method = Method::of("/api.Registry/GetBundle");
        assert_eq!((method.service(), method.name()), ("api.Registry", "GetBundle"));
        for (code, milliseconds) in [(Code::Ok, 2), (Code::Unknown, 20_000)] {
            metrics.call_started(method);
            let ended = Ended {
                code,
                duration: Duration::from_millis(milliseconds),
                messages: 1,
                bytes: 10,
            };
            metrics.call_ended(method, ended);
        }
        metrics.call_started(Method::of("/no/such"));
        let text = metrics.text();
        let labels = r#"grpc_type="unary",grpc_service="api.Registry",grpc_method="GetBundle""#;
        for expected in [
            format!("grpc_server_started_total{{{labels}}} 2\n"),
            format!("grpc_server_handled_total{{{labels},grpc_code=\"OK\"}} 1\n"),
            format!("grpc_server_handled_total{{{labels},grpc_code=\"Unknown\"}} 1\n"),
            format!("grpc_server_handling_seconds_bucket{{{labels},le=\"0.001\"}} 0\n"),
            format!("grpc_server_handling_seconds_bucket{{{labels},le=\"0.0025\"}} 1\n"),
            format!("grpc_server_handling_seconds_bucket{{{labels},le=\"+Inf\"}} 2\n"),
            format!("grpc_server_handling_seconds_sum{{{labels}}} 20.002\n"),
            format!("grpc_server_msg_sent_total{{{labels}}} 2\n"),
            format!("opmx_sent_bytes_total{{{labels}}} 20\n"),
            "grpc_method=\"unknown\"} 1\n".to_owned(),
        ] {
            assert!(text.contains(&expected), "{expected}{text}");
        }
    }

    #[test]
    fn every_line_is_a_comment_or_a_sample_of_a_series_of_its_own() {
        let metrics = Metrics::default();
        metrics.connection_opened();
        let text = metrics.text();
        let mut series = std::collections::HashSet::new();
        for line in text.lines().filter(|line| !line.starts_with("# ")) {
            let (name, value) = line.rsplit_once(' ').unwrap();
            assert!(value.parse::<f64>().is_ok(), "{line}");
            assert!(series.insert(name), "{line}");
        }
        assert!(series.contains("opmx_connections_open"));
        for code in 0..17 {
            let code = Code::from_i32(code);
            assert_eq!(CODE_NAMES[place_of(code)], name_of(code));
        }
    }
}
