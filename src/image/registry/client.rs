//! HTTP clients with their trusted certificates, proxies and allowed addresses.

use super::address::{Reach, Zone, is_this_machine, written};
use super::error::RegistryFailure;
use super::hosts::Hosts;
use super::pace::TimeLimits;
use super::settings::{is_exempt_by_port, problem_of_proxy};
use super::tls;
use crate::concurrent;
use crate::files::{FileError, read_at_most};
use crate::image::options::{ImageOptions, UnusableSettings};
use hyper_util::client::proxy::matcher::Matcher;
use reqwest::redirect::Policy;
use reqwest::{Client, Response, Url};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::{self, PemObject};
use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Once, OnceLock};
use std::time::Duration;

/// The maximum size in bytes of a file with certificates.
const CA_LIMIT: u64 = 16 << 20;

/// The options for connections to registries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ConnectionOptions {
    /// A PEM file with certificates that are trusted in addition to the system certificates.
    pub(super) ca_file: Option<PathBuf>,
    /// A file with credentials that must exist, even if no registry asks for a login.
    pub(super) authfile: Option<PathBuf>,
    /// The settings from outside that cannot be used.
    pub(super) unusable: UnusableSettings,
    /// Whether to accept any certificate.
    pub(super) skip_tls_verify: bool,
    /// Whether to use plain HTTP for every registry.
    pub(super) use_http: bool,
    /// The maximum time to establish a connection.
    pub(super) connect_timeout: Duration,
    /// The time limits of requests.
    pub(super) time_limits: TimeLimits,
}

impl From<&ImageOptions> for ConnectionOptions {
    fn from(options: &ImageOptions) -> Self {
        Self {
            ca_file: options.ca_file.clone(),
            authfile: options.credentials.named_file().map(Path::to_owned),
            unusable: options.unusable.clone(),
            skip_tls_verify: options.skip_tls_verify,
            use_http: options.use_http,
            connect_timeout: options.connect_timeout,
            time_limits: TimeLimits {
                stall: options.stall_timeout,
                request: options.request_timeout,
                least_rate: options.least_rate,
                rate_window: options.rate_window,
                settle: options.settle,
            },
        }
    }
}

/// HTTP clients that are created on first use, so that commands that do not access a registry need no certificates.
#[derive(Debug)]
pub(super) struct Clients {
    pub(super) options: ConnectionOptions,
    pub(super) hosts: Hosts,
    proxies: OnceLock<Matcher>,
    made: Mutex<HashMap<Way, Client>>,
}

/// The route to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Way {
    /// Through a proxy, which resolves names itself.
    Proxy,
    /// Directly, and only to addresses within this reach.
    Direct(Reach),
}

impl Clients {
    pub(super) fn new(options: ConnectionOptions) -> Self {
        Self {
            options,
            hosts: Hosts::default(),
            proxies: OnceLock::new(),
            made: Mutex::new(HashMap::new()),
        }
    }

    /// Returns a client for a URL. The client connects only to addresses within `reach`, and does not follow redirects.
    pub(super) fn client(&self, url: &Url, reach: Reach) -> Result<Client, RegistryFailure> {
        reach.check(url)?;
        if let Some(problem) = self.unusable(url) {
            let problem = problem.to_owned();
            return Err(RegistryFailure::Setting { problem });
        }
        let way = if self.is_proxied(url) {
            Way::Proxy
        } else {
            Way::Direct(reach)
        };
        let mut made = concurrent::lock(&self.made);
        if let Some(client) = made.get(&way) {
            return Ok(client.clone());
        }
        let client = self.build(way)?;
        made.insert(way, client.clone());
        Ok(client)
    }

    /// Returns the problem with a setting that a request to this URL needs.
    fn unusable(&self, url: &Url) -> Option<&str> {
        let ConnectionOptions { unusable, .. } = &self.options;
        let verifies = url.scheme() == "https" && !self.options.skip_tls_verify && self.options.ca_file.is_none();
        let certificates = unusable.certificates.as_deref().filter(|_| verifies);
        problem_of_proxy(unusable, url).or(certificates)
    }

    /// Converts an error of the HTTP client to a failure.
    pub(super) fn failure(&self, error: &reqwest::Error) -> RegistryFailure {
        RegistryFailure::of_request(error, self.options.ca_file.as_deref())
    }

    /// Returns the network location of the server that sent a response.
    pub(super) fn zone(&self, url: &Url, answer: &Response) -> Zone {
        let address = if self.is_proxied(url) {
            written(url)
        } else {
            answer.remote_addr().map(|address| address.ip())
        };
        address.map_or(Zone::Public, Zone::of)
    }

    /// Whether a URL is requested through a proxy. As in the container tools, proxies are never used for this machine
    /// itself.
    fn is_proxied(&self, url: &Url) -> bool {
        let proxies = self.proxies.get_or_init(Matcher::from_system);
        let uri = url.as_str().parse::<hyper::Uri>();
        let is_exempt = is_this_machine(url) || is_exempt_by_port(&self.options.unusable.without_proxy, url);
        !is_exempt && uri.is_ok_and(|uri| proxies.intercept(&uri).is_some())
    }

