//! The gRPC registry API of the Operator Lifecycle Manager, for an index database or a file-based catalog.
//!
//! [`serve`] answers `api.Registry`, `api.ExperimentalRegistry`, the health service and both versions of server
//! reflection on one port without TLS, as OLM expects from a catalog pod. The most frequently requested data (the
//! packages and the listing of all bundles) is encoded once when the server starts. Manifests are read from the file
//! whenever a bundle is requested, and are not cached. [`probe`] is the client that OLM runs inside the pod to check
//! its health.

mod budget;
mod calls;
mod clients;
mod connection;
pub mod encoded;
mod experimental;
pub mod file_based;
mod health;
mod json_message;
mod listing;
mod method;
pub mod metrics;
mod options;
mod outgoing;
pub(crate) mod pages;
mod pool;
pub mod probe;
pub mod proto;
mod registry;
pub(crate) mod scrape;
mod source;
mod unread;
mod wording;

use crate::database::read::ReadError;
use calls::CallsLayer;
use clients::Clients;
use experimental::Experimental;
use health::Health;
use metrics::Metrics;
pub use options::ServerOptions;
use proto::service::experimental_registry_server::ExperimentalRegistryServer;
use proto::service::registry_server::RegistryServer;
use registry::Registry;
pub use source::Served;
use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;
use tonic::transport::Server;
use tonic_health::pb::health_server::HealthServer;
use tonic_reflection::server::Builder as Reflection;

/// The port on which OLM expects a catalog server.
pub(crate) const DEFAULT_PORT: u16 = 50051;

/// The number of request bytes that a client may send before the server reads them. Requests are short.
const WINDOW: u32 = 64 * 1024;

/// The maximum size in bytes of the headers of a call. The compressed headers of a client can be much smaller than the
/// memory that they take while the call waits for the rest of the request.
const HEADERS: u32 = 8 * 1024;

/// An error that prevents a server from starting or stops it early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The index cannot be read.
    #[error(transparent)]
    Index(#[from] ReadError),
    /// The thread that reads the catalog failed.
    #[error("reading the index was interrupted")]
    Prepare {
        /// The error of the thread.
        source: tokio::task::JoinError,
    },
    /// The address is in use or does not belong to this machine.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The I/O error.
        source: io::Error,
    },
    /// The description of the API for reflection cannot be read.
    #[error("cannot set up server reflection")]
    Reflection {
        /// The problem with the description.
        source: tonic_reflection::server::Error,
    },
    /// The server failed.
    #[error("the server failed")]
    Transport {
        /// The error of the server.
        source: tonic::transport::Error,
    },
}

/// The number of connections that may wait to be accepted. A client for whose connection there is no room tries again
/// only after a second, but a health probe fails after one second. Linux does not allow a larger number by default.
const WAITING: u32 = 4096;

/// Listens on a port, either on one address or, by default, on all addresses of the machine. Port 0 selects any free
/// port. Must be called inside a tokio runtime.
///
/// # Errors
/// Returns an error if the port is in use or the address does not belong to this machine.
pub fn listen(address: Option<IpAddr>, port: u16) -> Result<TcpListener, ServeError> {
    let bind = |address: IpAddr| {
        let address = SocketAddr::new(address, port);
        listen_on(address).map_err(|source| ServeError::Listen { address, source })
    };
    match address {
        Some(address) => bind(address),
        None => match bind(Ipv6Addr::UNSPECIFIED.into()) {
            // The machine might not support IPv6.
            Err(ServeError::Listen { source, .. }) if source.kind() != io::ErrorKind::AddrInUse => {
                bind(Ipv4Addr::UNSPECIFIED.into())
            }
            listener => listener,
        },
    }
}

fn listen_on(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // The port may still belong to connections of a server that has ended. On Windows, the option has a different
    // meaning.
    #[cfg(not(windows))]
    socket.set_reuseaddr(true)?;
    // The address stands for all addresses, but the system may be configured to accept only IPv6 clients at it.
    #[cfg(unix)]
    if address.ip() == IpAddr::V6(Ipv6Addr::UNSPECIFIED) {
        let _ = rustix::net::sockopt::set_ipv6_v6only(&socket, false);
    }
    socket.bind(address)?;
    socket.listen(WAITING)
}

