//! Sends requests to a repository, with authentication, retries and time limits, and classifies the failures.

use super::address::{Purpose, Reach, Zone};
use super::answer::Answer;
use super::challenge::{Authorization, Challenge};
use super::client::Clients;
use super::error::{RegistryError, RegistryFailure};
use super::pace::{Sending, TimeLimits};
use super::redirect::{Trail, origin};
use super::retry::with_retries;
use crate::concurrent;
use crate::image::credentials::{Credentials, Login};
use crate::image::options::RetryPolicy;
use crate::image::reference::RegistryReference;
use reqwest::header::{AUTHORIZATION, HeaderMap};
use reqwest::{Body, Client, Method, StatusCode, Url};
use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::{Mutex, OnceCell};

/// The access that a token must grant.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Access {
    Pull,
    Push,
    /// Push access, and pull access to another repository in the registry.
    Mount(String),
    Delete,
}

impl Access {
    /// Returns the scopes of a token for this repository.
    pub(super) fn scopes(&self, repository: &str) -> Vec<String> {
        let scope = |repository: &str, actions| format!("repository:{repository}:{actions}");
        match self {
            Self::Pull => vec![scope(repository, "pull")],
            Self::Push => vec![scope(repository, "pull,push")],
            Self::Delete => vec![scope(repository, "pull,delete")],
            Self::Mount(from) => vec![scope(repository, "pull,push"), scope(from, "pull")],
        }
    }
}

/// A repository with its cached login information.
pub(super) struct Repository {
    clients: Arc<Clients>,
    credentials: Arc<Credentials>,
    host: String,
    /// The start of all addresses in the API of the registry; `None` if the host is not valid in an address.
    base: Option<Url>,
    registry: String,
    name: String,
    login: OnceCell<Option<Login>>,
    authorizations: Mutex<HashMap<Access, Authorization>>,
    zone: std::sync::Mutex<Option<Zone>>,
    /// Whether the registry has no referrers API for this repository.
    without_referrers: AtomicBool,
}

/// A request to a registry.
pub(super) struct Request<'a> {
    pub(super) image: &'a str,
    pub(super) access: Access,
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Option<RequestBody<'a>>,
}

/// A request body that can be sent several times, because the first response may be only a challenge.
pub(super) struct RequestBody<'a> {
    pub(super) length: u64,
    /// Creates the body, which reports its progress.
    pub(super) make: &'a (dyn Fn(Arc<Sending>) -> Result<Body, RegistryFailure> + Send + Sync),
}

impl Request<'_> {
    /// Creates the error for a failure of this request, with its method and URL. The query is omitted because it may
    /// contain secrets.
    pub(super) fn fail(&self, failure: RegistryFailure) -> RegistryError {
        let mut url = self.url.clone();
        url.set_query(None);
        RegistryError::new(self.image, format!("{} {url}", self.method), failure)
    }
}

impl Repository {
    pub(super) fn new(clients: Arc<Clients>, credentials: Arc<Credentials>, reference: &RegistryReference) -> Self {
        let scheme = if clients.options.use_http { "http" } else { "https" };
        Self {
            base: format!("{scheme}://{}/v2/", reference.host()).parse().ok(),
            clients,
            credentials,
            host: reference.host().to_owned(),
            registry: reference.registry().to_owned(),
            name: reference.repository().to_owned(),
            login: OnceCell::new(),
            authorizations: Mutex::new(HashMap::new()),
            zone: std::sync::Mutex::new(None),
            without_referrers: AtomicBool::new(false),
        }
    }

    pub(super) fn host(&self) -> &str {
        &self.host
    }

