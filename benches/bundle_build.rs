//! The cost of building the image of a bundle, compared with the minimum work of any builder: hashing and compressing
//! the bytes of its layer. `cargo bench --bench bundle_build`.
//!
//! The divan table shows each step. The lines after the table show the ratio of the total to that minimum. The
//! benchmark measures both alternately, so that a change in the speed of the machine does not affect the ratio.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and may panic"
)]

use divan::Bencher;
use divan::counter::BytesCount;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use opmx::bundle::image::image_of;
use opmx::bundle::{self, Annotations, BundleReading, OLM_YAML};
use opmx::diagnostic::has_errors;
use opmx::image::Image;
use opmx::text::Limits;
use opmx::tree::{Tree, TreeLimits};
use opmx::validation;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The compression level of [`opmx::image::layer_from_tree`].
const LEVEL: u32 = 6;

const ANNOTATIONS: &str = "\
annotations:
  operators.operatorframework.io.bundle.channels.v1: stable
  operators.operatorframework.io.bundle.manifests.v1: manifests/
  operators.operatorframework.io.bundle.mediatype.v1: k8s+v1
  operators.operatorframework.io.bundle.metadata.v1: metadata/
  operators.operatorframework.io.bundle.package.v1: strimzi-kafka-operator
";

fn main() {
    if !shared().is_dir() {
        println!("../shared is missing; measuring the small bundles in testdata/");
    }
    divan::main();
    if std::env::args().any(|argument| argument == "--bench") {
        for name in NAMES {
            print_ratio(name);
        }
    }
}

fn project() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn shared() -> PathBuf {
    project().join("../shared/corpus")
}

/// A large bundle of each media type.
const NAMES: [&str; 2] = ["k8s+v1", "registry+v1"];

/// The folder of a bundle. A folder that was created for the benchmark is deleted when the value is dropped.
struct Folder {
    path: PathBuf,
    _made: Option<TempDir>,
}

fn folder(name: &str) -> Folder {
    let plain = name == "k8s+v1";
    let found = if shared().is_dir() {
        if plain {
            return strimzi();
        }
        shared().join("registryv1/observability-operator/0.0.28")
    } else if plain {
        project().join("testdata/greenhouse-operator")
    } else {
        project().join("testdata/compost-operator")
    };
    Folder {
        path: found,
        _made: None,
    }
}

/// Creates a bundle from the install manifests of a large operator and a matching `olm.yaml`.
fn strimzi() -> Folder {
    let case = shared().join("k8sv1/strimzi-kafka-operator");
    let made = tempfile::tempdir().unwrap();
    for folder in ["manifests", "metadata"] {
        fs::create_dir(made.path().join(folder)).unwrap();
    }
    for (path, content) in Tree::from_directory(&case.join("raw"), &TreeLimits::default())
        .unwrap()
        .iter()
    {
        fs::write(made.path().join("manifests").join(path), content).unwrap();
    }
    fs::copy(case.join("olm.yaml"), made.path().join(OLM_YAML)).unwrap();
    fs::write(made.path().join("metadata/annotations.yaml"), ANNOTATIONS).unwrap();
    Folder {
        path: made.path().to_owned(),
        _made: Some(made),
    }
}

fn files(folder: &Path) -> Tree {
    Tree::from_directory(folder, &TreeLimits::default()).unwrap()
}

fn read(tree: &Tree) -> BundleReading {
    bundle::read(tree, &Limits::default())
}

fn image(tree: &Tree, reading: &BundleReading) -> Image {
    let annotations = reading.bundle.as_ref().and_then(|bundle| bundle.annotations.as_ref());
    let labels = annotations.map(Annotations::values).cloned();
    image_of(tree, &labels.unwrap_or_default(), 0).unwrap()
}

/// Performs all steps of `opmx bundle build` up to writing the image.
fn build(folder: &Path) -> Image {
    let tree = files(folder);
    let reading = read(&tree);
    assert!(!has_errors(&validation::check_reading(&reading)));
    image(&tree, &reading)
}

