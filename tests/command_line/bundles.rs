//! Bundles for the tests of commands that work on indexes, and helpers to inspect the resulting databases.

use crate::common::{Outcome, Sandbox, copy_folder};
use crate::http::{Reply, Server};
use opmx::image::{
    CacheMode, EntryContent, Image, ImageConfig, ImageOptions, LayerEntry, Reference, Silent, Transports, build,
    extract_file, layer_from_files, read_layout,
};
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The k8s+v1 and the registry+v1 bundle of the repository, in the working folder under these names.
pub(crate) const BOTH: &str = "greenhouse,compost";

/// A catalog of the package `rake` with three versions in two channels, and with comments.
pub(crate) const CATALOG: &str = include_str!("../../testdata/rake.yaml");

/// A sandbox with the two bundles of the repository.
pub(crate) fn garden() -> Sandbox {
    let sandbox = Sandbox::new();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    for name in ["greenhouse", "compost"] {
        copy_folder(&data.join(format!("{name}-operator")), &sandbox.path(name));
    }
    sandbox
}

/// Writes a small registry+v1 bundle of the package `rake` into the working folder.
pub(crate) fn rake(sandbox: &Sandbox, folder: &str, version: &str, replaces: Option<&str>) {
    operator(sandbox, folder, "rake", version, replaces);
}

