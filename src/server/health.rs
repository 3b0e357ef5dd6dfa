//! The health service: `SERVING` for every name, as long as the index has not changed since it was opened.

use super::source::ServedIndex;
use futures_util::Stream;
use futures_util::stream::unfold;
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
    /// Changes with the status, and closes when the server begins to stop.
    watched: watch::Receiver<ServingStatus>,
}

impl Health {
    /// Creates the service, and watches the source until `stopping` becomes true.
    pub(super) fn of(source: ServedIndex, mut stopping: watch::Receiver<bool>) -> Self {
        let (tell, watched) = watch::channel(ServingStatus::Serving);
        let health = Self { source, watched };
        let looking = health.clone();
        tokio::spawn(async move {
            let looking = async {
                loop {
                    tokio::time::sleep(WATCH_INTERVAL).await;
                    let fault = looking.source.fault();
                    let status = status_of(fault.as_deref());
                    let is_new = tell.send_if_modified(|told| std::mem::replace(told, status) != status);
                    if let Some(fault) = fault.filter(|_| is_new) {
                        tracing::warn!("no longer serving: {fault}");
                    }
                }
            };
            tokio::select! {
                () = looking => {}
                _ = stopping.wait_for(|stopping| *stopping) => {}
            }
        });
        health
    }

    fn status(&self) -> ServingStatus {
        status_of(self.source.fault().as_deref())
    }

    /// Returns the status when it differs from the last reported status; `None` when the server stops.
    async fn next_status(&mut self, told: Option<ServingStatus>) -> Option<ServingStatus> {
        let Some(told) = told else {
            return Some(self.status());
        };
        let status = self.watched.wait_for(|status| *status != told).await;
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
        let stream = unfold((self.clone(), None), |(mut health, told)| async move {
            let status = health.next_status(told).await?;
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
