//! The HTTP clients: trust, proxies, redirects and time limits.

use super::error::{RefusedRedirect, RegistryFailure};
use crate::files::FileError;
use reqwest::redirect::{Attempt, Policy};
use reqwest::{Certificate, Client};
use std::path::PathBuf;
use std::sync::{Once, OnceLock};
use std::time::Duration;

const MOST_REDIRECTS: usize = 10;

/// How connections to registries are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::image) struct ConnectionOptions {
    /// Certificates in PEM that are trusted besides those of the system.
    pub(in crate::image) ca_file: Option<PathBuf>,
    /// Accept any certificate.
    pub(in crate::image) skip_tls_verify: bool,
    /// Speak plain HTTP to every registry.
    pub(in crate::image) use_http: bool,
    /// How long a connection may take to come about.
    pub(in crate::image) connect_timeout: Duration,
    /// How long nothing may arrive or leave before a request counts as failed.
    pub(in crate::image) stall_timeout: Duration,
}

/// Clients made when they are first needed, so that commands without a registry need no certificates.
#[derive(Debug)]
pub(super) struct Clients {
    pub(super) options: ConnectionOptions,
    proxied: OnceLock<Client>,
    direct: OnceLock<Client>,
}

impl Clients {
    pub(super) fn new(options: ConnectionOptions) -> Self {
        Self {
            options,
            proxied: OnceLock::new(),
            direct: OnceLock::new(),
        }
    }

    /// The client for a host. As in the container tools, this machine itself is never asked through a proxy.
    pub(super) fn for_host(&self, host: &str) -> Result<Client, RegistryFailure> {
        let own = is_loopback(host);
        let slot = if own { &self.direct } else { &self.proxied };
        if let Some(client) = slot.get() {
            return Ok(client.clone());
        }
        let client = self.build(own)?;
        Ok(slot.get_or_init(|| client).clone())
    }

    fn build(&self, direct: bool) -> Result<Client, RegistryFailure> {
        install_provider();
        let certificates = self.certificates()?;
        let builder = || {
            let mut builder = Client::builder()
                .user_agent(concat!("opmx/", env!("CARGO_PKG_VERSION")))
                .connect_timeout(self.options.connect_timeout)
                .redirect(Policy::custom(follow))
                .danger_accept_invalid_certs(self.options.skip_tls_verify);
            if direct {
                builder = builder.no_proxy();
            }
            builder
        };
        let client = builder().tls_certs_merge(certificates.clone()).build();
        // A container without any certificates can still speak plain HTTP, and trust --ca-file.
        let client = client.or_else(|_| builder().tls_certs_only(certificates).build());
        client.map_err(|error| RegistryFailure::of_client(&error))
    }

    fn certificates(&self) -> Result<Vec<Certificate>, RegistryFailure> {
        let Some(file) = &self.options.ca_file else {
            return Ok(Vec::new());
        };
        let pem = std::fs::read(file).map_err(|error| FileError::new("read", file, error))?;
        let certificates = Certificate::from_pem_bundle(&pem).unwrap_or_default();
        if certificates.is_empty() {
            return Err(RegistryFailure::Tls {
                cause: format!("{} holds no certificate in PEM", file.display()),
            });
        }
        Ok(certificates)
    }
}

/// TLS needs a provider of cryptography for the whole process.
fn install_provider() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // A program that uses this library may have installed one of its own, which then serves.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

/// Registries redirect to where their blobs are. The client itself does not send credentials to another host.
fn follow(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let weaker = attempt.url().scheme() != "https"
        && attempt
            .previous()
            .last()
            .is_some_and(|previous| previous.scheme() == "https");
    let reason = if weaker {
        "it would leave HTTPS"
    } else if attempt.previous().len() > MOST_REDIRECTS {
        "there were 10 redirects before"
    } else {
        return attempt.follow();
    };
    let location = attempt.url().origin().ascii_serialization();
    attempt.error(RefusedRedirect { location, reason })
}

fn is_loopback(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let address = name.parse::<std::net::IpAddr>();
    name == "localhost" || name.ends_with(".localhost") || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_known_by_its_names() {
        for host in [
            "localhost",
            "localhost:5000",
            "127.0.0.1:5000",
            "127.1.2.3",
            "a.localhost:1",
        ] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["registry.example.com", "localhost.example.com:5000", "10.0.0.1:5000"] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn a_file_without_certificates_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("ca.pem");
        let build = || {
            let options = ConnectionOptions {
                ca_file: Some(file.clone()),
                skip_tls_verify: false,
                use_http: false,
                connect_timeout: Duration::from_secs(1),
                stall_timeout: Duration::from_secs(1),
            };
            Clients::new(options).for_host("localhost").unwrap_err().to_string()
        };
        assert!(build().contains("ca.pem"), "{}", build());
        std::fs::write(&file, "nothing").unwrap();
        assert!(build().contains("holds no certificate"), "{}", build());
    }
}
