//! The server with clients that read some answers late or slowly, as a client may.

use crate::http2::{InProcess, LONG};
use crate::served::{get, name};
use opmx::server::ServerOptions;
use opmx::server::proto::registry_client::RegistryClient;
use opmx::server::proto::{Bundle, ListBundlesRequest};
use tokio::runtime::Runtime;
use tokio::time::timeout;
use tokio_stream::StreamExt;
use tonic::Streaming;
use tonic::transport::Channel;

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
