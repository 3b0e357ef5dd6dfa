//! The server, compared with the recorded answers of the reference server, and with an independent client.

mod answers;

use answers::answer;
use opmx::catalog::file_based::limits::CatalogLimits;
use opmx::database::read::Database;
use opmx::server::file_based::CatalogFiles;
use opmx::server::proto::registry_client::RegistryClient;
use opmx::server::proto::{GetPackageRequest, ListBundlesRequest, ListPackageRequest, PackageName};
use opmx::server::{Served, ServerOptions, listen, serve};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_stream::StreamExt;
use tonic::Code;
use tonic::transport::Channel;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

const CASES: [&str; 3] = [
    "replaces-three-channels",
    "skips-and-truncation",
    "inline-and-dependencies",
];

/// A server on a free port of this machine.
struct Running {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    server: JoinHandle<Result<(), opmx::server::ServeError>>,
}

impl Running {
    fn start(database: &Path) -> Self {
        Self::start_with(database, ServerOptions::default())
    }

    fn start_with(database: &Path, options: ServerOptions) -> Self {
        Self::serving(Database::open(database).unwrap().into(), options)
    }

    /// Serves the catalog in a folder.
    fn start_files(folder: &Path) -> Self {
        let files = CatalogFiles::open(folder.into(), CatalogLimits::default()).unwrap();
        Self::serving(files.into(), ServerOptions::default())
    }

    fn serving(served: Served, options: ServerOptions) -> Self {
        let listener = listen(Some(Ipv4Addr::LOCALHOST.into()), 0).unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let server = tokio::spawn(serve(served, listener, options, Arc::default(), |_| (), async {
            let _ = stopped.await;
        }));
        Self { address, stop, server }
    }

    async fn channel(&self) -> Channel {
        let endpoint = Channel::from_shared(format!("http://{}", self.address)).unwrap();
        endpoint.connect().await.unwrap()
    }

    async fn stop(self) {
        self.stop.send(()).unwrap();
        self.server.await.unwrap().unwrap();
    }
}

fn unpack(case: &Path, directory: &Path) -> std::path::PathBuf {
    unpack_file(case, directory, "index.db")
}

fn unpack_file(case: &Path, directory: &Path, name: &str) -> std::path::PathBuf {
    let mut content = Vec::new();
    let packed = fs::File::open(case.join(format!("{name}.gz"))).unwrap();
    flate2::read::GzDecoder::new(packed).read_to_end(&mut content).unwrap();
    let path = directory.join(name);
    fs::write(&path, content).unwrap();
    path
}

/// The results of the comparison.
#[derive(Debug, Default)]
struct Compared {
    calls: usize,
    messages: usize,
    /// Streams in an order other than the recorded one.
    reordered: usize,
    /// Calls for which the recorded server chose randomly, with a different result.
    chosen: usize,
}

/// Makes all calls of a recording, and compares the answers.
async fn compare(name: &str, recording: &Path, running: &Running, compared: &mut Compared) {
    let channel = running.channel().await;
    let recorded: Value = serde_json::from_slice(&fs::read(recording).unwrap()).unwrap();
    let recorded = recorded["calls"].as_array().unwrap();
    let of_files = recording.ends_with("responses.fbc.json");
    for call in recorded {
        let rpc = call["rpc"].as_str().unwrap();
        let answer = answer(&channel, rpc, &call["request"]).await;
        let mut expected = call.clone();
        let fields = expected.as_object_mut().unwrap();
        fields.remove("rpc");
        fields.remove("request");
        match rpc {
            // The recorded server has no such method; ours has, as the health protocol defines it.
            "grpc.health.v1.Health/Watch" => {
                assert_eq!(answer, json!({"code": "OK", "response": {"status": "SERVING"}}));
            }
            // Newer servers have both versions of reflection, and the experimental service.
            "reflection/list_services" => {
                let services: Vec<_> = answer["responses"].as_array().unwrap().iter().collect();
                for service in call["responses"].as_array().unwrap() {
                    assert!(services.contains(&service), "{service}");
                }
                assert_eq!(services.len(), 5);
            }
            _ if answer == expected => {}
            // Where several bundles replace one, any of them is an answer of that server.
            "GetBundleThatReplaces" if of_files && answer["code"] == expected["code"] => {
                let replaced = &call["request"]["csvName"];
                assert!(
                    ["skupper-operator.v1.4.0-rc2", "skupper-operator.v1.4.0-rc3"]
                        .contains(&replaced.as_str().unwrap())
                );
                let same = recorded.iter().find(|other| {
                    let (asked, answered) = (&other["request"], &answer["response"]);
                    other["rpc"] == "GetBundle"
                        && asked["csvName"] == answered["csvName"]
                        && asked["channelName"] == answered["channelName"]
                });
                assert_eq!(answer["response"], same.unwrap()["response"]);
                compared.chosen += 1;
            }
            _ => {
                assert_eq!(sorted(&answer), sorted(&expected), "{name}: {rpc} {}", call["request"]);
                let ordered = rpc.starts_with("List") && !of_files;
                assert!(!ordered, "the order of {rpc} is part of the contract");
                compared.reordered += 1;
            }
        }
        compared.calls += 1;
        compared.messages += answer["responses"].as_array().map_or(1, Vec::len);
    }
}

