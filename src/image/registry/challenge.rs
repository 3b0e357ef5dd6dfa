//! Authentication challenges of registries, and the authorizations that answer them.

use super::error::RegistryFailure;
use http_auth::ChallengeParser;
use reqwest::header::{HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use std::time::Instant;

/// An authorization to be sent with a request.
#[derive(Debug, Clone)]
pub(super) struct Authorization {
    pub(super) header: HeaderValue,
    until: Option<Instant>,
}

/// The authentication that a registry requires.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Challenge {
    Basic,
    Bearer { realm: String, service: Option<String> },
}

impl Authorization {
    pub(super) fn is_fresh(&self) -> bool {
        self.until.is_none_or(|until| Instant::now() < until)
    }

    pub(super) fn new(header: &str, until: Option<Instant>) -> Result<Self, RegistryFailure> {
        let mut header = HeaderValue::from_str(header).map_err(|_| RegistryFailure::Protocol {
            problem: "the token contains characters that are not allowed in a header".to_owned(),
        })?;
        header.set_sensitive(true);
        Ok(Self { header, until })
    }
}

impl Challenge {
    /// Returns the challenge in these headers, preferring bearer tokens to passwords.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        let mut basic = None;
        for header in headers.get_all(WWW_AUTHENTICATE) {
            let text = header.to_str().unwrap_or_default();
            for challenge in ChallengeParser::new(text).map_while(Result::ok) {
                let parameter = |name: &str| {
                    let mut parameters = challenge.params.iter();
                    let value = parameters.find(|(key, _)| key.eq_ignore_ascii_case(name))?;
                    Some(value.1.to_unescaped())
                };
                if challenge.scheme.eq_ignore_ascii_case("basic") {
                    basic = Some(Self::Basic);
                } else if challenge.scheme.eq_ignore_ascii_case("bearer")
                    && let Some(realm) = parameter("realm")
                {
                    let service = parameter("service");
                    return Some(Self::Bearer { realm, service });
                }
            }
        }
        basic
    }
}