/// Serves an index or a catalog on `listener` until `shutdown` is ready, then lets the calls in progress finish.
///
/// No request is answered, not even by the health service, until packages, channels and bundles are read. The index is
/// served in the state in which it was opened. Renaming another file over it has no effect. If the file is written to
/// or truncated, the server answers `UNAVAILABLE` and `NOT_SERVING`, and `on_fault` receives the reason.
///
/// ```no_run
/// use opmx::database::read::Database;
/// use opmx::server::metrics::Metrics;
/// use opmx::server::{ServerOptions, listen, serve};
/// use std::path::Path;
/// use std::sync::Arc;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let database = Database::open(Path::new("index.db"))?;
/// let listener = listen(None, 50_051)?;
/// let on_fault = |reason: &str| eprintln!("{reason}");
/// let shutdown = std::future::pending();
/// serve(database, listener, ServerOptions::default(), Arc::new(Metrics::default()), on_fault, shutdown).await?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns an error if the index cannot be read or the server fails.
pub async fn serve(
    served: impl Into<Served>,
    listener: TcpListener,
    options: ServerOptions,
    metrics: Arc<Metrics>,
    on_fault: impl Fn(&str),
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let served = served.into();
    let clients = Arc::new(Clients::new(&options));
    let of_source = Arc::clone(&clients);
    let prepared = tokio::task::spawn_blocking(move || served.prepare(options, of_source)).await;
    let (listing, source) = prepared.map_err(|source| ServeError::Prepare { source })??;
    metrics.catalog(listing.size());
    metrics.serving(true);
    let registry = Registry::new(listing, source.clone());
    let early = registry.clone();
    tokio::spawn(async move {
        // If this fails, the next request for a bundle reads the skip ranges again, and reports a failure to its
        // client.
        let _ = early.skip_ranges().await;
    });

    let (stop, stopping) = watch::channel(false);
    let experimental = Experimental::new(source.clone());
    let (health, watch) = Health::of(source);
    let reflection = |source| ServeError::Reflection { source };
    let router = Server::builder()
        .max_concurrent_streams(options.calls_per_connection)
        .concurrency_limit_per_connection(options.calls_per_connection as usize)
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW)
        .http2_keepalive_interval(Some(options.ping_after))
        .http2_keepalive_timeout(Some(options.ping_time))
        .http2_max_header_list_size(HEADERS)
        .layer(CallsLayer::new(Arc::clone(&metrics), &options, &clients))
        .add_service(RegistryServer::new(registry).max_decoding_message_size(options.request_size))
        .add_service(ExperimentalRegistryServer::new(experimental).max_decoding_message_size(options.request_size))
        .add_service(HealthServer::new(health).max_decoding_message_size(options.request_size))
        .add_service(described().build_v1().map_err(reflection)?)
        .add_service(described().build_v1alpha().map_err(reflection)?);

    let mut stopping = stopping;
    let incoming = connection::accept(listener, options, clients, Some(Arc::clone(&metrics)));
    let server = router.serve_with_incoming_shutdown(incoming, async move {
        let _ = stopping.wait_for(|is_stopping| *is_stopping).await;
    });
    tokio::pin!(server);
    let ended = tokio::select! {
        ended = &mut server => ended,
        never = watch.run(&metrics, on_fault) => match never {},
        () = shutdown => {
            tracing::info!("stopping");
            let _ = stop.send(true);
            // Calls that have not finished by then are cancelled.
            tokio::time::timeout(options.drain, server).await.unwrap_or(Ok(()))
        }
    };
    ended.map_err(|source| ServeError::Transport { source })
}

/// Returns a future that is ready when the process is asked to stop: by SIGTERM or SIGINT on Unix, or by Ctrl-C
/// elsewhere. The result is the number of the signal.
///
/// # Errors
/// Returns an error if signal handlers cannot be installed.
pub(crate) fn shutdown_signal() -> io::Result<impl Future<Output = i32>> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        Ok(async move {
            tokio::select! {
                _ = terminate.recv() => SignalKind::terminate().as_raw_value(),
                _ = interrupt.recv() => SignalKind::interrupt().as_raw_value(),
            }
        })
    }
    #[cfg(not(unix))]
    {
        Ok(async {
            let _ = tokio::signal::ctrl_c().await;
            2
        })
    }
}

fn described() -> Reflection<'static> {
    Reflection::configure()
        .include_reflection_service(false)
        .register_encoded_file_descriptor_set(proto::DESCRIPTORS)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        .register_encoded_file_descriptor_set(tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET)
        .register_encoded_file_descriptor_set(tonic_reflection::pb::v1alpha::FILE_DESCRIPTOR_SET)
}
