//! The cost of serving, as a whole process: `cargo bench --bench serving`.
//!
//! Databases and file-based catalogs contain 50 and 500 bundles of ordinary size, and 5,000 small ones, all with an
//! image. The benchmark measures the time from the start to the first `SERVING`, and the resident memory. It also calls
//! three methods over 1 and over 16 connections, and measures the calls per second and the CPU time of the server per
//! call. The client runs on the same processors.
//!
//! The targets are printed next to the results of the reference server, which served 500 bundles of a public catalog on
//! a machine with two processors. Its results: 88 ms, 44 MiB, 4,434, 226 and 13.1 calls per second of `GetPackage`,
//! `GetBundle` and `ListBundles`, and 0.20 ms of CPU for a `GetPackage`. The reference server of file-based catalogs
//! first writes a cache, which took about as long as validating the catalogs: 50 ms per megabyte of files, and 484 MiB.
//!
//! The benchmark also measures how long the health probe waits, with a new connection each time, while 20,000 other
//! clients connect, send nothing or invalid data, and disconnect. The targets: 99 of 100 probes wait at most 200 ms,
//! and no probe waits for the second connection attempt of the system, which comes after 1 s.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a benchmark prints, and may panic"
)]

#[expect(dead_code, reason = "this benchmark uses only a part of the module")]
mod bundles;

use bundles::{index_and_catalog, measured};
use opmx::server::proto::registry_client::RegistryClient;
use opmx::server::proto::{GetBundleRequest, GetPackageRequest, ListBundlesRequest};
use prost::Message;
use prost::bytes::Buf;
use std::collections::VecDeque;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tokio::net::{TcpSocket, TcpStream};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tokio_stream::StreamExt;
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

/// Operators with bundles of ordinary size.
const ORDINARY: [&str; 3] = ["debezium-operator", "node-healthcheck-operator", "oadp-operator"];
const SMALL: [&str; 1] = ["deployment-validation-operator"];
/// The numbers of bundles to serve, and their operators.
const SIZES: [(usize, &[&str]); 3] = [(50, &ORDINARY), (500, &ORDINARY), (5000, &SMALL)];
/// The number of starts of each server. The benchmark prints the medians.
const STARTS: usize = 5;
/// The time for which each method is called.
const TIME: Duration = Duration::from_secs(2);
const CONNECTIONS: [usize; 2] = [1, 16];
/// The number of connection attempts during the probes, the number of clients, and the number of open connections per
/// client.
const ATTEMPTS: usize = 20_000;
const CONNECTING: usize = 8;
const HELD: usize = 64;

fn main() {
    let measured_whole = measured();
    let (sizes, starts, time) = if measured_whole {
        (&SIZES[..], STARTS, TIME)
    } else {
        (&[(5, &SMALL[..])][..], 1, Duration::from_millis(20))
    };
    println!("medians of {starts} starts; each method for {} s", time.as_secs());
    println!("served      bundles  data MiB  start ms  resident MiB");
    println!("  method         connections  calls/s  server CPU ms/call  reply KiB");
    let mut targets = Targets::default();
    for (number, (size, operators)) in sizes.iter().enumerate() {
        let workplace = tempfile::tempdir().unwrap();
        let (database, catalog) = index_and_catalog(*size, operators, workplace.path());
        for (what, path) in [("SQLite", &database), ("files", &catalog)] {
            let measured = measure(what, *size, path, starts, time);
            if *size == 500 {
                targets.check(what, &measured);
            }
            if number == 0 {
                let attempts = if measured_whole { ATTEMPTS } else { 100 };
                targets.check_waits(what, &waits(path, attempts));
            }
        }
    }
    targets.tell();
}

/// Returns the waiting time of each probe while many clients connect, with as many concurrent clients as the machine
/// supports.
fn waits(path: &Path, attempts: usize) -> Vec<Duration> {
    Runtime::new().unwrap().block_on(async {
        let server = Server::start(path).await;
        let authority = server.endpoint.uri().authority().unwrap();
        let address: SocketAddr = authority.as_str().parse().unwrap();
        let connecting = (0..CONNECTING).map(|of| {
            tokio::spawn(async move {
                let mut held = VecDeque::new();
                for number in (of..attempts).step_by(CONNECTING) {
                    held.push_back(attempt(address, number).await);
                    if held.len() > HELD {
                        held.pop_front();
                    }
                }
            })
        });
        let connecting: Vec<_> = connecting.collect();
        let mut waits = Vec::new();
        while waits.is_empty() || !connecting.iter().all(JoinHandle::is_finished) {
            let begun = Instant::now();
            let mut health = HealthClient::new(server.connect().await);
            health.check(HealthCheckRequest::default()).await.unwrap();
            waits.push(begun.elapsed());
        }
        waits.sort_unstable();
        waits
    })
}

