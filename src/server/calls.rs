//! Tracks every call: calls are counted, measured and logged, and the number of concurrent calls is limited.

use super::ServerOptions;
use super::budget::Budget;
use super::clients::{Client, Clients, Turn};
use super::method::{Method, Subject};
use super::metrics::{Ended, Metrics, name_of};
use super::outgoing::{OfConnection, Outgoing};
use super::unread::Permit;
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use prost::bytes::Bytes;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;
use tonic::body::Body;
use tonic::codegen::{BoxFuture, Service, http};
use tonic::{Code, Status};
use tower_layer::Layer;

/// Wraps the services of a server in [`Calls`].
#[derive(Debug, Clone)]
pub(super) struct CallsLayer {
    metrics: Arc<Metrics>,
    /// The budgets for registry calls, for health checks, and for calls that stay open.
    budgets: [Budget; 3],
    request_size: usize,
    request_time: Duration,
}

impl CallsLayer {
    pub(super) fn new(metrics: Arc<Metrics>, options: &ServerOptions, clients: &Arc<Clients>) -> Self {
        Self {
            metrics,
            budgets: [options.calls, options.calls, options.watches].map(|size| Budget::new(size, Arc::clone(clients))),
            request_size: options.request_size,
            request_time: options.request_time,
        }
    }

    /// Returns the budget for the calls of a method. Health checks have a separate budget, so that other calls cannot
    /// block them.
    fn budget(&self, method: Method) -> &Budget {
        let [registry, checks, watches] = &self.budgets;
        match method.subject() {
            Subject::Registry => registry,
            Subject::Health => checks,
            Subject::Watch | Subject::Other => watches,
        }
    }

    /// Admits a call: waits for its budget and, except for reflection, for the whole request, each with a time limit.
    async fn admit(
        &self,
        method: Method,
        request: http::Request<Body>,
    ) -> Result<(http::Request<Body>, OwnedSemaphorePermit, Option<Turn>), Status> {
        let client = request.extensions().get::<Arc<Client>>().cloned();
        if let Some(client) = &client {
            client.called();
        }
        if let Some(unknown) = method.unknown(request.uri().path()) {
            return Err(Status::unimplemented(unknown));
        }
        let turn = client.map(|client| client.begin());
        let taken = self.budget(method).take().await?;
        if method.subject() == Subject::Other {
            return Ok((request, taken, None));
        }
        if let Some(turn) = &turn {
            turn.of_client();
        }
        let (parts, body) = request.into_parts();
        let body = whole(body, self.request_size, self.request_time).await?;
        // A client that watches the health never counts as stalled, so its call is no longer tracked.
        let turn = turn.filter(|_| method.subject() != Subject::Watch);
        if let Some(turn) = &turn {
            turn.of_server();
        }
        Ok((http::Request::from_parts(parts, body), taken, turn))
    }
}

/// Reads the whole body of a request.
async fn whole(body: Body, size: usize, time: Duration) -> Result<Body, Status> {
    let limited = Limited::new(body, size.saturating_add(HEAD as usize));
    match timeout(time, limited.collect()).await {
        Ok(Ok(whole)) => Ok(Body::new(Full::new(whole.to_bytes()))),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let message = format!("the request is longer than the limit of {size} bytes");
            Err(Status::out_of_range(message))
        }
        Ok(Err(error)) => Err(Status::from_error(error)),
        Err(_) => {
            let message = format!("the request was not complete after {} seconds", time.as_secs_f64());
            Err(Status::deadline_exceeded(message))
        }
    }
}

impl<S> Layer<S> for CallsLayer {
    type Service = Calls<S>;

    fn layer(&self, inner: S) -> Calls<S> {
        let layer = self.clone();
        Calls { inner, layer }
    }
}

/// The services of a server, with tracking of every call.
#[derive(Debug, Clone)]
pub(super) struct Calls<S> {
    inner: S,
    layer: CallsLayer,
}

impl<S> Service<http::Request<Body>> for Calls<S>
where
    S: Service<http::Request<Body>, Response = http::Response<Body>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Send,
{
    type Response = http::Response<Answer>;
    type Error = S::Error;
    type Future = BoxFuture<Self::Response, S::Error>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let method = Method::of(request.uri().path());
        let mut call = Call::begin(Arc::clone(&self.layer.metrics), method);
        // The instance that reported readiness must handle the call.
        let clone = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, clone);
        let layer = self.layer.clone();
        Box::pin(async move {
            let client = request.extensions().get::<Arc<Client>>();
            let unsent = client.map_or_else(OfConnection::default, |client| Arc::clone(&client.unsent));
            let outgoing = Outgoing::new(unsent);
            let (request, taken, turn) = match layer.admit(method, request).await {
                Ok(admitted) => admitted,
                Err(status) => {
                    call.end(status.code());
                    let (parts, ()) = status.into_http::<()>().into_parts();
                    let body = Answer {
                        inner: Body::empty(),
                        call,
                        turn: None,
                        outgoing,
                        _taken: None,
                        _manifests: None,
                    };
                    return Ok(http::Response::from_parts(parts, body));
                }
            };
            let response = inner.call(request).await?;
            let (mut parts, inner) = response.into_parts();
            let manifests = parts.extensions.remove::<Permit>();
            // An answer without a message contains its final status in the headers.
            if let Some(status) = parts.headers.get("grpc-status") {
                call.end(Code::from_bytes(status.as_bytes()));
            } else if parts.status != http::StatusCode::OK {
                call.end(Code::Unknown);
            }
            if let Some(turn) = &turn {
                turn.of_client();
            }
            let body = Answer {
                inner,
                call,
                turn,
                outgoing,
                _taken: Some(taken),
                _manifests: manifests,
            };
            Ok(http::Response::from_parts(parts, body))
        })
    }
}

