//! Authentication: HTTP Basic, and bearer tokens from the token server of a registry.

use super::address::Purpose;
use super::answer::Answer;
use super::challenge::{Authorization, Challenge};
use super::error::{LoginTried, RegistryError, RegistryFailure, shortened};
use super::redirect::{Trail, from_stranger, refused};
use super::repository::{Access, Repository};
use crate::concurrent::blocking;
use crate::image::credentials::{CredentialError, Login, Secret};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Method, StatusCode, Url};
use serde::Deserialize;
use std::sync::Arc;
use std::time::{Duration, Instant};

const TOKEN_ANSWER_LIMIT: u64 = 1 << 20;
/// The default lifetime of a token in seconds, according to the token server specification.
const TOKEN_LIFETIME: u64 = 60;
/// A token is renewed this long before it expires.
const TOKEN_MARGIN: Duration = Duration::from_secs(10);

/// A request to a token server.
struct TokenRequest {
    method: Method,
    url: Url,
    headers: HeaderMap,
    form: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct TokenAnswer {
    token: Option<String>,
    access_token: Option<String>,
    expires_in: Option<u64>,
}

impl Repository {
    /// Creates the authorization for a challenge, or returns `None` if there are no credentials for it.
    pub(super) async fn answer(
        &self,
        image: &str,
        access: &Access,
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

    /// Requests a token for this repository from the token server.
    async fn token(
        &self,
        image: &str,
        access: &Access,
        realm: &str,
        service: Option<&str>,
        secret: Option<&Secret>,
    ) -> Result<Authorization, RegistryError> {
        let realm = self.realm(realm).map_err(|failure| {
            let request = format!("logging in to {}", self.host());
            RegistryError::new(image, request, failure)
        })?;
        let asked = format!("requesting a token from {}", shown(&realm));
        let at = |failure| RegistryError::new(image, asked.as_str(), failure);
        let scopes = access.scopes(self.name());
        let service = service.map(|service| ("service", service));
        let request = TokenRequest::new(realm, &scopes, service, secret).map_err(at)?;
        let answer = self.ask_for_token(request, secret.is_some()).await.map_err(at)?;
        if answer.status() != StatusCode::OK {
            let failure = answer.failure().await;
            return Err(at(self.with_login(failure).await));
        }
        let body = answer.read(TOKEN_ANSWER_LIMIT).await.map_err(at)?;
        // The message of the parser is not used because it could contain parts of the response.
        let protocol = |problem: &str| {
            let problem = problem.to_owned();
            at(RegistryFailure::Protocol { problem })
        };
        let answer: TokenAnswer =
            serde_json::from_slice(&body).map_err(|_| protocol("it is not a valid token response"))?;
        let mut tokens = [answer.token, answer.access_token].into_iter().flatten();
        let token = tokens
            .find(|token| !token.is_empty())
            .ok_or_else(|| protocol("it does not contain a token"))?;
        // Use at least the minimum lifetime of the specification, even if the server reports less.
        let lifetime = Duration::from_secs(answer.expires_in.unwrap_or_default().clamp(TOKEN_LIFETIME, 86_400));
        let until = Instant::now() + lifetime.saturating_sub(TOKEN_MARGIN);
        Authorization::new(&format!("Bearer {token}"), Some(until)).map_err(at)
    }

    /// Returns the URL of the token server. Returns an error if opmx is not allowed to connect to it.
    fn realm(&self, realm: &str) -> Result<Url, RegistryFailure> {
        let refuse = |realm: &str, problem: &str| RegistryFailure::Realm {
            realm: shortened(realm),
            problem: problem.to_owned(),
        };
        let url = from_stranger(None, realm).map_err(|problem| refuse(realm, &problem))?;
        match url.scheme() {
            "https" => Ok(url),
            "http" if !self.is_secure() => Ok(url),
            "http" => Err(refuse(&shown(&url), "it does not use HTTPS, unlike the registry")),
            _ => Err(refuse(&shown(&url), "it does not use HTTPS")),
        }
    }

    /// Sends a token request. Credentials are sent only to the realm, not to servers that it redirects to.
    async fn ask_for_token(&self, request: TokenRequest, with_login: bool) -> Result<Answer, RegistryFailure> {
        let mut deadline = self.time_limits().deadline();
        let mut trail = Trail::new(request.url);
        loop {
            let client = self.client(trail.url(), Purpose::Token)?;
            let mut builder = client.request(request.method.clone(), trail.url().clone());
            builder = builder.headers(request.headers.clone());
            if let Some(form) = &request.form {
                builder = builder.body(form.clone());
            }
            let response = deadline.wait(builder.send()).await?;
            let response = response.map_err(|error| self.failure(&error))?;
            if !trail.follow(&request.method, response.status(), response.headers())? {
                return Ok(Answer::new(response, deadline, trail.left()));
            }
            if with_login && trail.left() {
                return Err(refused(
                    trail.url(),
                    "the credentials may only be sent to the token server",
                ));
            }
        }
    }

    /// Returns the login for this repository. The lookup is done only once.
    pub(super) async fn login(&self) -> Result<Option<&Login>, CredentialError> {
        let found = self.found_login().get_or_try_init(|| async {
            let credentials = Arc::clone(self.credentials());
            let (registry, name) = (self.registry().to_owned(), self.name().to_owned());
            // Helper programs may take a while.
            let login = blocking(move || credentials.find(&registry, &name)).await?;
            let source = login.as_ref().map(|login| login.source.as_str());
            tracing::info!(
                registry = self.registry(),
                login = source.unwrap_or("none"),
                "looked up the credentials"
            );
            Ok::<_, CredentialError>(login)
        });
        Ok(found.await?.as_ref())
    }

    /// Adds the source of the login to an `Unauthorized` failure. If there is no login, adds the files that were
    /// searched.
    pub(super) async fn with_login(&self, failure: RegistryFailure) -> RegistryFailure {
        match failure {
            RegistryFailure::Unauthorized { message, .. } => {
                let login = match self.login().await {
                    Ok(Some(login)) => LoginTried::Rejected {
                        source: login.source.clone(),
                    },
                    Ok(None) => LoginTried::Missing {
                        files: self.credentials().files().to_vec(),
                    },
                    Err(error) => return error.into(),
                };
                RegistryFailure::Unauthorized { login, message }
            }
            other => other,
        }
    }
}

impl TokenRequest {
    /// Creates a GET request with the password, if any, or a POST request with an identity token in its body.
    fn new(
        realm: Url,
        scopes: &[String],
        service: Option<(&str, &str)>,
        secret: Option<&Secret>,
    ) -> Result<Self, RegistryFailure> {
        let mut request = Self {
            method: Method::GET,
            url: realm,
            headers: HeaderMap::new(),
            form: None,
        };
        if let Some(Secret::IdentityToken(token)) = secret {
            let form = Url::parse("form:").map_err(|error| RegistryFailure::Protocol {
                problem: error.to_string(),
            });
            let mut form = form?;
            form.query_pairs_mut()
                .extend_pairs([("grant_type", "refresh_token"), ("client_id", "opmx")])
                .append_pair("scope", &scopes.join(" "))
                .extend_pairs(service)
                .append_pair("refresh_token", token);
            request.method = Method::POST;
            request.form = form.query().map(str::to_owned);
            let form_type = HeaderValue::from_static("application/x-www-form-urlencoded");
            request.headers.insert(CONTENT_TYPE, form_type);
        } else {
            let scopes = scopes.iter().map(|scope| ("scope", scope.as_str()));
            request.url.query_pairs_mut().extend_pairs(scopes.chain(service));
        }
        if let Some(Secret::Password { user, password }) = secret {
            let login = Authorization::new(&basic(user, password), None)?;
            request.headers.insert(AUTHORIZATION, login.header);
        }
        Ok(request)
    }
}

/// Formats a URL for messages, shortened and without its query.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    shortened(url.as_str())
}

fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::WWW_AUTHENTICATE;

    fn challenge(headers: &[&str]) -> Option<Challenge> {
        let mut map = HeaderMap::new();
        for header in headers {
            map.append(WWW_AUTHENTICATE, HeaderValue::from_str(header).unwrap());
        }
        Challenge::of(&map)
    }

    #[test]
    fn challenges_are_parsed_in_all_their_forms() {
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
    fn tokens_that_are_not_valid_headers_are_rejected() {
        assert!(Authorization::new("Bearer a\nb", None).is_err());
        let authorization = Authorization::new("Bearer secret", None).unwrap();
        assert!(!format!("{authorization:?}").contains("secret"));
    }
}
