//! A registry that sends a byte now and then does not block a command.

use crate::common::Sandbox;
use crate::http::{Reply, Server};
use opmx::image::{
    CacheMode, Credentials, ImageOptions, Reference, RegistryError, RegistryFailure, RetryPolicy, Silent, Transports,
};
use opmx::image::{Image, ImageError};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The time between two bytes, too short to count as a stall.
const GAP: Duration = Duration::from_millis(20);
/// The size of a body that takes a minute.
const MINUTE: usize = 3000;

fn drip(status: u16, body: impl Into<Vec<u8>>) -> Reply {
    Reply {
        drip: Some(GAP),
        ..Reply::new(status, body)
    }
}

fn pull(server: &Server, change: impl FnOnce(&mut ImageOptions)) -> Result<Image, ImageError> {
    let directory = tempfile::tempdir().unwrap();
    let authfile = directory.path().join("auth.json");
    std::fs::write(&authfile, "{}").unwrap();
    let mut options = ImageOptions {
        credentials: Credentials::in_file(authfile),
        use_http: true,
        cache: CacheMode::Off,
        request_timeout: Duration::from_secs(2),
        retry: RetryPolicy {
            retries: 0,
            ..RetryPolicy::default()
        },
        ..ImageOptions::default()
    };
    change(&mut options);
    let reference: Reference = format!("{}/team/bundle:v1", server.host).parse().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let begun = Instant::now();
    let pulled = runtime.block_on(Transports::new(options, Arc::new(Silent)).pull(&reference));
    assert!(begun.elapsed() < Duration::from_secs(30), "the command was held");
    pulled
}

fn failure(pulled: Result<Image, ImageError>) -> RegistryError {
    match pulled {
        Err(ImageError::Registry(error)) => *error,
        other => panic!("expected an error of the registry, got {other:?}"),
    }
}

#[test]
fn a_manifest_arrives_in_time_or_times_out() {
    let server = Server::start(|_, _| drip(200, vec![b' '; MINUTE]));
    let error = failure(pull(&server, |_| {}));
    assert!(matches!(*error.failure, RegistryFailure::TooLong { .. }), "{error}");
}

#[test]
fn a_token_arrives_in_time_or_times_out() {
    let server = Server::start(|request, _| {
        if request.path.starts_with("/token") {
            return drip(200, vec![b' '; MINUTE]);
        }
        let realm = format!("http://{}/token", request.headers["host"]);
        Reply::new(401, "").header("WWW-Authenticate", format!(r#"Bearer realm="{realm}""#))
    });
    let error = failure(pull(&server, |_| {}));
    assert!(matches!(*error.failure, RegistryFailure::TooLong { .. }), "{error}");
    assert!(
        error.to_string().contains("/token: the response is still incomplete"),
        "{error}"
    );
}

#[test]
fn the_body_of_an_error_is_not_waited_for() {
    let server = Server::start(|_, _| drip(403, vec![b'x'; MINUTE]));
    let error = failure(pull(&server, |_| {}));
    assert!(matches!(*error.failure, RegistryFailure::Denied { .. }), "{error}");
}

#[test]
fn redirects_share_one_timeout() {
    let server = Server::start(|_, before| {
        std::thread::sleep(Duration::from_millis(500));
        Reply::new(307, "").header("Location", format!("/{before}"))
    });
    let error = failure(pull(&server, |_| {}));
    assert!(matches!(*error.failure, RegistryFailure::TooLong { .. }), "{error}");
}

#[test]
fn a_blob_below_the_minimum_rate_times_out() {
    let digest = format!("sha256:{}", "0".repeat(64));
    let descriptor = format!(r#"{{"mediaType":"application/octet-stream","digest":"{digest}","size":{MINUTE}}}"#);
    let manifest = format!(
        r#"{{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{descriptor},"layers":[]}}"#
    );
    let server = Server::start(move |request, _| {
        if request.path.contains("/blobs/") {
            return drip(200, vec![b'x'; MINUTE]);
        }
        Reply::new(200, manifest.clone())
    });
    let error = failure(pull(&server, |options| {
        options.request_timeout = Duration::from_mins(1);
        options.rate_window = Duration::from_millis(300);
        options.retry = RetryPolicy {
            first_delay: Duration::from_millis(1),
            ..RetryPolicy::default()
        };
    }));
    assert!(matches!(*error.failure, RegistryFailure::TooSlow { .. }), "{error}");
    assert_eq!(error.attempts, 3, "a slow registry is not asked many times");
}

#[test]
fn timeout_errors_name_existing_flags() {
    let server = Server::start(|_, _| drip(200, vec![b' '; MINUTE]));
    let reference = format!("{}/team/bundle:v1", server.host);
    let line = [
        "bundle",
        "inspect",
        "--use-http",
        "--retries=0",
        "--request-timeout=1",
        &reference,
    ];
    let outcome = Sandbox::new().run(line);
    assert_eq!(outcome.status, Some(1), "{outcome}");
    let said = outcome.stderr;
    assert!(
        said.contains("the response is still incomplete after 1 second"),
        "{said}"
    );
    assert!(said.contains("--request-timeout"), "{said}");
}
