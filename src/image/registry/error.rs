//! Why a registry did not do what was asked, with the reference, the request, and what to try.

use super::address::RefusedAddress;
use crate::causes::with_causes;
use crate::image::credentials::CredentialError;
use crate::image::digest::Digest;
use crate::image::problem::ContentProblem;
use crate::visible::is_hidden;
use oci_distribution::errors::{OciEnvelope, OciErrorCode};
use reqwest::StatusCode;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A request to a registry that failed for good, after all retries.
#[derive(Debug, thiserror::Error)]
#[error("{image}: {request}: {}{}", with_causes(failure.as_ref()), tries(*attempts))]
pub struct RegistryError {
    /// The reference as the user wrote it.
    pub image: String,
    /// Method and address, as in `GET https://registry.example.com/v2/team/bundle/manifests/v1`.
    pub request: String,
    /// What went wrong.
    pub failure: Box<RegistryFailure>,
    /// How often it was tried.
    pub attempts: u32,
}

/// What went wrong with a request.
#[derive(Debug, thiserror::Error)]
pub enum RegistryFailure {
    /// There is no such repository, tag, digest or blob.
    #[error("not found{}", detail(message))]
    NotFound {
        /// The registry's own words.
        message: String,
    },
    /// The registry wants to know who asks, or does not accept the credentials.
    #[error("not logged in, or the credentials are not accepted ({login}){}", detail(message))]
    Unauthorized {
        /// Which credentials were used, or where they were looked for.
        login: String,
        /// The registry's own words.
        message: String,
    },
    /// The credentials do not allow this.
    #[error("access denied{}", detail(message))]
    Denied {
        /// The registry's own words.
        message: String,
    },
    /// Too many requests.
    #[error("too many requests{}{}", wait(*retry_after), detail(message))]
    RateLimited {
        /// The wait that the registry asks for.
        retry_after: Option<Duration>,
        /// The registry's own words.
        message: String,
    },
    /// The registry has a problem of its own: 408 and 5xx.
    #[error("the registry has a problem (status {status}){}", detail(message))]
    Unavailable {
        /// The HTTP status.
        status: u16,
        /// The wait that the registry asks for.
        retry_after: Option<Duration>,
        /// The registry's own words.
        message: String,
    },
    /// An answer that the protocol does not know here.
    #[error("unexpected answer (status {status}){}", detail(message))]
    Refused {
        /// The HTTP status.
        status: u16,
        /// The registry's own words.
        message: String,
    },
    /// No connection, or one that broke.
    #[error("cannot connect: {cause}")]
    Connection {
        /// What the system said.
        cause: String,
    },
    /// Nothing came for too long.
    #[error("no answer for {} seconds", limit.as_secs_f64())]
    Stalled {
        /// How long was waited.
        limit: Duration,
    },
    /// An answer came, but not all of it in time.
    #[error("the answer is not complete after {} seconds", limit.as_secs_f64())]
    TooLong {
        /// How long it may take.
        limit: Duration,
    },
    /// The content of a blob moves too slowly.
    #[error("fewer than {least_rate} bytes a second for {} seconds", window.as_secs_f64())]
    TooSlow {
        /// The bytes a second that it has to be.
        least_rate: u64,
        /// The time that was measured.
        window: Duration,
    },
    /// A certificate that is not trusted, or another failure of TLS.
    #[error("no secure connection: {cause}{}", of_authorities(authorities.as_deref()))]
    Tls {
        /// What TLS said.
        cause: String,
        /// The file of authorities that was named, where the certificate of the server is of none in it.
        authorities: Option<PathBuf>,
    },
    /// The server spoke plain HTTP where HTTPS was expected.
    #[error("the server answered in plain HTTP, HTTPS was expected")]
    PlainHttp,
    /// The server expects HTTPS where plain HTTP was spoken.
    #[error("the server expects HTTPS, plain HTTP was spoken")]
    HttpsExpected,
    /// A redirect that is not followed.
    #[error("a redirect to {location} is not followed: {reason}")]
    Redirect {
        /// Where to: scheme, host and port.
        location: String,
        /// Why not.
        reason: &'static str,
    },
    /// A server that the registry redirects to asks for a login, which only the registry itself gets.
    #[error(
        "the registry redirects to {origin}, which asks for a login, and the login of the registry is not sent there"
    )]
    ForeignLogin {
        /// Scheme, host and port of the server.
        origin: String,
    },
    /// A token server that is not asked.
    #[error("the registry names {realm} as its token server, which is refused: {problem}")]
    Realm {
        /// Its address as the registry names it, without a query.
        realm: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A server that the registry names is where the registry may not send opmx.
    #[error("{problem}")]
    Address {
        /// The server, where it is, and its address.
        problem: String,
    },
    /// The answer ended too early.
    #[error("the answer was cut short: {cause}")]
    ShortBody {
        /// What was noticed.
        cause: String,
    },
    /// The content is not what its digest, size or type says.
    #[error("{part} {problem}")]
    Content {
        /// The manifest or a blob with its digest.
        part: String,
        /// What is wrong with it.
        problem: ContentProblem,
    },
    /// A header or token that cannot be used.
    #[error("the answer cannot be used: {problem}")]
    Protocol {
        /// What is wrong with it.
        problem: String,
    },
    /// The registry stored something else than was sent.
    #[error("the registry says that the digest is {found}, expected {expected}")]
    OtherDigest {
        /// What was sent.
        expected: Digest,
        /// What the registry says.
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
            failure: Box::new(failure),
            attempts: 1,
        }
    }
}

