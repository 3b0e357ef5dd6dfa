//! Errors of registry requests.

mod meaning;

pub(super) use meaning::shortened;

use crate::causes::with_causes;
use crate::image::credentials::CredentialError;
use crate::image::digest::Digest;
use crate::image::problem::ContentProblem;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A registry request that failed after all retries. Unlike that of other errors, its message includes the reason, and
/// ends with the number of attempts; it has no `source()`.
#[derive(Debug, thiserror::Error)]
#[error("{image}: {request}{}", result(failure, *attempts))]
pub struct RegistryError {
    /// The image reference in its original spelling.
    pub image: String,
    /// The method and URL, such as `GET https://registry.example.com/v2/team/bundle/manifests/v1`; the host if no
    /// request was sent to it.
    pub request: String,
    /// The reason for the failure.
    pub failure: Arc<RegistryFailure>,
    /// The number of attempts; 0 if no request was sent because an earlier request could not reach the host.
    pub attempts: u32,
}

/// What is known about the credentials when a registry requires a login.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoginTried {
    /// It is unknown whether there are credentials.
    Unknown,
    /// No credentials were found.
    Missing {
        /// The files that were searched.
        files: Vec<PathBuf>,
    },
    /// The registry rejected the credentials.
    Rejected {
        /// The source of the credentials.
        source: String,
    },
}

impl fmt::Display for LoginTried {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => formatter.write_str("a login is required"),
            Self::Missing { files } if files.is_empty() => {
                formatter.write_str("a login is required, but no credentials were specified")
            }
            Self::Missing { files } => {
                let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
                write!(
                    formatter,
                    "a login is required, but no credentials were found in {}",
                    files.join(", ")
                )
            }
            Self::Rejected { source } => write!(formatter, "the registry rejected the credentials from {source}"),
        }
    }
}

