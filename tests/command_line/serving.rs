//! `registry serve`, and the health probe.

use crate::bundles::{garden, succeed};
use crate::common::{Outcome, Sandbox};
use crate::shared;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::symlink;
use std::process::{Child, Command, Stdio};

/// A server that is killed when dropped, in case a test ends early.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) port: String,
    pub(crate) stderr: BufReader<std::process::ChildStderr>,
    pub(crate) first_line: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn start(sandbox: &Sandbox, arguments: &[&str]) -> Server {
    start_command(sandbox, &["registry", "serve"], arguments)
}

/// Starts a serving command on a free port, and waits until it listens.
pub(crate) fn start_command(sandbox: &Sandbox, words: &[&str], arguments: &[&str]) -> Server {
    let common = ["--address", "127.0.0.1", "--port", "0"];
    let mut command = sandbox.command(words.iter().chain(&common).chain(arguments));
    let mut child = command.stderr(Stdio::piped()).spawn().expect("opmx starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    while line.is_empty() || line.starts_with("warning: ") {
        line.clear();
        assert_ne!(stderr.read_line(&mut line).expect("a line from the server"), 0);
    }
    let port = line.trim_end().rsplit(':').next().unwrap_or_default().to_owned();
    assert!(line.starts_with("serving ") && port.parse::<u16>().is_ok(), "{line}");
    Server {
        child,
        port,
        stderr,
        first_line: line,
    }
}

fn probe(sandbox: &Sandbox, arguments: &[String]) -> Outcome {
    let name = sandbox.path("grpc_health_probe");
    if !name.exists() {
        symlink(env!("CARGO_BIN_EXE_opmx"), &name).expect("a link in the sandbox");
    }
    sandbox.finish(Command::new(name).args(arguments))
}

#[test]
fn a_database_is_served_until_a_signal_and_answers_the_probe() {
    let Some(indexes) = shared::folder("goldens/index-versions") else {
        return;
    };
    let sandbox = Sandbox::new();
    std::fs::copy(indexes.join("v13.db"), sandbox.path("index.db")).unwrap();
    let mut server = start(&sandbox, &["-d", "index.db"]);
    let address = format!("-addr=127.0.0.1:{}", server.port);
    // The server answers as soon as the index is read; the probe of a cluster asks again and again, too.
    let patient = [
        address.clone(),
        "-rpc-timeout=20s".to_owned(),
        "-connect-timeout=20s".to_owned(),
    ];
    insta::assert_snapshot!(probe(&sandbox, &patient), @"
    ------- stderr -------
    status: SERVING
    ");

    let ended = Command::new("kill").arg(server.child.id().to_string()).status();
    assert!(ended.unwrap().success());
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
    let mut rest = String::new();
    server.stderr.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
    assert_eq!(probe(&sandbox, &[address]).status, Some(2));
}

#[test]
fn the_server_stops_after_the_configured_time() {
    let Some(indexes) = shared::folder("goldens/index-versions") else {
        return;
    };
    let sandbox = Sandbox::new();
    std::fs::copy(indexes.join("v13.db"), sandbox.path("bundles.db")).unwrap();
    let mut server = start(&sandbox, &["--timeout-seconds", "0"]);
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_file_that_is_not_an_index_is_rejected_with_a_termination_message() {
    let sandbox = Sandbox::new();
    std::fs::write(
        sandbox.path("index.db"),
        "not a database, and longer than the head of one".repeat(9),
    )
    .unwrap();
    insta::assert_snapshot!(sandbox.run(["registry", "serve", "-d", "index.db", "-p", "0"]), @"
    ------- stderr -------
    error: index.db is not a SQLite database
    ------- exit 1 -------
    ");
    insta::assert_snapshot!(sandbox.run(["registry", "serve", "-d", "absent.db", "-p", "0"]), @"
    ------- stderr -------
    error: there is no index database at absent.db
      hint: specify an existing database, or create it with opmx registry add or, from a file-based catalog, with opmx index from-fbc
    ------- exit 4 -------
    ");

    std::fs::write(
        sandbox.path("reason"),
        "an older and longer reason than the new one, which must not show through",
    )
    .unwrap();
    let _ = sandbox.run(["registry", "serve", "-d", "index.db", "-p", "0", "-t", "reason"]);
    let reason = std::fs::read_to_string(sandbox.path("reason")).unwrap();
    assert_eq!(reason, "index.db is not a SQLite database");
    let _ = sandbox.run(["registry", "serve", "-d", "index.db", "-p", "0", "-t", "elsewhere"]);
    assert_eq!(std::fs::read_to_string(sandbox.path("elsewhere")).unwrap(), reason);
    insta::assert_snapshot!(sandbox.run(["registry", "serve", "-d", "index.db", "-p", "0", "-t", "no/folder"]), @"
    ------- stderr -------
    warning: cannot write the reason for the failure to no/folder: No such file or directory (os error 2)
    error: index.db is not a SQLite database
    ------- exit 1 -------
    ");
}

#[test]
fn the_probe_accepts_the_flags_of_grpc_health_probe() {
    let sandbox = Sandbox::new();
    let asked = |arguments: &[&str]| probe(&sandbox, &arguments.iter().map(ToString::to_string).collect::<Vec<_>>());
    insta::assert_snapshot!(asked(&[]), @"
    ------- stderr -------
    error: -addr: is required; use host:port, or :port for localhost
    ------- exit 1 -------
    ");
    insta::assert_snapshot!(asked(&["-bogus"]), @"
    ------- stderr -------
    error: -bogus: is not a flag of this probe; use -addr, -service, -connect-timeout, -rpc-timeout, -version or -help
    ------- exit 1 -------
    ");
    let version = asked(&["-version"]);
    assert_eq!(
        (version.status, version.stdout.starts_with("opmx ")),
        (Some(0), true),
        "{version}"
    );
    let help = asked(&["--help"]);
    assert_eq!(
        (help.status, help.stdout.contains("\n  -rpc-timeout ")),
        (Some(0), true),
        "{help}"
    );
    assert_eq!(
        asked(&["--addr", "127.0.0.1:1", "--connect-timeout=500ms"]).status,
        Some(2)
    );
}

#[test]
fn the_termination_message_file_is_created_if_missing() {
    let sandbox = garden();
    succeed(&sandbox, "registry add -q -b compost -d index.db");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let line = [
        "serve",
        "index.db",
        "--address",
        "127.0.0.1",
        "-p",
        &port,
        "-t",
        "reason",
    ];
    let outcome = sandbox.run(line);
    assert_eq!(outcome.status, Some(1), "{outcome}");
    let reason = std::fs::read_to_string(sandbox.path("reason")).unwrap();
    assert!(reason.contains(&port) && outcome.stderr.contains(&reason), "{reason}");
}

#[test]
fn a_signal_ends_a_server_that_is_still_fetching_its_image() {
    let sandbox = Sandbox::new();
    // A registry that accepts connections and never answers.
    let registry = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let image = format!("{}/index:v1", registry.local_addr().unwrap());
    let mut server = sandbox.command(["serve", &image, "--use-http"]).spawn().unwrap();
    let _asked = registry.accept().unwrap();
    let told = Command::new("kill").arg(server.id().to_string()).status();
    assert!(told.unwrap().success());
    // The status that a shell reports, and that the first process of a container must set itself.
    assert_eq!(server.wait().unwrap().code(), Some(128 + 15));
}
