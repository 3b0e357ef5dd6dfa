//! The metrics of the server: collected during calls, and written in the text format of OpenMetrics, which Prometheus
//! reads.
//!
//! The names match those of gRPC servers in other languages, so that existing dashboards work.

use super::listing::Size;
use super::method::Method;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Metric, Registry};
use std::time::Duration;
use tonic::Code;

impl Method {
    fn labels(self) -> OfMethod {
        OfMethod {
            grpc_type: if self.is_stream() { "server_stream" } else { "unary" },
            grpc_service: self.service(),
            grpc_method: self.name(),
        }
    }

    fn ended(self, code: Code) -> OfEnd {
        OfEnd {
            method: self.labels(),
            grpc_code: name_of(code),
        }
    }
}

/// The upper bounds of the histogram of durations, in seconds.
const BOUNDS: [f64; 12] = [
    0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5, 10.0,
];

/// The names of the status codes, as labels.
const CODE_NAMES: [&str; 17] = [
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

/// Returns the name of a status code in the form that other servers use in logs and metrics.
pub(super) fn name_of(code: Code) -> &'static str {
    let place = usize::try_from(i32::from(code)).unwrap_or_default();
    CODE_NAMES.get(place).copied().unwrap_or("Unknown")
}

/// The labels of a method.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
#[expect(clippy::struct_field_names, reason = "the fields are the labels")]
struct OfMethod {
    grpc_type: &'static str,
    grpc_service: &'static str,
    grpc_method: &'static str,
}

/// The labels that distinguish calls by their method and by the status code with which they ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfEnd {
    #[prometheus(flatten)]
    method: OfMethod,
    grpc_code: &'static str,
}

/// The metrics of the calls of one method, taken from their families, because every call would look them up by labels.
#[derive(Debug)]
struct Calls {
    started: Counter,
    messages: Counter,
    bytes: Counter,
    succeeded: Counter,
    durations: Histogram,
}

/// The metrics of a server.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    /// The calls of each method, in the order of [`Method::all`].
    calls: Vec<Calls>,
    handled: Family<OfEnd, Counter>,
    accepted: Counter,
    open: Gauge,
    serving: Gauge,
    packages: Gauge,
    channels: Gauge,
    bundles: Gauge,
    entries: Gauge,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::default();
        let started: Family<OfMethod, Counter> = register(&mut registry, "grpc_server_started", "Calls started");
        let messages: Family<OfMethod, Counter> = register(&mut registry, "grpc_server_msg_sent", "Messages sent");
        let bytes: Family<OfMethod, Counter> = register(&mut registry, "opmx_sent_bytes", "Bytes of messages sent");
        let handled: Family<OfEnd, Counter> =
            register(&mut registry, "grpc_server_handled", "Calls completed, by status code");
        let durations = registered(
            &mut registry,
            "grpc_server_handling_seconds",
            "Duration of calls, until their last byte",
            Family::new_with_constructor((|| Histogram::new(BOUNDS)) as fn() -> Histogram),
        );
        // Methods without calls are also reported.
        let calls = Method::all().map(|method| {
            let labels = method.labels();
            Calls {
                started: started.get_or_create_owned(&labels),
                messages: messages.get_or_create_owned(&labels),
                bytes: bytes.get_or_create_owned(&labels),
                succeeded: handled.get_or_create_owned(&method.ended(Code::Ok)),
                durations: durations.get_or_create_owned(&labels),
            }
        });
        Self {
            calls: calls.collect(),
            handled,
            accepted: register(&mut registry, "opmx_connections_accepted", "Connections accepted"),
            open: register(&mut registry, "opmx_connections_open", "Open connections"),
            serving: register(
                &mut registry,
                "opmx_serving",
                "1 while the content is served as it was read, 0 if its files have changed since",
            ),
            packages: register(&mut registry, "opmx_catalog_packages", "Packages in the served catalog"),
            channels: register(&mut registry, "opmx_catalog_channels", "Channels in the served catalog"),
            bundles: register(&mut registry, "opmx_catalog_bundles", "Bundles in the served catalog"),
            entries: register(&mut registry, "opmx_catalog_entries", "Entries in the served catalog"),
            registry,
        }
    }
}

fn register<M: Metric + Clone + Default>(registry: &mut Registry, name: &str, help: &str) -> M {
    registered(registry, name, help, M::default())
}

fn registered<M: Metric + Clone>(registry: &mut Registry, name: &str, help: &str, metric: M) -> M {
    registry.register(name, help, metric.clone());
    metric
}

/// The data about a completed call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ended {
    pub(super) code: Code,
    pub(super) duration: Duration,
    pub(super) messages: u64,
    pub(super) bytes: u64,
}

impl Metrics {
    pub(super) fn catalog(&self, size: Size) {
        for (gauge, count) in [
            (&self.packages, size.packages),
            (&self.channels, size.channels),
            (&self.bundles, size.bundles),
            (&self.entries, size.entries),
        ] {
            gauge.set(i64::try_from(count).unwrap_or(i64::MAX));
        }
    }

    pub(super) fn serving(&self, is_serving: bool) {
        self.serving.set(is_serving.into());
    }

    pub(super) fn connection_opened(&self) {
        self.accepted.inc();
        self.open.inc();
    }

    pub(super) fn connection_closed(&self) {
        self.open.dec();
    }

    pub(super) fn call_started(&self, method: Method) {
        self.calls[method.number()].started.inc();
    }

    pub(super) fn call_ended(&self, method: Method, ended: Ended) {
        let calls = &self.calls[method.number()];
        match ended.code {
            Code::Ok => calls.succeeded.inc(),
            code => self.handled.get_or_create(&method.ended(code)).inc(),
        };
        calls.durations.observe(ended.duration.as_secs_f64());
        calls.messages.inc_by(ended.messages);
        calls.bytes.inc_by(ended.bytes);
    }

    /// Returns all metrics, in the text format of OpenMetrics.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
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
            format!("grpc_server_handling_seconds_bucket{{le=\"0.001\",{labels}}} 0\n"),
            format!("grpc_server_handling_seconds_bucket{{le=\"0.0025\",{labels}}} 1\n"),
            format!("grpc_server_handling_seconds_bucket{{le=\"+Inf\",{labels}}} 2\n"),
            format!("grpc_server_handling_seconds_sum{{{labels}}} 20.002\n"),
            format!("grpc_server_msg_sent_total{{{labels}}} 2\n"),
            format!("opmx_sent_bytes_total{{{labels}}} 20\n"),
            "grpc_method=\"unknown\"} 1\n".to_owned(),
        ] {
            assert!(text.contains(&expected), "{expected}{text}");
        }
    }

    #[test]
    fn every_line_is_a_comment_or_a_sample_of_a_unique_series() {
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
            assert_eq!(CODE_NAMES[usize::try_from(i32::from(code)).unwrap()], name_of(code));
        }
    }
}
