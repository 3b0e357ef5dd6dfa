//! The server with misbehaving clients, with changing files, and when stopped under load; mostly as a separate process.

#![cfg(target_os = "linux")]

use crate::common::{Sandbox, copy_folder};
use crate::served::{OBJECT_SIZE, Server, bundle, catalog, get, health, name, request, start, start_command};
use opmx::server::proto::registry_client::RegistryClient;
use opmx::server::proto::{Bundle, GetBundleRequest, GetPackageRequest, ListBundlesRequest};
use std::error::Error;
use std::fs;
use std::io::{BufRead, Read};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio_stream::StreamExt;
use tonic::Code;
use tonic_health::pb::health_check_response::ServingStatus;

#[test]
fn clients_that_do_not_read_use_bounded_memory_and_do_not_block_others() {
    const STREAMS: usize = 96;
    const CONNECTIONS: usize = 6;
    let sandbox = Sandbox::new();
    catalog(&sandbox, 40, OBJECT_SIZE);
    let server = start(&sandbox, "catalog");
    Runtime::new().unwrap().block_on(async {
        let mut held = Vec::new();
        for _ in 0..CONNECTIONS {
            let endpoint = server.endpoint().initial_stream_window_size(1 << 14).initial_connection_window_size(1 << 14);
            let channel = endpoint.connect().await.unwrap();
            for _ in 0..STREAMS {
                let mut client = RegistryClient::new(channel.clone());
                // The head of the answer may wait for room; whoever asks does not wait for it.
                held.push(tokio::spawn(async move { client.list_bundles(ListBundlesRequest {}).await }));
            }
        }
        let series = "grpc_server_started_total{grpc_type=\"server_stream\",grpc_service=\"api.Registry\",grpc_method=\"ListBundles\"}";
        let asked = u32::try_from(STREAMS * CONNECTIONS).unwrap();
        while server.figure(series) < f64::from(asked) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        // Without bounds these would be 576 answers of 300 KB, encoded twice: more than 330 MiB, and 170 MiB if those
        // that wait for room held what they have read.
        let resident = server.resident();
        assert!(resident < 144, "{resident} MiB");

        let channel = server.endpoint().connect().await.unwrap();
        let asked = GetPackageRequest { name: "garden".to_owned() };
        let package = RegistryClient::new(channel.clone()).get_package(asked).await.unwrap().into_inner();
        assert_eq!(package.channels[0].csv_name, name(39));
        assert_eq!(health(channel.clone()).await, ServingStatus::Serving);

        for stream in held {
            stream.abort();
            let _ = stream.await;
        }
        let answer = RegistryClient::new(channel.clone()).list_bundles(ListBundlesRequest {}).await;
        let bundles: Vec<Bundle> = answer.unwrap().into_inner().map(Result::unwrap).collect().await;
        assert_eq!(bundles.len(), 40);
        assert!(bundles.iter().all(|bundle| bundle.object[1].len() > OBJECT_SIZE));
    });
    server.end();
}

#[test]
fn a_thousand_idle_connections_and_long_requests_cost_little_and_block_nobody() {
    let sandbox = Sandbox::new();
    catalog(&sandbox, 3, 10);
    let server = start(&sandbox, "catalog");
    let before = server.resident();
    let idle: Vec<TcpStream> = (0..1000)
        .map(|_| TcpStream::connect(("127.0.0.1", server.port)).unwrap())
        .collect();
    Runtime::new().unwrap().block_on(async {
        let channel = server.endpoint().connect().await.unwrap();
        assert_eq!(get(&channel, 1).await.unwrap().csv_name, name(1));
        for _ in 0..20 {
            let long = GetPackageRequest {
                name: "x".repeat(10 << 20),
            };
            let refused = RegistryClient::new(channel.clone()).get_package(long).await;
            assert_eq!(refused.unwrap_err().code(), Code::OutOfRange);
        }
        assert_eq!(health(channel).await, ServingStatus::Serving);
    });
    assert!(server.figure("opmx_connections_open ") >= 1000.0);
    let resident = server.resident();
    assert!(resident < before + 64, "{before} MiB before, {resident} MiB now");
    drop(idle);
    server.end();
}

