//! `serve` and `registry serve`, asked by a client.

use crate::bundles::{BOTH, garden, small_base, succeed};
use crate::serving::{Server, start_command};
use opmx::server::proto::registry_client::RegistryClient;
use opmx::server::proto::{Bundle, GetPackageRequest, ListBundlesRequest, ListPackageRequest};
use std::io::Read;
use std::process::Command;
use tokio_stream::StreamExt;

async fn ask(port: &str) -> (Vec<String>, Vec<Bundle>) {
    let mut client = RegistryClient::connect(format!("http://127.0.0.1:{port}"))
        .await
        .unwrap();
    let packages = client.list_packages(ListPackageRequest {}).await.unwrap().into_inner();
    let packages: Vec<_> = packages.map(|package| package.unwrap().name).collect().await;
    let bundles = client.list_bundles(ListBundlesRequest {}).await.unwrap().into_inner();
    let bundles: Vec<_> = bundles.map(Result::unwrap).collect().await;
    for name in &packages {
        let request = GetPackageRequest { name: name.clone() };
        let package = client.get_package(request).await.unwrap().into_inner();
        assert!(!package.channels.is_empty(), "{package:?}");
    }
    (packages, bundles)
}

fn end(mut server: Server) {
    let signal = Command::new("kill").arg(server.child.id().to_string()).status();
    assert!(signal.unwrap().success());
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
    let mut rest = String::new();
    server.stderr.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
}

#[test]
fn an_index_is_served_from_a_database_and_from_an_image_until_a_signal() {
    let sandbox = garden();
    small_base(&sandbox);
    succeed(&sandbox, &format!("registry add -q -b {BOTH} -d index.db"));
    succeed(
        &sandbox,
        &format!("index add -q -i oci:base:v1 -b {BOTH} -t oci:index:v1"),
    );
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let ways: [(&[&str], &[&str]); 3] = [
        (&["registry", "serve"], &["-d", "index.db"]),
        (&["serve"], &["index.db"]),
        (&["serve"], &["oci:index:v1"]),
    ];
    let mut answers = Vec::new();
    for (words, arguments) in ways {
        let server = start_command(&sandbox, words, arguments);
        let (packages, bundles) = runtime.block_on(ask(&server.port));
        assert_eq!(packages, ["compost-operator", "greenhouse-operator"]);
        let names: Vec<_> = bundles
            .iter()
            .map(|bundle| (bundle.channel_name.as_str(), bundle.csv_name.as_str()))
            .collect();
        assert_eq!(
            names,
            [
                ("alpha", "compost-operator.v0.3.1"),
                ("candidate", "greenhouse-operator.v1.2.0"),
                ("stable", "greenhouse-operator.v1.2.0"),
            ]
        );
        for bundle in &bundles {
            assert!(
                bundle.bundle_path.is_empty() && !bundle.csv_json.is_empty(),
                "{bundle:?}"
            );
            let csv: serde_json::Value = serde_json::from_str(&bundle.csv_json).unwrap();
            assert_eq!(csv["kind"], "ClusterServiceVersion");
        }
        answers.push(bundles);
        end(server);
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]));
}
