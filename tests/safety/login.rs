//! The login is sent only to the registry in a reference and to the token server named by that registry, and to no
//! other server, whatever either of them or a third one answers.

use crate::certificate::certificate_from_authority;
use crate::http::{Reply, Request, Server};
use crate::tools::installed;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use opmx::image::{
    CacheMode, Credentials, Digest, EntryContent, Image, ImageConfig, ImageError, ImageOptions, LayerEntry, Reference,
    RetryPolicy, Silent, Transports, build, layer_from_files,
};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

const PASSWORD: &str = "correct-horse";
const IDENTITY: &str = "refresh-battery";
const REGISTRY_TOKEN: &str = "registry-staple";
/// The token issued by the token server.
const BEARER: &str = "bearer-of-news";

/// The content of the credentials file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Login {
    None,
    Password,
    Identity,
    RegistryToken,
}

/// The challenge of the registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asks {
    Nothing,
    Basic,
    Bearer,
}

/// Every kind of login.
const LOGINS: [(Login, Asks); 6] = [
    (Login::Password, Asks::Basic),
    (Login::Password, Asks::Bearer),
    (Login::Identity, Asks::Bearer),
    (Login::RegistryToken, Asks::Bearer),
    (Login::Password, Asks::Nothing),
    (Login::Identity, Asks::Nothing),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    Pull,
    Resolve,
    Push,
}

/// The addresses of all servers, as in `http://127.0.0.1:5000`.
#[derive(Debug, Clone)]
struct Origins {
    registry: String,
    tokens: String,
    stranger: String,
}

type Answer = dyn Fn(&Origins, &Request) -> Option<Reply> + Send + Sync;

/// An attempt to obtain a login.
struct Trick {
    name: String,
    does: Does,
    login: Login,
    asks: Asks,
    /// The answers of the registry, the token server and the stranger that replace the usual ones.
    registry: Box<Answer>,
    tokens: Box<Answer>,
    stranger: Box<Answer>,
}

impl Trick {
    fn new(name: impl fmt::Display, does: Does, (login, asks): (Login, Asks)) -> Self {
        Self {
            name: format!("{does:?}, {login:?}, {asks:?}: {name}"),
            does,
            login,
            asks,
            registry: Box::new(|_, _| None),
            tokens: Box::new(|_, _| None),
            stranger: Box::new(|_, _| None),
        }
    }

    fn registry(mut self, answer: impl Fn(&Origins, &Request) -> Option<Reply> + Send + Sync + 'static) -> Self {
        self.registry = Box::new(answer);
        self
    }

    fn tokens(mut self, answer: impl Fn(&Origins, &Request) -> Option<Reply> + Send + Sync + 'static) -> Self {
        self.tokens = Box::new(answer);
        self
    }

    fn stranger(mut self, answer: impl Fn(&Origins, &Request) -> Option<Reply> + Send + Sync + 'static) -> Self {
        self.stranger = Box::new(answer);
        self
    }

    /// The registry redirects these requests to the stranger.
    fn redirects(self, method: &'static str, path: &'static str, status: u16) -> Self {
        self.registry(move |origins, request| {
            let meant = request.method == method && request.path.contains(path);
            meant.then(|| redirect(status, &format!("{}/stored{}", origins.stranger, request.path)))
        })
    }

    /// Runs the attempt, and checks that no server received anything not intended for it.
    fn play(self, stage: &Stage) -> Played {
        let Self {
            name,
            does,
            login,
            asks,
            registry,
            tokens,
            stranger,
        } = self;
        let image = image();
        let held = image.clone();
        let origins = Arc::new(OnceLock::<Origins>::new());
        let known = || Arc::clone(&origins);
        let there = known();
        let registry = stage.start(Box::new(move |request, _| {
            let origins = there.wait();
            if !admitted(asks, request) {
                return challenge(asks, origins);
            }
            registry(origins, request).unwrap_or_else(|| usual(&held, request))
        }));
        let there = known();
        let tokens = stage.start(Box::new(move |request, _| {
            tokens(there.wait(), request).unwrap_or_else(|| token(BEARER))
        }));
        let there = known();
        let held = image.clone();
        let stranger = stage.start(Box::new(move |request, _| {
            let mut plain = request.clone();
            plain.path = plain.path.replace("/stored", "");
            stranger(there.wait(), request).unwrap_or_else(|| usual(&held, &plain))
        }));
        let origin = |server: &Server| format!("{}://{}", stage.scheme(), server.host);
        let all = Origins {
            registry: origin(&registry),
            tokens: origin(&tokens),
            stranger: origin(&stranger),
        };
        origins.set(all).unwrap();

        std::fs::write(stage.authfile(), credentials(login, &registry.host)).unwrap();
        let reference: Reference = format!("{}/team/bundle:v1", registry.host).parse().unwrap();
        let outcome = stage.runtime.block_on(async {
            match does {
                Does::Pull => stage.transports.pull(&reference).await.map(|_| ()),
                Does::Resolve => stage.transports.resolve(&reference).await.map(|_| ()),
                Does::Push => stage.transports.push(&image, &reference).await.map(|_| ()),
            }
        });
        let played = Played {
            name,
            outcome,
            registry,
            tokens,
            stranger,
        };
        played.check(login, asks);
        played
    }
}

