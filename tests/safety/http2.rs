//! A server in this process with small limits, and a client that writes raw frames.

use crate::common::Sandbox;
use crate::served::catalog;
use opmx::catalog::file_based::limits::CatalogLimits;
use opmx::server::file_based::CatalogFiles;
use opmx::server::metrics::Metrics;
use opmx::server::{self, ServerOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tonic::transport::Endpoint;

/// The maximum time for anything that must happen. It is long, because the machine may be busy.
pub(crate) const LONG: Duration = Duration::from_mins(1);

/// Waits for something that must happen.
pub(crate) fn eventually(what: &str, mut come: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !come() {
        assert!(begun.elapsed() < LONG, "{what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// A server of a small catalog, in this process.
pub(crate) struct InProcess {
    pub(crate) address: SocketAddr,
    metrics: Arc<Metrics>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    _sandbox: Sandbox,
}

impl InProcess {
    pub(crate) fn start(options: ServerOptions, size_of_bundles: usize) -> Self {
        let sandbox = Sandbox::new();
        catalog(&sandbox, 3, size_of_bundles);
        let files = CatalogFiles::open(sandbox.path("catalog").as_path().into(), CatalogLimits::default()).unwrap();
        let runtime = Runtime::new().unwrap();
        let listener = runtime
            .block_on(async { server::listen(Some(Ipv4Addr::LOCALHOST.into()), 0) })
            .unwrap();
        let address = listener.local_addr().unwrap();
        let (metrics, (stop, stopped)) = (Arc::<Metrics>::default(), oneshot::channel());
        let of_server = Arc::clone(&metrics);
        let thread = thread::spawn(move || {
            let stopped = async {
                let _ = stopped.await;
            };
            runtime
                .block_on(server::serve(files, listener, options, of_server, |_| (), stopped))
                .unwrap();
        });
        Self {
            address,
            metrics,
            stop: Some(stop),
            thread: Some(thread),
            _sandbox: sandbox,
        }
    }

    pub(crate) fn endpoint(&self) -> Endpoint {
        Endpoint::from_shared(format!("http://{}", self.address)).unwrap()
    }

    /// The value of a metric.
    pub(crate) fn figure(&self, series: &str) -> u64 {
        let text = self.metrics.text();
        let line = text.lines().find_map(|line| line.strip_prefix(series));
        line.unwrap_or_else(|| panic!("{text}")).trim().parse().unwrap()
    }

    pub(crate) fn connections(&self) -> u64 {
        self.figure("opmx_connections_open ")
    }

    /// Stops the server; it must succeed.
    pub(crate) fn stop(mut self) {
        self.stop.take().unwrap().send(()).unwrap();
        self.thread.take().unwrap().join().unwrap();
    }
}

pub(crate) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pub(crate) const DATA: u8 = 0;
pub(crate) const HEADERS: u8 = 1;
pub(crate) const RESET: u8 = 3;
pub(crate) const SETTINGS: u8 = 4;
pub(crate) const PING: u8 = 6;
pub(crate) const GO_AWAY: u8 = 7;
pub(crate) const WINDOW_UPDATE: u8 = 8;
pub(crate) const CONTINUATION: u8 = 9;

/// The acknowledgement flag of settings and pings.
pub(crate) const ACK: u8 = 1;
pub(crate) const END_HEADERS: u8 = 4;
pub(crate) const END_STREAM: u8 = 1;

pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut frame = vec![length[1], length[2], length[3], kind, flags];
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// The connection preface.
pub(crate) fn greeting() -> Vec<u8> {
    [PREFACE.to_vec(), frame(SETTINGS, 0, 0, &[])].concat()
}

/// The headers of a call, as literals.
pub(crate) fn head_of_call(path: &str) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", path),
        (":authority", "server"),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
    ] {
        block.push(0);
        for text in [name, value] {
            block.push(u8::try_from(text.len()).unwrap());
            block.extend(text.as_bytes());
        }
    }
    block
}

/// A call with an empty message.
pub(crate) fn call(stream: u32, path: &str) -> Vec<u8> {
    let head = frame(HEADERS, END_HEADERS, stream, &head_of_call(path));
    [head, frame(DATA, END_STREAM, stream, &[0; 5])].concat()
}

/// Connects, with [`LONG`] as the read timeout.
pub(crate) fn connect(port: u16) -> TcpStream {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    stream.set_write_timeout(Some(LONG)).unwrap();
    stream.set_nodelay(true).unwrap();
    stream
}

/// Connects and starts an HTTP/2 session.
pub(crate) fn greet(port: u16) -> TcpStream {
    let mut stream = connect(port);
    stream.write_all(&greeting()).unwrap();
    stream
}

/// Returns the next frame: kind, flags, stream, payload. `None` if the server has closed the connection.
pub(crate) fn read_frame(stream: &mut TcpStream) -> Option<(u8, u8, u32, Vec<u8>)> {
    let mut head = [0; 9];
    read_or_closed(stream, &mut head)?;
    let [a, b, c, kind, flags, number @ ..] = head;
    let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
    read_or_closed(stream, &mut payload)?;
    Some((kind, flags, u32::from_be_bytes(number), payload))
}

fn read_or_closed(stream: &mut TcpStream, bytes: &mut [u8]) -> Option<()> {
    match stream.read_exact(bytes) {
        Ok(()) => Some(()),
        Err(error) => {
            assert!(is_closed(&error), "{error}");
            None
        }
    }
}

/// Returns whether an error means that the server has closed the connection, rather than a timeout.
pub(crate) fn is_closed(error: &io::Error) -> bool {
    [
        ErrorKind::UnexpectedEof,
        ErrorKind::ConnectionReset,
        ErrorKind::ConnectionAborted,
        ErrorKind::BrokenPipe,
    ]
    .contains(&error.kind())
}

/// Waits until the server closes a connection, whatever it sends before.
pub(crate) fn wait_for_end(stream: &mut TcpStream) {
    let mut rest = [0; 4096];
    loop {
        match stream.read(&mut rest) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) => {
                assert!(is_closed(&error), "{error}");
                return;
            }
        }
    }
}
