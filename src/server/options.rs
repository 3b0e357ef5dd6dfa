//! The limits of a server: the resources that clients may use at once, and time limits.

use std::time::Duration;

/// Limits of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerOptions {
    /// The maximum number of connections, at least one. For each further connection, another client is disconnected:
    /// first one that has sent nothing, then one that has made no call, then one that does not read its answers, then
    /// an idle one. Among equals, it is the client that has been silent for longest. A quarter of the connections is
    /// reserved for clients that have just connected.
    pub connections: usize,
    /// The maximum number of concurrent calls on each connection; further calls wait.
    pub calls_per_connection: u32,
    /// The maximum number of concurrent calls that read from the database or the files; further calls wait.
    pub readers: usize,
    /// The maximum size of a request in bytes; larger requests are refused.
    pub request_size: usize,
    /// The maximum time for a request to arrive; slower requests fail.
    pub request_time: Duration,
    /// The maximum number of concurrent registry calls on all connections together. The same number applies separately
    /// to health checks. Further calls wait for a while, and then fail.
    pub calls: usize,
    /// The maximum number of concurrent calls that stay open until the client ends them: health watches and reflection.
    pub watches: usize,
    /// The maximum number of bytes of manifests, custom documents and lists of entries in answers that clients have not
    /// received yet. Further answers wait as long as clients receive others, and then fail.
    pub manifests: usize,
    /// The maximum number of these bytes on one connection while half of all of them are in use. One answer that is not
    /// a stream of documents may always be sent in addition.
    pub manifests_per_connection: usize,
    /// The maximum time for which a client may accept no data at all before it is disconnected.
    pub patience: Duration,
    /// The maximum time for which a client may leave an answer unread while other clients wait for resources. After
    /// that, it may be disconnected.
    pub stall: Duration,
    /// The maximum time for which a new connection may stay silent before it is closed.
    pub greeting: Duration,
    /// The maximum time for which a connection may stay silent before the server pings the client.
    pub ping_after: Duration,
    /// The maximum time for the client to reply to a ping; after that, the connection is closed.
    pub ping_time: Duration,
    /// The maximum time for which calls in progress may continue after the server is asked to stop.
    pub drain: Duration,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            connections: 4096,
            calls_per_connection: 128,
            readers: 4,
            request_size: 64 * 1024,
            request_time: Duration::from_secs(10),
            calls: 2048,
            watches: 512,
            manifests: 64 << 20,
            manifests_per_connection: 2 << 20,
            patience: Duration::from_mins(1),
            stall: Duration::from_secs(5),
            greeting: Duration::from_secs(10),
            ping_after: Duration::from_mins(1),
            ping_time: Duration::from_secs(20),
            drain: Duration::from_secs(10),
        }
    }
}
