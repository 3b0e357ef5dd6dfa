//! The gRPC registry API of the Operator Lifecycle Manager, over an index database or a file-based catalog.
//!
//! [`serve`] answers `api.Registry`, the health service and both versions of server reflection on one port without
//! TLS, as OLM expects of a catalog pod. What clients ask for most, packages and the listing of all bundles, is encoded
//! once when the server starts; manifests are read from the file when a bundle is asked for, and never kept.
//! [`probe`] is the client that OLM runs inside the pod to see whether it is alive.

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
pub mod metrics;
mod options;
mod pool;
pub mod probe;
pub mod proto;
mod registry;
mod source;
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

/// The port on which OLM looks for a catalog.
pub(crate) const DEFAULT_PORT: u16 = 50051;

/// Bytes of requests that a client may send before they are read. Requests are short.
const WINDOW: u32 = 64 * 1024;

/// Why a server cannot start, or ended before it was told to.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The index cannot be read.
    #[error(transparent)]
    Index(#[from] ReadError),
    /// The thread that reads the catalog was lost.
    #[error("reading the index was cut off")]
    Prepare {
        /// How it ended.
        source: tokio::task::JoinError,
    },
    /// The address is not free, or not one of this machine.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The description of the API for reflection is not readable.
    #[error("cannot set up server reflection")]
    Reflection {
        /// What is wrong with it.
        source: tonic_reflection::server::Error,
    },
    /// The server failed.
    #[error("the server failed")]
    Transport {
        /// How it failed.
        source: tonic::transport::Error,
    },
}

/// Connections that may wait to be accepted. Where there is no room for one, its client tries again after a second,
/// which is as long as a probe waits for all; Linux allows no more than this, unless it is told to.
const WAITING: u32 = 4096;

/// Takes a port, on one address or, without one, on all addresses of the machine. Port 0 takes any free one. Call it
/// inside a runtime of tokio.
///
/// # Errors
/// When the port is not free or the address is not one of this machine.
pub fn listen(address: Option<IpAddr>, port: u16) -> Result<TcpListener, ServeError> {
    let bind = |address: IpAddr| {
        let address = SocketAddr::new(address, port);
        listen_on(address).map_err(|source| ServeError::Listen { address, source })
    };
    match address {
        Some(address) => bind(address),
        None => match bind(Ipv6Addr::UNSPECIFIED.into()) {
            // A machine may be without IPv6.
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
    // The port may still be that of connections of a server that has ended. On Windows this means something else.
    #[cfg(not(windows))]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(WAITING)
}

/// Serves an index or a catalog on `listener` until `shutdown` is ready, then lets the calls that have begun come to
/// their end.
///
/// Nothing is answered, the health service included, before packages, channels and bundles are read. The index is
/// served as it was opened: a file renamed over it changes nothing, a file written to or cut makes the server answer
/// `UNAVAILABLE` and `NOT_SERVING`.
///
/// # Errors
/// When the index cannot be read or the server fails.
pub async fn serve(
    served: impl Into<Served>,
    listener: TcpListener,
    options: ServerOptions,
    metrics: Arc<Metrics>,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let served = served.into();
    let clients = Arc::new(Clients::new(&options));
    let of_source = Arc::clone(&clients);
    let prepared = tokio::task::spawn_blocking(move || served.prepare(options, of_source)).await;
    let (listing, source) = prepared.map_err(|source| ServeError::Prepare { source })??;
    metrics.catalog(listing.size());
    let registry = Registry::new(listing, source.clone());
    let early = registry.clone();
    tokio::spawn(async move {
        // A failure here is told to whoever asks for a bundle.
        let _ = early.skip_ranges().await;
    });

    let (stop, stopping) = watch::channel(false);
    let experimental = Experimental::new(source.clone());
    let health = Health::of(source, stopping.clone());
    let reflection = |source| ServeError::Reflection { source };
    let router = Server::builder()
        .max_concurrent_streams(options.calls_per_connection)
        .concurrency_limit_per_connection(options.calls_per_connection as usize)
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW)
        .http2_keepalive_interval(Some(options.ping_after))
        .http2_keepalive_timeout(Some(options.ping_time))
        .http2_max_header_list_size(16 * 1024)
        .layer(CallsLayer::new(Arc::clone(&metrics), &options, &clients))
        .add_service(RegistryServer::new(registry).max_decoding_message_size(options.request_size))
        .add_service(ExperimentalRegistryServer::new(experimental).max_decoding_message_size(options.request_size))
        .add_service(HealthServer::new(health).max_decoding_message_size(options.request_size))
        .add_service(described().build_v1().map_err(reflection)?)
        .add_service(described().build_v1alpha().map_err(reflection)?);

    let mut told = stopping;
    let incoming = connection::accept(listener, options, clients, metrics);
    let server = router.serve_with_incoming_shutdown(incoming, async move {
        let _ = told.wait_for(|stopping| *stopping).await;
    });
    tokio::pin!(server);
    let ended = tokio::select! {
        ended = &mut server => ended,
        () = shutdown => {
            tracing::info!("stopping");
            let _ = stop.send(true);
            // What has not come to its end by then is cut off.
            tokio::time::timeout(options.drain, server).await.unwrap_or(Ok(()))
        }
    };
    ended.map_err(|source| ServeError::Transport { source })
}

/// Ready when the process is asked to end: SIGTERM or SIGINT, elsewhere Ctrl-C.
///
/// # Errors
/// When the system does not let signals be handled.
pub(crate) fn shutdown_signal() -> io::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        Ok(async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        })
    }
    #[cfg(not(unix))]
    {
        Ok(async {
            let _ = tokio::signal::ctrl_c().await;
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
