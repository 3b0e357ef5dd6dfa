//! Following redirects. The HTTP library does not follow them itself, since only here it is known which server the
//! login is for.

use super::error::RegistryFailure;
use reqwest::header::{HeaderMap, LOCATION};
use reqwest::{Method, StatusCode, Url};

const MOST_REDIRECTS: u32 = 10;

/// The way of one request through redirects.
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

    /// Where the request goes now.
    pub(super) fn url(&self) -> &Url {
        &self.url
    }

    /// Whether a redirect led to another origin: to another scheme, host or port. It stays so when a later one leads
    /// back, because then another server chose what is asked for.
    pub(super) fn left(&self) -> bool {
        self.left
    }

    /// Takes the redirect that an answer is; false when it is none.
    pub(super) fn follow(
        &mut self,
        method: &Method,
        status: StatusCode,
        headers: &HeaderMap,
    ) -> Result<bool, RegistryFailure> {
        // 304 and 305 are no redirects, and 300 leaves a choice.
        if !matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
            return Ok(false);
        }
        let Some(location) = headers.get(LOCATION) else {
            return Ok(false);
        };
        let location = String::from_utf8_lossy(location.as_bytes());
        let next = from_stranger(Some(&self.url), &location).map_err(|problem| RegistryFailure::Protocol {
            problem: format!("there is no usable address in its redirect: {problem}"),
        })?;
        let reason = if self.url.scheme() == "https" && next.scheme() != "https" {
            "it would leave HTTPS"
        } else if !matches!(next.scheme(), "https" | "http") {
            "it is not HTTP"
        } else if self.hops >= MOST_REDIRECTS {
            "there were 10 redirects before"
        } else if !matches!(status.as_u16(), 307 | 308) && !matches!(*method, Method::GET | Method::HEAD) {
            "its status asks to leave out what is sent"
        } else {
            self.left |= next.origin() != self.url.origin();
            self.hops += 1;
            self.url = next;
            return Ok(true);
        };
        Err(refused(&next, reason))
    }
}

/// A redirect that is not followed. Only the origin is named, since the rest may hold secrets.
pub(super) fn refused(url: &Url, reason: &'static str) -> RegistryFailure {
    RegistryFailure::Redirect {
        location: origin(url),
        reason,
    }
}

/// Scheme, host and port of an address, to be read by a person.
pub(super) fn origin(url: &Url) -> String {
    match url.origin() {
        origin if origin.is_tuple() => origin.ascii_serialization(),
        _ => format!("{}:", url.scheme()),
    }
}

/// An address that a server named, perhaps relative to where it was asked. A user and password in it are left out: they
/// would be sent as a login.
pub(super) fn from_stranger(asked: Option<&Url>, location: &str) -> Result<Url, String> {
    let url = Url::options().base_url(asked).parse(location);
    let mut url = url.map_err(|error| error.to_string())?;
    // These fail only for addresses without a host, which have no user either.
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
    fn who_left_once_has_left() {
        let mut trail = trail();
        hop(&mut trail, &Method::GET, 307, "https://evil.example.com").unwrap();
        hop(&mut trail, &Method::GET, 307, "https://registry.example.com/v2/secret").unwrap();
        assert!(trail.left());
    }

    #[test]
    fn what_is_sent_is_sent_again_or_not_at_all() {
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
    fn what_is_not_followed_is_named_by_its_origin() {
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