    pub(super) fn registry(&self) -> &str {
        &self.registry
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn is_without_referrers(&self) -> bool {
        self.without_referrers.load(Ordering::Relaxed)
    }

    /// Records that the registry has no referrers API for this repository.
    pub(super) fn set_without_referrers(&self) {
        self.without_referrers.store(true, Ordering::Relaxed);
    }

    pub(super) fn credentials(&self) -> &Arc<Credentials> {
        &self.credentials
    }

    pub(super) fn found_login(&self) -> &OnceCell<Option<Login>> {
        &self.login
    }

    pub(super) fn is_secure(&self) -> bool {
        !self.clients.options.use_http
    }

    pub(super) fn time_limits(&self) -> &TimeLimits {
        &self.clients.options.time_limits
    }

    /// Returns the URL of a path in this repository.
    pub(super) fn url(&self, image: &str, path: &str) -> Result<Url, RegistryError> {
        self.registry_url(image, &format!("{}/{path}", self.name))
    }

    /// Returns the URL of a path in the API of the registry.
    pub(super) fn registry_url(&self, image: &str, path: &str) -> Result<Url, RegistryError> {
        let url = self.base.as_ref().and_then(|base| base.join(path).ok());
        url.ok_or_else(|| {
            let problem = format!("{}/v2/{path} is not a valid address", self.host);
            RegistryError::new(image, "making a request", RegistryFailure::Protocol { problem })
        })
    }

    /// Sends a request, logs in if the registry requires it, and returns the response if its status is accepted.
    pub(super) async fn send(&self, request: &Request<'_>, accepted: &[StatusCode]) -> Result<Answer, RegistryError> {
        let used = self.authorization(&request.access).await;
        let mut answer = self.send_once(request, used.as_ref()).await?;
        if answer.status() == StatusCode::UNAUTHORIZED
            && !answer.is_foreign()
            && let Some(challenge) = Challenge::of(answer.headers())
            && let Some(authorization) = self.renew(request, &challenge, used.as_ref()).await?
        {
            answer = self.send_once(request, Some(&authorization)).await?;
        }
        if accepted.contains(&answer.status()) {
            return Ok(answer);
        }
        if answer.status() == StatusCode::UNAUTHORIZED {
            if answer.is_foreign() {
                return Err(request.fail(self.foreign_login(answer.url())));
            }
            self.authorizations.lock().await.remove(&request.access);
        }
        let failure = answer.failure().await;
        Err(request.fail(self.with_login(failure).await))
    }

    /// Runs `attempt` with retries. If an earlier request could not reach the registry, no request is sent.
    pub(super) async fn ask<T, A: Future<Output = Result<T, RegistryError>>>(
        &self,
        request: &Request<'_>,
        policy: &RetryPolicy,
        attempt: impl FnMut() -> A,
    ) -> Result<T, RegistryError> {
        let first = self.clients.hosts.enter(&self.host).await;
        let mut first = first.map_err(|failure| self.unreachable(request, failure))?;
        let answer = with_retries(policy, attempt).await;
        if let Err(error) = &answer {
            self.gave_up(error);
        }
        if let Some(first) = &mut first {
            first.ended = true;
        }
        answer
    }

    /// Returns an error if an earlier request could not reach the registry.
    pub(super) fn check(&self, request: &Request<'_>) -> Result<(), RegistryError> {
        match self.clients.hosts.failure(&self.host) {
            Some(failure) => Err(self.unreachable(request, failure)),
            None => Ok(()),
        }
    }

    /// Records an error after the last attempt of a request.
    pub(super) fn gave_up(&self, error: &RegistryError) {
        self.clients.hosts.failed(&self.host, &error.failure);
    }

    fn unreachable(&self, request: &Request<'_>, failure: Arc<RegistryFailure>) -> RegistryError {
        RegistryError {
            image: request.image.to_owned(),
            request: self.host.clone(),
            failure,
            attempts: 0,
        }
    }

    async fn authorization(&self, access: &Access) -> Option<Authorization> {
        let authorizations = self.authorizations.lock().await;
        authorizations
            .get(access)
            .filter(|authorization| authorization.is_fresh())
            .cloned()
    }

    /// Logs in, unless a concurrent request has just done so.
    async fn renew(
        &self,
        request: &Request<'_>,
        challenge: &Challenge,
        used: Option<&Authorization>,
    ) -> Result<Option<Authorization>, RegistryError> {
        let mut authorizations = self.authorizations.lock().await;
        if let Some(current) = authorizations.get(&request.access)
            && current.is_fresh()
            && used.is_none_or(|used| used.header != current.header)
        {
            return Ok(Some(current.clone()));
        }
        let answer = self.answer(request.image, &request.access, challenge).await?;
        match &answer {
            // The same password would be rejected again.
            Some(answer) if used.is_some_and(|used| used.header == answer.header) => return Ok(None),
            Some(answer) => authorizations.insert(request.access.clone(), answer.clone()),
            None => authorizations.remove(&request.access),
        };
        Ok(answer)
    }

    async fn send_once(
        &self,
        request: &Request<'_>,
        authorization: Option<&Authorization>,
    ) -> Result<Answer, RegistryError> {
        let answer = self.follow(request, authorization).await;
        answer.map_err(|failure| request.fail(failure))
    }

    /// Sends a request and follows redirects. The login is included only while all redirects stay on the registry
    /// itself.
    async fn follow(
        &self,
        request: &Request<'_>,
        authorization: Option<&Authorization>,
    ) -> Result<Answer, RegistryFailure> {
        let limits = self.time_limits();
        let mut deadline = limits.deadline();
        let mut trail = Trail::new(request.url.clone());
        loop {
            let own = self.is_own(trail.url());
            let client = self.client(trail.url(), Purpose::Content)?;
            let mut builder = client.request(request.method.clone(), trail.url().clone());
            builder = builder.headers(request.headers.clone());
            if let Some(authorization) = authorization.filter(|_| own && !trail.left()) {
                builder = builder.header(AUTHORIZATION, authorization.header.clone());
            }
            let response = if let Some(body) = &request.body {
                let sending = Arc::new(Sending::default());
                let answer = builder.body((body.make)(Arc::clone(&sending))?).send();
                let answer = limits.pace().wait_sending(answer, &sending, body.length).await?;
                deadline = limits.deadline();
                answer
            } else {
                deadline.wait(builder.send()).await?
            };
            let response = response.map_err(|error| self.failure(&error))?;
            if own {
                self.clients.hosts.reached(&self.host);
                self.answered_from(self.clients.zone(trail.url(), &response));
            }
            if !trail.follow(&request.method, response.status(), response.headers())? {
                let foreign = !own || trail.left();
                return Ok(Answer::new(response, deadline, foreign));
            }
        }
    }

    /// Converts an error of the HTTP client to a failure.
    pub(super) fn failure(&self, error: &reqwest::Error) -> RegistryFailure {
        self.clients.failure(error)
    }

    /// Returns a client for a URL that the registry may have specified.
    pub(super) fn client(&self, url: &Url, purpose: Purpose) -> Result<Client, RegistryFailure> {
        let reach = if self.is_own(url) {
            Reach::ANYWHERE
        } else {
            // Without a previous response, the registry cannot have specified the URL.
            let zone = concurrent::lock(&self.zone);
            Reach::of_registry(zone.unwrap_or(Zone::Public), purpose)
        };
        self.clients.client(url, reach)
    }

    /// Records the location of the registry, using the most public location if there are several.
    fn answered_from(&self, zone: Zone) {
        let mut known = concurrent::lock(&self.zone);
        *known = Some(known.map_or(zone, |known| known.min(zone)));
    }

    /// Whether a URL belongs to the registry itself, that is, has the scheme, host and port of the registry.
    pub(super) fn is_own(&self, url: &Url) -> bool {
        self.base.as_ref().is_some_and(|base| base.origin() == url.origin())
    }

    /// Returns the failure for a server, other than the registry, that requires a login.
    fn foreign_login(&self, url: &Url) -> RegistryFailure {
        let upgraded = !self.is_secure() && url.scheme() == "https";
        if upgraded && self.base.as_ref().is_some_and(|base| base.host() == url.host()) {
            return RegistryFailure::HttpsExpected;
        }
        RegistryFailure::ForeignLogin { origin: origin(url) }
    }
}
