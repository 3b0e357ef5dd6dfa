//! The registry client with registries that fail, stall, lie or redirect.

use crate::http::{Reply, Request, Server};
use crate::noise;
use opmx::cli::hint::registry_hint;
use opmx::image::{
    CacheMode, Credentials, Digest, EntryContent, Image, ImageConfig, ImageError, ImageOptions, LayerEntry, Reference,
    RegistryError, RegistryFailure, RegistryReference, RetryPolicy, Silent, Transports, build, layer_from_files,
    validate,
};
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

fn image_of(content: Vec<u8>) -> Image {
    let entry = LayerEntry {
        path: "manifests/a.yaml".to_owned(),
        mode: 0o644,
        content: EntryContent::Bytes(content),
    };
    build(&ImageConfig::default(), vec![layer_from_files(&[entry], 0).unwrap()]).unwrap()
}

fn image() -> Image {
    image_of(noise::bytes(4000))
}

/// The answers of a working registry with the image to read requests.
fn answer(image: &Image, request: &Request) -> Reply {
    let manifest = || Reply::new(200, image.manifest()).header("Content-Type", image.media_type());
    let blob = |digest: &str| {
        let digest: Digest = digest.parse().unwrap();
        if digest == image.config_descriptor().digest {
            return Reply::new(200, image.config());
        }
        let layer = image
            .layers()
            .iter()
            .find(|layer| layer.descriptor.digest == digest)
            .unwrap();
        let mut content = Vec::new();
        layer.content.open().unwrap().read_to_end(&mut content).unwrap();
        Reply::new(200, content)
    };
    match request.path.rsplit_once('/').unwrap() {
        ("/v2/team/bundle/manifests", _) => manifest(),
        ("/v2/team/bundle/blobs", digest) => blob(digest),
        _ => Reply::new(404, ""),
    }
}

/// Options that do not depend on the current user and have short delays.
struct Client {
    transports: Transports,
    _directory: tempfile::TempDir,
}

impl Client {
    fn new() -> Self {
        Self::with(|_| {})
    }

    fn with(change: impl FnOnce(&mut ImageOptions)) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let authfile = directory.path().join("auth.json");
        std::fs::write(&authfile, "{}").unwrap();
        let mut options = ImageOptions {
            credentials: Credentials::in_file(authfile),
            use_http: true,
            stall_timeout: Duration::from_millis(400),
            cache: CacheMode::Off,
            retry: RetryPolicy {
                retries: 4,
                first_delay: Duration::from_millis(5),
                longest_delay: Duration::from_millis(20),
                longest_wait: Duration::from_secs(5),
            },
            ..ImageOptions::default()
        };
        change(&mut options);
        Self {
            transports: Transports::new(options, Arc::new(Silent)),
            _directory: directory,
        }
    }

    fn pull(&self, reference: &str) -> Result<Image, ImageError> {
        let reference: Reference = reference.parse().unwrap();
        runtime().block_on(self.transports.pull(&reference))
    }

    fn push(&self, image: &Image, reference: &str) -> Result<Reference, ImageError> {
        let reference: Reference = reference.parse().unwrap();
        runtime().block_on(self.transports.push(image, &reference))
    }

    fn refused(&self, reference: &str) -> RegistryError {
        registry_error(self.pull(reference).map(|_| ()))
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}

fn registry_error(result: Result<(), ImageError>) -> RegistryError {
    match result {
        Err(ImageError::Registry(error)) => *error,
        other => panic!("expected an error of the registry, got {other:?}"),
    }
}

fn name(server: &Server) -> String {
    format!("{}/team/bundle:v1", server.host)
}

/// A registry that answers `status` to every request for the manifest.
fn always(status: u16, body: &'static str) -> Server {
    Server::start(move |_, _| Reply::new(status, body))
}

