//! A registry cannot direct opmx to servers that only this machine can reach.
//!
//! The registries here are behind a proxy, which is the test itself, so that their names are not those of this machine.

use crate::common::{Outcome, Sandbox};
use crate::http::{Reply, Request, Server};

/// Inspects a bundle in `registry.example.com`, where a proxy gives these answers.
fn inspect(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Outcome {
    let proxy = Server::start(move |request, _| answer(request));
    let sandbox = Sandbox::new();
    let mut command = sandbox.command([
        "bundle",
        "inspect",
        "--use-http",
        "--retries=0",
        "registry.example.com/team/bundle:v1",
    ]);
    sandbox.finish(command.env("http_proxy", format!("http://{}", proxy.host)))
}

fn naming(realm: &str) -> impl Fn(&Request) -> Reply + use<> {
    let challenge = format!(r#"Bearer realm="{realm}",service="s""#);
    move |_| Reply::new(401, "").header("WWW-Authenticate", challenge.clone())
}

/// A server on this machine with a secret.
fn keeper() -> (Server, String) {
    let server = Server::start(|_, _| Reply::new(200, r#"{"error":"the secret"}"#));
    let port = server.host.rsplit_once(':').unwrap().1.to_owned();
    (server, port)
}

#[test]
fn a_realm_on_this_machine_is_not_contacted_for_a_remote_registry() {
    let (server, port) = keeper();
    for host in [
        "127.0.0.1",
        "localhost",
        "localhost.",
        "a.localhost",
        "2130706433",
        "127.1",
        "[::ffff:127.0.0.1]",
    ] {
        let realm = format!("http://{host}:{port}/admin");
        let outcome = inspect(naming(&realm));
        assert_eq!(outcome.status, Some(1), "{outcome}");
        let said = outcome.stderr.replace('\n', " ");
        let named = reqwest::Url::parse(&realm).unwrap();
        assert!(said.contains(named.as_str()), "{realm}: {outcome}");
        // Not every system knows the names below localhost.
        let judged = said.contains("is on this machine") && said.contains("may not direct opmx there");
        assert!(
            judged || host == "a.localhost" || host == "localhost.",
            "{realm}: {outcome}"
        );
        assert!(!said.contains("the secret"), "{outcome}");
    }
    assert!(server.requests().is_empty(), "{:?}", server.requests());
}

#[test]
fn a_realm_in_a_private_network_is_not_contacted_for_a_remote_registry() {
    for (host, place) in [
        ("10.0.0.1", "in a private network"),
        ("172.16.0.1", "in a private network"),
        ("192.168.0.1", "in a private network"),
        ("100.64.0.1", "in a private network"),
        ("[fd00::1]", "in a private network"),
        ("169.254.169.254", "link-local"),
        ("[fe80::1]", "link-local"),
        ("0.0.0.0", "on this machine"),
        ("[::1]", "on this machine"),
    ] {
        let outcome = inspect(naming(&format!("http://{host}/latest/meta-data")));
        assert_eq!(outcome.status, Some(1), "{outcome}");
        let said = outcome.stderr.replace('\n', " ");
        assert!(said.contains(place), "{host}: {outcome}");
        assert!(
            said.contains(&format!("http://{host}/latest/meta-data")),
            "{host}: {outcome}"
        );
    }
}

#[test]
fn a_token_server_cannot_redirect_to_this_machine() {
    let (server, port) = keeper();
    let outcome = inspect(move |request| {
        if request.path.contains("tokens.example.com") {
            return Reply::new(307, "").header("Location", format!("http://localhost:{port}/admin"));
        }
        naming("http://tokens.example.com/token")(request)
    });
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert!(outcome.stderr.contains("localhost is on this machine"), "{outcome}");
    assert!(server.requests().is_empty(), "{:?}", server.requests());
}

#[test]
fn content_cannot_be_redirected_to_this_machine() {
    let (server, port) = keeper();
    for host in ["127.0.0.1", "localhost"] {
        let location = format!("http://{host}:{port}/admin");
        let outcome = inspect(move |_| Reply::new(307, "").header("Location", location.clone()));
        assert_eq!(outcome.status, Some(1), "{outcome}");
        assert!(outcome.stderr.contains("is on this machine"), "{outcome}");
    }
    assert!(server.requests().is_empty(), "{:?}", server.requests());
}

#[test]
fn an_invalid_realm_is_reported_on_one_short_line() {
    let long = "x".repeat(5000);
    for realm in ["//", "file:///etc/passwd", "ftp://a.example.com", "not one", &long] {
        let outcome = inspect(naming(realm));
        assert_eq!(outcome.status, Some(1), "{outcome}");
        assert!(
            outcome.stderr.contains("the registry specifies the token server"),
            "{outcome}"
        );
        assert!(outcome.stderr.len() < 1000, "{outcome}");
    }
}

#[test]
fn answers_of_a_token_server_are_not_repeated() {
    let secret = "the secret ".repeat(100);
    for (status, body) in [
        (200, format!("{secret:?}")),
        (200, format!(r#"{{"token":{{"a":{secret:?}}}}}"#)),
        (200, format!(r#"{{"expires_in":{secret:?}}}"#)),
        (200, secret.clone()),
        (404, format!("\u{1b}]0;title\u{7}{secret}\r\n{secret}")),
    ] {
        let outcome = inspect(move |request| {
            if request.path.contains("tokens.example.com") {
                return Reply::new(status, body.clone());
            }
            naming("http://tokens.example.com/token")(request)
        });
        assert_ne!(outcome.status, Some(0), "{outcome}");
        let repeated = outcome.stderr.matches("secret").count();
        assert!(repeated < if status == 200 { 1 } else { 25 }, "{outcome}");
        assert!(!outcome.stderr.contains(['\u{1b}', '\u{7}', '\r']), "{outcome}");
    }
}
