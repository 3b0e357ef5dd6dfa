//! The limits of a server: how much clients may have at once, and how long they may take.

use std::time::Duration;

/// Limits of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerOptions {
    /// Connections at once, at least one. For a further one the client is disconnected that is missed least: one that
    /// has sent nothing, or has not called, takes nothing of its answers, or is idle, in this order; among equals the
    /// one of which nothing was heard for longest. A quarter is for those that have just connected.
    pub connections: usize,
    /// Calls at once on each connection; further ones wait.
    pub calls_per_connection: u32,
    /// Calls that read from the database or the files at once; further ones wait.
    pub readers: usize,
    /// Bytes of a request; longer ones are refused.
    pub request_size: usize,
    /// How long a request may take to come; a slower one fails.
    pub request_time: Duration,
    /// Calls of the registry at once, over all connections, and as many for the health; further ones wait for a while,
    /// and then fail.
    pub calls: usize,
    /// Calls at once that stay for as long as the client likes: watching the health, and reflection.
    pub watches: usize,
    /// Bytes of manifests in answers that clients have not taken yet; further answers wait for a while, and then fail.
    pub manifests: usize,
    /// How many of those bytes are for one connection.
    pub manifests_per_connection: usize,
    /// How long a client may take nothing of an answer before it is disconnected.
    pub patience: Duration,
    /// The same while others wait for what it holds.
    pub stall: Duration,
    /// How long a new connection may say nothing before it is closed.
    pub greeting: Duration,
    /// A connection of which nothing was heard for so long is asked for a sign of life.
    pub ping_after: Duration,
    /// How long that may take before the connection is closed.
    pub ping_time: Duration,
    /// How long calls that have begun may go on when the server is told to stop.
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
            manifests: 32 << 20,
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
