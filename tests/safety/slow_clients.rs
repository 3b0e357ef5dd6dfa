//! The server with clients that read some answers late or slowly, as a client may.

use crate::http2::{InProcess, LONG};
use crate::served::{get, health, name};
use opmx::server::ServerOptions;
use opmx::server::proto::registry_client::RegistryClient;
use opmx::server::proto::{Bundle, ListBundlesRequest};
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::time::timeout;
use tokio_stream::StreamExt;
use tonic::Streaming;
use tonic::transport::Channel;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

/// The size of a bundle with many definitions.
const LARGE: usize = 1_200_000;

/// Connects a client that accepts little of an answer that it does not read.
async fn narrow(server: &InProcess) -> Channel {
    let endpoint = server.endpoint().initial_stream_window_size(1 << 16);
    endpoint.connect().await.unwrap()
}

/// Starts to read a stream of bundles, and pauses.
async fn paused(channel: &Channel) -> Streaming<Bundle> {
    let answer = RegistryClient::new(channel.clone())
        .list_bundles(ListBundlesRequest {})
        .await;
    let mut bundles = answer.unwrap().into_inner();
    bundles.next().await.unwrap().unwrap();
    bundles
}

#[test]
fn a_client_that_pauses_streams_gets_answers_to_its_other_calls() {
    let tight = ServerOptions {
        manifests: 6 << 20,
        manifests_per_connection: 1 << 20,
        ..ServerOptions::default()
    };
    for (options, streams) in [(ServerOptions::default(), 1), (tight, 3)] {
        let server = InProcess::start(options, LARGE);
        Runtime::new().unwrap().block_on(async {
            let channel = narrow(&server).await;
            let mut held = Vec::new();
            for _ in 0..streams {
                held.push(paused(&channel).await);
            }
            for number in 0..3 {
                let bundle = timeout(LONG, get(&channel, number)).await.expect("an answer").unwrap();
                assert_eq!(bundle.csv_name, name(number));
            }
            for stream in held {
                assert_eq!(stream.map(Result::unwrap).collect::<Vec<_>>().await.len(), 2);
            }
        });
        server.stop();
    }
}

#[test]
fn a_client_that_pauses_a_stream_keeps_its_connection_if_nobody_needs_room() {
    let options = ServerOptions {
        patience: Duration::from_millis(100),
        stall: Duration::from_millis(100),
        ..ServerOptions::default()
    };
    let server = InProcess::start(options, LARGE);
    Runtime::new().unwrap().block_on(async {
        let channel = narrow(&server).await;
        let watch = HealthClient::new(channel.clone())
            .watch(HealthCheckRequest::default())
            .await;
        let mut watch = watch.unwrap().into_inner();
        watch.next().await.unwrap().unwrap();
        let stream = paused(&channel).await;
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(get(&channel, 2).await.unwrap().csv_name, name(2));
        assert_eq!(health(channel).await, ServingStatus::Serving);
        let watching = timeout(Duration::from_millis(10), watch.next()).await;
        assert!(watching.is_err(), "{watching:?}");
        assert_eq!(stream.map(Result::unwrap).collect::<Vec<_>>().await.len(), 2);
        assert_eq!(server.figure("opmx_connections_accepted_total "), 1);
    });
    server.stop();
}