#[test]
fn rejections_are_reported_and_not_retried() {
    type Check = fn(&RegistryFailure) -> bool;
    let unknown = r#"{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}"#;
    let cases: [(u16, &str, Check, &str, &str); 5] = [
        (
            401,
            "",
            |failure| matches!(failure, RegistryFailure::Unauthorized { .. }),
            "no credentials were found in",
            "--authfile",
        ),
        (
            403,
            "",
            |failure| matches!(failure, RegistryFailure::Denied { .. }),
            "access denied",
            "owner",
        ),
        (
            404,
            unknown,
            |failure| matches!(failure, RegistryFailure::NotFound { .. }),
            "manifest unknown",
            "spelling",
        ),
        (
            400,
            "Client sent an HTTP request to an HTTPS server.\n",
            |failure| matches!(failure, RegistryFailure::HttpsExpected),
            "expects HTTPS",
            "omit --use-http",
        ),
        (
            418,
            "teapot",
            |failure| matches!(failure, RegistryFailure::Refused { .. }),
            "status 418): teapot",
            "",
        ),
    ];
    for (status, body, check, message, hint) in cases {
        let server = always(status, body);
        let error = Client::new().refused(&name(&server));
        assert!(check(&error.failure), "{error:?}");
        let text = error.to_string();
        let request = format!("GET http://{}/v2/team/bundle/manifests/v1", server.host);
        assert!(
            text.contains(message) && text.contains(&request) && text.contains(&name(&server)),
            "{text}"
        );
        assert!(
            registry_hint(&error).unwrap_or_default().contains(hint),
            "{:?}",
            registry_hint(&error)
        );
        assert_eq!(server.requests().len(), 1, "{status} must not be repeated");
    }
}

#[test]
fn a_registry_that_recovers_is_retried() {
    for status in [408, 429, 500, 502, 503, 504] {
        let original = image();
        let held = original.clone();
        let server = Server::start(move |request, before| {
            if before < 3 {
                Reply::new(status, "")
            } else {
                answer(&held, request)
            }
        });
        let pulled = Client::new().pull(&name(&server)).unwrap();
        assert_eq!(pulled.digest(), original.digest());
        validate(&pulled).unwrap();
        assert_eq!(server.count("GET", "/manifests/v1"), 4, "{status}");
        assert_eq!(server.count("GET", "/blobs/"), 8, "{status}");
    }
}