impl RegistryFailure {
    /// Reads the failure out of a status, the wait that came with it, and the body.
    pub(super) fn of_status(status: StatusCode, retry_after: Option<Duration>, body: &[u8]) -> Self {
        let (code, message) = envelope(body);
        match status {
            _ if code == Some(OciErrorCode::Toomanyrequests) => Self::RateLimited { retry_after, message },
            StatusCode::NOT_FOUND => Self::NotFound { message },
            StatusCode::UNAUTHORIZED => Self::Unauthorized {
                login: String::new(),
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

    /// Reads the failure of a request out of an error of the HTTP client, which trusts these authorities besides those
    /// of the system.
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

    /// Reads the failure out of an error of the HTTP client.
    pub(super) fn of_client(error: &reqwest::Error) -> Self {
        for cause in causes(error) {
            match cause.downcast_ref() {
                Some(rustls::Error::InvalidMessage(_)) => return Self::PlainHttp,
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
        // The root of the chain is what says what happened.
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

/// The first error of the registry's own list, or else the start of whatever text it sent.
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
    // Token servers and proxies have other shapes.
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

/// Whether this is what servers say at a port for TLS to who speaks plain HTTP, as a string or as a page.
fn wants_https(body: &[u8]) -> bool {
    const WORDS: [&str; 3] = [
        "HTTP request to an HTTPS server",
        "plain HTTP request was sent to HTTPS port",
        "plain HTTP to an SSL-enabled server port",
    ];
    let text = String::from_utf8_lossy(body);
    WORDS.iter().any(|words| text.contains(words))
}

/// One line of a foreign text, without its hidden characters.
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

/// An error and the errors behind it.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| cause_of(*error))
}

/// What is inside an I/O error is not its source, so that is looked at first.
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
        format!(" (asked to wait {} seconds)", wait.as_secs())
    })
}

fn of_authorities(file: Option<&Path>) -> String {
    file.map_or_else(String::new, |file| {
        format!(
            "; none of the authorities in {} has signed the certificate of the server",
            file.display()
        )
    })
}

fn tries(attempts: u32) -> String {
    if attempts > 1 {
        format!(" (tried {attempts} times)")
    } else {
        String::new()
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
            matches!(of(404, &envelope("MANIFEST_UNKNOWN")), RegistryFailure::NotFound { message } if message == "so it is")
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
    fn foreign_texts_are_shown_on_one_short_line() {
        let message = format!("\n\x1b[31mre\u{202e}d\u{7} {}\nsecond", "x".repeat(400));
        let RegistryFailure::Refused { message, .. } = of(400, &message) else {
            panic!("another failure");
        };
        assert!(message.starts_with("[31mred x") && message.ends_with('…'), "{message}");
        assert_eq!(message.chars().count(), 201);
    }
}
