//! `opmx index check --images` with a real registry, and with unresponsive ones.

use crate::http::{Reply, Server};
use crate::programs::write_image;
use crate::tools::{DockerRegistry, installed};
use opmx::database::schema;
use rusqlite::Connection;
use serde_json::Value;
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

/// A database with the bundles k.v1, k.v2, … in one channel, stored by these images, and with these related images.
fn index(folder: &Path, images: &[&str], related: &[(&str, &str)]) {
    let path = folder.join("index.db");
    let _ = fs::remove_file(&path);
    let connection = Connection::open(&path).unwrap();
    schema::create(&connection, 0).unwrap();
    let count = i64::try_from(images.len()).unwrap();
    for (number, image) in (1_i64..).zip(images) {
        let add = "INSERT INTO operatorbundle VALUES ('k.v' || ?1, NULL, NULL, ?2, '', '1.0.' || ?1, '', '', '')";
        connection.execute(add, (number, image)).unwrap();
    }
    let head = format!("k.v{count}");
    let channel = "INSERT INTO channel VALUES ('stable', 'k', ?1)";
    connection.execute(channel, [&head]).unwrap();
    connection
        .execute("INSERT INTO package VALUES ('k', 'stable')", [])
        .unwrap();
    for number in 1..=count {
        let below = (number > 1).then(|| number - 1);
        let entry = "INSERT INTO channel_entry VALUES (?1, 'stable', 'k', 'k.v' || ?1, ?2, ?3)";
        connection.execute(entry, (number, below, count - number)).unwrap();
    }
    for (bundle, image) in related {
        let row = "INSERT INTO related_image VALUES (?1, ?2)";
        connection.execute(row, [image, bundle]).unwrap();
    }
}

/// Returns the exit status, the rule and message of each finding, and the standard error.
fn check(folder: &Path, images: &str, more: &[&str]) -> (Option<i32>, Vec<(String, String)>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_opmx"))
        .args([
            "index",
            "check",
            "index.db",
            images,
            "--use-http",
            "--retries",
            "0",
            "-o",
            "json",
        ])
        .args(more)
        .current_dir(folder)
        .env("HOME", folder)
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .env_remove("REGISTRY_AUTH_FILE")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{said}"));
    let findings = report["findings"].as_array().unwrap().iter();
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    let findings = findings.map(|finding| (text(finding, "rule"), text(finding, "message")));
    (output.status.code(), findings.collect(), said)
}

#[test]
fn each_image_is_requested_once_and_no_layer_is_read() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let registry = DockerRegistry::start(folder, "", "");
    let host = registry.host.as_str();
    let digest = write_image(folder, &format!("{host}/k:v1"), "one");
    write_image(folder, &format!("{host}/run:v1"), "run");
    let pinned = format!("{host}/k@{digest}");
    let absent = format!("{host}/k@sha256:{}", "0".repeat(64));
    let tag = |name: &str| format!("{host}/{name}");
    let (first, gone, run) = (tag("k:v1"), tag("k:v3"), tag("run:v1"));
    let related = [
        ("k.v1", run.as_str()),
        ("k.v2", run.as_str()),
        ("k.v2", "oci:layout:v1"),
    ];

    index(folder, &[&first, &pinned], &related);
    let (status, findings, said) = check(folder, "--images", &[]);
    assert_eq!((status, findings), (Some(0), vec![]), "{said}");
    assert!(said.contains("checking 2 images in the registries"), "{said}");
    assert_eq!(registry.count("HEAD /v2/k/manifests/"), 2);

    index(folder, &[&first, &gone, &absent], &related);
    let (status, findings, said) = check(folder, "--images=all", &[]);
    let expected = |image: &str, bundle: &str| {
        let of = format!("bundle {bundle:?} (channel \"stable\" of package \"k\")");
        (
            "index-image-missing".to_owned(),
            format!("the registry does not have {image}, the image of {of}"),
        )
    };
    assert_eq!(status, Some(1), "{said}");
    assert_eq!(findings[..2], [expected(&gone, "k.v2"), expected(&absent, "k.v3")]);
    let (rule, message) = &findings[2];
    assert_eq!((findings.len(), rule.as_str()), (3, "index-image-reference"));
    assert!(
        message.contains("\"oci:layout:v1\"") && message.contains("from registries only"),
        "{message}"
    );
    assert_eq!(registry.count("HEAD /v2/run/manifests/v1"), 1, "two bundles run it");
    assert_eq!(registry.count("GET /v2/k/"), 0, "nothing but manifests is asked for");
    assert_eq!(registry.count("GET /v2/run/"), 0);
}

#[test]
fn an_unavailable_registry_is_a_different_finding_than_a_missing_image() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // Nobody listens there anymore.
    let dead = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .to_string();
    let guarded = Server::start(|request, _| match request.path.as_str() {
        path if path.contains("/open/") => Reply::new(200, "{}")
            .header("Content-Type", "application/vnd.oci.image.manifest.v1+json")
            .header("Docker-Content-Digest", format!("sha256:{}", "1".repeat(64))),
        path if path.contains("/closed/") => Reply::new(403, "{}"),
        path if path.contains("/manifests/") => Reply::new(404, "{}"),
        _ => Reply::new(200, "{}"),
    });
    let host = guarded.host.as_str();
    let names: Vec<String> = (1..=20).map(|number| format!("{dead}/k:v{number}")).collect();
    let mut images: Vec<&str> = names.iter().map(String::as_str).collect();
    let (open, closed, gone) = (
        format!("{host}/open:v1"),
        format!("{host}/closed:v1"),
        format!("{host}/gone:v1"),
    );
    images.extend([open.as_str(), &closed, &gone]);
    index(folder, &images, &[]);
    let (status, findings, said) = check(folder, "--images", &[]);
    assert_eq!(status, Some(1), "{said}");
    let rules: Vec<&str> = findings.iter().map(|(rule, _)| rule.as_str()).collect();
    assert_eq!(
        rules,
        ["index-image-missing", "index-image-unknown", "index-image-unknown"],
        "{findings:#?}"
    );
    assert!(findings[0].1.contains(&gone), "{findings:#?}");
    let first = format!("{dead}/k:v1, the image of bundle \"k.v1\" (channel \"stable\" of package \"k\")");
    let silent = format!("cannot determine whether registry {dead} has {first}, and 19 other images: cannot connect");
    let (one, other) = (&findings[1].1, &findings[2].1);
    let (of_registry, of_image) = if one.starts_with(&silent) {
        (one, other)
    } else {
        (other, one)
    };
    assert!(of_registry.starts_with(&silent), "{of_registry}");
    assert!(
        of_image.contains(&closed) && of_image.contains("access denied"),
        "{of_image}"
    );
}