/// Returns the uncompressed bytes of the image's only layer.
fn tar_of(image: &Image) -> Vec<u8> {
    let mut tar = Vec::new();
    let layer = &image.layers()[0];
    GzDecoder::new(layer.content.open().unwrap())
        .read_to_end(&mut tar)
        .unwrap();
    tar
}

fn hash(tar: &[u8]) -> [u8; 32] {
    Sha256::digest(tar).into()
}

fn compress(tar: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::new(LEVEL));
    gzip.write_all(tar).unwrap();
    gzip.finish().unwrap()
}

fn bytes(tree: &Tree) -> BytesCount {
    BytesCount::new(tree.iter().map(|(_, content)| content.len()).sum::<usize>())
}

#[divan::bench(args = NAMES)]
fn whole_build(bencher: Bencher<'_, '_>, name: &str) {
    let folder = folder(name);
    bencher
        .counter(bytes(&files(&folder.path)))
        .bench_local(|| build(&folder.path));
}

#[divan::bench(args = NAMES)]
fn step_files(bencher: Bencher<'_, '_>, name: &str) {
    let folder = folder(name);
    bencher
        .counter(bytes(&files(&folder.path)))
        .bench_local(|| files(&folder.path));
}

#[divan::bench(args = NAMES)]
fn step_read(bencher: Bencher<'_, '_>, name: &str) {
    let tree = files(&folder(name).path);
    bencher.counter(bytes(&tree)).bench_local(|| read(&tree));
}

#[divan::bench(args = NAMES)]
fn step_validate(bencher: Bencher<'_, '_>, name: &str) {
    let tree = files(&folder(name).path);
    // Places are computed once for each reading, so every run gets a new reading.
    bencher
        .counter(bytes(&tree))
        .with_inputs(|| read(&tree))
        .bench_local_refs(|reading| validation::check_reading(reading));
}

#[divan::bench(args = NAMES)]
fn step_image(bencher: Bencher<'_, '_>, name: &str) {
    let tree = files(&folder(name).path);
    let reading = read(&tree);
    bencher.counter(bytes(&tree)).bench_local(|| image(&tree, &reading));
}

#[divan::bench(args = NAMES)]
fn least_hash(bencher: Bencher<'_, '_>, name: &str) {
    let tar = tar_of(&build(&folder(name).path));
    bencher.counter(BytesCount::new(tar.len())).bench_local(|| hash(&tar));
}

#[divan::bench(args = NAMES)]
fn least_compress(bencher: Bencher<'_, '_>, name: &str) {
    let tar = tar_of(&build(&folder(name).path));
    bencher
        .counter(BytesCount::new(tar.len()))
        .bench_local(|| compress(&tar));
}

fn print_ratio(name: &str) {
    const ROUNDS: usize = 21;
    let folder = folder(name);
    let tar = tar_of(&build(&folder.path));
    let mut rounds: Vec<(Duration, Duration)> = (0..ROUNDS)
        .map(|_| {
            let whole = timed(|| build(&folder.path));
            let least = timed(|| (hash(&tar), compress(&tar)));
            (whole, least)
        })
        .collect();
    rounds.sort_by(|left, right| ratio(left).total_cmp(&ratio(right)));
    let median = &rounds[ROUNDS / 2];
    println!(
        "{name}: building {:.1} ms, hashing and compressing its {:.2} MB {:.1} ms, ratio {:.2} (median of {ROUNDS} \
         pairs, {:.2} to {:.2})",
        median.0.as_secs_f64() * 1e3,
        megabytes(tar.len()),
        median.1.as_secs_f64() * 1e3,
        ratio(median),
        ratio(&rounds[0]),
        ratio(&rounds[ROUNDS - 1]),
    );
}

fn ratio((whole, least): &(Duration, Duration)) -> f64 {
    whole.as_secs_f64() / least.as_secs_f64()
}

#[allow(clippy::cast_precision_loss, reason = "for printing")]
fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    divan::black_box(work());
    start.elapsed()
}
