//! Proving who asks: HTTP Basic, and bearer tokens from the token server that a registry names.

use super::error::{RegistryError, RegistryFailure};
use super::repository::{Access, Repository, read_limited, status_failure};
use crate::image::credentials::{CredentialError, Login, Secret};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http_auth::ChallengeParser;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use reqwest::{StatusCode, Url};
use serde::Deserialize;
use std::sync::Arc;
use std::time::{Duration, Instant};

const TOKEN_ANSWER_LIMIT: u64 = 1 << 20;
/// What the specification of token servers says where an answer names no time.
const TOKEN_LIFETIME: u64 = 60;
/// A token is renewed this long before it ends.
const TOKEN_MARGIN: Duration = Duration::from_secs(10);

/// What is sent with a request.
#[derive(Debug, Clone)]
pub(super) struct Authorization {
    pub(super) header: HeaderValue,
    until: Option<Instant>,
}

/// What a registry asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Challenge {
    Basic,
    Bearer { realm: String, service: Option<String> },
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct TokenAnswer {
    token: Option<String>,
    access_token: Option<String>,
    expires_in: Option<u64>,
}

impl Authorization {
    pub(super) fn is_fresh(&self) -> bool {
        self.until.is_none_or(|until| Instant::now() < until)
    }

    fn new(header: &str, until: Option<Instant>) -> Result<Self, RegistryFailure> {
        let mut header = HeaderValue::from_str(header).map_err(|_| RegistryFailure::Protocol {
            problem: "the token holds characters that a header may not have".to_owned(),
        })?;
        header.set_sensitive(true);
        Ok(Self { header, until })
    }
}

impl Challenge {
    /// The challenge to answer: a bearer token before a password.
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

impl Repository {
    /// Answers a challenge; none where there is nothing to answer it with.
    pub(super) async fn answer(
        &self,
        image: &str,
        access: Access,
        challenge: &Challenge,
    ) -> Result<Option<Authorization>, RegistryError> {
        let at = |failure| RegistryError::new(image, format!("logging in to {}", self.host()), failure);
        let login = self.login().await.map_err(|error| at(error.into()))?;
        match (challenge, login.map(|login| &login.secret)) {
            (_, Some(Secret::RegistryToken(token))) => Authorization::new(&format!("Bearer {token}"), None)
                .map(Some)
                .map_err(at),
            (Challenge::Basic, Some(Secret::Password { user, password })) => {
                Authorization::new(&basic(user, password), None).map(Some).map_err(at)
            }
            (Challenge::Basic, _) => Ok(None),
            (Challenge::Bearer { realm, service }, secret) => self
                .token(image, access, realm, service.as_deref(), secret)
                .await
                .map(Some),
        }
    }

    /// Asks the token server for a token for this repository.
    async fn token(
        &self,
        image: &str,
        access: Access,
        realm: &str,
        service: Option<&str>,
        secret: Option<&Secret>,
    ) -> Result<Authorization, RegistryError> {
        let asked = format!("asking {realm} for a token");
        let at = |failure| RegistryError::new(image, asked.as_str(), failure);
        let protocol = |problem: String| at(RegistryFailure::Protocol { problem });
        let mut url: Url = realm
            .parse()
            .map_err(|error| protocol(format!("the token server {realm:?}: {error}")))?;
        if self.is_secure() && url.scheme() != "https" && secret.is_some() {
            return Err(protocol(format!(
                "the token server {realm} has no HTTPS, so it does not get the login"
            )));
        }
        let scope = format!("repository:{}:{}", self.name(), access.actions());
        let service = service.map(|service| ("service", service));
        let query = [("scope", scope.as_str())].into_iter().chain(service);
        let client = self.client_for(&url).map_err(at)?;
        let request = match secret {
            Some(Secret::IdentityToken(token)) => {
                let mut form = Url::parse("form:").map_err(|error| protocol(error.to_string()))?;
                form.query_pairs_mut()
                    .extend_pairs([("grant_type", "refresh_token"), ("client_id", "opmx")])
                    .extend_pairs(query)
                    .append_pair("refresh_token", token);
                client
                    .post(url)
                    .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
                    .body(form.query().unwrap_or_default().to_owned())
            }
            other => {
                url.query_pairs_mut().extend_pairs(query);
                let request = client.get(url);
                match other {
                    Some(Secret::Password { user, password }) => {
                        let basic = Authorization::new(&basic(user, password), None).map_err(at)?;
                        request.header(AUTHORIZATION, basic.header)
                    }
                    _ => request,
                }
            }
        };
        let stall = self.stall_timeout();
        let response = tokio::time::timeout(stall, request.send()).await;
        let response = response.map_err(|_| at(RegistryFailure::Stalled { limit: stall }))?;
        let response = response.map_err(|error| at(RegistryFailure::of_client(&error)))?;
        if response.status() != StatusCode::OK {
            let failure = status_failure(response, stall).await;
            return Err(at(self.with_login(failure).await));
        }
        let body = read_limited(response, TOKEN_ANSWER_LIMIT, stall).await.map_err(at)?;
        let answer: TokenAnswer = serde_json::from_slice(&body).map_err(|error| protocol(error.to_string()))?;
        let token = answer.token.or(answer.access_token).filter(|token| !token.is_empty());
        let token = token.ok_or_else(|| protocol("there is no token in it".to_owned()))?;
        // Never less than the specification's minimum, whatever some servers say.
        let lifetime = Duration::from_secs(answer.expires_in.unwrap_or_default().clamp(TOKEN_LIFETIME, 86_400));
        let until = Instant::now() + lifetime.saturating_sub(TOKEN_MARGIN);
        Authorization::new(&format!("Bearer {token}"), Some(until)).map_err(at)
    }