/// The reason for the failure of a request.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryFailure {
    /// The repository, tag, digest or blob does not exist.
    #[error("not found{}", detail(message))]
    NotFound {
        /// Whether the error code names the missing object, such as an unknown repository. Without such a code, the
        /// registry might not support the request at all.
        is_named: bool,
        /// The message of the registry.
        message: String,
    },
    /// The registry requires a login, or rejects the credentials.
    #[error("{login}{}", detail(message))]
    Unauthorized {
        /// What is known about the credentials.
        login: LoginTried,
        /// The message of the registry.
        message: String,
    },
    /// The credentials do not permit the request.
    #[error("access denied{}", detail(message))]
    Denied {
        /// The message of the registry.
        message: String,
    },
    /// The registry rejects the request because of its rate limit.
    #[error("too many requests{}{}", wait(*retry_after), detail(message))]
    RateLimited {
        /// The delay that the registry requested.
        retry_after: Option<Duration>,
        /// The message of the registry.
        message: String,
    },
    /// The registry failed: status 408 or 5xx.
    #[error("the registry failed (status {status}){}", detail(message))]
    Unavailable {
        /// The HTTP status.
        status: u16,
        /// The delay that the registry requested.
        retry_after: Option<Duration>,
        /// The message of the registry.
        message: String,
    },
    /// A response with an unexpected status.
    #[error("unexpected response (status {status}){}", detail(message))]
    Refused {
        /// The HTTP status.
        status: u16,
        /// The message of the registry.
        message: String,
    },
    /// The connection could not be established, or was interrupted.
    #[error("cannot connect: {cause}")]
    Connection {
        /// The error reported by the system.
        cause: String,
    },
    /// No data arrived within the time limit.
    #[error("no response for {}", seconds(*limit))]
    Stalled {
        /// The time that opmx waited.
        limit: Duration,
    },
    /// The response did not arrive completely within the time limit.
    #[error("the response is still incomplete after {}", seconds(*limit))]
    TooLong {
        /// The maximum time for a response.
        limit: Duration,
    },
    /// The content of a blob was transferred too slowly.
    #[error("received or sent fewer than {least_rate} bytes per second for {}", seconds(*window))]
    TooSlow {
        /// The minimum rate in bytes per second.
        least_rate: u64,
        /// The time window over which the rate was measured.
        window: Duration,
    },
    /// A TLS failure, such as an untrusted certificate.
    #[error("cannot establish a secure connection: {cause}{}", of_authorities(authorities.as_deref()))]
    Tls {
        /// The error reported by the TLS library.
        cause: String,
        /// The file with additional certificate authorities, if none of them issued the certificate of the server.
        authorities: Option<PathBuf>,
    },
    /// The file with additional certificate authorities cannot be used.
    #[error("{} {problem}", file.display())]
    Authorities {
        /// The file.
        file: PathBuf,
        /// The problem with its content.
        problem: String,
    },
    /// A setting from outside of opmx cannot be used.
    #[error("{problem}")]
    Setting {
        /// The setting and its problem.
        problem: String,
    },
    /// The certificate of the server is that of an authority, and is not itself trusted.
    #[error("the server uses the certificate of a certificate authority, which is not trusted as a server certificate")]
    AuthorityAsServer,
    /// The server responded with plain HTTP, but HTTPS was expected.
    #[error("the server responded with plain HTTP, but HTTPS was expected")]
    PlainHttp,
    /// The server expects HTTPS, but plain HTTP was used.
    #[error("the server expects HTTPS, but plain HTTP was used")]
    HttpsExpected,
    /// A redirect that is not followed.
    #[error("a redirect to {location} is not followed: {reason}")]
    Redirect {
        /// The scheme, host and port of the redirect target.
        location: String,
        /// The reason why the redirect is not followed.
        reason: &'static str,
    },
    /// The registry redirects to a server that requires a login, but the credentials are only sent to the registry
    /// itself.
    #[error(
        "the registry redirects to {origin}, which requires a login, but the credentials for the registry are not sent there"
    )]
    ForeignLogin {
        /// The scheme, host and port of the server.
        origin: String,
    },
    /// A token server to which opmx is not allowed to connect.
    #[error("the registry specifies the token server {realm}, which is not allowed: {problem}")]
    Realm {
        /// The URL of the token server without its query.
        realm: String,
        /// The problem with the token server.
        problem: String,
    },
    /// The registry refers to a server at a location to which it may not direct opmx.
    #[error("{problem}")]
    Address {
        /// The host, location and address of the server.
        problem: String,
    },
    /// The response ended prematurely.
    #[error("the response was truncated: {cause}")]
    ShortBody {
        /// The error reported by the HTTP client.
        cause: String,
    },
    /// The content does not match its digest, size or media type.
    #[error("{part} {problem}")]
    Content {
        /// The affected part: the manifest, or a blob with its digest.
        part: String,
        /// The problem with this part.
        problem: ContentProblem,
    },
    /// A response with an invalid header or token.
    #[error("the response is invalid: {problem}")]
    Protocol {
        /// The problem with the response.
        problem: String,
    },
    /// The digest of the stored manifest differs from the digest of the manifest that was sent.
    #[error("the registry reports the digest {found} instead of {expected}")]
    OtherDigest {
        /// The digest of the content that was sent.
        expected: Digest,
        /// The digest that the registry reports.
        found: Digest,
    },
    /// The credentials could not be read.
    #[error(transparent)]
    Credentials(#[from] CredentialError),
    /// A local file could not be read or written.
    #[error(transparent)]
    File(#[from] crate::files::FileError),
}

impl RegistryError {
    pub(super) fn new(image: &str, request: impl Into<String>, failure: RegistryFailure) -> Self {
        Self {
            image: image.to_owned(),
            request: request.into(),
            failure: Arc::new(failure),
            attempts: 1,
        }
    }
}

impl RegistryFailure {
    /// Whether the server cannot be reached with the current options: the connection failed or is not trusted, or the
    /// certificates or credentials cannot be read.
    pub(crate) fn is_unreachable(&self) -> bool {
        matches!(
            self,
            Self::Connection { .. }
                | Self::Tls { .. }
                | Self::AuthorityAsServer
                | Self::PlainHttp
                | Self::HttpsExpected
        ) || self.is_local()
    }

    /// Whether a local file or setting cannot be used, so that the server received no request.
    pub(crate) fn is_local(&self) -> bool {
        matches!(
            self,
            Self::Authorities { .. } | Self::Setting { .. } | Self::Credentials(_) | Self::File(_)
        )
    }

    /// Whether the failure means that the registry requires a login, or rejects the current login.
    pub(crate) fn is_login(&self) -> bool {
        matches!(self, Self::Unauthorized { .. } | Self::Denied { .. })
    }

    /// Whether the registry reports that the requested object does not exist, is not supported, or is not available to
    /// this client. Registries report these cases in different ways.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::NotFound { .. }
                | Self::Unauthorized { .. }
                | Self::Denied { .. }
                | Self::Refused { .. }
                | Self::Redirect { .. }
        )
    }

    /// Whether the response means that the registry does not support the request, regardless of the requested object.
    pub(super) fn is_unsupported(&self) -> bool {
        matches!(
            self,
            Self::NotFound { is_named: false, .. } | Self::Refused { status: 405 | 501, .. }
        )
    }
}

fn detail(message: &str) -> String {
    if message.is_empty() {
        String::new()
    } else {
        format!(": {message}")
    }
}

fn wait(retry_after: Option<Duration>) -> String {
    retry_after.map_or_else(String::new, |wait| {
        let whole = Duration::from_secs(wait.as_secs());
        format!(" (the registry requested a wait of {})", seconds(whole))
    })
}

fn seconds(time: Duration) -> String {
    let unit = if time == Duration::from_secs(1) {
        "second"
    } else {
        "seconds"
    };
    format!("{} {unit}", time.as_secs_f64())
}

fn of_authorities(file: Option<&Path>) -> String {
    file.map_or_else(String::new, |file| {
        format!(
            "; the certificate of the server was not signed by any of the authorities in {}",
            file.display()
        )
    })
}

fn result(failure: &RegistryFailure, attempts: u32) -> String {
    match attempts {
        0 => " could not be reached by an earlier request".to_owned(),
        1 => format!(": {}", with_causes(failure)),
        attempts => format!(": {} (tried {attempts} times)", with_causes(failure)),
    }
}
