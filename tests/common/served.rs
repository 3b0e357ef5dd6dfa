//! A server process, and a catalog of inline bundles for it.

use crate::common::Sandbox;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use opmx::server::proto::registry_client::RegistryClient;
use opmx::server::proto::{Bundle, GetBundleRequest};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};
use tonic::transport::{Channel, Endpoint};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

/// A server that is killed when dropped, in case a test ends early.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) port: u16,
    /// The port of its metrics, if it serves them.
    pub(crate) figures: u16,
    pub(crate) stderr: BufReader<ChildStderr>,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Serves a path of the sandbox on free ports.
pub(crate) fn start(sandbox: &Sandbox, served: &str) -> Server {
    start_command(sandbox.command(["serve", served]))
}

/// Starts a serving command on free ports, and waits until it listens.
pub(crate) fn start_command(mut command: Command) -> Server {
    command.args(["--address=127.0.0.1", "--port=0", "--metrics-address=127.0.0.1:0"]);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut ports = [0; 2];
    for port in &mut ports {
        // Warnings about the catalog come first.
        let mut line = String::new();
        while !line.starts_with("serving") {
            line.clear();
            assert_ne!(stderr.read_line(&mut line).unwrap(), 0, "the server has ended");
        }
        let address = line.trim_end().rsplit(':').next().unwrap();
        *port = address.parse().unwrap_or_else(|_| panic!("{line}"));
    }
    let [figures, port] = ports;
    Server {
        child,
        port,
        figures,
        stderr,
    }
}

impl Server {
    pub(crate) fn endpoint(&self) -> Endpoint {
        Endpoint::from_shared(format!("http://127.0.0.1:{}", self.port)).unwrap()
    }

    /// Returns the resident memory of the process, in MiB.
    pub(crate) fn resident(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
    }

    /// Returns the value of a metric.
    pub(crate) fn figure(&self, series: &str) -> f64 {
        let mut stream = TcpStream::connect(("127.0.0.1", self.figures)).unwrap();
        write!(stream, "GET /metrics HTTP/1.1\r\nHost: server\r\n\r\n").unwrap();
        let mut page = String::new();
        stream.read_to_string(&mut page).unwrap();
        assert!(page.starts_with("HTTP/1.1 200 OK\r\n"), "{page}");
        let line = page.lines().find_map(|line| line.strip_prefix(series));
        line.unwrap_or_else(|| panic!("{page}")).trim().parse().unwrap()
    }

    /// Stops the server by a signal. It must succeed and print nothing more.
    pub(crate) fn end(self) {
        assert_eq!(self.printed_at_end(), "");
    }

    /// Stops the server by a signal. It must succeed. Returns what it printed since the start.
    pub(crate) fn printed_at_end(mut self) -> String {
        self.terminate();
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        let mut rest = String::new();
        self.stderr.read_to_string(&mut rest).unwrap();
        rest
    }

    pub(crate) fn terminate(&self) {
        let signal = Command::new("kill").arg(self.child.id().to_string()).status();
        assert!(signal.unwrap().success());
    }
}

pub(crate) async fn health(channel: Channel) -> ServingStatus {
    let answer = HealthClient::new(channel).check(HealthCheckRequest::default()).await;
    answer.unwrap().into_inner().status()
}

pub(crate) const OBJECT_SIZE: usize = 300_000;

pub(crate) fn name(number: usize) -> String {
    format!("garden.v{number}.0.0")
}

pub(crate) fn bundle(number: usize, size: usize) -> Value {
    let name = name(number);
    let csv = json!({"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion", "metadata": {"name": name}});
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "soil"}, "data": {"of": "x".repeat(size)}});
    let object =
        |object: &Value| json!({"type": "olm.bundle.object", "value": {"data": STANDARD.encode(object.to_string())}});
    let package = json!({"packageName": "garden", "version": format!("{number}.0.0")});
    let properties = json!([{"type": "olm.package", "value": package}, object(&csv), object(&map)]);
    json!({"schema": "olm.bundle", "package": "garden", "name": name, "properties": properties})
}

/// Writes a catalog of inline bundles to the folder `catalog`, each in its own file.
pub(crate) fn catalog(sandbox: &Sandbox, bundles: usize, size: usize) {
    let folder = sandbox.path("catalog");
    fs::create_dir(&folder).unwrap();
    let entries = (0..bundles).map(|number| match number {
        0 => json!({"name": name(0)}),
        _ => json!({"name": name(number), "replaces": name(number - 1)}),
    });
    let package = json!({"schema": "olm.package", "name": "garden", "defaultChannel": "stable"});
    let channel =
        json!({"schema": "olm.channel", "package": "garden", "name": "stable", "entries": entries.collect::<Value>()});
    fs::write(folder.join("package.json"), format!("{package}\n{channel}\n")).unwrap();
    for number in 0..bundles {
        fs::write(folder.join(format!("{number}.json")), bundle(number, size).to_string()).unwrap();
    }
}

pub(crate) fn request(number: usize) -> GetBundleRequest {
    GetBundleRequest {
        pkg_name: "garden".to_owned(),
        channel_name: "stable".to_owned(),
        csv_name: name(number),
    }
}

pub(crate) async fn get(channel: &Channel, number: usize) -> Result<Bundle, tonic::Status> {
    let answer = RegistryClient::new(channel.clone()).get_bundle(request(number)).await;
    answer.map(tonic::Response::into_inner)
}