#[test]
fn a_catalog_whose_files_change_is_served_unchanged_or_not_at_all() {
    let sandbox = Sandbox::new();
    catalog(&sandbox, 3, 1000);
    let server = start(&sandbox, "catalog");
    Runtime::new().unwrap().block_on(async {
        let channel = server.endpoint().connect().await.unwrap();
        let mut whole = Vec::new();
        for number in 0..3 {
            whole.push(get(&channel, number).await.unwrap());
        }
        // Another file takes the name of one, and one goes away: what was opened stays.
        let new = sandbox.path("new.json");
        fs::write(&new, bundle(0, 7).to_string()).unwrap();
        fs::rename(new, sandbox.path("catalog/0.json")).unwrap();
        fs::remove_file(sandbox.path("catalog/1.json")).unwrap();
        for (number, whole) in whole.iter().enumerate() {
            assert_eq!(get(&channel, number).await.unwrap(), *whole);
        }
        assert_eq!(health(channel.clone()).await, ServingStatus::Serving);
        // One is cut, and one is written to with as many bytes.
        let file = fs::OpenOptions::new()
            .write(true)
            .open(sandbox.path("catalog/2.json"))
            .unwrap();
        file.set_len(500).unwrap();
        assert_eq!(get(&channel, 2).await.unwrap_err().code(), Code::Unavailable);
        assert_eq!(health(channel.clone()).await, ServingStatus::NotServing);
        file.set_len(0).unwrap();
        fs::write(sandbox.path("catalog/2.json"), bundle(1, 1000).to_string()).unwrap();
        assert_eq!(get(&channel, 2).await.unwrap_err().code(), Code::Unavailable);
        // What does not come from that file is right still.
        assert_eq!(get(&channel, 1).await.unwrap(), whole[1]);
    });
    server.end();
}

#[test]
fn a_server_whose_files_change_warns_and_leaves_the_reason() {
    let sandbox = Sandbox::new();
    catalog(&sandbox, 1, 100);
    let mut server = start_command(sandbox.command(["serve", "catalog", "-t", "reason"]));
    let is_healthy = |server: &Server| {
        let health = async { health(server.endpoint().connect().await.unwrap()).await };
        Runtime::new().unwrap().block_on(health) == ServingStatus::Serving
    };
    assert!(is_healthy(&server));
    assert!(server.figure("opmx_serving ") > 0.5);
    fs::write(sandbox.path("catalog/0.json"), bundle(0, 7).to_string()).unwrap();
    let mut warning = String::new();
    server.stderr.read_line(&mut warning).unwrap();
    let reason = "no longer serving: catalog/0.json was changed while it was being served; restart the server";
    assert_eq!(warning, format!("warning: {reason}\n"));
    assert_eq!(fs::read_to_string(sandbox.path("reason")).unwrap(), reason);
    assert!(!is_healthy(&server));
    assert!(server.figure("opmx_serving ") < 0.5);
    server.end();
}

/// Serves the catalog of a sandbox with a limit on open files.
fn start_with_files(sandbox: &Sandbox, files: usize, arguments: &[&str]) -> Server {
    let mut command = Command::new("sh");
    let script = format!("ulimit -n {files} && exec \"$@\"");
    command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_opmx"), "serve", "catalog"]);
    command.args(arguments);
    sandbox.surround(&mut command);
    start_command(command)
}

#[test]
fn many_catalog_files_stay_open_if_the_connections_leave_room_for_them() {
    const BUNDLES: usize = 300;
    let sandbox = Sandbox::new();
    catalog(&sandbox, BUNDLES, 100);
    let server = start_with_files(&sandbox, 1024, &["--max-connections=100"]);
    Runtime::new().unwrap().block_on(async {
        let channel = server.endpoint().connect().await.unwrap();
        let new = sandbox.path("new.json");
        fs::write(&new, bundle(0, 7).to_string()).unwrap();
        fs::rename(new, sandbox.path("catalog/0.json")).unwrap();
        fs::remove_file(sandbox.path("catalog/1.json")).unwrap();
        for number in 0..2 {
            let bundle = get(&channel, number).await.unwrap();
            assert!(bundle.object[1].len() > 100, "{bundle:?}");
        }
        assert_eq!(health(channel).await, ServingStatus::Serving);
    });
    server.end();
}

#[test]
fn a_catalog_with_more_files_than_are_kept_open_is_served_correctly() {
    const BUNDLES: usize = 300;
    let sandbox = Sandbox::new();
    catalog(&sandbox, BUNDLES, 100);
    let server = start_with_files(&sandbox, 1024, &[]);
    let open = fs::read_dir(format!("/proc/{}/fd", server.child.id())).unwrap();
    let of_catalog = open
        .filter_map(|entry| fs::read_link(entry.unwrap().path()).ok())
        .filter(|path| path.starts_with(sandbox.path("catalog")));
    assert_eq!(of_catalog.count(), 0);
    Runtime::new().unwrap().block_on(async {
        let channel = server.endpoint().connect().await.unwrap();
        for number in 0..BUNDLES {
            let bundle = get(&channel, number).await.unwrap();
            assert_eq!((bundle.csv_name, bundle.object.len()), (name(number), 2));
        }
        assert_eq!(health(channel.clone()).await, ServingStatus::Serving);
        // What takes the name of a file now is not what was read at the start, and nor is nothing at all.
        let new = sandbox.path("new.json");
        fs::write(&new, bundle(0, 100).to_string()).unwrap();
        fs::rename(new, sandbox.path("catalog/0.json")).unwrap();
        fs::remove_file(sandbox.path("catalog/1.json")).unwrap();
        for number in 0..2 {
            assert_eq!(get(&channel, number).await.unwrap_err().code(), Code::Unavailable);
        }
        assert_eq!(get(&channel, 2).await.unwrap().csv_name, name(2));
        assert_eq!(health(channel.clone()).await, ServingStatus::NotServing);
    });
    // The server compares the files with those that it read every few seconds, and may have done so.
    let printed = server.printed_at_end();
    assert!(
        printed.is_empty() || printed.starts_with("warning: no longer serving: catalog/"),
        "{printed}"
    );
}

