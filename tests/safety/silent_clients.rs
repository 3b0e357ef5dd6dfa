//! The server with clients that connect and then send nothing, or nothing more.

use crate::common::{Outcome, Sandbox};
use crate::http2::{
    ACK, InProcess, LONG, PING, SETTINGS, connect, eventually, frame, greet, greeting, read_frame, wait_for_end,
};
use crate::served::{Server, catalog, get, health, name, start, start_command};
use opmx::server::ServerOptions;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::fs::symlink;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};
use tokio::net::TcpSocket;
use tokio::runtime::Runtime;
use tonic_health::pb::health_check_response::ServingStatus;

/// Checks the health as a cluster does: by running the probe, on a new connection.
fn probe(sandbox: &Sandbox, port: u16) -> Outcome {
    let name = sandbox.path("grpc_health_probe");
    if !name.exists() {
        symlink(env!("CARGO_BIN_EXE_opmx"), &name).unwrap();
    }
    let mut probe = Command::new(name);
    probe.arg(format!("-addr=127.0.0.1:{port}"));
    // A machine that runs tests may be slower than a cluster allows.
    probe.args(["-connect-timeout=20s", "-rpc-timeout=20s"]);
    sandbox.surround(&mut probe);
    sandbox.finish(&mut probe)
}

/// Connections whose clients send nothing.
fn silent(port: u16, count: usize) -> Vec<TcpStream> {
    (0..count)
        .map(|_| TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap())
        .collect()
}

/// A server of a small catalog with a limit on open files.
fn start_with_files(sandbox: &Sandbox, files: usize) -> Server {
    catalog(sandbox, 3, 100);
    let mut command = Command::new("sh");
    let script = format!("ulimit -n {files} && exec \"$@\"");
    command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_opmx"), "serve", "catalog"]);
    sandbox.surround(&mut command);
    start_command(command)
}

fn is_healthy(sandbox: &Sandbox, port: u16) {
    let outcome = probe(sandbox, port);
    assert_eq!(outcome.status, Some(0), "{outcome}");
}

#[test]
fn a_client_that_sends_nothing_or_too_little_is_disconnected_in_time() {
    let options = ServerOptions {
        greeting: Duration::from_millis(300),
        ..ServerOptions::default()
    };
    let server = InProcess::start(options, 10);
    let port = server.address.port();
    let mut quiet = connect(port);
    let mut slow = connect(port);
    let mut other = slow.try_clone().unwrap();
    let dripping = thread::spawn(move || {
        for byte in greeting() {
            if other.write_all(&[byte]).is_err() {
                return;
            }
            thread::sleep(Duration::from_millis(50));
        }
    });
    let mut idle = greet(port);
    wait_for_end(&mut quiet);
    wait_for_end(&mut slow);
    dripping.join().unwrap();
    // One that has begun to speak may be quiet from then on.
    let settings = read_frame(&mut idle).unwrap();
    assert_eq!((settings.0, settings.1), (SETTINGS, 0));
    idle.write_all(&frame(PING, 0, 0, b"are you?")).unwrap();
    loop {
        let (kind, flags, _, payload) = read_frame(&mut idle).expect("the idle connection is open");
        if (kind, flags) == (PING, ACK) {
            assert_eq!(payload, b"are you?");
            break;
        }
    }
    drop(idle);
    server.stop();
}

#[test]
fn an_idle_client_that_answers_pings_stays_connected() {
    let options = ServerOptions {
        ping_after: Duration::from_millis(200),
        ping_time: Duration::from_secs(1),
        ..ServerOptions::default()
    };
    let server = InProcess::start(options, 10);
    let mut dead = greet(server.address.port());
    Runtime::new().unwrap().block_on(async {
        let channel = server.endpoint().connect().await.unwrap();
        assert_eq!(get(&channel, 1).await.unwrap().csv_name, name(1));
        let accepted = server.figure("opmx_connections_accepted_total ");
        let closed = tokio::task::spawn_blocking(move || wait_for_end(&mut dead));
        closed.await.unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
        // The client that answers had the same time, and has its connection still.
        assert_eq!(get(&channel, 2).await.unwrap().csv_name, name(2));
        assert_eq!(server.figure("opmx_connections_accepted_total "), accepted);
    });
    server.stop();
}

#[test]
fn a_hundred_silent_clients_leave_room_for_the_probe_with_64_open_files() {
    let sandbox = Sandbox::new();
    let server = start_with_files(&sandbox, 64);
    let held = silent(server.port, 100);
    for _ in 0..3 {
        is_healthy(&sandbox, server.port);
    }
    drop(held);
    is_healthy(&sandbox, server.port);
    server.end();
}