/// Starts a server, compares its answers with the recorded ones, and checks that the folder it serves is unchanged.
async fn replay(case: &str, responses: &Path, folder: &Path, start: impl FnOnce() -> Running, compared: &mut Compared) {
    let before = state(folder);
    let running = start();
    compare(case, responses, &running, compared).await;
    running.stop().await;
    assert!(state(folder) == before, "{case}: the folder that is served was touched");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_recorded_call_is_answered_as_recorded() {
    let Some(goldens) = crate::shared::folder("goldens/grpc") else {
        return;
    };
    let mut compared = Compared::default();
    for case in CASES {
        let directory = tempfile::tempdir().unwrap();
        let database = unpack(&goldens.join(case), directory.path());
        let responses = goldens.join(case).join("responses.sqlite.json");
        let start = || Running::start(&database);
        replay(case, &responses, directory.path(), start, &mut compared).await;
    }
    println!("{compared:?}");
    assert_eq!((compared.calls, compared.chosen), (258, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_recorded_call_to_a_file_based_catalog_is_answered_as_recorded() {
    let Some(goldens) = crate::shared::folder("goldens/grpc") else {
        return;
    };
    let mut compared = Compared::default();
    for case in CASES {
        let directory = tempfile::tempdir().unwrap();
        unpack_file(&goldens.join(case), directory.path(), "catalog.json");
        let responses = goldens.join(case).join("responses.fbc.json");
        let start = || Running::start_files(directory.path());
        replay(case, &responses, directory.path(), start, &mut compared).await;
    }
    println!("{compared:?}");
    assert_eq!(compared.calls, 258);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_independent_client_calls_every_method_through_reflection() {
    let Some(goldens) = crate::shared::folder("goldens/grpc") else {
        return;
    };
    let Some(python) = crate::reflection::python() else {
        crate::shared::not_run(crate::reflection::ABSENT);
        return;
    };
    let case = goldens.join("inline-and-dependencies");
    let directory = tempfile::tempdir().unwrap();
    let database = unpack(&case, directory.path());
    let folder = directory.path().join("catalog");
    fs::create_dir(&folder).unwrap();
    unpack_file(&case, &folder, "catalog.json");
    for running in [Running::start(&database), Running::start_files(&folder)] {
        let (python, address) = (python.clone(), running.address.to_string());
        let client = tokio::task::spawn_blocking(move || crate::reflection::call_every_method(&python, &address));
        print!("{}", client.await.unwrap());
        running.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_truncated_file_makes_the_server_unavailable_but_a_replaced_one_does_not() {
    let Some(goldens) = crate::shared::folder("goldens/grpc") else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let database = unpack(&goldens.join("inline-and-dependencies"), directory.path());
    let running = Running::start(&database);
    let channel = running.channel().await;
    let request = json!({"pkgName": "etcd", "channelName": "alpha", "csvName": "etcdoperator.v0.9.2"});
    let whole = answer(&channel, "GetBundle", &request).await;
    assert_eq!(whole["code"], "OK");

    let kept = directory.path().join("kept.db");
    fs::rename(&database, &kept).unwrap();
    fs::write(&database, "a value of another type").unwrap();
    assert_eq!(answer(&channel, "GetBundle", &request).await, whole);
    assert_eq!(
        answer(&channel, "grpc.health.v1.Health/Check", &json!({})).await["response"]["status"],
        "SERVING"
    );

    fs::OpenOptions::new()
        .write(true)
        .open(&kept)
        .unwrap()
        .set_len(8192)
        .unwrap();
    let cut = answer(&channel, "GetBundle", &request).await;
    assert_eq!(cut["code"], "UNAVAILABLE", "{cut}");
    assert_eq!(
        answer(&channel, "grpc.health.v1.Health/Check", &json!({})).await["response"]["status"],
        "NOT_SERVING"
    );
    running.stop().await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_only_folder_is_sufficient() {
    use std::os::unix::fs::PermissionsExt;
    let Some(goldens) = crate::shared::folder("goldens/grpc") else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let database = unpack(&goldens.join(CASES[0]), directory.path());
    fs::set_permissions(&database, fs::Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o555)).unwrap();
    let before = state(directory.path());
    let running = Running::start(&database);
    let listed = answer(&running.channel().await, "ListBundles", &json!({})).await;
    assert_eq!(listed["responses"].as_array().unwrap().len(), 7);
    running.stop().await;
    assert!(state(directory.path()) == before);
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_that_are_too_long_are_rejected_and_unknown_methods_reported() {
    let Some(goldens) = crate::shared::folder("goldens/grpc") else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let running = Running::start(&unpack(&goldens.join(CASES[0]), directory.path()));
    let channel = running.channel().await;
    let name = "x".repeat(10 * 1024 * 1024);
    let refused = RegistryClient::new(channel.clone())
        .get_package(GetPackageRequest { name })
        .await;
    assert_eq!(refused.unwrap_err().code(), Code::OutOfRange);
    let mut client = tonic::client::Grpc::new(channel);
    client.ready().await.unwrap();
    let path = "/api.Registry/NoSuchMethod".parse().unwrap();
    let codec = tonic_prost::ProstCodec::<ListPackageRequest, PackageName>::default();
    let unknown = client
        .unary(tonic::Request::new(ListPackageRequest {}), path, codec)
        .await;
    assert_eq!(unknown.unwrap_err().code(), Code::Unimplemented);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_probe_exits_with_the_codes_of_grpc_health_probe() {
    use opmx::server::probe::{Request, parse, probe};
    let Some(goldens) = crate::shared::folder("goldens/grpc") else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let running = Running::start(&unpack(&goldens.join(CASES[0]), directory.path()));
    let asked = |address: String| match parse([format!("-addr={address}"), "-service=Registry".to_owned()]) {
        Ok(Request::Check(probe)) => probe,
        other => panic!("{other:?}"),
    };
    let address = running.address;
    probe(&asked(address.to_string())).await.unwrap();
    probe(&asked(format!(":{}", address.port()))).await.unwrap();
    running.stop().await;
    let error = probe(&asked(address.to_string())).await.unwrap_err();
    assert_eq!(error.exit_code(), 2, "{error}");
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut mute = asked(silent.local_addr().unwrap().to_string());
    mute.rpc_timeout = std::time::Duration::from_millis(50);
    let error = probe(&mute).await.unwrap_err();
    assert_eq!(error.exit_code(), 3, "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopping_waits_for_calls_but_not_for_silent_clients() {
    let Some(goldens) = crate::shared::folder("goldens/grpc") else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let database = unpack(&goldens.join(CASES[2]), directory.path());
    let drain = std::time::Duration::from_millis(200);
    let options = ServerOptions {
        drain,
        connections: 2,
        ..ServerOptions::default()
    };
    let running = Running::start_with(&database, options);
    let silent = tokio::net::TcpStream::connect(running.address).await.unwrap();
    let channel = running.channel().await;
    let mut client = RegistryClient::new(channel.clone());
    let mut listed = client.list_bundles(ListBundlesRequest {}).await.unwrap().into_inner();
    let mut watched = HealthClient::new(channel)
        .watch(HealthCheckRequest::default())
        .await
        .unwrap()
        .into_inner();
    assert!(watched.next().await.unwrap().is_ok());
    let (told, ended) = (running.stop.send(()), running.server);
    told.unwrap();
    let mut count = 0;
    while let Some(message) = listed.next().await {
        message.unwrap();
        count += 1;
    }
    assert_eq!(count, 12);
    assert!(watched.next().await.is_none());
    ended.await.unwrap().unwrap();
    drop(silent);
}

/// Names, contents and modification times of the files in a directory.
fn state(directory: &Path) -> BTreeSet<(String, Vec<u8>, std::time::SystemTime)> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (
                name,
                fs::read(entry.path()).unwrap(),
                entry.metadata().unwrap().modified().unwrap(),
            )
        })
        .collect()
}

/// The answer with its stream in a fixed order.
fn sorted(answer: &Value) -> Value {
    let mut answer = answer.clone();
    if let Some(responses) = answer.get_mut("responses").and_then(Value::as_array_mut) {
        responses.sort_by_key(ToString::to_string);
    }
    answer
}
