//! A small HTTP server on this machine whose answers a test decides.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// A received request.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

/// The reaction of the server to a request.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// Declares this length, whatever the length of the body.
    pub(crate) length: Option<u64>,
    /// Keeps the connection open without sending anything, until the client gives up.
    pub(crate) stall: bool,
    /// Sends the body byte by byte, with this delay between two.
    pub(crate) drip: Option<Duration>,
}

impl Reply {
    pub(crate) fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: body.into(),
            length: None,
            stall: false,
            drip: None,
        }
    }

    pub(crate) fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }
}

/// A running server, and its requests.
pub(crate) struct Server {
    pub(crate) host: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Starts a server; `answer` gets the request and the number of earlier ones with the same method and path.
    pub(crate) fn start(answer: impl Fn(&Request, usize) -> Reply + Send + Sync + 'static) -> Self {
        Self::start_over(Ok, answer)
    }

    /// Starts a server that speaks HTTP over connections transformed by `wrap`.
    pub(crate) fn start_over<Stream: Read + Write>(
        wrap: impl Fn(TcpStream) -> std::io::Result<Stream> + Send + Sync + 'static,
        answer: impl Fn(&Request, usize) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let requests = Arc::new(Mutex::new(Vec::<Request>::new()));
        let (wrap, answer, log) = (Arc::new(wrap), Arc::new(answer), Arc::clone(&requests));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (wrap, answer, log) = (Arc::clone(&wrap), Arc::clone(&answer), Arc::clone(&log));
                // A client that goes away in the middle is part of the tests.
                thread::spawn(move || {
                    let stream = stream?;
                    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
                    serve(wrap(stream)?, answer.as_ref(), &log)
                });
            }
        });
        Self { host, requests }
    }

    /// All requests so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// The number of requests with this method and this text in their path.
    pub(crate) fn count(&self, method: &str, path: &str) -> usize {
        let requests = self.requests();
        requests
            .iter()
            .filter(|request| request.method == method && request.path.contains(path))
            .count()
    }
}

fn serve(
    stream: impl Read + Write,
    answer: &dyn Fn(&Request, usize) -> Reply,
    log: &Mutex<Vec<Request>>,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut line = Vec::new();
    reader.read_until(b'\n', &mut line)?;
    let line = String::from_utf8_lossy(&line);
    let mut words = line.split_whitespace();
    let (Some(method), Some(path), Some("HTTP/1.1")) = (words.next(), words.next(), words.next()) else {
        return reader.get_mut().write_all(b"HTTP/1.0 400 Bad Request\r\n\r\nnot HTTP");
    };
    let (method, path) = (method.to_owned(), path.to_owned());
    let mut headers = BTreeMap::<String, String>::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let Some((name, value)) = header.trim_end().split_once(':') else {
            break;
        };
        let held = headers.entry(name.to_lowercase()).or_default();
        if !held.is_empty() {
            held.push_str(", ");
        }
        held.push_str(value.trim());
    }
    let length = headers
        .get("content-length")
        .map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let request = Request {
        method,
        path,
        headers,
        body,
    };
    let before = {
        let mut log = log.lock().unwrap();
        let same = |old: &&Request| old.method == request.method && old.path == request.path;
        let before = log.iter().filter(same).count();
        log.push(request.clone());
        before
    };
    let reply = answer(&request, before);
    let stream = reader.get_mut();
    let mut head = format!("HTTP/1.1 {} Status\r\nConnection: close\r\n", reply.status);
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let length = reply.length.unwrap_or(reply.body.len() as u64);
    stream.write_all(format!("{head}Content-Length: {length}\r\n\r\n").as_bytes())?;
    match reply.drip {
        _ if request.method == "HEAD" => {}
        None => stream.write_all(&reply.body)?,
        Some(gap) => {
            for byte in &reply.body {
                stream.write_all(&[*byte])?;
                stream.flush()?;
                thread::sleep(gap);
            }
        }
    }
    stream.flush()?;
    if reply.stall {
        let _ = reader.read(&mut [0]);
    }
    Ok(())
}
