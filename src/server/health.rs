//! The health service: `SERVING` for every name, as long as the index has not changed since it was opened.

use super::metrics::Metrics;
use super::source::ServedIndex;
use futures_util::Stream;
use futures_util::stream::unfold;
use std::convert::Infallible;
use std::pin::Pin;
use std::time::Duration;
use tokio::sync::watch;
use tonic::{Request, Response, Status, async_trait};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_server;
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};

/// The interval at which the status is checked for clients that watch it.
const WATCH_INTERVAL: Duration = Duration::from_secs(1);

/// The health service. Clients request the empty name, `Registry` or `api.Registry`; all receive the same answer.
#[derive(Debug, Clone)]
pub(super) struct Health {
    source: ServedIndex,
    /// Changes with the status, and closes when the watch ends.
    watched: watch::Receiver<ServingStatus>,
}

/// Watches the source for faults. If the watch is dropped, clients that watch the status receive the end of their
/// stream.
pub(super) struct Watch {
    source: ServedIndex,
    sender: watch::Sender<ServingStatus>,
}

impl Watch {
    /// Passes each new fault to `on_fault`, for as long as the future is polled.
    pub(super) async fn run(self, metrics: &Metrics, on_fault: impl Fn(&str)) -> Infallible {
        loop {
            tokio::time::sleep(WATCH_INTERVAL).await;
            let fault = self.source.fault();
            metrics.serving(fault.is_none());
            let status = status_of(fault.as_deref());
            let is_new = self
                .sender
                .send_if_modified(|last_status| std::mem::replace(last_status, status) != status);
            if let Some(fault) = fault.filter(|_| is_new) {
                on_fault(&fault);
            }
        }
    }
}

impl Health {
    /// Creates the service, and the watch that tells it when the status changes.
    pub(super) fn of(source: ServedIndex) -> (Self, Watch) {
        let (sender, watched) = watch::channel(ServingStatus::Serving);
        let health = Self {
            source: source.clone(),
            watched,
        };
        (health, Watch { source, sender })
    }

    fn status(&self) -> ServingStatus {
        status_of(self.source.fault().as_deref())
    }

    /// Returns the status when it differs from the last reported status; `None` when the server stops.
    async fn next_status(&mut self, last_status: Option<ServingStatus>) -> Option<ServingStatus> {
        let Some(last_status) = last_status else {
            return Some(self.status());
        };
        let status = self.watched.wait_for(|status| *status != last_status).await;
        status.ok().map(|status| *status)
    }
}

#[async_trait]
impl health_server::Health for Health {
    async fn check(&self, _: Request<HealthCheckRequest>) -> Result<Response<HealthCheckResponse>, Status> {
        Ok(Response::new(response(self.status())))
    }

    type WatchStream = Pin<Box<dyn Stream<Item = Result<HealthCheckResponse, Status>> + Send>>;

    async fn watch(&self, _: Request<HealthCheckRequest>) -> Result<Response<Self::WatchStream>, Status> {
        let stream = unfold((self.clone(), None), |(mut health, last_status)| async move {
            let status = health.next_status(last_status).await?;
            Some((Ok(response(status)), (health, Some(status))))
        });
        Ok(Response::new(Box::pin(stream)))
    }
}

fn status_of(fault: Option<&str>) -> ServingStatus {
    match fault {
        None => ServingStatus::Serving,
        Some(_) => ServingStatus::NotServing,
    }
}

fn response(status: ServingStatus) -> HealthCheckResponse {
    HealthCheckResponse { status: status.into() }
}
