//! The meaning of responses, and of errors of the HTTP client, as failures.

use super::{LoginTried, RegistryFailure};
use crate::image::registry::address::RefusedAddress;
use crate::image::registry::tls::is_authority;
use crate::visible::is_hidden;
use oci_distribution::errors::{OciEnvelope, OciErrorCode};
use reqwest::StatusCode;
use std::error::Error;
use std::path::Path;
use std::time::Duration;

impl RegistryFailure {
    /// Creates a failure from a status, its `Retry-After` delay, and the response body.
    pub(in crate::image::registry) fn of_status(
        status: StatusCode,
        retry_after: Option<Duration>,
        body: &[u8],
    ) -> Self {
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
    pub(in crate::image::registry) fn of_request(error: &reqwest::Error, trusted: Option<&Path>) -> Self {
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
    pub(in crate::image::registry) fn of_client(error: &reqwest::Error) -> Self {
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
            if cause.downcast_ref().is_some_and(hyper::Error::is_parse_too_large) {
                let problem = "its headers are too large".to_owned();
                return Self::Protocol { problem };
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
pub(in crate::image::registry) fn shortened(text: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn of(status: u16, body: &str) -> RegistryFailure {
        RegistryFailure::of_status(StatusCode::from_u16(status).unwrap(), None, body.as_bytes())
    }

    #[test]
    fn statuses_and_codes_have_one_meaning() {
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
    fn a_missing_object_is_distinguished_from_a_missing_endpoint() {
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
    fn untrusted_text_is_shown_on_one_short_line() {
        let message = format!("\n\x1b[31mre\u{202e}d\u{7} {}\nsecond", "x".repeat(400));
        let RegistryFailure::Refused { message, .. } = of(400, &message) else {
            panic!("another failure");
        };
        assert!(message.starts_with("[31mred x") && message.ends_with('…'), "{message}");
        assert_eq!(message.chars().count(), 201);
    }
}
