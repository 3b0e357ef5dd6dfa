//! The cost of validating bundles, compared with only parsing the same YAML: `cargo bench --bench bundle_validate`.
//!
//! The divan table shows bytes per second on one core and on all cores. The lines after the table show the cost of
//! validation relative to parsing. The benchmark measures both alternately, so that a change in the speed of the
//! machine does not affect the ratio.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and may panic"
)]

use divan::Bencher;
use divan::counter::BytesCount;
use opmx::bundle::OLM_YAML;
use opmx::text::{self, Limits};
use opmx::tree::{Tree, TreeLimits};
use opmx::validation::{Request, suites, validate};
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const ANNOTATIONS: &str = "\
annotations:
  operators.operatorframework.io.bundle.channels.v1: stable
  operators.operatorframework.io.bundle.manifests.v1: manifests/
  operators.operatorframework.io.bundle.mediatype.v1: k8s+v1
  operators.operatorframework.io.bundle.metadata.v1: metadata/
  operators.operatorframework.io.bundle.package.v1: operator
";

fn main() {
    divan::main();
    if std::env::args().any(|argument| argument == "--bench") {
        let bundles = bundles();
        println!("{} bundles, {:.1} MB", bundles.len(), megabytes(&bundles));
        print_ratio("default rules", &bundles, &request(false));
        print_ratio("all suites", &bundles, &request(true));
    }
}

/// Returns the bundles of both media types in the corpus, or the bundles in testdata/ if the corpus is absent.
fn bundles() -> Vec<Tree> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpus = project.join("../shared/corpus");
    let files = |folder: &Path| Tree::from_directory(folder, &TreeLimits::default()).unwrap();
    if !corpus.is_dir() {
        println!("../shared is missing; measuring the small bundles in testdata/");
        let names = ["compost-operator", "greenhouse-operator"];
        return names.map(|name| files(&project.join("testdata").join(name))).into();
    }
    let versions = folders(&corpus.join("registryv1"))
        .into_iter()
        .flat_map(|operator| folders(&operator));
    let published = versions.filter(|version| version.join("manifests").is_dir());
    let mut bundles: Vec<Tree> = published.map(|version| files(&version)).collect();
    for operator in folders(&corpus.join("k8sv1")) {
        let mut tree = Tree::new(operator.display().to_string());
        let mut insert = |path: &str, bytes: Vec<u8>| tree.insert(path, bytes, &TreeLimits::default()).unwrap();
        let Ok(olm) = fs::read(operator.join("olm.yaml")) else {
            continue;
        };
        insert(OLM_YAML, olm);
        insert("metadata/annotations.yaml", ANNOTATIONS.into());
        for (path, bytes) in files(&operator.join("raw")).iter() {
            insert(&format!("manifests/{path}"), bytes.to_vec());
        }
        bundles.push(tree);
    }
    bundles
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn request(all: bool) -> Request {
    Request {
        validators: if all {
            suites::validators_of("all").unwrap()
        } else {
            Vec::new()
        },
        ..Request::default()
    }
}

fn bytes(bundles: &[Tree]) -> usize {
    let files = bundles.iter().flat_map(Tree::iter);
    files.map(|(_, content)| content.len()).sum()
}

#[allow(clippy::cast_precision_loss, reason = "for printing")]
fn megabytes(bundles: &[Tree]) -> f64 {
    bytes(bundles) as f64 / 1e6
}

fn check(tree: &Tree, request: &Request) {
    divan::black_box(validate(tree, request));
}

fn parse(tree: &Tree) {
    for (path, content) in tree.iter() {
        divan::black_box(text::read(path, content, &Limits::default()));
    }
}

/// Calls `work` once with every bundle, on `threads` threads.
fn on_threads(threads: usize, bundles: &[Tree], work: impl Fn(&Tree) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(bundle) = bundles.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(bundle);
                }
            });
        }
    });
}

/// Returns the numbers of threads to measure: one, and all available threads.
fn threads() -> Vec<usize> {
    let all = thread::available_parallelism().map_or(1, NonZero::get);
    if all == 1 { vec![1] } else { vec![1, all] }
}

#[divan::bench(args = threads(), sample_count = 5)]
fn parse_yaml(bencher: Bencher<'_, '_>, threads: usize) {
    let bundles = bundles();
    let work = || on_threads(threads, &bundles, parse);
    bencher.counter(BytesCount::new(bytes(&bundles))).bench_local(work);
}

#[divan::bench(args = threads(), sample_count = 5)]
fn validate_default(bencher: Bencher<'_, '_>, threads: usize) {
    let (bundles, request) = (bundles(), request(false));
    let work = || on_threads(threads, &bundles, |bundle| check(bundle, &request));
    bencher.counter(BytesCount::new(bytes(&bundles))).bench_local(work);
}

#[divan::bench(args = threads(), sample_count = 5)]
fn validate_all_suites(bencher: Bencher<'_, '_>, threads: usize) {
    let (bundles, request) = (bundles(), request(true));
    let work = || on_threads(threads, &bundles, |bundle| check(bundle, &request));
    bencher.counter(BytesCount::new(bytes(&bundles))).bench_local(work);
}

/// The maximum cost of validation without parsing, relative to the cost of parsing. At 1, parsing and validating a
/// bundle costs as much as parsing it twice.
const TARGET: f64 = 1.0;

fn print_ratio(name: &str, bundles: &[Tree], request: &Request) {
    const ROUNDS: usize = 7;
    let mut ratios: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let parsing = timed(|| on_threads(1, bundles, parse));
            let whole = timed(|| on_threads(1, bundles, |bundle| check(bundle, request)));
            whole.as_secs_f64() / parsing.as_secs_f64() - 1.0
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    let median = ratios[ROUNDS / 2];
    println!(
        "{name}: validation costs {median:.2} times as much as parsing (median of {ROUNDS} pairs, {:.2} to {:.2}), target {TARGET:.1}: {}",
        ratios[0],
        ratios[ROUNDS - 1],
        if median < TARGET { "PASS" } else { "FAIL" }
    );
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}
