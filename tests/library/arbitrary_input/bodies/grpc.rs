//! Requests to the server: each gets its own answer or error, and the server continues.

use super::bundle;
use opmx::catalog::graph::Mode;
use opmx::database::add::Additions;
use opmx::database::change::{self, Target};
use opmx::database::read::Database;
use opmx::index::intake::{Recording, prepare};
use opmx::server::file_based::CatalogFiles;
use opmx::server::metrics::Metrics;
use opmx::server::{self, Served, listen, serve};
use opmx::text::Limits;
use opmx::tree::{Tree, TreeLimits};
use std::error::Error;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};

const HEALTH: &str = "/grpc.health.v1.Health/Check";
const PATHS: [&str; 15] = [
    "/api.Registry/ListPackages",
    "/api.Registry/GetPackage",
    "/api.Registry/GetBundle",
    "/api.Registry/GetBundleForChannel",
    "/api.Registry/GetChannelEntriesThatReplace",
    "/api.Registry/GetBundleThatReplaces",
    "/api.Registry/GetChannelEntriesThatProvide",
    "/api.Registry/GetLatestChannelEntriesThatProvide",
    "/api.Registry/GetDefaultBundleThatProvides",
    "/api.Registry/ListBundles",
    "/api.Registry/None",
    "/api.ExperimentalRegistry/ExperimentalListPackageCustomSchemas",
    HEALTH,
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
];
/// Words that the servers know.
const WORDS: [&str; 12] = [
    "compost-operator",
    "alpha",
    "compost-operator.v0.3.1",
    "greenhouse-operator",
    "stable",
    "greenhouse-operator.v1.2.0",
    "garden.example.org",
    "v1alpha1",
    "CompostHeap",
    "io.openshift.operators.lifecycles.v1alpha1",
    "etcd",
    "",
];
/// What every HTTP/2 client sends first, and an empty SETTINGS frame.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

/// Two servers, one with a database and one with a file-based catalog, and a client for each.
struct Servers {
    runtime: Runtime,
    clients: [(SocketAddr, Channel); 2],
    _folder: TempDir,
}

static SERVERS: LazyLock<Servers> = LazyLock::new(|| {
    let runtime = Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("index.db");
    write_database(&database);
    let catalog = folder.path().join("catalog");
    fs::create_dir(&catalog).unwrap();
    fs::write(catalog.join("catalog.yaml"), super::catalog::YAML).unwrap();
    let files = CatalogFiles::open(catalog.as_path().into(), super::catalog::limits()).unwrap();
    let served: [Served; 2] = [Database::open(&database).unwrap().into(), files.into()];
    let clients = served.map(|served| {
        runtime.block_on(async {
            let listener = listen(Some([127, 0, 0, 1].into()), 0).unwrap();
            let address = listener.local_addr().unwrap();
            let metrics = Arc::new(Metrics::default());
            let options = server::ServerOptions::default();
            tokio::spawn(serve(
                served,
                listener,
                options,
                metrics,
                |_| (),
                std::future::pending(),
            ));
            let channel = Endpoint::from_shared(format!("http://{address}"))
                .unwrap()
                .connect_lazy();
            (address, channel)
        })
    });
    Servers {
        runtime,
        clients,
        _folder: folder,
    }
});

fn write_database(path: &Path) {
    let mut additions = Additions::new(path.parent().unwrap());
    for name in ["compost-operator", "greenhouse-operator"] {
        let mut tree = Tree::new(name);
        for (path, bytes) in bundle::files(name) {
            tree.insert(path, bytes.to_vec(), &TreeLimits::default()).unwrap();
        }
        let prepared = prepare(
            &tree,
            Recording::default(),
            &Limits::default(),
            &opmx::validation::Strictness::default(),
        )
        .unwrap();
        additions.push(&prepared.record).unwrap();
    }
    let target = Target::Copy {
        from: None,
        to: path,
        shown: path,
    };
    additions
        .commit(Mode::default(), &target, &change::ChangeOptions::default())
        .unwrap();
}

/// Sends any bytes as the message of a call.
pub fn message(method: usize, bytes: &[u8]) {
    let path = PATHS[method % PATHS.len()];
    for (_, channel) in &SERVERS.clients {
        SERVERS.runtime.block_on(async {
            if let Err(status) = call(channel, path, bytes.to_vec()).await {
                assert!(status.source().is_none(), "the connection broke: {status:?}");
                assert!(
                    !matches!(status.code(), Code::Cancelled | Code::Unavailable),
                    "{status:?}"
                );
            }
            healthy(channel).await;
        });
    }
}

/// Sends strings as the first fields of the message of a call. An empty one stands for a word that the servers know.
pub fn fields(method: usize, texts: [(u8, &str); 4]) {
    let mut bytes = Vec::new();
    for (number, (known, text)) in (1_u8..).zip(texts) {
        let text = if text.is_empty() {
            WORDS[usize::from(known) % WORDS.len()]
        } else {
            text
        };
        // Lengths below 128 take one byte in the wire format.
        let text = text
            .char_indices()
            .take_while(|(at, _)| *at < 120)
            .map(|(_, letter)| letter);
        let text: String = text.collect();
        bytes.extend([number << 3 | 2, u8::try_from(text.len()).unwrap()]);
        bytes.extend_from_slice(text.as_bytes());
    }
    message(method, &bytes);
}

/// Sends any bytes as a client, with or without the beginning of the protocol.
pub fn connection(preface: bool, bytes: &[u8]) {
    for (address, channel) in &SERVERS.clients {
        SERVERS.runtime.block_on(async {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let sent = [if preface { PREFACE } else { b"" }, bytes].concat();
            // A server that has seen enough may close the connection at any time.
            let _ = stream.write_all(&sent).await;
            let _ = stream.shutdown().await;
            let closed = tokio::time::timeout(Duration::from_mins(1), stream.read_to_end(&mut Vec::new())).await;
            assert!(closed.is_ok(), "the connection stays open");
            healthy(channel).await;
        });
    }
}

/// Checks that the server reports that it is serving, on the existing connection.
async fn healthy(channel: &Channel) {
    const SERVING: [u8; 2] = [1 << 3, 1];
    let answer = call(channel, HEALTH, Vec::new()).await;
    assert_eq!(answer.unwrap(), SERVING);
}

/// Calls a method with a message of these bytes. Returns all of its answers, concatenated.
async fn call(channel: &Channel, path: &'static str, message: Vec<u8>) -> Result<Vec<u8>, Status> {
    let mut client = Grpc::new(channel.clone());
    client.ready().await.unwrap();
    let path = PathAndQuery::from_static(path);
    let mut request = Request::new(message);
    let acknowledged = "true".parse().unwrap();
    request
        .metadata_mut()
        .insert("x-acknowledge-experimental", acknowledged);
    let mut answers = client.server_streaming(request, path, Raw).await?.into_inner();
    let mut all = Vec::new();
    while let Some(answer) = answers.message().await? {
        all.extend(answer);
    }
    Ok(all)
}

/// Encodes messages as their bytes.
struct Raw;

impl Codec for Raw {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, item: Vec<u8>, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        prost::bytes::BufMut::put_slice(buffer, &item);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        let mut all = vec![0; prost::bytes::Buf::remaining(buffer)];
        prost::bytes::Buf::copy_to_slice(buffer, &mut all);
        Ok(Some(all))
    }
}
