//! Published operators in one index.

use crate::accepted::ACCEPTED;
use crate::common::{Sandbox, copy_folder};
use crate::tools::{DockerRegistry, installed, run};
use crate::{corpus, fail, files, registry, succeed};
use rusqlite::Connection;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Operators with raw manifests, and the bundle name in their `olm.yaml`.
const PLAIN: [(&str, &str); 3] = [
    ("limitador-operator", "limitador-operator.v0.11.0"),
    ("shipwright-operator", "shipwright-operator.v0.20.0"),
    ("strimzi-kafka-operator", "strimzi-cluster-operator.v1.2.0"),
];

/// Copies raw manifests and their `olm.yaml` into the folders of a bundle. Replaced versions do not exist here, so the
/// field `replaces` is removed.
fn lay_out(corpus: &Path, sandbox: &Sandbox, operator: &str) {
    let folder = sandbox.path(operator);
    copy_folder(&corpus.join(operator).join("raw"), &folder.join("manifests"));
    fs::create_dir_all(folder.join("metadata")).unwrap();
    let olm = fs::read_to_string(corpus.join(operator).join("olm.yaml")).unwrap();
    let kept = olm.split_inclusive('\n').filter(|line| !line.starts_with("replaces: "));
    fs::write(folder.join("metadata/olm.yaml"), kept.collect::<String>()).unwrap();
}

/// Builds a bundle of raw manifests into the registry and inspects it with other programs; returns its reference by
/// tag.
fn plain_bundle(corpus: &Path, sandbox: &Sandbox, registry: &DockerRegistry, operator: &str) -> String {
    lay_out(corpus, sandbox, operator);
    let reference = format!("{}/team/{operator}:latest-build", registry.host);
    let annotations = format!("-p {operator} -c alpha,stable -e stable");
    // The annotations come from a file once, else from the options of the build.
    let options = if operator == "shipwright-operator" {
        succeed(sandbox, &format!("bundle generate {operator} {annotations}"));
        ""
    } else {
        annotations.as_str()
    };
    let line = format!("bundle build {operator} {options} --use-http -t {reference}");
    let pinned = succeed(sandbox, &line);
    let pinned = pinned.trim_end();
    let digest = pinned
        .strip_prefix(&format!("{}/team/{operator}@sha256:", registry.host))
        .unwrap();

    let sent = registry.count("POST /v2/");
    assert_eq!(succeed(sandbox, &line).trim_end(), pinned);
    assert_eq!(
        registry.count("POST /v2/"),
        sent,
        "what the registry has was sent again"
    );

    let pulled = format!("pulled/{operator}");
    succeed(
        sandbox,
        &format!("bundle unpack {pinned} --use-http --no-cache -o {pulled}"),
    );
    let pulled = files(&sandbox.path(&pulled));
    let made: Vec<_> = pulled
        .iter()
        .filter(|(path, _)| !path.ends_with("annotations.yaml"))
        .cloned()
        .collect();
    let given: Vec<_> = files(&sandbox.path(operator))
        .into_iter()
        .filter(|(path, _)| !path.ends_with("annotations.yaml"))
        .collect();
    assert!(made == given, "{operator} came back changed");
    assert_eq!(pulled.len(), given.len() + 1);

    let skopeo = |arguments: &[&str]| run("skopeo", &[&["--insecure-policy"], arguments].concat());
    let there = format!("docker://{reference}");
    let raw = skopeo(&["inspect", "--tls-verify=false", "--raw", &there]);
    let sum = Sha256::digest(raw.as_bytes())
        .iter()
        .fold(String::new(), |mut text, byte| {
            write!(text, "{byte:02x}").unwrap();
            text
        });
    assert_eq!(sum, digest);
    let inspected: Value = serde_json::from_str(&skopeo(&["inspect", "--tls-verify=false", &there])).unwrap();
    let label = |name: &str| &inspected["Labels"][format!("operators.operatorframework.io.bundle.{name}")];
    assert_eq!(label("mediatype.v1"), "k8s+v1");
    assert_eq!(label("package.v1"), operator);
    assert_eq!(label("channels.v1"), "alpha,stable");
    assert_eq!(label("channel.default.v1"), "stable");

    let layout = sandbox.path("copied").join(operator);
    fs::create_dir_all(sandbox.path("copied")).unwrap();
    let copy = format!("oci:{}:v1", layout.display());
    skopeo(&["copy", "--src-tls-verify=false", &there, &copy]);
    let unpacked = sandbox.path("unpacked").join(operator);
    fs::create_dir_all(sandbox.path("unpacked")).unwrap();
    let image = format!("{}:v1", layout.display());
    run(
        "umoci",
        &["unpack", "--rootless", "--image", &image, unpacked.to_str().unwrap()],
    );
    assert!(
        files(&unpacked.join("rootfs")) == pulled,
        "{operator} was unpacked otherwise"
    );
    reference
}

