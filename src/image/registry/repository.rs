//! Requests to one repository of a registry: one try each, with authentication, time limits and a meaning for every
//! failure.

use super::authentication::{Authorization, Challenge};
use super::client::Clients;
use super::error::{RegistryError, RegistryFailure};
use super::retry::retry_after;
use crate::image::credentials::{Credentials, Login};
use crate::image::error::ContentProblem;
use crate::image::reference::RegistryReference;
use reqwest::header::{AUTHORIZATION, HeaderMap, RETRY_AFTER};
use reqwest::{Body, Client, Method, Response, StatusCode, Url};
use std::collections::HashMap;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};
use tokio::sync::{Mutex, OnceCell};

/// Bytes of an error's body that are read.
const FAILURE_LIMIT: u64 = 64 << 10;
/// A registry may think longer when everything was sent, since it then moves the content to its place.
const COMMIT_FACTOR: u32 = 5;

/// What a token shall allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Access {
    Pull,
    Push,
}

impl Access {
    pub(super) fn actions(self) -> &'static str {
        match self {
            Self::Pull => "pull",
            Self::Push => "pull,push",
        }
    }
}

/// One repository, with what was learnt about logging in to it.
pub(super) struct Repository {
    clients: Arc<Clients>,
    credentials: Arc<Credentials>,
    host: String,
    registry: String,
    name: String,
    login: OnceCell<Option<Login>>,
    authorizations: Mutex<HashMap<Access, Authorization>>,
}

/// One request.
pub(super) struct Request<'a> {
    pub(super) image: &'a str,
    pub(super) access: Access,
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Option<RequestBody<'a>>,
}

/// A body that can be sent again, since the first answer may only be a challenge.
pub(super) struct RequestBody<'a> {
    pub(super) length: u64,
    /// Makes the body; it counts the bytes that it gave away.
    pub(super) make: &'a (dyn Fn(Arc<AtomicU64>) -> Result<Body, RegistryFailure> + Send + Sync),
}

impl Request<'_> {
    /// A failure of this request, named by its method and address. The query may hold secrets, so it is left out.
    pub(super) fn fail(&self, failure: RegistryFailure) -> RegistryError {
        let mut url = self.url.clone();
        url.set_query(None);
        RegistryError::new(self.image, format!("{} {url}", self.method), failure)
    }
}

