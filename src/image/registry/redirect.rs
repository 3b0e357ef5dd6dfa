//! Follows redirects. The HTTP library does not follow redirects itself, because only this module knows the server for
//! which the login is intended.

use super::error::RegistryFailure;
use reqwest::header::{HeaderMap, LOCATION};
use reqwest::{Method, StatusCode, Url};

const MOST_REDIRECTS: u32 = 10;

/// The path of a request through redirects.
#[derive(Debug)]
pub(super) struct Trail {
    url: Url,
    hops: u32,
    left: bool,
}

impl Trail {
    pub(super) fn new(url: Url) -> Self {
        let (hops, left) = (0, false);
        Self { url, hops, left }
    }

    /// Returns the current URL of the request.
    pub(super) fn url(&self) -> &Url {
        &self.url
    }

    /// Whether a redirect led to a different origin, that is, to a different scheme, host or port. This remains true if
    /// a later redirect leads back, because another server then chose the requested URL.
    pub(super) fn left(&self) -> bool {
        self.left
    }

    /// Follows the redirect in a response. Returns `false` if the response is not a redirect.
    pub(super) fn follow(
        &mut self,
        method: &Method,
        status: StatusCode,
        headers: &HeaderMap,
    ) -> Result<bool, RegistryFailure> {
        // The statuses 304 and 305 are not redirects, and 300 offers several targets.
        if !matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
            return Ok(false);
        }
        let Some(location) = headers.get(LOCATION) else {
            return Ok(false);
        };
        let location = String::from_utf8_lossy(location.as_bytes());
        let next = from_stranger(Some(&self.url), &location).map_err(|problem| RegistryFailure::Protocol {
            problem: format!("it redirects to an invalid address: {problem}"),
        })?;
        let reason = if self.url.scheme() == "https" && next.scheme() != "https" {
            "it does not use HTTPS"
        } else if !matches!(next.scheme(), "https" | "http") {
            "its scheme is not HTTP"
        } else if self.hops >= MOST_REDIRECTS {
            "the limit of 10 redirects was reached"
        } else if !matches!(status.as_u16(), 307 | 308) && !matches!(*method, Method::GET | Method::HEAD) {
            "only the statuses 307 and 308 preserve the request body"
        } else {
            self.left |= next.origin() != self.url.origin();
            self.hops += 1;
            self.url = next;
            return Ok(true);
        };
        Err(refused(&next, reason))
    }
}

/// Returns the failure for a redirect that is not followed. The failure contains only the origin of the URL, because
/// the rest may contain secrets.
pub(super) fn refused(url: &Url, reason: &'static str) -> RegistryFailure {
    RegistryFailure::Redirect {
        location: origin(url),
        reason,
    }
}

/// Formats the scheme, host and port of a URL for messages.
pub(super) fn origin(url: &Url) -> String {
    match url.origin() {
        origin if origin.is_tuple() => origin.ascii_serialization(),
        _ => format!("{}:", url.scheme()),
    }
}

/// Parses a URL from a server, which may be relative to the requested URL. A user name and password in the URL are
/// removed because they would be sent as a login.
pub(super) fn from_stranger(asked: Option<&Url>, location: &str) -> Result<Url, String> {
    let url = Url::options().base_url(asked).parse(location);
    let mut url = url.map_err(|error| error.to_string())?;
    // These calls fail only for URLs without a host, which cannot contain a user name either.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_fragment(None);
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    fn hop(trail: &mut Trail, method: &Method, status: u16, location: &str) -> Result<bool, RegistryFailure> {
        let mut headers = HeaderMap::new();
        headers.insert(LOCATION, HeaderValue::from_str(location).unwrap());
        trail.follow(method, StatusCode::from_u16(status).unwrap(), &headers)
    }

    fn trail() -> Trail {
        Trail::new("https://registry.example.com/v2/a".parse().unwrap())
    }

    #[test]
    fn an_origin_is_scheme_host_and_port_in_any_spelling() {
        for (location, left) in [
            ("/v2/b", false),
            ("b?c=d", false),
            ("//REGISTRY.example.com/v2/b", false),
            ("https://registry.example.com:443/v2/b", false),
            ("https://Registry.Example.COM:0443/v2/b", false),
            ("https://user:word@registry.example.com/v2/b", false),
            ("https://registry.example.com:8443/v2/b", true),
            ("https://registry.example.com./v2/b", true),
            ("https://registry.example.com.evil.example.com/v2/b", true),
            ("https://registry.example.com@evil.example.com/v2/b", true),
            ("//evil.example.com/v2/b", true),
            ("\\\\evil.example.com/v2/b", true),
            ("https:evil", false),
            ("https:\\\\evil.example.com", true),
        ] {
            let mut trail = trail();
            assert!(
                matches!(hop(&mut trail, &Method::GET, 307, location), Ok(true)),
                "{location}"
            );
            assert_eq!(trail.left(), left, "{location} is {}", trail.url());
            assert_eq!((trail.url().username(), trail.url().password()), ("", None));
        }
    }

    #[test]
    fn returning_to_the_first_origin_does_not_restore_trust() {
        let mut trail = trail();
        hop(&mut trail, &Method::GET, 307, "https://evil.example.com").unwrap();
        hop(&mut trail, &Method::GET, 307, "https://registry.example.com/v2/secret").unwrap();
        assert!(trail.left());
    }

    #[test]
    fn a_request_with_a_body_is_resent_or_rejected() {
        for status in [301, 302, 303] {
            assert!(hop(&mut trail(), &Method::GET, status, "/b").unwrap());
            assert!(hop(&mut trail(), &Method::HEAD, status, "/b").unwrap());
            for method in [Method::POST, Method::PUT, Method::PATCH] {
                assert!(hop(&mut trail(), &method, status, "/b").is_err(), "{status} {method}");
                assert!(hop(&mut trail(), &method, 307, "/b").unwrap(), "{status} {method}");
            }
        }
        for status in [200, 201, 202, 300, 304, 305, 401] {
            assert!(!hop(&mut trail(), &Method::GET, status, "/b").unwrap(), "{status}");
        }
    }

    #[test]
    fn rejected_redirects_are_reported_by_their_origin() {
        for (location, named) in [
            (
                "http://registry.example.com/?token=secret",
                "http://registry.example.com",
            ),
            ("ftp://evil.example.com/secret", "ftp://evil.example.com"),
            ("file:///etc/passwd", "file:"),
            ("javascript:alert(1)", "javascript:"),
        ] {
            match hop(&mut trail(), &Method::GET, 302, location) {
                Err(RegistryFailure::Redirect { location: found, .. }) => assert_eq!(found, named),
                other => panic!("{location}: {other:?}"),
            }
        }
        assert!(hop(&mut trail(), &Method::GET, 302, "https://[").is_err());
        let mut circle = trail();
        for _ in 0..MOST_REDIRECTS {
            assert!(hop(&mut circle, &Method::GET, 302, "/v2/a").unwrap());
        }
        assert!(hop(&mut circle, &Method::GET, 302, "/v2/a").is_err());
    }
}