/// A call whose end has not been reported yet.
#[derive(Debug)]
struct Call {
    metrics: Arc<Metrics>,
    method: Method,
    begun: Instant,
    sent: Messages,
    ended: bool,
}

impl Call {
    fn begin(metrics: Arc<Metrics>, method: Method) -> Self {
        metrics.call_started(method);
        Self {
            metrics,
            method,
            begun: Instant::now(),
            sent: Messages::default(),
            ended: false,
        }
    }

    fn end(&mut self, code: Code) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        let ended = Ended {
            code,
            duration: self.begun.elapsed(),
            messages: self.sent.count,
            bytes: self.sent.bytes,
        };
        self.metrics.call_ended(self.method, ended);
        tracing::debug!(
            service = self.method.service(),
            method = self.method.name(),
            code = name_of(code),
            milliseconds = ended.duration.as_secs_f64() * 1e3,
            messages = ended.messages,
            bytes = ended.bytes,
            "call"
        );
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        // The client no longer waits for the answer.
        self.end(Code::Cancelled);
    }
}

/// The body of an answer.
#[derive(Debug)]
pub(super) struct Answer {
    inner: Body,
    call: Call,
    /// Tracks whether the call is waiting for the client.
    turn: Option<Turn>,
    outgoing: Outgoing,
    // The budgets are released when the answer is dropped.
    _taken: Option<OwnedSemaphorePermit>,
    _manifests: Option<Permit>,
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        ready!(self.outgoing.poll_ready(context));
        if let Some(piece) = self.outgoing.next_piece() {
            // The client has received a piece before.
            if let Some(turn) = &self.turn {
                turn.of_client();
            }
            return Poll::Ready(Some(Ok(Frame::data(piece))));
        }
        let frame = Pin::new(&mut self.inner).poll_frame(context);
        match &self.turn {
            Some(turn) if frame.is_pending() => turn.of_server(),
            // More data is requested only when the client has received this frame.
            Some(turn) => turn.of_client(),
            None => {}
        }
        match &frame {
            Poll::Pending => {}
            Poll::Ready(None) => self.call.end(Code::Ok),
            Poll::Ready(Some(Err(status))) => self.call.end(status.code()),
            Poll::Ready(Some(Ok(frame))) => {
                if let Some(data) = frame.data_ref() {
                    self.call.sent.add(data);
                } else if let Some(status) = frame.trailers_ref().and_then(|trailers| trailers.get("grpc-status")) {
                    let code = Code::from_bytes(status.as_bytes());
                    self.call.end(code);
                }
            }
        }
        frame.map_ok(|frame| frame.map_data(|data| self.outgoing.first_piece(data)))
    }

    fn is_end_stream(&self) -> bool {
        self.outgoing.is_complete() && self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        if self.outgoing.is_complete() {
            self.inner.size_hint()
        } else {
            SizeHint::default()
        }
    }
}

/// Counts the messages in a stream of bytes: each message is preceded by five bytes, the last four of which specify its
/// length.
#[derive(Debug, Default)]
struct Messages {
    count: u64,
    bytes: u64,
    /// The part of the five bytes that has arrived.
    head: u64,
    head_length: u32,
    /// The number of bytes of the message that have not arrived yet.
    missing: usize,
}

const HEAD: u32 = 5;

impl Messages {
    fn add(&mut self, mut data: &[u8]) {
        self.bytes += data.len() as u64;
        loop {
            let passed = data.len().min(self.missing);
            self.missing -= passed;
            data = data.get(passed..).unwrap_or_default();
            let Some((byte, rest)) = data.split_first() else {
                return;
            };
            data = rest;
            self.head = (self.head << 8) | u64::from(*byte);
            self.head_length += 1;
            if self.head_length == HEAD {
                self.count += 1;
                self.missing = usize::try_from(self.head & 0xffff_ffff).unwrap_or(usize::MAX);
                (self.head, self.head_length) = (0, 0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[tokio::test]
    async fn a_client_that_receives_a_long_message_slowly_is_not_stalled() {
        let options = ServerOptions {
            stall: Duration::from_secs(1),
            ..ServerOptions::default()
        };
        let clients = Clients::new(&options);
        let client = clients.add();
        client.called();
        let mut answer = Answer {
            inner: Body::new(Full::new(Bytes::from(vec![0; 100_000]))),
            call: Call::begin(Arc::default(), Method::of("/api.Registry/GetBundle")),
            turn: Some(client.begin()),
            outgoing: Outgoing::new(OfConnection::default()),
            _taken: None,
            _manifests: None,
        };
        let mut received = 0;
        while received < 100_000 {
            tokio::time::sleep(options.stall / 3).await;
            received += answer.frame().await.unwrap().unwrap().into_data().unwrap().len();
        }
        clients.close_stalled();
        assert!(!client.is_closing());
        tokio::time::sleep(options.stall * 2).await;
        clients.close_stalled();
        assert!(client.is_closing());
    }

    proptest! {
        #[test]
        fn messages_are_counted_however_they_are_split(
            lengths in prop::collection::vec(0_u32..300, 0..6),
            chunk in 1_usize..40,
        ) {
            let mut stream = Vec::new();
            for length in &lengths {
                stream.push(0);
                stream.extend(length.to_be_bytes());
                stream.resize(stream.len() + *length as usize, 7);
            }
            let mut messages = Messages::default();
            for piece in stream.chunks(chunk) {
                messages.add(piece);
            }
            prop_assert_eq!((messages.count, messages.bytes), (lengths.len() as u64, stream.len() as u64));
        }
    }
}
