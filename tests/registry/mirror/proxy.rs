//! A proxy in front of a registry that counts requests and bytes, and answers itself on request of a test.

use crate::http::{Reply, Request, Server};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The reaction of the proxy to a request.
pub(super) enum Act {
    /// Forwards it.
    Pass,
    /// Answers it.
    Answer(Reply),
    /// Forwards it, and truncates the answer to this many bytes.
    Cut(usize),
    /// Forwards it, and changes the last byte of the answer.
    Lie,
}

pub(super) struct Proxy {
    server: Server,
    bytes: Arc<AtomicU64>,
}

impl Proxy {
    /// A proxy in front of this registry; `act` gets the request and the number of earlier ones with the same method
    /// and path.
    pub(super) fn start(upstream: &str, act: impl Fn(&Request, usize) -> Act + Send + Sync + 'static) -> Self {
        let bytes = Arc::new(AtomicU64::new(0));
        let (upstream, counted) = (upstream.to_owned(), Arc::clone(&bytes));
        let server = Server::start(move |request, before| {
            let act = act(request, before);
            if let Act::Answer(reply) = act {
                return reply;
            }
            let mut reply = forward(&upstream, request);
            match act {
                Act::Cut(bytes) => {
                    reply.length = Some(reply.body.len() as u64);
                    reply.body.truncate(bytes);
                }
                Act::Lie => {
                    if let Some(last) = reply.body.last_mut() {
                        *last ^= 1;
                    }
                }
                Act::Pass | Act::Answer(_) => {}
            }
            if request.method == "GET" && request.path.contains("/blobs/") {
                counted.fetch_add(reply.body.len() as u64, Ordering::SeqCst);
            }
            reply
        });
        Self { server, bytes }
    }

    pub(super) fn host(&self) -> &str {
        &self.server.host
    }

    /// The number of bytes of blobs that were read.
    pub(super) fn blob_bytes(&self) -> u64 {
        self.bytes.load(Ordering::SeqCst)
    }

    pub(super) fn count(&self, method: &str, path: &str) -> usize {
        self.server.count(method, path)
    }

    pub(super) fn requests(&self) -> Vec<Request> {
        self.server.requests()
    }
}

fn forward(upstream: &str, request: &Request) -> Reply {
    let mut stream = TcpStream::connect(upstream).unwrap();
    let mut head = format!("{} {} HTTP/1.1\r\nConnection: close\r\n", request.method, request.path);
    for (name, value) in &request.headers {
        if !["connection", "transfer-encoding", "content-length"].contains(&name.as_str()) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
    }
    head.push_str(&format!("Content-Length: {}\r\n\r\n", request.body.len()));
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&request.body).unwrap();
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let status = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    let mut reply = Reply::new(status, Vec::new());
    let (mut chunked, mut length) = (false, None);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).unwrap();
        let Some((name, value)) = header.trim_end().split_once(':') else {
            break;
        };
        let (name, value) = (name.to_lowercase(), value.trim());
        match name.as_str() {
            "transfer-encoding" => chunked = value == "chunked",
            "content-length" => length = value.parse().ok(),
            "connection" => {}
            _ => reply = reply.header(&name, value),
        }
    }
    if request.method == "HEAD" {
        reply.length = length;
        return reply;
    }
    if chunked {
        loop {
            let mut size = String::new();
            reader.read_line(&mut size).unwrap();
            let size = usize::from_str_radix(size.trim(), 16).unwrap();
            let mut chunk = vec![0; size + 2];
            reader.read_exact(&mut chunk).unwrap();
            if size == 0 {
                break;
            }
            reply.body.extend_from_slice(&chunk[..size]);
        }
    } else {
        reader.read_to_end(&mut reply.body).unwrap();
    }
    reply
}
