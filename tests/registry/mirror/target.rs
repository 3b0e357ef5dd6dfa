//! The connection to the target.

use super::garden::{Garden, said};
use crate::certificate::certificate_from_authority;
use crate::tools::{DockerRegistry, installed, run};
use std::fs;
use std::net::TcpListener;

const PART: &str = "certs-operator";

/// A registry with a certificate by the authority in `ca.pem`, and the password in `login.json`.
fn guarded(garden: &Garden) -> DockerRegistry {
    let folder = garden.path("guarded");
    fs::create_dir(&folder).unwrap();
    certificate_from_authority(&folder);
    fs::rename(folder.join("ca.pem"), garden.path("ca.pem")).unwrap();
    let file = |name: &str| folder.join(name).display().to_string();
    fs::write(file("htpasswd"), run("htpasswd", &["-Bbn", "me", "open sesame"])).unwrap();
    let auth = format!("auth: {{htpasswd: {{realm: test, path: {}}}}}", file("htpasswd"));
    let tls = format!("  tls: {{certificate: {}, key: {}}}", file("cert.pem"), file("key.pem"));
    let registry = DockerRegistry::start(&folder, &tls, &auth);
    // me:open sesame
    let login = format!(
        r#"{{"auths": {{"{}": {{"auth": "bWU6b3BlbiBzZXNhbWU="}}}}}}"#,
        registry.host
    );
    fs::write(garden.path("login.json"), login).unwrap();
    registry
}

/// Asserts that a command fails with one error, which has this hint.
fn assert_one_error(garden: &Garden, line: &str, hint: &str) {
    let output = garden.run(line);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{line}\n{text}");
    assert_eq!(text.matches("error: ").count(), 1, "{line}\n{text}");
    assert!(!text.contains("warning: "), "{line}\n{text}");
    let hints: Vec<&str> = text.lines().filter(|line| line.contains("hint: ")).collect();
    assert!(hints.concat().contains(hint), "{line}\n{text}");
}

#[test]
fn an_unreachable_or_invalid_target_is_one_error_with_a_hint() {
    if !installed(&["docker-registry", "htpasswd", "openssl"]) {
        return;
    }
    let garden = Garden::new();
    let host = &garden.source.host;
    garden.ok(&format!(
        "mirror plan --image {host}/certs/op:v1.4.0 --image {host}/certs/bundle:v1.4.0 --use-http"
    ));
    garden.ok("mirror copy plan.json --to-archive archive --use-http");
    let nobody = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .to_string();
    let (plain, guarded) = (garden.target.host.clone(), guarded(&garden));
    for (to, options, hint) in [
        (nobody.as_str(), "--use-http", "check the host name"),
        (plain.as_str(), "", "pass --use-http"),
        (guarded.host.as_str(), "--use-http", "omit --use-http"),
        (guarded.host.as_str(), "", "--ca-file"),
        (guarded.host.as_str(), "--ca-file ca.pem", "--authfile"),
    ] {
        let options = format!("{options} --retries 0");
        let of_target = match hint {
            "omit --use-http" => "use --to-use-https".to_owned(),
            hint => hint.replace("--", "--to-"),
        };
        assert_one_error(
            &garden,
            &format!("mirror copy plan.json --to {to} {options}"),
            &of_target,
        );
        assert_one_error(&garden, &format!("mirror load archive --to {to} {options}"), hint);
        assert_one_error(&garden, &format!("mirror verify plan.json --at {to} {options}"), hint);
    }
    let output = garden.run(&format!("mirror copy plan.json --to {plain} --ca-file absent.pem"));
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    assert_eq!(said(&output).matches("absent.pem").count(), 1, "{}", said(&output));
}

#[test]
fn tls_errors_of_source_and_target_are_distinguished() {
    if !installed(&["docker-registry", "htpasswd", "openssl"]) {
        return;
    }
    let garden = Garden::new();
    let guarded = guarded(&garden);
    let to = &guarded.host;
    garden.plan_to(PART, to);
    let copy = "mirror copy plan.json --use-http --retries 0";
    assert_one_error(&garden, copy, "use --to-use-https");
    assert_one_error(&garden, &format!("{copy} --to-use-https"), "--to-ca-file");
    garden.ok(&format!("{copy} --to-ca-file ca.pem --to-authfile login.json"));
    garden.ok(&format!(
        "mirror verify plan.json --at {to} --ca-file ca.pem --authfile login.json"
    ));
    garden.ok(&format!("{copy} --to-skip-tls-verify --to-authfile login.json"));
    let output = garden.run(&format!("{copy} --to-use-http --to-ca-file ca.pem"));
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    // The certificate of the server itself is accepted, and another authority is not.
    garden.ok(&format!(
        "{copy} --to-ca-file guarded/cert.pem --to-authfile login.json"
    ));
    fs::create_dir(garden.path("other")).unwrap();
    certificate_from_authority(&garden.path("other"));
    let line = "mirror copy plan.json --skip-tls-verify --to-ca-file other/ca.pem --to-authfile login.json --retries 0";
    assert_one_error(&garden, line, "--to-ca-file");
}