impl Repository {
    pub(super) fn new(clients: Arc<Clients>, credentials: Arc<Credentials>, reference: &RegistryReference) -> Self {
        Self {
            clients,
            credentials,
            host: reference.host().to_owned(),
            registry: reference.registry().to_owned(),
            name: reference.repository().to_owned(),
            login: OnceCell::new(),
            authorizations: Mutex::new(HashMap::new()),
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

    pub(super) fn credentials(&self) -> &Arc<Credentials> {
        &self.credentials
    }

    pub(super) fn found_login(&self) -> &OnceCell<Option<Login>> {
        &self.login
    }

    pub(super) fn is_secure(&self) -> bool {
        !self.clients.options.use_http
    }

    pub(super) fn stall_timeout(&self) -> Duration {
        self.clients.options.stall_timeout
    }

    pub(super) fn client_for(&self, url: &Url) -> Result<Client, RegistryFailure> {
        self.clients.for_host(url.host_str().unwrap_or_default())
    }

    /// The address of something in this repository.
    pub(super) fn url(&self, image: &str, path: &str) -> Result<Url, RegistryError> {
        let scheme = if self.is_secure() { "https" } else { "http" };
        let url = format!("{scheme}://{}/v2/{}/{path}", self.host, self.name);
        url.parse().map_err(|_| {
            let problem = format!("{url} is not an address");
            RegistryError::new(image, "making a request", RegistryFailure::Protocol { problem })
        })
    }

    /// Sends a request, logs in if the registry asks for it, and gives the answer if its status is an accepted one.
    pub(super) async fn send(&self, request: &Request<'_>, accepted: &[StatusCode]) -> Result<Response, RegistryError> {
        let used = self.authorization(request.access).await;
        let mut response = self.send_once(request, used.as_ref()).await?;
        if response.status() == StatusCode::UNAUTHORIZED
            && let Some(challenge) = Challenge::of(response.headers())
            && self.is_own(&request.url)
            && let Some(authorization) = self.renew(request, &challenge, used.as_ref()).await?
        {
            response = self.send_once(request, Some(&authorization)).await?;
        }
        if accepted.contains(&response.status()) {
            return Ok(response);
        }
        if response.status() == StatusCode::UNAUTHORIZED {
            self.authorizations.lock().await.remove(&request.access);
        }
        let failure = status_failure(response, self.stall_timeout()).await;
        Err(request.fail(self.with_login(failure).await))
    }

    async fn authorization(&self, access: Access) -> Option<Authorization> {
        let authorizations = self.authorizations.lock().await;
        authorizations
            .get(&access)
            .filter(|authorization| authorization.is_fresh())
            .cloned()
    }

    /// Logs in, unless a request beside this one just did.
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
        let answer = self.answer(request.image, request.access, challenge).await?;
        match &answer {
            // The same password would only be refused again.
            Some(answer) if used.is_some_and(|used| used.header == answer.header) => return Ok(None),
            Some(answer) => authorizations.insert(request.access, answer.clone()),
            None => authorizations.remove(&request.access),
        };
        Ok(answer)
    }

    async fn send_once(
        &self,
        request: &Request<'_>,
        authorization: Option<&Authorization>,
    ) -> Result<Response, RegistryError> {
        let fail = |failure| request.fail(failure);
        let client = self.client_for(&request.url).map_err(fail)?;
        let mut builder = client.request(request.method.clone(), request.url.clone());
        builder = builder.headers(request.headers.clone());
        // An upload may go to another host, which has no business with this registry's login.
        if let Some(authorization) = authorization.filter(|_| self.is_own(&request.url)) {
            builder = builder.header(AUTHORIZATION, authorization.header.clone());
        }
        let sent = Arc::new(AtomicU64::new(0));
        let mut length = 0;
        if let Some(body) = &request.body {
            builder = builder.body((body.make)(Arc::clone(&sent)).map_err(fail)?);
            length = body.length;
        }
        let answer = while_moving(builder.send(), &sent, length, self.stall_timeout()).await;
        let answer = answer.ok_or_else(|| {
            fail(RegistryFailure::Stalled {
                limit: self.stall_timeout(),
            })
        })?;
        answer.map_err(|error| fail(RegistryFailure::of_client(&error)))
    }

    /// Whether an address is the registry itself.
    fn is_own(&self, url: &Url) -> bool {
        let scheme = if self.is_secure() { "https" } else { "http" };
        let own = format!("{scheme}://{}", self.host).parse::<Url>();
        own.is_ok_and(|own| own.origin() == url.origin())
    }
}

/// Waits for an answer as long as bytes leave; none when nothing left for the time `limit`.
async fn while_moving<A: Future>(answer: A, sent: &AtomicU64, length: u64, limit: Duration) -> Option<A::Output> {
    let mut answer = pin!(answer);
    let (mut seen, mut idle) = (0, 0);
    loop {
        if let Ok(answer) = tokio::time::timeout(limit, &mut answer).await {
            return Some(answer);
        }
        let now = sent.load(Ordering::Relaxed);
        idle = if now > seen { 0 } else { idle + 1 };
        seen = now;
        let patience = if length > 0 && now >= length { COMMIT_FACTOR } else { 1 };
        if idle >= patience {
            return None;
        }
    }
}

/// Reads a body of at most `limit` bytes.
pub(super) async fn read_limited(
    mut response: Response,
    limit: u64,
    stall: Duration,
) -> Result<Vec<u8>, RegistryFailure> {
    let too_large = || RegistryFailure::Content {
        part: "the answer".to_owned(),
        problem: ContentProblem::TooMuch { limit },
    };
    if response.content_length().is_some_and(|length| length > limit) {
        return Err(too_large());
    }
    let mut body = Vec::new();
    while let Some(bytes) = next_chunk(&mut response, stall).await? {
        body.extend_from_slice(&bytes);
        if body.len() as u64 > limit {
            return Err(too_large());
        }
    }
    Ok(body)
}

/// The next bytes of a body, which may not take longer than `stall`.
pub(super) async fn next_chunk(
    response: &mut Response,
    stall: Duration,
) -> Result<Option<impl AsRef<[u8]> + std::ops::Deref<Target = [u8]> + use<>>, RegistryFailure> {
    match tokio::time::timeout(stall, response.chunk()).await {
        Err(_) => Err(RegistryFailure::Stalled { limit: stall }),
        Ok(Err(error)) => Err(RegistryFailure::of_client(&error)),
        Ok(Ok(bytes)) => Ok(bytes),
    }
}

/// What an answer that was not accepted means.
pub(super) async fn status_failure(mut response: Response, stall: Duration) -> RegistryFailure {
    let status = response.status();
    let wait = response
        .headers()
        .get(RETRY_AFTER)
        .and_then(|header| header.to_str().ok());
    let wait = wait.and_then(|header| retry_after(header, SystemTime::now()));
    let mut body = Vec::new();
    // The status says enough when the body does not come.
    while let Ok(Some(bytes)) = next_chunk(&mut response, stall).await {
        body.extend_from_slice(&bytes);
        if body.len() as u64 > FAILURE_LIMIT {
            break;
        }
    }
    RegistryFailure::of_status(status, wait, &body)
}
