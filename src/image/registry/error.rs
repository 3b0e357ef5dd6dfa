//! Errors of registry requests.

use super::address::RefusedAddress;
use super::tls::is_authority;
use crate::causes::with_causes;
use crate::image::credentials::CredentialError;
use crate::image::digest::Digest;
use crate::image::problem::ContentProblem;
use crate::visible::is_hidden;
use oci_distribution::errors::{OciEnvelope, OciErrorCode};
use reqwest::StatusCode;
use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A registry request that failed after all retries.
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
    /// The certificate of the server is that of an authority, and is not itself trusted.
    #[error("the certificate of the server is that of a certificate authority, and is not itself trusted")]
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

    /// Whether a local file cannot be used, so that the server received no request.
    pub(crate) fn is_local(&self) -> bool {
        matches!(self, Self::Credentials(_) | Self::File(_))
    }

    /// Whether the failure means that the registry requires a login, or rejects the current login.
    pub(crate) fn is_login(&self) -> bool {
        matches!(self, Self::Unauthorized { .. } | Self::Denied { .. })
    }

    /// Whether the registry reports that the requested object does not exist, is not supported, or is not available to
    /// this client. Registries report these cases in different ways.
    pub(super) fn is_refusal(&self) -> bool {
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

    /// Creates a failure from a status, its `Retry-After` delay, and the response body.
    pub(super) fn of_status(status: StatusCode, retry_after: Option<Duration>, body: &[u8]) -> Self {
        let (code, message) = envelope(body);
        match status {
            _ if code == Some(OciErrorCode::Toomanyrequests) => Self::RateLimited { retry_after, message },
            StatusCode::NOT_FOUND => Self::NotFound {
                is_named: code.is_some_and(|code| names_object(&code)),
                message,
            },
            StatusCode::UNAUTHORIZED => Self::Unauthorized {
                login: LoginTried::Unknown,
                message,
            },
            StatusCode::FORBIDDEN => Self::Denied { message },
            StatusCode::TOO_MANY_REQUESTS => Self::RateLimited { retry_after, message },
            StatusCode::BAD_REQUEST if wants_https(body) => Self::HttpsExpected,
            StatusCode::NOT_IMPLEMENTED => Self::Refused { status: 501, message },
            StatusCode::REQUEST_TIMEOUT => Self::Unavailable {
                status: 408,
                retry_after,
                message,
            },
            status if status.is_server_error() => Self::Unavailable {
                status: status.as_u16(),
                retry_after,
                message,
            },
            status => Self::Refused {
                status: status.as_u16(),
                message,
            },
        }
    }

    /// Creates a failure from an error of an HTTP client that trusts the authorities in `trusted` in addition to the
    /// system authorities.
    pub(super) fn of_request(error: &reqwest::Error, trusted: Option<&Path>) -> Self {
        let is_unknown = causes(error).any(|cause| {
            matches!(
                cause.downcast_ref(),
                Some(rustls::Error::InvalidCertificate(
                    rustls::CertificateError::UnknownIssuer | rustls::CertificateError::BadSignature
                ))
            )
        });
        match Self::of_client(error) {
            Self::Tls { cause, .. } if is_unknown => Self::Tls {
                cause,
                authorities: trusted.map(Path::to_owned),
            },
            failure => failure,
        }
    }

    /// Creates a failure from an error of the HTTP client.
    pub(super) fn of_client(error: &reqwest::Error) -> Self {
        for cause in causes(error) {
            match cause.downcast_ref() {
                Some(rustls::Error::InvalidMessage(_)) => return Self::PlainHttp,
                Some(tls) if is_authority(tls) => return Self::AuthorityAsServer,
                Some(tls) => {
                    return Self::Tls {
                        cause: tls.to_string(),
                        authorities: None,
                    };
                }
                None => {}
            }
            if let Some(address) = cause.downcast_ref::<RefusedAddress>() {
                return address.clone().into();
            }
        }
        // The last error in the chain is the most specific.
        let cause = causes(error)
            .last()
            .map(|cause| shortened(&cause.to_string()))
            .unwrap_or_default();
        if error.is_body() || error.is_decode() {
            Self::ShortBody { cause }
        } else if error.is_builder() {
            Self::Protocol { problem: cause }
        } else {
            Self::Connection { cause }
        }
    }
}

impl From<RefusedAddress> for RegistryFailure {
    fn from(address: RefusedAddress) -> Self {
        Self::Address {
            problem: address.to_string(),
        }
    }
}

/// Whether an error code says that an object is missing or not available to this client.
fn names_object(code: &OciErrorCode) -> bool {
    !matches!(code, OciErrorCode::Unsupported | OciErrorCode::Other(_))
}