#[test]
fn retries_end_if_a_registry_does_not_recover() {
    let server = always(500, r#"{"errors":[{"code":"UNKNOWN","message":"disk on fire"}]}"#);
    let error = Client::new().refused(&name(&server));
    assert!(
        matches!(*error.failure, RegistryFailure::Unavailable { status: 500, .. }),
        "{error:?}"
    );
    assert!(error.to_string().contains("disk on fire (tried 5 times)"), "{error}");
    assert_eq!(server.requests().len(), 5);
}

#[test]
fn retry_after_is_respected() {
    let held = image();
    let server = Server::start(move |request, before| match before {
        0 if request.path.contains("/manifests/") => Reply::new(429, "").header("Retry-After", "1"),
        _ => answer(&held, request),
    });
    let start = Instant::now();
    Client::new().pull(&name(&server)).unwrap();
    assert!(start.elapsed() >= Duration::from_secs(1));
    assert_eq!(server.count("GET", "/manifests/v1"), 2);
}

#[test]
fn a_retry_after_that_is_too_long_is_an_immediate_error() {
    let server = Server::start(|_, _| Reply::new(429, "").header("Retry-After", "3600"));
    let error = Client::new().refused(&name(&server));
    assert!(
        matches!(*error.failure, RegistryFailure::RateLimited { .. }),
        "{error:?}"
    );
    assert!(
        error.to_string().contains("requested a wait of 3600 seconds"),
        "{error}"
    );
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn content_with_a_wrong_digest_is_retried_and_then_rejected() {
    let held = image();
    let layer = held.layers()[0].descriptor.clone();
    let path = format!("/blobs/{}", layer.digest);
    for lies in [1, usize::MAX] {
        let (held, path) = (held.clone(), path.clone());
        let wanted = path.clone();
        let server = Server::start(move |request, before| {
            let mut reply = answer(&held, request);
            if request.path.ends_with(&path) && before < lies {
                reply.body[100] ^= 1;
            }
            reply
        });
        let pulled = Client::new().pull(&name(&server));
        if lies == 1 {
            validate(&pulled.unwrap()).unwrap();
            assert_eq!(server.count("GET", &wanted), 2);
        } else {
            let error = registry_error(pulled.map(|_| ()));
            let text = error.to_string();
            assert!(
                text.contains(&format!("the blob {}", layer.digest)) && text.contains("has the digest"),
                "{text}"
            );
            assert_eq!(server.count("GET", &wanted), 3);
        }
    }
}

#[test]
fn a_manifest_with_a_wrong_digest_is_rejected() {
    let (held, other) = (image(), image_of(b"other".to_vec()));
    let digest = held.digest();
    let server = Server::start(move |request, _| answer(&other, request));
    let error = Client::new().refused(&format!("{}/team/bundle@{digest}", server.host));
    assert!(error.to_string().contains(&format!("instead of {digest}")), "{error}");
    let stated = Server::start(move |request, _| {
        answer(&held, request).header("Docker-Content-Digest", Digest::of(b"something").to_string())
    });
    let error = Client::new().refused(&name(&stated));
    assert!(error.to_string().contains("the manifest has the digest"), "{error}");
}

#[test]
fn a_truncated_body_is_retried_and_then_rejected() {
    let held = image();
    let layer = held.layers()[0].descriptor.clone();
    let path = format!("/blobs/{}", layer.digest);
    for halves in [2, usize::MAX] {
        let (held, path) = (held.clone(), path.clone());
        let wanted = path.clone();
        let server = Server::start(move |request, before| {
            let mut reply = answer(&held, request);
            if request.path.ends_with(&path) && before < halves {
                reply.length = Some(reply.body.len() as u64);
                reply.body.truncate(reply.body.len() / 2);
            }
            reply
        });
        let pulled = Client::new().pull(&name(&server));
        if halves == 2 {
            validate(&pulled.unwrap()).unwrap();
            assert_eq!(server.count("GET", &wanted), 3);
        } else {
            let error = registry_error(pulled.map(|_| ()));
            assert!(matches!(*error.failure, RegistryFailure::ShortBody { .. }), "{error:?}");
            assert!(error.to_string().contains("the response was truncated"), "{error}");
            assert_eq!(server.count("GET", &wanted), 5);
        }
    }
}

/// Reads a layer whose connection is closed after the first half. `answer` gets the layer and the offset from which the
/// rest is requested.
fn resumed(answer: fn(&[u8], usize) -> Reply) -> Result<(), ImageError> {
    let image = image();
    let descriptor = image.layers()[0].descriptor.clone();
    let mut layer = Vec::new();
    image.layers()[0]
        .content
        .open()
        .unwrap()
        .read_to_end(&mut layer)
        .unwrap();
    let server = Server::start(move |request, _| match request.headers.get("range") {
        None => {
            let mut reply = Reply::new(200, &layer[..layer.len() / 2]);
            reply.length = Some(layer.len() as u64);
            reply
        }
        Some(range) => {
            let from = range.strip_prefix("bytes=").unwrap().strip_suffix('-').unwrap();
            answer(&layer, from.parse().unwrap())
        }
    });
    let repository = RegistryReference::of_repository(&format!("{}/team/bundle", server.host)).unwrap();
    runtime().block_on(Client::new().transports.read_through(&repository, &descriptor))
}

#[test]
fn a_download_resumes_with_the_requested_range_or_a_larger_one() {
    resumed(|layer, from| Reply::new(206, &layer[from..])).unwrap();
    resumed(|layer, from| Reply::new(206, &layer[from..]).header("Content-Range", format!("bytes {from}-9/*")))
        .unwrap();
    resumed(|layer, _| Reply::new(206, layer).header("Content-Range", "bytes 0-9/*")).unwrap();
    resumed(|layer, _| Reply::new(200, layer)).unwrap();
}

#[test]
fn a_download_does_not_resume_with_other_bytes_or_an_impossible_length() {
    let error = resumed(|layer, from| {
        Reply::new(206, &layer[from + 1..]).header("Content-Range", format!("bytes {}-9/*", from + 1))
    });
    let error = error.unwrap_err().to_string();
    assert!(error.contains("instead of the bytes from"), "{error}");
    let error = resumed(|_, _| {
        let mut reply = Reply::new(206, "");
        reply.length = Some(u64::MAX - 3);
        reply
    });
    let error = error.unwrap_err().to_string();
    assert!(error.contains("bytes instead of"), "{error}");
}

#[test]
fn a_stalled_body_times_out() {
    let held = image();
    let server = Server::start(move |request, before| {
        let mut reply = answer(&held, request);
        if before == 0 {
            reply.length = Some(reply.body.len() as u64);
            reply.body.truncate(reply.body.len() / 2);
            reply.stall = true;
        }
        reply
    });
    validate(&Client::new().pull(&name(&server)).unwrap()).unwrap();
    let stalled = Server::start(|_, _| Reply {
        length: Some(100),
        stall: true,
        ..Reply::new(200, "x")
    });
    let client = Client::with(|options| options.retry.retries = 1);
    let error = client.refused(&name(&stalled));
    assert!(matches!(*error.failure, RegistryFailure::Stalled { .. }), "{error:?}");
    assert_eq!(stalled.requests().len(), 2);
}

#[test]
fn too_many_headers_are_an_invalid_response_of_a_registry_that_was_reached() {
    let server = Server::start(|_, _| (0..500).fold(Reply::new(200, "{}"), |reply, _| reply.header("X-Header", "x")));
    let error = Client::new().refused(&name(&server));
    assert!(matches!(*error.failure, RegistryFailure::Protocol { .. }), "{error}");
    assert!(
        error
            .to_string()
            .contains("the response is invalid: its headers are too large"),
        "{error}"
    );
    assert_eq!(error.attempts, 1);
    let text = Client::new().refused(&name(&server)).to_string();
    assert!(!text.contains("cannot connect"), "{text}");
}

#[test]
fn impossible_lengths_are_rejected_before_reading() {
    let server = Server::start(|_, _| Reply {
        length: Some(1 << 50),
        ..Reply::new(200, "{}")
    });
    let error = Client::new().refused(&name(&server));
    assert!(error.to_string().contains("larger than 4194304 bytes"), "{error}");

    let held = image();
    let server = Server::start(move |request, _| {
        let mut reply = answer(&held, request);
        if request.path.contains("/blobs/") {
            reply.length = Some(1 << 50);
        }
        reply
    });
    let error = Client::new().refused(&name(&server));
    assert!(
        error.to_string().contains("has 1125899906842624 bytes instead of"),
        "{error}"
    );

    let held = image();
    let server = Server::start(move |request, _| answer(&held, request));
    let small = Client::with(|options| options.image_limit = 100);
    let error = small.pull(&name(&server)).unwrap_err().to_string();
    assert!(error.contains("exceeds the limit of 100 bytes"), "{error}");
    assert_eq!(server.count("GET", "/blobs/"), 0);
}

/// A credentials file for a server.
fn authfile(host: &str) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("auth.json");
    let content = format!(r#"{{"auths":{{"{host}":{{"username":"me","password":"secret"}}}}}}"#);
    std::fs::write(&file, content).unwrap();
    (directory, file)
}

fn with_basic(answer: impl Fn(&Request) -> Reply) -> impl Fn(&Request) -> Reply {
    move |request| {
        if request
            .headers
            .get("authorization")
            .is_some_and(|value| value.starts_with("Basic "))
        {
            answer(request)
        } else {
            Reply::new(401, "").header("WWW-Authenticate", r#"Basic realm="test""#)
        }
    }
}

#[test]
fn a_redirect_to_another_host_is_followed_without_the_login() {
    let held = image();
    let storage = {
        let held = held.clone();
        Server::start(move |request, _| {
            let mut request = request.clone();
            request.path = request
                .path
                .replace("/storage/", "/v2/team/bundle/blobs/")
                .replace("?sig=x", "");
            answer(&held, &request)
        })
    };
    let elsewhere = storage.host.replace("127.0.0.1", "localhost");
    let original = held.clone();
    let registry = with_basic(
        move |request| match request.path.strip_prefix("/v2/team/bundle/blobs/") {
            Some(digest) => {
                Reply::new(307, "").header("Location", format!("http://{elsewhere}/storage/{digest}?sig=x"))
            }
            None => answer(&original, request),
        },
    );
    let server = Server::start(move |request, _| registry(request));
    let (_directory, file) = authfile(&server.host);
    let client = Client::with(|options| options.credentials = Credentials::in_file(file));
    validate(&client.pull(&name(&server)).unwrap()).unwrap();
    assert_eq!(storage.requests().len(), 2);
    for request in storage.requests() {
        assert!(!request.headers.contains_key("authorization"), "{request:?}");
    }
}

#[test]
fn redirect_loops_end() {
    let server = Server::start(|request, _| Reply::new(307, "").header("Location", request.path.clone()));
    let error = Client::new().refused(&name(&server));
    assert!(matches!(*error.failure, RegistryFailure::Redirect { .. }), "{error:?}");
    assert_eq!(error.attempts, 1);
}

#[test]
fn a_wrong_password_is_sent_once_and_its_file_reported() {
    let server = Server::start(|_, _| Reply::new(401, "").header("WWW-Authenticate", r#"Basic realm="test""#));
    let (_directory, file) = authfile(&server.host);
    let client = Client::with(|options| options.credentials = Credentials::in_file(file.clone()));
    let text = client.refused(&name(&server)).to_string();
    assert!(
        text.contains(&format!("the credentials from {} in {}", server.host, file.display())),
        "{text}"
    );
    assert!(!text.contains("secret"), "{text}");
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_failing_token_server_is_retried_and_a_rejecting_one_is_not() {
    let held = image();
    let tokens = Server::start(|_, before| match before {
        0 => Reply::new(503, "<html>busy</html>"),
        _ => Reply::new(200, r#"{"access_token":"good","expires_in":300}"#),
    });
    let realm = tokens.host.clone();
    let server = Server::start(move |request, _| {
        if request
            .headers
            .get("authorization")
            .is_some_and(|value| value == "Bearer good")
        {
            return answer(&held, request);
        }
        let challenge = format!(r#"Bearer realm="http://{realm}/token",service="the registry""#);
        Reply::new(401, "").header("WWW-Authenticate", challenge)
    });
    validate(&Client::new().pull(&name(&server)).unwrap()).unwrap();
    let asked = tokens.requests();
    assert_eq!(asked.len(), 2, "one token serves all requests: {asked:?}");
    assert_eq!(
        asked[1].path,
        "/token?scope=repository%3Ateam%2Fbundle%3Apull&service=the+registry"
    );
    assert!(!asked[1].headers.contains_key("authorization"));

    let refusing = always(401, r#"{"details":"incorrect username or password"}"#);
    let realm = refusing.host.clone();
    let server = Server::start(move |_, _| {
        Reply::new(401, "").header("WWW-Authenticate", format!(r#"Bearer realm="http://{realm}/token""#))
    });
    let (_directory, file) = authfile(&server.host);
    let client = Client::with(|options| options.credentials = Credentials::in_file(file));
    let text = client.refused(&name(&server)).to_string();
    assert!(
        text.contains("requesting a token from http://") && text.contains("incorrect username or password"),
        "{text}"
    );
    assert_eq!(refusing.requests().len(), 1);
}

#[test]
fn tokens_that_are_not_valid_headers_are_an_error() {
    let tokens = always(200, "{\"token\":\"a\\nb\"}");
    let realm = tokens.host.clone();
    let server = Server::start(move |_, _| {
        Reply::new(401, "").header("WWW-Authenticate", format!(r#"Bearer realm="http://{realm}/token""#))
    });
    let text = Client::new().refused(&name(&server)).to_string();
    assert!(text.contains("characters that are not allowed in a header"), "{text}");
}

#[test]
fn an_identity_token_is_exchanged() {
    let held = image();
    let tokens = Server::start(|request, _| {
        let form = String::from_utf8_lossy(&request.body).into_owned();
        assert_eq!(request.method, "POST");
        let wanted = "grant_type=refresh_token&client_id=opmx&scope=repository%3Ateam%2Fbundle%3Apull&service=s&refresh_token=the+token";
        if form == wanted {
            Reply::new(200, r#"{"access_token":"good"}"#)
        } else {
            Reply::new(400, form)
        }
    });
    let realm = tokens.host.clone();
    let server = Server::start(move |request, _| {
        if request
            .headers
            .get("authorization")
            .is_some_and(|value| value == "Bearer good")
        {
            return answer(&held, request);
        }
        Reply::new(401, "").header(
            "WWW-Authenticate",
            format!(r#"Bearer realm="http://{realm}/token",service="s""#),
        )
    });
    let (_directory, file) = authfile(&server.host);
    let content = format!(r#"{{"auths":{{"{}":{{"identitytoken":"the token"}}}}}}"#, server.host);
    std::fs::write(&file, content).unwrap();
    let client = Client::with(|options| options.credentials = Credentials::in_file(file));
    validate(&client.pull(&name(&server)).unwrap()).unwrap();
}

#[test]
fn an_unreachable_registry_is_retried_and_reported() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap();
    drop(listener);
    let error = Client::new().refused(&format!("{host}/team/bundle:v1"));
    assert!(
        matches!(*error.failure, RegistryFailure::Connection { .. }),
        "{error:?}"
    );
    assert_eq!(error.attempts, 5);
}

#[test]
fn plain_http_instead_of_https_is_reported_with_the_option() {
    let server = always(200, "");
    let client = Client::with(|options| options.use_http = false);
    let error = client.refused(&name(&server));
    assert!(matches!(*error.failure, RegistryFailure::PlainHttp), "{error:?}");
    assert!(registry_hint(&error).unwrap().contains("--use-http"));
    assert_eq!(error.attempts, 1);
}

#[test]
fn a_push_retries_each_blob_and_writes_the_tag_last() {
    let pushed = image_of(noise::bytes(9 << 20));
    let expected = pushed.digest();
    let failures = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&failures);
    let server = Server::start(move |request, before| match request.method.as_str() {
        "HEAD" => Reply::new(404, ""),
        "POST" => Reply::new(202, "").header("Location", "/upload/1?state=a"),
        "PUT" if request.path.contains("/manifests/") => {
            Reply::new(201, "").header("Docker-Content-Digest", Digest::of(&request.body).to_string())
        }
        "PUT" if before == 0 => {
            count.fetch_add(1, Ordering::SeqCst);
            Reply::new(503, "")
        }
        _ => {
            let digest = request.path.split_once("digest=").unwrap().1.replace("%3A", ":");
            let good = digest == Digest::of(&request.body).to_string();
            Reply::new(if good { 201 } else { 400 }, "")
        }
    });
    let pinned = Client::new().push(&pushed, &name(&server)).unwrap();
    assert_eq!(pinned.to_string(), format!("{}/team/bundle@{expected}", server.host));
    assert_eq!(failures.load(Ordering::SeqCst), 2);
    let last = server.requests().pop().unwrap();
    assert_eq!(
        (last.method.as_str(), last.path.as_str()),
        ("PUT", "/v2/team/bundle/manifests/v1")
    );
    assert_eq!(last.body, pushed.manifest());
    assert_eq!(last.headers["content-type"], pushed.media_type());
}

#[test]
fn a_forbidden_push_does_not_change_the_tag() {
    let server = Server::start(|request, _| match request.method.as_str() {
        "HEAD" => Reply::new(404, ""),
        _ => Reply::new(403, r#"{"errors":[{"code":"DENIED","message":"read only"}]}"#),
    });
    let error = registry_error(Client::new().push(&image(), &name(&server)).map(|_| ()));
    assert!(matches!(*error.failure, RegistryFailure::Denied { .. }), "{error:?}");
    assert!(
        error.to_string().contains("POST") && error.to_string().contains("read only"),
        "{error}"
    );
    assert_eq!(server.count("PUT", "/manifests/"), 0);
}

#[test]
fn a_registry_that_stores_different_content_is_detected() {
    let server = Server::start(|request, _| match request.method.as_str() {
        "HEAD" => Reply::new(200, ""),
        _ => Reply::new(201, "").header("Docker-Content-Digest", Digest::of(b"else").to_string()),
    });
    let error = registry_error(Client::new().push(&image(), &name(&server)).map(|_| ()));
    assert!(
        matches!(*error.failure, RegistryFailure::OtherDigest { .. }),
        "{error:?}"
    );
}

#[test]
fn an_upload_to_another_host_is_sent_without_the_login() {
    let storage = Server::start(|_, _| Reply::new(201, ""));
    let elsewhere = storage.host.clone();
    let registry = with_basic(move |request| match request.method.as_str() {
        "HEAD" => Reply::new(404, ""),
        "POST" => Reply::new(202, "").header("Location", format!("http://{elsewhere}/up")),
        _ => Reply::new(201, ""),
    });
    let server = Server::start(move |request, _| registry(request));
    let (_directory, file) = authfile(&server.host);
    let client = Client::with(|options| options.credentials = Credentials::in_file(file));
    client.push(&image(), &name(&server)).unwrap();
    assert_eq!(storage.requests().len(), 2);
    assert!(
        storage
            .requests()
            .iter()
            .all(|request| !request.headers.contains_key("authorization"))
    );
}

#[test]
fn a_reference_with_a_digest_accepts_only_that_image() {
    let server = always(500, "");
    let wrong = format!("{}/team/bundle:v1@{}", server.host, Digest::of(b"another"));
    let error = Client::new().push(&image(), &wrong).unwrap_err().to_string();
    assert!(error.contains("has the digest"), "{error}");
    assert!(server.requests().is_empty());
}

#[test]
fn pulled_content_is_cached_and_verified() {
    let directory = tempfile::tempdir().unwrap();
    let cache = directory.path().join("cache");
    let held = image_of(noise::bytes(9 << 20));
    let digest = held.digest();
    let server = Server::start(move |request, _| answer(&held, request));
    let cached = || Client::with(|options| options.cache = CacheMode::Directory(cache.clone()));
    let pinned = format!("{}/team/bundle@{digest}", server.host);
    validate(&cached().pull(&name(&server)).unwrap()).unwrap();
    assert_eq!(server.requests().len(), 3);
    let offline = cached().pull(&pinned).unwrap();
    assert_eq!(server.requests().len(), 3, "everything is in the cache");
    for file in std::fs::read_dir(cache.join("blobs/sha256")).unwrap() {
        std::fs::write(file.unwrap().path(), "damaged").unwrap();
    }
    let again = cached().pull(&pinned).unwrap();
    assert_eq!(server.requests().len(), 6, "what is damaged is asked for again");
    validate(&again).unwrap();
    assert_eq!(offline.manifest(), again.manifest());
}

#[test]
fn concurrent_requests_stay_within_the_limit() {
    let running = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let layers = (0..20).map(|number| {
        let entry = LayerEntry {
            path: format!("manifests/{number}"),
            mode: 0o644,
            content: EntryContent::Bytes(vec![number; 100]),
        };
        layer_from_files(&[entry], 0).unwrap()
    });
    let held = build(&ImageConfig::default(), layers.collect()).unwrap();
    let (now, highest) = (Arc::clone(&running), Arc::clone(&most));
    let server = Server::start(move |request, _| {
        highest.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(5));
        now.fetch_sub(1, Ordering::SeqCst);
        answer(&held, request)
    });
    let client = Client::with(|options| options.parallel = 3);
    validate(&client.pull(&name(&server)).unwrap()).unwrap();
    assert!((2..=3).contains(&most.load(Ordering::SeqCst)), "{most:?}");
}