#[test]
fn silent_clients_leave_room_for_the_metrics() {
    let sandbox = Sandbox::new();
    catalog(&sandbox, 3, 10);
    let server = start(&sandbox, "catalog");
    let held = silent(server.figures, 200);
    let begun = Instant::now();
    assert!(server.figure("opmx_catalog_bundles ") >= 0.0);
    // Silent connections are closed by themselves only after ten seconds.
    assert!(begun.elapsed() < Duration::from_secs(8));
    drop(held);
    server.end();
}

#[test]
fn more_silent_clients_than_connections_leave_room_for_the_probe() {
    const SILENT: usize = 4225;
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        ..limit
    };
    setrlimit(Resource::Nofile, raised).unwrap();
    let sandbox = Sandbox::new();
    catalog(&sandbox, 3, 100);
    let server = start(&sandbox, "catalog");
    let before = server.resident();
    let held = silent(server.port, SILENT);
    is_healthy(&sandbox, server.port);
    assert!(server.figure("opmx_connections_open ") <= 4096.0);
    let resident = server.resident();
    println!("{SILENT} silent connections: {before} MiB before, {resident} MiB now");
    assert!(resident < before + 128, "{before} MiB before, {resident} MiB now");
    drop(held);
    server.end();
}

#[test]
fn silent_clients_are_disconnected_before_one_that_has_called() {
    let options = ServerOptions {
        connections: 8,
        ..ServerOptions::default()
    };
    let server = InProcess::start(options, 10);
    Runtime::new().unwrap().block_on(async {
        let channel = server.endpoint().connect().await.unwrap();
        assert_eq!(get(&channel, 1).await.unwrap().csv_name, name(1));
        // Half of them begin to speak, which is not enough.
        let mut held = silent(server.address.port(), 40);
        for stream in held.iter_mut().skip(20) {
            let _ = stream.write_all(&greeting());
        }
        eventually("all are accepted", || {
            server.figure("opmx_connections_accepted_total ") == 41
        });
        assert!(server.connections() <= 8);
        assert_eq!(get(&channel, 2).await.unwrap().csv_name, name(2));
        assert_eq!(server.figure("opmx_connections_accepted_total "), 41);
    });
    server.stop();
}

/// Connects, acts according to its number, and disconnects without leaving a socket in TIME_WAIT.
async fn attempt(address: SocketAddr, number: usize) -> Option<tokio::net::TcpStream> {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_zero_linger().unwrap();
    let stream = socket.connect(address).await.ok()?;
    let said: &[u8] = match number % 4 {
        0 => b"",
        1 => b"GET / HTTP/1.1\r\n\r\n",
        2 => &greeting(),
        _ => b"PRI * HTT",
    };
    let _ = stream.try_write(said);
    Some(stream)
}

/// The latency of the probe is measured by the benchmark `serving`.
#[test]
fn the_probe_is_answered_during_twenty_thousand_connection_attempts() {
    const ATTEMPTS: usize = 20_000;
    const AT_ONCE: usize = 8;
    const HELD: usize = 64;
    let sandbox = Sandbox::new();
    catalog(&sandbox, 3, 100);
    let server = start(&sandbox, "catalog");
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, server.port));
    let endpoint = server.endpoint();
    Runtime::new().unwrap().block_on(async {
        let attempts: Vec<_> = (0..AT_ONCE)
            .map(|of| {
                tokio::spawn(async move {
                    let mut held = std::collections::VecDeque::new();
                    let mut made = 0;
                    for number in (of..ATTEMPTS).step_by(AT_ONCE) {
                        let stream = attempt(address, number).await;
                        made += usize::from(stream.is_some());
                        held.push_back(stream);
                        if held.len() > HELD {
                            held.pop_front();
                        }
                    }
                    made
                })
            })
            .collect();
        let mut probes = 0;
        loop {
            let asked = async { health(endpoint.connect().await.unwrap()).await };
            let status = tokio::time::timeout(LONG, asked).await.expect("an answer");
            assert_eq!(status, ServingStatus::Serving);
            probes += 1;
            if attempts.iter().all(tokio::task::JoinHandle::is_finished) {
                break;
            }
        }
        let mut made = 0;
        for attempt in attempts {
            made += attempt.await.unwrap();
        }
        assert_eq!(made, ATTEMPTS);
        println!("{probes} probes");
    });
    server.end();
}