type Serve = Box<dyn Fn(&Request, usize) -> Reply + Send + Sync>;

/// The environment of attempts, each of which has its own servers.
struct Stage {
    directory: tempfile::TempDir,
    tls: Option<Arc<rustls::ServerConfig>>,
    transports: Transports,
    runtime: tokio::runtime::Runtime,
}

impl Stage {
    fn new() -> Self {
        Self::over(tempfile::tempdir().unwrap(), None)
    }

    /// With HTTPS; the folder contains the certificates.
    fn over(directory: tempfile::TempDir, tls: Option<Arc<rustls::ServerConfig>>) -> Self {
        let options = ImageOptions {
            credentials: Credentials::in_file(directory.path().join("auth.json")),
            ca_file: tls.as_ref().map(|_| directory.path().join("ca.pem")),
            use_http: tls.is_none(),
            cache: CacheMode::Off,
            retry: RetryPolicy {
                retries: 0,
                ..RetryPolicy::default()
            },
            ..ImageOptions::default()
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        Self {
            directory,
            tls,
            transports: Transports::new(options, Arc::new(Silent)),
            runtime: runtime.unwrap(),
        }
    }

    fn authfile(&self) -> PathBuf {
        self.directory.path().join("auth.json")
    }

    fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }

    fn start(&self, answer: Serve) -> Server {
        let Some(config) = self.tls.clone() else {
            return Server::start(answer);
        };
        let wrap = move |stream| {
            let connection = rustls::ServerConnection::new(Arc::clone(&config));
            let connection = connection.map_err(std::io::Error::other)?;
            Ok(rustls::StreamOwned::new(connection, stream))
        };
        Server::start_over(wrap, answer)
    }
}

/// The outcome of an attempt.
struct Played {
    name: String,
    outcome: Result<(), ImageError>,
    registry: Server,
    tokens: Server,
    stranger: Server,
}

impl Played {
    fn check(&self, login: Login, asks: Asks) {
        let name = &self.name;
        let basic = STANDARD.encode(format!("me:{PASSWORD}"));
        let secrets = [PASSWORD, &basic, IDENTITY, REGISTRY_TOKEN, BEARER];
        let sees_only = |server: &Server, allowed: &[&str]| {
            for request in server.requests() {
                let Request {
                    path, headers, body, ..
                } = &request;
                let all = format!("{path} {headers:?} {}", String::from_utf8_lossy(body));
                for secret in secrets.iter().filter(|secret| !allowed.contains(secret)) {
                    assert!(!all.contains(secret), "{name}: {secret} was sent: {all}");
                }
                assert!(!headers.contains_key("referer"), "{name}: {request:?}");
                // The same server under another name is another origin.
                if headers["host"] != server.host {
                    assert!(!headers.contains_key("authorization"), "{name}: {request:?}");
                }
            }
        };
        sees_only(&self.stranger, &[]);
        sees_only(&self.registry, &[&basic, REGISTRY_TOKEN, BEARER]);
        match login {
            Login::Password => sees_only(&self.tokens, &[&basic]),
            Login::Identity => sees_only(&self.tokens, &[IDENTITY]),
            Login::None | Login::RegistryToken => sees_only(&self.tokens, &[]),
        }
        if asks != Asks::Bearer || login == Login::RegistryToken {
            assert!(self.tokens.requests().is_empty(), "{name}: nobody may ask for a token");
        }
        if let Err(error) = &self.outcome {
            let text = error.to_string();
            for secret in secrets {
                assert!(!text.contains(secret), "{name}: {text}");
            }
        }
    }