    fn build(&self, way: Way) -> Result<Client, RegistryFailure> {
        install_provider();
        if let Some(file) = &self.options.authfile {
            fs::metadata(file).map_err(|error| FileError::new("read", file, error))?;
        }
        let certificates = self.certificates()?;
        let builder = Client::builder()
            .user_agent(concat!("opmx/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(self.options.connect_timeout)
            .redirect(Policy::none());
        let builder = match way {
            Way::Proxy => builder,
            Way::Direct(reach) => builder.no_proxy().dns_resolver(Arc::new(reach)),
        };
        let builder = if self.options.skip_tls_verify {
            builder.danger_accept_invalid_certs(true)
        } else {
            let config = tls::config(certificates).map_err(|error| match &self.options.ca_file {
                Some(file) => RegistryFailure::Authorities {
                    file: file.clone(),
                    problem: format!("cannot be used: {error}"),
                },
                None => RegistryFailure::Tls {
                    cause: error.to_string(),
                    authorities: None,
                },
            })?;
            builder.tls_backend_preconfigured(config)
        };
        builder.build().map_err(|error| RegistryFailure::of_client(&error))
    }

    fn certificates(&self) -> Result<Vec<CertificateDer<'static>>, RegistryFailure> {
        let Some(file) = &self.options.ca_file else {
            return Ok(Vec::new());
        };
        let pem = File::open(file)
            .and_then(|opened| read_at_most(opened, CA_LIMIT))
            .map_err(|error| FileError::new("read", file, error))?;
        let fail = |problem: String| RegistryFailure::Authorities {
            file: file.clone(),
            problem,
        };
        let certificates = CertificateDer::pem_slice_iter(&pem).collect::<Result<Vec<_>, _>>();
        let certificates = certificates.map_err(|error| fail(format!("is not valid PEM: {}", problem_of(&error))))?;
        if certificates.is_empty() {
            return Err(fail("contains no PEM certificate".to_owned()));
        }
        Ok(certificates)
    }
}

/// Describes a problem with a PEM file. The texts of the library show lines as lists of numbers.
fn problem_of(error: &pem::Error) -> String {
    match error {
        pem::Error::MissingSectionEnd { .. } => "the end marker of a section is missing".to_owned(),
        pem::Error::IllegalSectionStart { .. } => "the begin marker of a section is incomplete".to_owned(),
        pem::Error::Base64Decode(_) => "a section is not valid base64".to_owned(),
        other => other.to_string(),
    }
}

/// Installs the process-wide cryptography provider for TLS.
fn install_provider() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // If a program that uses this library has installed another provider, that provider is used.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::causes::with_causes;

    /// Returns the error for a file with certificates.
    fn error_with(file: &Path) -> String {
        let options = ConnectionOptions {
            ca_file: Some(file.to_owned()),
            authfile: None,
            unusable: UnusableSettings::default(),
            skip_tls_verify: false,
            use_http: false,
            connect_timeout: Duration::from_secs(1),
            time_limits: TimeLimits {
                stall: Duration::from_secs(1),
                request: Duration::from_secs(1),
                least_rate: 0,
                rate_window: Duration::from_secs(1),
                settle: Duration::from_secs(1),
            },
        };
        let url = "https://localhost".parse().unwrap();
        let client = Clients::new(options).client(&url, Reach::ANYWHERE);
        with_causes(&client.unwrap_err())
    }

    #[test]
    fn a_file_without_certificates_is_reported() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("ca.pem");
        let error = error_with(&file);
        assert!(error.contains("ca.pem"), "{error}");
        fs::write(&file, "nothing").unwrap();
        let error = error_with(&file);
        assert!(error.contains("contains no PEM certificate"), "{error}");
    }

    #[test]
    fn the_problem_of_a_damaged_or_too_large_file_with_certificates_is_reported() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("ca.pem");
        for (content, problem) in [
            (
                "-----BEGIN CERTIFICATE-----\nQUJD\n",
                "the end marker of a section is missing",
            ),
            (
                "-----BEGIN CERTIFICATE\n",
                "the begin marker of a section is incomplete",
            ),
            (
                "-----BEGIN CERTIFICATE-----\n?\n-----END CERTIFICATE-----\n",
                "a section is not valid base64",
            ),
        ] {
            fs::write(&file, content).unwrap();
            let error = error_with(&file);
            let expected = format!("ca.pem is not valid PEM: {problem}");
            assert!(error.ends_with(&expected), "{error}");
        }
        File::create(&file).unwrap().set_len(CA_LIMIT + 1).unwrap();
        let error = error_with(&file);
        assert!(error.ends_with("the content is larger than 16777216 bytes"), "{error}");
    }
}