/// Connects and sends nothing, or data that the server does not expect. The connection is closed with a reset, so that
/// the system does not keep it in its tables.
async fn attempt(address: SocketAddr, number: usize) -> Option<TcpStream> {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_zero_linger().unwrap();
    let stream = socket.connect(address).await.ok()?;
    let said: &[u8] = match number % 3 {
        0 => b"",
        1 => b"GET / HTTP/1.1\r\n\r\n",
        _ => b"PRI * HTT",
    };
    let _ = stream.try_write(said);
    Some(stream)
}

/// A server that is stopped when dropped.
struct Server {
    child: Child,
    endpoint: Endpoint,
    start: Duration,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    /// Starts the server, and waits until it reports that it is serving.
    async fn start(path: &Path) -> Self {
        let begun = Instant::now();
        let mut child = Command::new(env!("CARGO_BIN_EXE_opmx"))
            .args(["serve", path.to_str().unwrap(), "--address=127.0.0.1", "-p", "0"])
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let port = line.trim_end().rsplit(':').next().unwrap();
        let endpoint = Endpoint::from_shared(format!("http://127.0.0.1:{port}")).unwrap();
        // The answer arrives when the server has read everything.
        let channel = endpoint.connect().await.unwrap();
        HealthClient::new(channel)
            .check(HealthCheckRequest::default())
            .await
            .unwrap();
        let start = begun.elapsed();
        Self { child, endpoint, start }
    }

    async fn connect(&self) -> Channel {
        self.endpoint.connect().await.unwrap()
    }

    /// Returns the resident memory of the server, in MiB.
    fn resident(&self) -> f64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status
            .lines()
            .find(|line| line.starts_with("VmRSS:"))
            .unwrap_or("VmRSS: 0");
        line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
    }

    /// Returns the CPU time that the threads of the server have used, in seconds.
    fn cpu(&self) -> f64 {
        let Ok(threads) = fs::read_dir(format!("/proc/{}/task", self.child.id())) else {
            return 0.0;
        };
        let of = |thread: fs::DirEntry| {
            let used = fs::read_to_string(thread.path().join("schedstat")).ok()?;
            used.split(' ').next()?.parse::<f64>().ok()
        };
        threads.flatten().filter_map(of).sum::<f64>() / 1e9
    }
}

/// The measurements of one server.
#[derive(Default)]
struct Measured {
    start: f64,
    resident: f64,
    data: f64,
    /// The calls per second and CPU milliseconds per call of `GetPackage`, `GetBundle`, `ListBundles`, with 1
    /// connection.
    methods: Vec<(f64, f64)>,
}

fn measure(what: &str, size: usize, path: &Path, starts: usize, time: Duration) -> Measured {
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async {
        let mut measured = Measured {
            data: megabytes(path),
            ..Measured::default()
        };
        let (mut times, mut sizes) = (Vec::new(), Vec::new());
        let mut server = Server::start(path).await;
        for _ in 0..starts {
            server = Server::start(path).await;
            times.push(server.start.as_secs_f64() * 1e3);
            sizes.push(server.resident());
        }
        measured.start = middle(times);
        measured.resident = middle(sizes);
        println!(
            "{what:<10}  {size:>7}  {:>8.1}  {:>8.1}  {:>12.1}",
            measured.data, measured.start, measured.resident
        );
        let keys = keys(&server).await;
        for method in ["GetPackage", "GetBundle", "ListBundles"] {
            for connections in CONNECTIONS {
                let (rate, cpu, reply) = ask(&server, method, &keys, connections, time).await;
                println!("  {method:<13}  {connections:>11}  {rate:>7.1}  {cpu:>18.3}  {reply:>9.1}");
                if connections == 1 {
                    measured.methods.push((rate, cpu));
                }
            }
        }
        println!("  after these: {:.1} MiB resident", server.resident());
        measured
    })
}

fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn megabytes(path: &Path) -> f64 {
    let files = walkdir::WalkDir::new(path)
        .into_iter()
        .map(|entry| entry.unwrap().metadata().unwrap());
    files.filter(fs::Metadata::is_file).map(|file| file.len()).sum::<u64>() as f64 / f64::from(1 << 20)
}

/// Returns the package, channel and bundle of each served entry.
async fn keys(server: &Server) -> Vec<GetBundleRequest> {
    let answer = RegistryClient::new(server.connect().await)
        .list_bundles(ListBundlesRequest {})
        .await;
    let bundles = answer.unwrap().into_inner().map(Result::unwrap);
    let keys = bundles.map(|bundle| GetBundleRequest {
        pkg_name: bundle.package_name,
        channel_name: bundle.channel_name,
        csv_name: bundle.csv_name,
    });
    keys.collect().await
}