/// Returns the code and message of the first error in the body or, if it lists no errors, the start of its text.
fn envelope(body: &[u8]) -> (Option<OciErrorCode>, String) {
    if let Ok(envelope) = serde_json::from_slice::<OciEnvelope>(body)
        && let Some(error) = envelope.errors.into_iter().next()
    {
        let detail = error.detail.as_str().unwrap_or_default();
        let message = if error.message.is_empty() {
            detail
        } else {
            &error.message
        };
        return (Some(error.code), shortened(message));
    }
    // Token servers and proxies use other formats.
    let message = serde_json::from_slice::<serde_json::Value>(body)
        .ok()
        .and_then(|value| {
            let keys = ["error_description", "message", "details", "error"];
            keys.iter().find_map(|key| Some(value.get(key)?.as_str()?.to_owned()))
        });
    let text = message.unwrap_or_else(|| String::from_utf8_lossy(body).into_owned());
    let page = text.trim_start().starts_with('<');
    (None, if page { String::new() } else { shortened(&text) })
}

/// Whether the body is a typical server response to plain HTTP on a TLS port, as text or HTML.
fn wants_https(body: &[u8]) -> bool {
    const WORDS: [&str; 3] = [
        "HTTP request to an HTTPS server",
        "plain HTTP request was sent to HTTPS port",
        "plain HTTP to an SSL-enabled server port",
    ];
    let text = String::from_utf8_lossy(body);
    WORDS.iter().any(|words| text.contains(words))
}

/// Returns the first line of an untrusted string, shortened and without hidden characters.
pub(super) fn shortened(text: &str) -> String {
    const SHOWN: usize = 200;
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let mut letters = line.trim().chars().filter(|letter| !is_hidden(*letter));
    let mut short: String = letters.by_ref().take(SHOWN).collect();
    if letters.next().is_some() {
        short.push('…');
    }
    short
}

/// Iterates over an error and its causes.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| cause_of(*error))
}

/// Returns the cause of an error. An I/O error may wrap an error that is not its source, so the wrapped error is
/// checked first.
fn cause_of<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref) {
        Some(inner) => Some(inner),
        None => error.source(),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn of(status: u16, body: &str) -> RegistryFailure {
        RegistryFailure::of_status(StatusCode::from_u16(status).unwrap(), None, body.as_bytes())
    }

    #[test]
    fn statuses_and_codes_become_one_meaning() {
        let envelope = |code: &str| format!(r#"{{"errors":[{{"code":"{code}","message":"so it is"}}]}}"#);
        assert!(
            matches!(of(404, &envelope("MANIFEST_UNKNOWN")), RegistryFailure::NotFound { message, .. } if message == "so it is")
        );
        assert!(matches!(of(403, &envelope("DENIED")), RegistryFailure::Denied { .. }));
        assert!(matches!(
            of(403, &envelope("TOOMANYREQUESTS")),
            RegistryFailure::RateLimited { .. }
        ));
        assert!(matches!(of(429, ""), RegistryFailure::RateLimited { .. }));
        assert!(matches!(of(401, ""), RegistryFailure::Unauthorized { .. }));
        assert!(
            matches!(of(503, "<html>"), RegistryFailure::Unavailable { status: 503, message, .. } if message.is_empty())
        );
        assert!(matches!(of(408, ""), RegistryFailure::Unavailable { .. }));
        assert!(matches!(of(501, ""), RegistryFailure::Refused { .. }));
        assert!(
            matches!(of(418, r#"{"details":"short"}"#), RegistryFailure::Refused { message, .. } if message == "short")
        );
        let plain = "Client sent an HTTP request to an HTTPS server.\n";
        assert!(matches!(of(400, plain), RegistryFailure::HttpsExpected));
        let page = "<html>\n<head><title>400 The plain HTTP request was sent to HTTPS port</title></head>\n</html>";
        assert!(matches!(of(400, page), RegistryFailure::HttpsExpected));
        let page = "<!DOCTYPE HTML>\n<p>Reason: You're speaking plain HTTP to an SSL-enabled server port.<br />\n";
        assert!(matches!(of(400, page), RegistryFailure::HttpsExpected));
        assert!(matches!(
            of(400, "<html>"),
            RegistryFailure::Refused { status: 400, .. }
        ));
    }

    #[test]
    fn a_missing_object_is_told_from_a_missing_endpoint() {
        let envelope = |code: &str| format!(r#"{{"errors":[{{"code":"{code}","message":""}}]}}"#);
        for code in ["NAME_UNKNOWN", "MANIFEST_UNKNOWN", "NOT_FOUND", "DENIED"] {
            assert!(!of(404, &envelope(code)).is_unsupported(), "{code}");
        }
        for (status, body) in [
            (404, "404 page not found".to_owned()),
            (404, String::new()),
            (404, envelope("UNSUPPORTED")),
            (405, String::new()),
            (501, String::new()),
        ] {
            assert!(of(status, &body).is_unsupported(), "{status} {body}");
        }
        for status in [400, 401, 403, 406] {
            assert!(!of(status, "").is_unsupported(), "{status}");
        }
    }

    #[test]
    fn foreign_texts_are_shown_on_one_short_line() {
        let message = format!("\n\x1b[31mre\u{202e}d\u{7} {}\nsecond", "x".repeat(400));
        let RegistryFailure::Refused { message, .. } = of(400, &message) else {
            panic!("another failure");
        };
        assert!(message.starts_with("[31mred x") && message.ends_with('…'), "{message}");
        assert_eq!(message.chars().count(), 201);
    }
}