/// Builds the published bundles of an operator into the registry; returns their references by tag.
fn published_bundles(corpus: &Path, sandbox: &Sandbox, registry: &DockerRegistry, operator: &str) -> Vec<String> {
    let mut references = Vec::new();
    for entry in walkdir::WalkDir::new(corpus.join(operator))
        .min_depth(1)
        .max_depth(1)
        .sort_by_file_name()
    {
        let entry = entry.unwrap();
        let version = entry.file_name().to_str().unwrap();
        let reference = format!("{}/published/{operator}:v{version}", registry.host);
        // Published bundles are used unchanged, including their mistakes.
        let folder = entry.path().display();
        succeed(sandbox, &format!("bundle build {folder} -q --use-http -t {reference}"));
        references.push(reference);
    }
    references
}

#[test]
fn plain_and_published_operators_are_indexed_through_a_real_registry() {
    let (Some(plain), Some(published)) = (corpus("k8sv1"), corpus("registryv1")) else {
        return;
    };
    if !installed(&["docker-registry", "skopeo", "umoci"]) {
        return;
    }
    let sandbox = Sandbox::new();
    let registry = registry(&sandbox);
    let host = &registry.host;
    let mut inline = BTreeSet::new();
    for (operator, name) in PLAIN {
        let reference = plain_bundle(&plain, &sandbox, &registry, operator);
        inline.insert((name.to_owned(), reference));
    }
    let mut by_reference = BTreeSet::new();
    for operator in ACCEPTED {
        by_reference.extend(published_bundles(&published, &sandbox, &registry, operator));
    }
    let all: Vec<&str> = inline
        .iter()
        .map(|(_, reference)| reference)
        .chain(&by_reference)
        .map(String::as_str)
        .collect();
    fs::write(sandbox.path("bundles.txt"), all.join("\n")).unwrap();

    let index = format!("{host}/team/index:v1");
    let pinned = succeed(
        &sandbox,
        &format!("index add --bundles-from bundles.txt --use-http -t {index}"),
    );
    assert!(pinned.starts_with(&format!("{host}/team/index@sha256:")), "{pinned}");
    succeed(&sandbox, "index add --bundles-from bundles.txt --use-http --generate");

    let database = sandbox.path("database/index.db");
    let connection = Connection::open(&database).unwrap();
    let text = |query: &str| -> Vec<String> {
        let mut statement = connection.prepare(query).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    assert_eq!(text("PRAGMA integrity_check"), ["ok"]);
    assert!(text("SELECT \"table\" FROM pragma_foreign_key_check").is_empty());
    let stored: BTreeSet<String> = text("SELECT bundlepath FROM operatorbundle WHERE bundlepath <> ''")
        .into_iter()
        .collect();
    assert_eq!(stored, by_reference, "references as they were written");
    let stored: BTreeSet<(String, String)> = {
        let names = text(
            "SELECT operatorbundle_name FROM properties WHERE type = 'olm.bundle.image' ORDER BY operatorbundle_name",
        );
        let images = text(
            "SELECT trim(value, '\"') FROM properties WHERE type = 'olm.bundle.image' ORDER BY operatorbundle_name",
        );
        names.into_iter().zip(images).collect()
    };
    assert_eq!(stored, inline);
    for (name, reference) in &inline {
        let images = text(&format!(
            "SELECT image FROM related_image WHERE operatorbundle_name = '{name}'"
        ));
        assert!(images.contains(reference), "{name}: {images:?}");
    }

    // The image in the registry lists what the file lists, and all of it.
    let list = |what: &str| -> Vec<Value> {
        let of = |index: &str| succeed(&sandbox, &format!("index list {what} {index} --use-http -o json"));
        let (file, image) = (of("database/index.db"), of(&index));
        assert_eq!(file, image, "{what}");
        serde_json::from_str(&image).unwrap()
    };
    let packages: BTreeSet<_> = list("packages")
        .iter()
        .map(|row| row["name"].as_str().unwrap().to_owned())
        .collect();
    assert!(
        PLAIN.iter().all(|(package, _)| packages.contains(*package)),
        "{packages:?}"
    );
    assert_eq!(packages.len(), PLAIN.len() + ACCEPTED.len(), "{packages:?}");
    let bundles = list("bundles");
    let listed: BTreeSet<&str> = bundles.iter().map(|row| row["bundle"].as_str().unwrap()).collect();
    // Bundles that a version of their own package has overtaken stay stored, in no channel.
    let stored = text(
        "SELECT DISTINCT operatorbundle_name FROM channel_entry JOIN operatorbundle ON name = operatorbundle_name",
    );
    assert_eq!(listed, stored.iter().map(String::as_str).collect());
    for row in &bundles {
        let plain = inline.iter().any(|(name, _)| name == row["bundle"].as_str().unwrap());
        assert_eq!(row["mediaType"], if plain { "k8s+v1" } else { "registry+v1" });
        assert_eq!(row["image"].is_null(), plain, "{row}");
    }
    println!(
        "{} bundles: {} inline, {} by reference; {} packages, {} rows of channels",
        all.len(),
        inline.len(),
        by_reference.len(),
        packages.len(),
        bundles.len()
    );
}

#[test]
fn grafana_is_rejected_for_exactly_its_wildcards() {
    let Some(folder) = corpus("k8sv1") else {
        return;
    };
    let sandbox = Sandbox::new();
    let operator = "grafana-operator";
    lay_out(&folder, &sandbox, operator);
    succeed(&sandbox, &format!("bundle generate {operator} -p {operator} -c alpha"));
    let manifest = fs::read_to_string(sandbox.path(operator).join("manifests/manifests.yaml")).unwrap();
    let lines: Vec<&str> = manifest.lines().collect();
    for line in [
        format!("bundle build {operator} -t oci:built:v1"),
        format!("index add -b {operator} -t oci:index:v1"),
        format!("registry add -b {operator} -d index.db"),
    ] {
        let said = fail(&sandbox, &line).stderr;
        let errors: Vec<&str> = said.lines().filter(|line| line.starts_with("error[")).collect();
        assert_eq!(errors.len(), 3, "{line}: {said}");
        for (error, wildcard) in errors.iter().zip(["*", "*/finalizers", "*/status"]) {
            assert!(error.starts_with("error[rbac-wildcard]: "), "{error}");
            assert!(error.contains(&format!("{wildcard:?}")), "{error}");
        }
        // Each place is a line of the file that says so.
        let places = said.lines().filter_map(|line| line.trim_start().strip_prefix("--> "));
        let places: Vec<usize> = places
            .filter_map(|place| place.rsplit(':').nth(1)?.parse().ok())
            .filter(|number: &usize| lines[number - 1].contains("'*"))
            .collect();
        assert_eq!(places.len(), 3, "{said}");
    }
    for absent in ["built", "index", "index.db"] {
        assert!(!sandbox.path(absent).exists(), "{absent}");
    }
}