    /// Asserts that the command failed with this message.
    fn refused(&self, part: &str) {
        let text = self.outcome.as_ref().unwrap_err().to_string();
        assert!(text.contains(part), "{}: {text}", self.name);
    }

    /// Asserts that the stranger was contacted without a login, and its challenge not answered.
    fn stranger_is_asked_once(&self) {
        let requests = self.stranger.requests();
        assert_eq!(requests.len(), 1, "{}: {requests:?}", self.name);
    }
}

fn image() -> Image {
    let entry = LayerEntry {
        path: "manifests/a.yaml".to_owned(),
        mode: 0o644,
        content: EntryContent::Bytes(b"kind: Service\n".to_vec()),
    };
    build(&ImageConfig::default(), vec![layer_from_files(&[entry], 0).unwrap()]).unwrap()
}

fn credentials(login: Login, host: &str) -> String {
    let entry = match login {
        Login::None => return "{}".to_owned(),
        Login::Password => format!(r#""username":"me","password":"{PASSWORD}""#),
        Login::Identity => format!(r#""identitytoken":"{IDENTITY}""#),
        Login::RegistryToken => format!(r#""registrytoken":"{REGISTRY_TOKEN}""#),
    };
    format!(r#"{{"auths":{{"{host}":{{{entry}}}}}}}"#)
}

fn redirect(status: u16, location: &str) -> Reply {
    Reply::new(status, "").header("Location", location)
}

fn token(token: &str) -> Reply {
    Reply::new(200, format!(r#"{{"token":"{token}"}}"#))
}

fn asking_for_basic() -> Reply {
    Reply::new(401, "").header("WWW-Authenticate", r#"Basic realm="the registry""#)
}

fn asking_for_bearer(realm: &str) -> Reply {
    Reply::new(401, "").header("WWW-Authenticate", format!(r#"Bearer realm="{realm}",service="s""#))
}

fn challenge(asks: Asks, origins: &Origins) -> Reply {
    match asks {
        Asks::Bearer => asking_for_bearer(&format!("{}/token", origins.tokens)),
        _ => asking_for_basic(),
    }
}

fn admitted(asks: Asks, request: &Request) -> bool {
    let given = request.headers.get("authorization").map_or("", String::as_str);
    match asks {
        Asks::Nothing => true,
        Asks::Basic => given.starts_with("Basic "),
        Asks::Bearer => [BEARER, REGISTRY_TOKEN].contains(&given.trim_start_matches("Bearer ")),
    }
}

/// The usual answer of a registry.
fn usual(image: &Image, request: &Request) -> Reply {
    let manifest = || Reply::new(200, image.manifest()).header("Content-Type", image.media_type());
    match (request.method.as_str(), request.path.rsplit_once('/').unwrap()) {
        ("GET" | "HEAD", ("/v2/team/bundle/manifests", "v1")) => manifest(),
        ("GET", ("/v2/team/bundle/blobs", digest)) => {
            let digest: Digest = digest.parse().unwrap();
            if digest == image.config_descriptor().digest {
                return Reply::new(200, image.config());
            }
            let mut content = Vec::new();
            let mut layer = image.layers()[0].content.open().unwrap();
            layer.read_to_end(&mut content).unwrap();
            Reply::new(200, content)
        }
        ("POST", _) => Reply::new(202, "").header("Location", "/up/1?state=x"),
        ("PUT", _) => Reply::new(201, ""),
        _ => Reply::new(404, ""),
    }
}

type Lure = fn(&Origins, &Request) -> Option<Reply>;

/// The possible answers of a stranger to a redirected request.
const LURES: [(&str, Lure); 9] = [
    ("asks for Basic", |_, _| Some(asking_for_basic())),
    ("names itself as the token server", |origins, request| {
        let realm = format!("{}/token", origins.stranger);
        Some(if request.path.starts_with("/token") {
            token("of the stranger")
        } else {
            asking_for_bearer(&realm)
        })
    }),
    ("names the registry's token server", |origins, _| {
        Some(asking_for_bearer(&format!("{}/token", origins.tokens)))
    }),
    ("names the registry as the token server", |origins, _| {
        Some(asking_for_bearer(&format!("{}/token", origins.registry)))
    }),
    ("asks for anything", |origins, _| {
        let realm = format!(r#"Basic realm="x", BEARER realm="{}""#, origins.stranger);
        Some(asking_for_basic().header("WWW-Authenticate", realm))
    }),
    ("asks as a proxy", |_, _| {
        let reply = Reply::new(407, "").header("Proxy-Authenticate", r#"Basic realm="x""#);
        Some(reply.header("WWW-Authenticate", r#"Basic realm="x""#))
    }),
    ("refuses", |_, _| {
        Some(Reply::new(403, "").header("WWW-Authenticate", r#"Basic realm="x""#))
    }),
    ("sends it back to the registry", |origins, _| {
        Some(redirect(
            307,
            &format!("{}/v2/team/secret/manifests/v1", origins.registry),
        ))
    }),
    ("sends it on with a user in the address", |origins, request| {
        Some(if request.path.contains("again") {
            asking_for_basic()
        } else {
            redirect(302, &format!("http://me:word@{}/again", &origins.stranger[7..]))
        })
    }),
];

#[test]
fn a_blob_host_never_gets_the_login() {
    let stage = Stage::new();
    let mut logins = LOGINS.into_iter().cycle();
    let mut played = 0;
    for (does, method, path) in [
        (Does::Pull, "GET", "/blobs/"),
        (Does::Pull, "GET", "/manifests/"),
        (Does::Resolve, "HEAD", "/manifests/"),
    ] {
        for (number, (lure, stranger)) in LURES.into_iter().enumerate() {
            // Two statuses for each, so that all of them meet.
            for status in [[301, 302, 303, 307, 308][(number + played) % 5], 307] {
                let login = logins.next().unwrap();
                let name = format!("{method} {path} is redirected by {status} to a stranger that {lure}");
                let trick = Trick::new(name, does, login).redirects(method, path, status);
                let trick = trick.stranger(stranger).play(&stage);
                assert!(!trick.stranger.requests().is_empty(), "{}", trick.name);
                assert!(trick.outcome.is_err(), "{}", trick.name);
                played += 1;
            }
        }
    }
    assert!(played >= 40, "{played}");
}

#[test]
fn a_challenge_by_a_blob_host_is_reported_and_not_answered() {
    let stage = Stage::new();
    for login in LOGINS {
        for (_, stranger) in &LURES[..5] {
            let trick = Trick::new("a blob host asks for a login", Does::Pull, login)
                .redirects("GET", "/blobs/", 307)
                .stranger(stranger)
                .play(&stage);
            trick.refused(&format!(
                "the registry redirects to http://{}, which requires a login, but the credentials for the registry are not sent there",
                trick.stranger.host
            ));
        }
    }
}

#[test]
fn external_content_is_fetched_without_the_login() {
    let stage = Stage::new();
    for login in LOGINS {
        for status in [301, 302, 303, 307, 308] {
            let name = format!("storage elsewhere, {status}");
            let trick = Trick::new(name, Does::Pull, login).redirects("GET", "/blobs/", status);
            let trick = trick.play(&stage);
            assert!(trick.outcome.is_ok(), "{}: {:?}", trick.name, trick.outcome);
            assert_eq!(trick.stranger.requests().len(), 2);
        }
    }
}

#[test]
fn origins_are_compared_independently_of_their_spelling() {
    let stage = Stage::new();
    // Where a redirect leads, made from the registry's port and the stranger's host and port, and whether it is the
    // registry still.
    let spellings: [(&str, bool); 7] = [
        ("HTTP://127.0.0.1:{port}", true),
        ("http://0177.0.0.1:0{port}", true),
        ("http://name:word@127.0.0.1:{port}", true),
        ("http://localhost:{port}", false),
        ("http://127.0.0.1:{port}@{stranger}", false),
        ("//{stranger}", false),
        ("http:\\\\{stranger}", false),
    ];
    for (spelling, own) in spellings {
        for login in LOGINS {
            let trick = Trick::new(spelling, Does::Pull, login)
                .registry(move |origins, request| {
                    let (_, port) = origins.registry.rsplit_once(':').unwrap();
                    let location = spelling
                        .replace("{port}", port)
                        .replace("{stranger}", &origins.stranger[7..]);
                    let first = request.path.contains("/blobs/") && !request.path.contains("again");
                    first.then(|| redirect(307, &format!("{location}{}?again", request.path)))
                })
                .stranger(|_, _| Some(asking_for_basic()));
            let trick = trick.play(&stage);
            if own {
                let again = trick.registry.requests();
                let again = again.iter().find(|request| request.path.contains("?again")).unwrap();
                let asks = login.1 != Asks::Nothing;
                assert_eq!(again.headers.contains_key("authorization"), asks, "{}", trick.name);
            } else {
                assert!(trick.outcome.is_err() || login.1 == Asks::Nothing, "{}", trick.name);
            }
        }
    }
}

#[test]
fn an_upload_to_another_host_never_gets_the_login() {
    let stage = Stage::new();
    let mut played = 0;
    for (number, (lure, stranger)) in LURES.into_iter().enumerate() {
        for (method, path, status) in [
            ("POST", "/uploads/", 307),
            ("POST", "/uploads/", 308),
            ("PUT", "/up/", 307),
            ("PUT", "/manifests/", 308),
            ("HEAD", "/blobs/", 302),
        ] {
            let login = LOGINS[(number + played) % LOGINS.len()];
            let name = format!("{method} {path} is redirected by {status} to a stranger that {lure}");
            let trick = Trick::new(name, Does::Push, login).redirects(method, path, status);
            let trick = trick.stranger(stranger).play(&stage);
            assert!(!trick.stranger.requests().is_empty(), "{}", trick.name);
            played += 1;
        }
        for login in LOGINS {
            let name = format!("the upload is at a stranger that {lure}");
            let trick = Trick::new(name, Does::Push, login)
                .registry(|origins, request| {
                    let location = format!("http://a:b@{}/up", &origins.stranger[7..]);
                    (request.method == "POST").then(|| Reply::new(202, "").header("Location", location))
                })
                .stranger(stranger)
                .play(&stage);
            assert!(!trick.stranger.requests().is_empty(), "{}", trick.name);
            played += 1;
        }
    }
    assert!(played >= 40, "{played}");
}

#[test]
fn another_host_cannot_choose_what_is_written_with_the_login() {
    let stage = Stage::new();
    for login in LOGINS {
        let name = "who answers for the registry sends the upload back to it";
        let trick = Trick::new(name, Does::Push, login)
            .redirects("POST", "/uploads/", 307)
            .stranger(|origins, _| {
                let location = format!("{}/v2/team/other/manifests/latest", origins.registry);
                Some(Reply::new(202, "").header("Location", location))
            })
            .play(&stage);
        trick.refused("another server answered for the registry");
        assert_eq!(trick.registry.count("PUT", ""), 0, "{}", trick.name);
    }
}

#[test]
fn an_upload_is_resent_completely_or_not_at_all() {
    let stage = Stage::new();
    for login in LOGINS {
        let trick = Trick::new("the content goes elsewhere", Does::Push, login).redirects("PUT", "/up/", 307);
        let trick = trick.play(&stage);
        assert!(trick.outcome.is_ok(), "{}: {:?}", trick.name, trick.outcome);
        assert!(trick.stranger.requests().iter().all(|request| !request.body.is_empty()));
        for status in [301, 302, 303] {
            let trick = Trick::new(status, Does::Push, login).redirects("PUT", "/manifests/", status);
            let trick = trick.play(&stage);
            trick.refused("only the statuses 307 and 308 preserve the request body");
            assert!(trick.stranger.requests().is_empty());
        }
    }
}

#[test]
fn a_token_server_does_not_forward_the_login() {
    let stage = Stage::new();
    for login in [Login::Password, Login::Identity] {
        for status in [301, 302, 303, 307, 308] {
            for hops in [false, true] {
                let name = format!("the token server redirects by {status}, {hops}");
                let trick = Trick::new(name, Does::Pull, (login, Asks::Bearer))
                    .tokens(move |origins, request| {
                        let here = hops && !request.path.contains("/next");
                        let origin = if here { &origins.tokens } else { &origins.stranger };
                        Some(redirect(status, &format!("{origin}/next?scope=x")))
                    })
                    .stranger(|_, _| Some(token(BEARER)))
                    .play(&stage);
                trick.refused("a redirect to http://");
                assert!(trick.stranger.requests().is_empty(), "{}", trick.name);
                if login == Login::Password || status > 303 {
                    trick.refused(&format!(
                        "a redirect to http://{} is not followed: the credentials may only be sent to the token server",
                        trick.stranger.host
                    ));
                }
            }
        }
    }
}

#[test]
fn a_token_server_may_redirect_to_itself_and_anywhere_without_a_login() {
    let stage = Stage::new();
    for login in [Login::Password, Login::Identity] {
        let trick = Trick::new("the token server moved its page", Does::Pull, (login, Asks::Bearer))
            .tokens(|_, request| (!request.path.contains("/new")).then(|| redirect(308, "/new")))
            .play(&stage);
        assert!(trick.outcome.is_ok(), "{}: {:?}", trick.name, trick.outcome);
        let asked = trick.tokens.requests().pop().unwrap();
        match login {
            Login::Password => assert!(asked.headers["authorization"].starts_with("Basic ")),
            _ => assert!(String::from_utf8_lossy(&asked.body).contains(IDENTITY)),
        }
    }
    let trick = Trick::new("the token server is elsewhere", Does::Pull, (Login::None, Asks::Bearer))
        .tokens(|origins, _| Some(redirect(307, &format!("{}/token", origins.stranger))))
        .stranger(|_, _| Some(token("another")))
        .play(&stage);
    trick.refused("a login is required");
    trick.stranger_is_asked_once();
}

#[test]
fn a_user_in_the_url_of_a_token_server_is_not_sent() {
    let stage = Stage::new();
    let trick =
        Trick::new("a realm with a user", Does::Pull, (Login::None, Asks::Nothing)).registry(|origins, request| {
            let given = request.headers.get("authorization");
            let realm = format!("http://them:theirs@{}/token", &origins.stranger[7..]);
            given.is_none().then(|| asking_for_bearer(&realm))
        });
    let trick = trick.stranger(|_, _| Some(Reply::new(401, "no"))).play(&stage);
    trick.refused(&format!("requesting a token from http://{}/token", trick.stranger.host));
    trick.stranger_is_asked_once();
    assert!(!trick.stranger.requests()[0].headers.contains_key("authorization"));
}

/// The configuration of servers that speak HTTPS with the certificate in a folder.
fn tls(folder: &Path) -> Arc<rustls::ServerConfig> {
    let chain = CertificateDer::pem_file_iter(folder.join("cert.pem")).unwrap();
    let chain = chain.collect::<Result<Vec<_>, _>>().unwrap();
    let key = PrivateKeyDer::from_pem_file(folder.join("key.pem")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    Arc::new(config)
}

#[test]
fn https_does_not_change_who_gets_the_login() {
    if !installed(&["openssl"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    certificate_from_authority(folder.path());
    let config = tls(folder.path());
    let stage = Stage::over(folder, Some(config));
    for (number, login) in LOGINS.into_iter().enumerate() {
        let trick = Trick::new("storage elsewhere", Does::Pull, login).redirects("GET", "/blobs/", 307);
        let trick = trick.play(&stage);
        assert!(trick.outcome.is_ok(), "{}: {:?}", trick.name, trick.outcome);

        let (lure, stranger) = LURES[number % 5];
        let trick = Trick::new(lure, Does::Pull, login).redirects("GET", "/blobs/", 307);
        let trick = trick.stranger(stranger).play(&stage);
        trick.refused("which requires a login");
    }
    // A registry that is reached by HTTPS names a token server that is not, with a login and without one.
    for login in [Login::None, Login::Password, Login::Identity] {
        let trick = Trick::new("a realm without HTTPS", Does::Pull, (login, Asks::Nothing)).registry(|origins, _| {
            let realm = format!("http://{}/token?a=b", &origins.stranger[8..]);
            Some(asking_for_bearer(&realm))
        });
        let trick = trick.play(&stage);
        trick.refused(&format!(
            "the registry specifies the token server http://{}/token, which is not allowed: it does not use HTTPS",
            trick.stranger.host
        ));
        assert!(trick.stranger.requests().is_empty());
    }
    // Content does not leave HTTPS either.
    let trick =
        Trick::new("storage without HTTPS", Does::Pull, (Login::Password, Asks::Basic)).registry(|origins, request| {
            let location = format!("http://{}{}", &origins.stranger[8..], request.path);
            request.path.contains("/blobs/").then(|| redirect(307, &location))
        });
    let trick = trick.play(&stage);
    trick.refused("it does not use HTTPS");
    assert!(trick.stranger.requests().is_empty());
}