/// Sends requests continuously while the server is stopped. Every answer must be right.
fn end_under_load(server: Server, asked: &[GetBundleRequest]) {
    const CLIENTS: usize = 8;
    let runtime = Runtime::new().unwrap();
    let answered = runtime.block_on(async {
        let channel = server.endpoint().connect().await.unwrap();
        let mut expected = Vec::new();
        for request in asked {
            let answer = RegistryClient::new(channel.clone()).get_bundle(request.clone()).await;
            expected.push((request.clone(), answer.unwrap().into_inner()));
        }
        let mut clients = Vec::new();
        for client in 0..CLIENTS {
            let (channel, expected) = (server.endpoint().connect().await.unwrap(), expected.clone());
            clients.push(tokio::spawn(async move {
                let mut answered = 0_usize;
                loop {
                    let (request, expected) = &expected[(client + answered) % expected.len()];
                    match RegistryClient::new(channel.clone()).get_bundle(request.clone()).await {
                        Ok(answer) => assert_eq!(&answer.into_inner(), expected),
                        // The connection is gone, or goes: what had begun was answered. What the client itself makes of
                        // that has a cause, which no answer of a server has.
                        Err(status) => {
                            let codes = [Code::Unavailable, Code::Unknown, Code::Cancelled];
                            assert!(
                                codes.contains(&status.code()) || status.source().is_some(),
                                "{status:?}"
                            );
                            return answered;
                        }
                    }
                    answered += 1;
                }
            }));
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
        server.terminate();
        let mut answered = Vec::new();
        for client in clients {
            answered.push(client.await.unwrap());
        }
        answered
    });
    assert!(answered.iter().all(|answered| *answered > 0), "{answered:?}");
    server.end_after_signal();
}

impl Server {
    fn end_after_signal(mut self) {
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        let mut rest = String::new();
        self.stderr.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "");
    }
}

#[test]
fn a_server_stopped_under_load_gives_no_wrong_answer() {
    let sandbox = Sandbox::new();
    catalog(&sandbox, 5, 20_000);
    let asked: Vec<_> = (0..5).map(request).collect();
    end_under_load(start(&sandbox, "catalog"), &asked);

    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    for name in ["greenhouse", "compost"] {
        copy_folder(&data.join(format!("{name}-operator")), &sandbox.path(name));
    }
    let added = sandbox.run(["registry", "add", "-q", "-b", "greenhouse,compost", "-d", "index.db"]);
    assert_eq!(added.status, Some(0), "{added}");
    let asked = [
        ("compost-operator", "alpha", "compost-operator.v0.3.1"),
        ("greenhouse-operator", "stable", "greenhouse-operator.v1.2.0"),
    ];
    let asked = asked.map(|(package, channel, name)| GetBundleRequest {
        pkg_name: package.to_owned(),
        channel_name: channel.to_owned(),
        csv_name: name.to_owned(),
    });
    end_under_load(start(&sandbox, "index.db"), &asked);
}

#[test]
fn all_addresses_include_those_of_ipv4_even_if_the_system_separates_them() {
    let sandbox = Sandbox::new();
    catalog(&sandbox, 1, 10);
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_opmx"), sandbox.path("grpc_health_probe")).unwrap();
    let prepare = "ip link set lo up && echo 1 > /proc/sys/net/ipv6/bindv6only";
    let isolated = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["-r", "-n", "sh", "-c", script, env!("CARGO_BIN_EXE_opmx")]);
        sandbox.surround(&mut command);
        command
    };
    if !isolated(prepare).status().is_ok_and(|status| status.success()) {
        // Past the test harness, which would keep it to itself.
        std::io::Write::write_all(&mut std::io::stderr(), b"not run: no network can be configured here\n").unwrap();
        return;
    }
    let probe = "./grpc_health_probe -addr=127.0.0.1:50051 -connect-timeout=20s -rpc-timeout=20s";
    let asks = format!("for n in $(seq 200); do if {probe}; then kill $!; exit 0; fi; sleep 0.1; done");
    let script = format!("{prepare}; \"$0\" serve catalog & {asks}; kill $!; exit 1");
    assert_eq!(isolated(&script).status().unwrap().code(), Some(0));
}
