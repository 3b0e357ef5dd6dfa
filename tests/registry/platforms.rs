//! `opmx bundle validate --suite multiarch` and `--suite konflux` with a real registry.

use crate::programs::{index_of_platforms, write_image};
use crate::tools::{DockerRegistry, installed};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

const CSV: &str = "\
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: op.v1.0.0, annotations: {alm-examples: '[]'}}
spec:
  displayName: Op
  version: 1.0.0
  minKubeVersion: 1.25.0
  installModes: [{type: AllNamespaces, supported: true}]
  relatedImages:
  - {name: agent, image: HOST/garden/agent:v1}
  - {name: gone, image: HOST/garden/gone:v1}
  install:
    strategy: deployment
    spec:
      deployments:
      - name: op
        spec:
          selector: {matchLabels: {app: op}}
          template:
            metadata: {labels: {app: op}}
            spec:
              nodeSelector: {kubernetes.io/os: linux}
              containers:
              - {name: manager, image: HOST/garden/operator:all}
";

const ANNOTATIONS: &str = "\
annotations:
  operators.operatorframework.io.bundle.channels.v1: stable
  operators.operatorframework.io.bundle.manifests.v1: manifests/
  operators.operatorframework.io.bundle.mediatype.v1: registry+v1
  operators.operatorframework.io.bundle.metadata.v1: metadata/
  operators.operatorframework.io.bundle.package.v1: op
";

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Rule and text of each finding that the suite adds.
fn found(folder: &Path, suite: &str) -> Vec<(String, u64, String)> {
    let output = Command::new(env!("CARGO_BIN_EXE_opmx"))
        .args([
            "bundle",
            "validate",
            "bundle",
            "--suite",
            suite,
            "--use-http",
            "--retries",
            "0",
            "-o",
            "json",
        ])
        .current_dir(folder)
        .env("HOME", folder)
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = report["bundles"][0]["findings"].as_array().unwrap();
    let findings = findings.iter().filter(|finding| {
        let validator = finding["validator"].as_str().unwrap_or_default();
        ["multiarch", "conforma", "conforma-images"].contains(&validator)
    });
    findings
        .map(|finding| {
            let text = |key: &str| finding[key].as_str().unwrap().to_owned();
            (text("rule"), finding["line"].as_u64().unwrap(), text("message"))
        })
        .collect()
}

#[test]
fn the_platforms_of_all_images_are_requested_by_the_suite() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let registry = DockerRegistry::start(folder, "", "");
    let host = registry.host.as_str();
    write_image(folder, &format!("{host}/garden/agent:v1"), "agent");
    index_of_platforms(folder, host, "garden/operator", "all", &["amd64", "arm64"]);
    write(
        folder,
        "bundle/manifests/op.clusterserviceversion.yaml",
        &CSV.replace("HOST", host),
    );
    write(folder, "bundle/metadata/annotations.yaml", ANNOTATIONS);

    assert_eq!(found(folder, "all"), [], "no other suite asks a registry");
    let found = found(folder, "multiarch");
    let rules: Vec<(&str, u64)> = found.iter().map(|(rule, line, _)| (rule.as_str(), *line)).collect();
    let expected = [
        ("multiarch-label-missing-arch", 3),
        ("multiarch-image-narrower", 10),
        ("multiarch-inspect-failed", 11),
        ("multiarch-affinity-missing", 22),
    ];
    assert_eq!(rules, expected, "{found:#?}");
    assert!(found[0].2.contains("arm64"), "{found:#?}");
    assert!(found[1].2.contains("linux/arm64"), "{found:#?}");
    assert!(
        found[2].2.contains("gone:v1 are unknown: GET") && found[2].2.contains("manifest unknown"),
        "{found:#?}"
    );
    let pulls = registry.count("GET /v2/garden/operator/blobs/");
    assert_eq!(pulls, 0, "nothing but the list is read");
}

#[test]
fn images_missing_from_a_registry_are_reported_whether_they_are_related_images_or_not() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let registry = DockerRegistry::start(folder, "", "");
    let host = registry.host.as_str();
    let agent = write_image(folder, &format!("{host}/garden/agent:v1"), "agent");
    let csv = CSV
        .replace("HOST/garden/agent:v1", &format!("HOST/garden/agent@{agent}"))
        .replace("alm-examples: '[]'", "containerImage: 'HOST/garden/shown@DIGEST'")
        .replace("DIGEST", &format!("sha256:{}", "e".repeat(64)))
        .replace("HOST", host);
    write(folder, "bundle/manifests/op.clusterserviceversion.yaml", &csv);
    write(folder, "bundle/metadata/annotations.yaml", ANNOTATIONS);
    let rules = |suite: &str| {
        let found = found(folder, suite).into_iter();
        found.map(|(rule, line, _)| (rule, line)).collect::<Vec<_>>()
    };
    let alone = rules("conforma");
    let count = |rule: &str| alone.iter().filter(|(found, _)| found == rule).count();
    assert_eq!(count("olm.feature_annotations_format"), 7);
    assert_eq!(
        count("olm.unmapped_references"),
        0,
        "the policy does not read the related images"
    );
    let expected = [
        ("olm.unpinned_related_images", 11),
        ("olm.unpinned_references", 24),
        ("olm.subscriptions_annotation_format", 3),
    ];
    for (rule, line) in expected {
        assert_eq!(count(rule), 1, "{alone:?}");
        assert!(alone.contains(&(rule.to_owned(), line)), "{alone:?}");
    }
    let mut more = rules("konflux");
    more.retain(|found| !alone.contains(found));
    let wanted = [
        ("olm.unmapped_references", 3),
        ("olm.inaccessible_related_images", 11),
        ("olm.unmapped_references", 24),
    ];
    assert_eq!(more, wanted.map(|(rule, line)| (rule.to_owned(), line)));
}