    /// The login of this repository, found once.
    pub(super) async fn login(&self) -> Result<Option<&Login>, CredentialError> {
        let found = self.found_login().get_or_try_init(|| async {
            let credentials = Arc::clone(self.credentials());
            let (registry, name) = (self.registry().to_owned(), self.name().to_owned());
            // Helper programs may take their time.
            let found = tokio::task::spawn_blocking(move || credentials.find(&registry, &name)).await;
            let login = found.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))?;
            let source = login.as_ref().map(|login| login.source.as_str());
            tracing::info!(
                registry = self.registry(),
                login = source.unwrap_or("none"),
                "looked for a login"
            );
            Ok::<_, CredentialError>(login)
        });
        Ok(found.await?.as_ref())
    }

    /// Says in a refusal which login was used, or where none was found.
    pub(super) async fn with_login(&self, failure: RegistryFailure) -> RegistryFailure {
        match failure {
            RegistryFailure::Unauthorized { message, .. } => {
                let login = match self.login().await {
                    Ok(Some(login)) => format!("used {}", login.source),
                    Ok(None) => {
                        let files = self.credentials().files().iter().map(|file| file.display().to_string());
                        let files: Vec<_> = files.collect();
                        format!("found no login in {}", files.join(", "))
                    }
                    Err(error) => return error.into(),
                };
                RegistryFailure::Unauthorized { login, message }
            }
            other => other,
        }
    }
}

fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn challenge(headers: &[&str]) -> Option<Challenge> {
        let mut map = HeaderMap::new();
        for header in headers {
            map.append(WWW_AUTHENTICATE, HeaderValue::from_str(header).unwrap());
        }
        Challenge::of(&map)
    }

    #[test]
    fn challenges_are_read_in_all_their_forms() {
        let bearer = |realm: &str, service: Option<&str>| {
            Some(Challenge::Bearer {
                realm: realm.to_owned(),
                service: service.map(str::to_owned),
            })
        };
        assert_eq!(challenge(&[r#"Basic realm="a, b""#]), Some(Challenge::Basic));
        assert_eq!(
            challenge(&[r#"bearer realm="https://a/token",service="b c",scope="repository:x:pull,push""#]),
            bearer("https://a/token", Some("b c"))
        );
        assert_eq!(
            challenge(&["Basic", r#"Bearer realm="https://a""#]),
            bearer("https://a", None)
        );
        assert_eq!(
            challenge(&[r#"Basic realm="x", Bearer realm="https://a""#]),
            bearer("https://a", None)
        );
        assert_eq!(challenge(&["Negotiate"]), None);
        assert_eq!(challenge(&["Bearer service=x"]), None);
        assert_eq!(challenge(&[]), None);
    }

    #[test]
    fn tokens_that_are_no_header_are_refused() {
        assert!(Authorization::new("Bearer a\nb", None).is_err());
        let authorization = Authorization::new("Bearer secret", None).unwrap();
        assert!(!format!("{authorization:?}").contains("secret"));
    }
}