/// Calls a method over `connections` connections. Returns the calls per second and, per call, the CPU milliseconds of
/// the server and the KiB of the answer.
async fn ask(
    server: &Server,
    method: &str,
    keys: &[GetBundleRequest],
    connections: usize,
    time: Duration,
) -> (f64, f64, f64) {
    let mut channels = Vec::new();
    for _ in 0..connections {
        channels.push(server.connect().await);
    }
    let (cpu, begun) = (server.cpu(), Instant::now());
    let mut clients = Vec::new();
    for (number, channel) in channels.into_iter().enumerate() {
        let (method, keys) = (method.to_owned(), keys.to_vec());
        clients.push(tokio::spawn(async move {
            let (mut calls, mut bytes) = (0_usize, 0);
            while begun.elapsed() < time {
                // Visit all keys, but never two neighbors in succession.
                let key = &keys[(calls * 7919 + number * 104_729) % keys.len()];
                bytes += call(&channel, &method, key).await;
                calls += 1;
            }
            (calls, bytes)
        }));
    }
    let (mut calls, mut bytes) = (0, 0);
    for client in clients {
        let (of_client, size) = client.await.unwrap();
        calls += of_client;
        bytes += size;
    }
    let (elapsed, used) = (begun.elapsed().as_secs_f64(), server.cpu() - cpu);
    let calls = calls as f64;
    (calls / elapsed, used * 1e3 / calls, bytes as f64 / calls / 1024.0)
}

/// Makes one call and returns the bytes of the answer, which is not decoded.
async fn call(channel: &Channel, method: &str, key: &GetBundleRequest) -> usize {
    match method {
        "GetPackage" => {
            let name = key.pkg_name.clone();
            receive(channel, method, GetPackageRequest { name }).await
        }
        "GetBundle" => receive(channel, method, key.clone()).await,
        _ => receive(channel, method, ListBundlesRequest {}).await,
    }
}

/// Sends a request, and returns the bytes of all messages in the answer.
async fn receive<M: Message + 'static>(channel: &Channel, method: &str, request: M) -> usize {
    let mut client = Grpc::new(channel.clone());
    client.ready().await.unwrap();
    let path = format!("/api.Registry/{method}").parse().unwrap();
    let codec = Lengths(std::marker::PhantomData);
    let answer = client.server_streaming(Request::new(request), path, codec).await;
    answer
        .unwrap()
        .into_inner()
        .map(Result::unwrap)
        .collect::<Vec<usize>>()
        .await
        .into_iter()
        .sum()
}

/// Decodes only the length of every message, so that the client costs as little as possible.
struct Lengths<M>(std::marker::PhantomData<M>);

impl<M: Message + 'static> Codec for Lengths<M> {
    type Encode = M;
    type Decode = usize;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self(self.0)
    }

    fn decoder(&mut self) -> Self {
        Self(self.0)
    }
}

impl<M: Message + 'static> Encoder for Lengths<M> {
    type Item = M;
    type Error = Status;

    fn encode(&mut self, item: M, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        item.encode(buffer).map_err(|error| Status::internal(error.to_string()))
    }
}

impl<M: Message + 'static> Decoder for Lengths<M> {
    type Item = usize;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<usize>, Status> {
        let length = buffer.remaining();
        buffer.advance(length);
        Ok(Some(length))
    }
}

/// The targets for 500 bundles, and whether they were met.
#[derive(Default)]
struct Targets(Vec<(String, bool)>);

impl Targets {
    fn check(&mut self, what: &str, measured: &Measured) {
        let mut target = |text: String, met: bool| self.0.push((format!("{what}: {text}"), met));
        let [(_, package), (bundle, _), (listing, _)] = measured.methods[..] else {
            return;
        };
        if what == "SQLite" {
            target(
                format!("SERVING after {:.1} of 15 ms (reference 88)", measured.start),
                measured.start <= 15.0,
            );
        } else {
            let rate = measured.start / measured.data;
            target(
                format!("SERVING after {rate:.2} of 5 ms a MiB of files (reference about 50)"),
                rate <= 5.0,
            );
        }
        target(
            format!("{:.1} of 15 MiB resident (reference 44)", measured.resident),
            measured.resident <= 15.0,
        );
        target(
            format!("GetPackage {package:.3} of 0.04 ms CPU (reference 0.20)"),
            package <= 0.04,
        );
        target(
            format!("GetBundle {bundle:.0} of 2260 calls/s (reference 226)"),
            bundle >= 2260.0,
        );
        target(
            format!("ListBundles {listing:.0} of 524 calls/s (reference 13.1)"),
            listing >= 524.0,
        );
    }

    fn check_waits(&mut self, what: &str, waits: &[Duration]) {
        let longest = |of: usize| waits[(waits.len() * of / 100).min(waits.len() - 1)].as_secs_f64() * 1e3;
        for (of, text, target) in [(99, "99 of 100", 200.0), (100, "all", 900.0)] {
            let (probes, time) = (waits.len(), longest(of));
            let text =
                format!("{what}: {text} of {probes} probes within {time:.0} of {target} ms while others connect");
            self.0.push((text, time <= target));
        }
    }

    fn tell(&self) {
        for (target, met) in &self.0 {
            println!("{} {target}", if *met { "PASS" } else { "over" });
        }
    }
}
