//! The cost of maintaining a file-based catalog of realistic size, as a whole process: `cargo bench --bench catalog`.
//!
//! The benchmark generates a catalog of 400 packages with 6,000 bundles (about 130 MB, one file per package), once as
//! JSON and once as YAML. The targets are seconds of CPU and MiB of memory. The benchmark also compares the cost of
//! writing YAML with that of writing JSON.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a benchmark prints, and may panic"
)]

#[allow(dead_code, reason = "each benchmark uses only a part of the module")]
mod bundles;

use bundles::{Cost, measured, median, run};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The number of packages, and the number of bundles in each package.
const FIELD: (usize, usize) = (400, 15);
/// The number of bytes of descriptions and examples in each bundle.
const TEXT: usize = 21_000;
/// The number of runs of each command. The benchmark prints their medians.
const RUNS: usize = 3;

/// A command, its arguments, and the maximum CPU seconds and MiB of memory.
type Target = (&'static str, &'static [&'static str], f64, f64);

const TARGETS: [Target; 5] = [
    ("validate", &["validate", "-q", "CATALOG"], 1.0, 120.0),
    (
        "catalog add",
        &["catalog", "add", "-q", "CATALOG", "-b", "BUNDLE", "--mode", "semver"],
        0.4,
        f64::INFINITY,
    ),
    (
        "from-fbc",
        &["index", "from-fbc", "-q", "CATALOG", "-t", "oci:OUT:v1"],
        6.0,
        f64::INFINITY,
    ),
    ("serve", &["serve", "-q", "--cache-only", "CATALOG"], 1.5, 100.0),
    ("render", &["render", "-q", "CATALOG"], f64::INFINITY, f64::INFINITY),
];

fn main() {
    let ((packages, bundles), runs) = if measured() { (FIELD, RUNS) } else { ((3, 2), 1) };
    let workplace = tempfile::tempdir().unwrap();
    let bundle = workplace.path().join("bundle");
    write_bundle(&bundle);
    let mut holds = true;
    for language in ["json", "yaml"] {
        let catalog = workplace.path().join(language);
        let bytes = write_catalog(&catalog, language, packages, bundles);
        println!(
            "{packages} packages, {} bundles, {:.0} MB of {language}",
            packages * bundles,
            bytes as f64 / 1e6
        );
        println!("command      CPU s  at most  peak MiB  at most");
        for (name, arguments, cpu, peak) in TARGETS {
            let cost = costs(arguments, &catalog, &bundle, runs);
            println!(
                "{name:<11}  {:>5.2}  {cpu:>7.1}  {:>8.1}  {peak:>7.0}",
                cost.cpu, cost.peak
            );
            holds &= cost.cpu <= cpu && cost.peak <= peak;
        }
    }
    let json = workplace.path().join("json");
    let [as_json, as_yaml] =
        ["json", "yaml"].map(|form| costs(&["render", "-q", "-o", form, "CATALOG"], &json, &bundle, runs));
    let ratio = as_yaml.cpu / as_json.cpu;
    println!("render -o yaml takes {ratio:.1} times the CPU of -o json; at most 3");
    holds &= ratio <= 3.0;
    println!("{}", if holds { "PASS" } else { "over" });
}

/// Returns the median cost of a command over several runs, each on a fresh copy of the changed files.
fn costs(arguments: &[&str], catalog: &Path, bundle: &Path, runs: usize) -> Cost {
    let costs = (0..runs).map(|_| {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("catalog");
        let changes = arguments.first() == Some(&"catalog");
        if changes {
            copy(catalog, &own);
        }
        let catalog = if changes { &own } else { catalog };
        let filled: Vec<String> = arguments
            .iter()
            .map(|argument| {
                argument
                    .replace("CATALOG", catalog.to_str().unwrap())
                    .replace("BUNDLE", bundle.to_str().unwrap())
                    .replace("OUT", folder.path().join("out").to_str().unwrap())
            })
            .collect();
        run(&filled.iter().map(String::as_str).collect::<Vec<_>>())
    });
    median(&costs.collect::<Vec<_>>())
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

/// Writes the catalog, and returns its size in bytes.
fn write_catalog(folder: &Path, language: &str, packages: usize, bundles: usize) -> usize {
    fs::create_dir(folder).unwrap();
    let mut bytes = 0;
    for package in 0..packages {
        let mut text = String::new();
        for document in documents(&format!("package-{package:03}"), bundles) {
            match language {
                "json" => writeln!(text, "{document:#}").unwrap(),
                _ => write!(text, "---\n{}", opmx::text::to_yaml(&document)).unwrap(),
            }
        }
        bytes += text.len();
        fs::write(folder.join(format!("package-{package:03}.{language}")), text).unwrap();
    }
    bytes
}

fn documents(package: &str, bundles: usize) -> Vec<Value> {
    let name = |version: usize| format!("{package}.v1.{version}.0");
    let entries: Vec<Value> = (0..bundles)
        .map(|version| match version.checked_sub(1) {
            None => json!({"name": name(version)}),
            Some(before) => json!({"name": name(version), "replaces": name(before)}),
        })
        .collect();
    let mut documents = vec![
        json!({"schema": "olm.package", "name": package, "defaultChannel": "stable"}),
        json!({"schema": "olm.channel", "package": package, "name": "stable", "entries": entries}),
    ];
    documents.extend((0..bundles).map(|version| {
        let example = json!([{"apiVersion": "example.com/v1", "kind": "Garden", "metadata": {"name": "tomatoes"},
            "spec": {"rows": "x ".repeat(TEXT / 4)}}]);
        json!({"schema": "olm.bundle", "package": package, "name": name(version),
            "image": format!("registry.example.com/{package}:v1.{version}.0"),
            "properties": [
                {"type": "olm.package", "value": {"packageName": package, "version": format!("1.{version}.0")}},
                {"type": "olm.gvk", "value": {"group": "example.com", "version": "v1", "kind": format!("Garden{package}")}},
                {"type": "olm.csv.metadata", "value": {
                    "annotations": {"alm-examples": example.to_string(), "capabilities": "Basic Install"},
                    "apiServiceDefinitions": {}, "crdDescriptions": {},
                    "description": "Tends a garden: row by row, and bed by bed.\n".repeat(TEXT / 88),
                    "displayName": package, "provider": {"name": "Example Gardens"}}}],
            "relatedImages": [{"name": "", "image": format!("registry.example.com/{package}:v1.{version}.0")}]})
    }));
    documents
}

/// Writes the bundle to be added: the next version of the first package.
fn write_bundle(folder: &Path) {
    let files = [
        (
            "metadata/annotations.yaml",
            "annotations:\n  operators.operatorframework.io.bundle.mediatype.v1: registry+v1\n  \
             operators.operatorframework.io.bundle.manifests.v1: manifests/\n  \
             operators.operatorframework.io.bundle.metadata.v1: metadata/\n  \
             operators.operatorframework.io.bundle.package.v1: package-000\n  \
             operators.operatorframework.io.bundle.channels.v1: stable\n",
        ),
        (
            "manifests/operator.clusterserviceversion.yaml",
            "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: package-000.v9.0.0}\n\
             spec:\n  version: 9.0.0\n  displayName: Garden\n  \
             installModes: [{type: AllNamespaces, supported: true}]\n  \
             install: {strategy: deployment, spec: {deployments: []}}\n",
        ),
    ];
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}