/// Writes a small registry+v1 bundle into the working folder.
pub(crate) fn operator(sandbox: &Sandbox, folder: &str, package: &str, version: &str, replaces: Option<&str>) {
    let replaces = replaces.map_or(String::new(), |name| format!("  replaces: {name}\n"));
    let files = [
        (
            "manifests/operator.clusterserviceversion.yaml",
            format!(
                "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: {package}.v{version}\n\
                 spec:\n  displayName: {package}\n  version: {version}\n{replaces}  installModes:\n  - type: AllNamespaces\n    supported: true\n  \
                 install:\n    strategy: deployment\n    spec:\n      deployments:\n      - name: {package}\n        spec:\n          \
                 selector: {{matchLabels: {{app: {package}}}}}\n          template:\n            metadata: {{labels: {{app: {package}}}}}\n            \
                 spec:\n              containers:\n              - name: {package}\n                image: registry.example.com/{package}:{version}\n"
            ),
        ),
        (
            "metadata/annotations.yaml",
            format!(
                "annotations:\n  operators.operatorframework.io.bundle.channels.v1: stable\n  \
                 operators.operatorframework.io.bundle.manifests.v1: manifests/\n  \
                 operators.operatorframework.io.bundle.mediatype.v1: registry+v1\n  \
                 operators.operatorframework.io.bundle.metadata.v1: metadata/\n  \
                 operators.operatorframework.io.bundle.package.v1: {package}\n"
            ),
        ),
    ];
    for (path, content) in files {
        let path = sandbox.path(folder).join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

/// Runs a command that must succeed.
pub(crate) fn succeed(sandbox: &Sandbox, line: &str) {
    let _ = outcome_of(sandbox, line);
}

/// Runs a command that must succeed, and returns its output.
pub(crate) fn outcome_of(sandbox: &Sandbox, line: &str) -> Outcome {
    let outcome = sandbox.run(line.split_whitespace());
    assert_eq!(outcome.status, Some(0), "{line}: {outcome}");
    outcome
}

/// Runs a command that must fail and print no result.
#[track_caller]
pub(crate) fn fail(sandbox: &Sandbox, line: &str) -> Outcome {
    ended(sandbox, line, 1)
}

/// Runs a command that must report that something does not exist and print no result.
#[track_caller]
pub(crate) fn miss(sandbox: &Sandbox, line: &str) -> Outcome {
    ended(sandbox, line, 4)
}

/// Runs a command that must fail or report that something does not exist, and print no result.
#[track_caller]
pub(crate) fn fail_or_miss(sandbox: &Sandbox, line: &str) -> Outcome {
    let outcome = sandbox.run(line.split_whitespace());
    assert!(
        matches!(outcome.status, Some(1 | 4)) && outcome.stdout.is_empty(),
        "{line}: {outcome}"
    );
    outcome
}

/// Runs a command that must give a negative answer and print no result.
#[track_caller]
pub(crate) fn refuse(sandbox: &Sandbox, line: &str) -> Outcome {
    ended(sandbox, line, 3)
}

#[track_caller]
fn ended(sandbox: &Sandbox, line: &str, status: i32) -> Outcome {
    let outcome = sandbox.run(line.split_whitespace());
    assert_eq!(
        (outcome.status, outcome.stdout.as_str()),
        (Some(status), ""),
        "{line}: {outcome}"
    );
    outcome
}

/// A small base image at `oci:base:v1`; an index based on it is built faster than one that contains opmx.
pub(crate) fn small_base(sandbox: &Sandbox) {
    let program = LayerEntry {
        path: "bin/opm".to_owned(),
        mode: 0o755,
        content: EntryContent::Link("opmx".to_owned()),
    };
    let layers = vec![layer_from_files(&[program], 0).unwrap()];
    let image = build(&ImageConfig::default(), layers).unwrap();
    push(sandbox, &image, "oci:base:v1");
}

/// Writes an image to a layout in the working folder.
pub(crate) fn push(sandbox: &Sandbox, image: &Image, reference: &str) {
    let options = ImageOptions {
        cache: CacheMode::Off,
        ..ImageOptions::default()
    };
    let place = reference.strip_prefix("oci:").unwrap();
    let reference: Reference = format!("oci:{}", sandbox.path(place).display()).parse().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let transports = Transports::new(options, Arc::new(Silent));
    runtime.block_on(transports.push(image, &reference)).unwrap();
}

/// Reads an image from a layout in the working folder.
pub(crate) fn image(sandbox: &Sandbox, layout: &str, tag: &str) -> Image {
    read_layout(&sandbox.path(layout), Some(tag), &opmx::image::Platform::default()).unwrap()
}

/// Extracts the database from an index image.
pub(crate) fn database_of(sandbox: &Sandbox, image: &Image) -> PathBuf {
    let file = sandbox.path(format!("{}.db", image.digest().to_string().replace(':', "-")));
    extract_file(image, "database/index.db", &file, u64::MAX).unwrap();
    file
}

/// The first column of all rows, as text.
pub(crate) fn column(database: &Path, query: &str) -> Vec<String> {
    let connection = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let mut statement = connection.prepare(query).unwrap();
    let rows = statement.query_map([], |row| {
        row.get_ref(0)
            .map(|value| String::from_utf8(value.as_bytes().unwrap_or_default().to_vec()).unwrap())
    });
    rows.unwrap().map(Result::unwrap).collect()
}

/// The names of all bundles, sorted.
pub(crate) fn bundle_names(database: &Path) -> Vec<String> {
    column(database, "SELECT name FROM operatorbundle ORDER BY name")
}

/// Asserts that SQLite finds no errors in the database. Rolls back the journal of a killed writer.
pub(crate) fn assert_sound(database: &Path) {
    let connection = Connection::open(database).unwrap();
    let integrity: String = connection
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(integrity, "ok");
    let mut statement = connection.prepare("PRAGMA foreign_key_check").unwrap();
    assert!(statement.query([]).unwrap().next().unwrap().is_none());
}

/// The names in a folder, sorted.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Kind and name of each JSON document.
pub(crate) fn kinds_and_names(stored: &str) -> Vec<String> {
    let objects = serde_json::Deserializer::from_str(stored).into_iter::<Value>();
    objects
        .map(|object| {
            let object = object.unwrap();
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            format!("{}/{}", text(&object["kind"]), text(&object["metadata"]["name"]))
        })
        .collect()
}

/// A registry that serves the images of a layout in the working folder, each under the name of its tag and the tag
/// `v1`. `before` is called before every answer.
pub(crate) fn serve_layout(sandbox: &Sandbox, layout: &str, before: impl Fn() + Send + Sync + 'static) -> Server {
    let layout = sandbox.path(layout);
    Server::start(move |request, _| {
        before();
        let parts: Vec<&str> = request.path.trim_start_matches("/v2/").rsplitn(3, '/').collect();
        let (digest, name) = match parts[..] {
            ["v1", "manifests", name] => (digest_of(&layout, name), name),
            [digest, _, name] => (digest.to_owned(), name),
            _ => return Reply::new(200, "{}"),
        };
        match fs::read(layout.join("blobs/sha256").join(digest.trim_start_matches("sha256:"))) {
            Ok(content) => Reply::new(200, content)
                .header("Content-Type", "application/vnd.oci.image.manifest.v1+json")
                .header("Docker-Content-Digest", &digest),
            Err(_) => Reply::new(404, format!("no {name}")),
        }
    })
}

/// The digest of the manifest with this tag.
fn digest_of(layout: &Path, tag: &str) -> String {
    let index: Value = serde_json::from_slice(&fs::read(layout.join("index.json")).unwrap()).unwrap();
    let entries = index["manifests"].as_array().unwrap();
    let named = |entry: &&Value| entry["annotations"]["org.opencontainers.image.ref.name"] == tag;
    entries.iter().find(named).unwrap()["digest"]
        .as_str()
        .unwrap()
        .to_owned()
}
