//! The cost of `opmx registry add`, as a whole process: `cargo bench --bench registry_add`.
//!
//! 1. Real bundles into a new database in one call: 50, and 2, 4 and 8 times as many. The additional bundles are copies
//!    with other package and bundle names. The target: the CPU time per bundle grows by at most a tenth, and the peak
//!    memory always stays below 100 MiB.
//! 2. One more bundle, in a new package, into databases of 50, 500 and 5,000 small bundles. The target: adding to the
//!    largest database costs at most 1.5 times as much as adding to the smallest.
//! 3. One more version in a package with 99 versions of 174 KB each. The target: 0.03 s of CPU.
//!
//! CPU is the user and system time of the process as counted by the system; wall-clock time is ignored.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and may panic"
)]

#[path = "../tests/shared/accepted.rs"]
mod accepted;
#[expect(dead_code, reason = "this benchmark uses only a part of the module")]
mod bundles;

use accepted::ACCEPTED;
use bundles::{Cost, files, folders_of, list, measured, median, repeated, rewrite, run};
use opmx::text::{self, Limits};
use std::fs;
use std::path::{Path, PathBuf};

/// The number of real bundles at the start of the first measurement.
const BUNDLES: usize = 50;
/// How many times each real bundle is added, each time under another name.
const TIMES: [usize; 4] = [1, 2, 4, 8];
/// The number of runs of each command. The benchmark prints their medians.
const RUNS: usize = 5;
/// The maximum factor by which the CPU cost per bundle grows with the number of bundles.
const TARGET_EACH: f64 = 1.1;
/// The maximum peak memory of any call, in MiB.
const TARGET_PEAK: f64 = 100.0;
/// An operator with five small bundles that can be added in one call.
const SMALL: &str = "deployment-validation-operator";
/// The sizes of the databases to which one more bundle is added.
const SIZES: [usize; 3] = [50, 500, 5000];
/// The maximum factor by which the cost of adding a bundle grows with the size of the database.
const TARGET_LARGEST: f64 = 1.5;
/// An operator with one bundle of ordinary size.
const USUAL: &str = "dbaas-operator";
/// The number of versions of a package before one is added.
const VERSIONS: usize = 99;
/// The maximum cost of adding one version, in seconds of CPU.
const TARGET_VERSION: f64 = 0.03;

fn main() {
    let runs = if measured() { RUNS } else { 1 };
    let workplace = tempfile::tempdir().unwrap();
    in_one_call(runs, &workplace.path().join("call"));
    into_larger_databases(runs, &workplace.path().join("databases"));
    into_a_long_package(runs, &workplace.path().join("package"));
}

fn add(list: &Path, database: &Path) -> Cost {
    let (list, database) = (list.to_str().unwrap(), database.to_str().unwrap());
    run(&["registry", "add", "-q", "--bundles-from", list, "-d", database])
}

/// Adds bundles to a copy of a database, `runs` times.
fn add_to(base: &Path, list: &Path, runs: usize) -> Cost {
    let copy = base.with_extension("copy");
    let costs = (0..runs).map(|_| {
        fs::copy(base, &copy).unwrap();
        add(list, &copy)
    });
    let costs: Vec<Cost> = costs.collect();
    fs::remove_file(&copy).unwrap();
    median(&costs)
}

fn verdict(holds: bool, target: &str) {
    println!("{}: {target}\n", if holds { "PASS" } else { "over" });
}

#[allow(clippy::cast_precision_loss, reason = "for printing")]
fn in_one_call(runs: usize, workplace: &Path) {
    fs::create_dir_all(workplace).unwrap();
    let times = if measured() { &TIMES[..] } else { &TIMES[..2] };
    let mut originals = folders_of(&ACCEPTED);
    originals.truncate(BUNDLES);
    let lists: Vec<PathBuf> = times
        .iter()
        .map(|times| {
            let bundles = repeated(&originals, *times, workplace);
            list(&bundles, workplace.join(format!("{times}-times.txt")))
        })
        .collect();
    let mut costs: Vec<Vec<Cost>> = vec![Vec::new(); times.len()];
    let database = workplace.join("index.db");
    for _ in 0..runs {
        for (list, costs) in lists.iter().zip(&mut costs) {
            costs.push(add(list, &database));
            fs::remove_file(&database).unwrap();
        }
    }
    let bytes: u64 = originals.iter().map(|bundle| size(bundle)).sum();
    println!("Adding bundles to a new database in one call, medians of {runs} runs");
    println!("bundles  MB in   CPU s  CPU ms/bundle  ratio  peak MiB");
    let mut first = None;
    let mut holds = true;
    for (times, costs) in times.iter().zip(&costs) {
        let Cost { cpu, peak } = median(costs);
        let number = originals.len() * times;
        let each = cpu * 1e3 / number as f64;
        let ratio = each / *first.get_or_insert(each);
        holds &= ratio <= TARGET_EACH && peak <= TARGET_PEAK;
        let megabytes = bytes as f64 * *times as f64 / 1e6;
        println!("{number:>7}  {megabytes:>5.1}  {cpu:>6.2}  {each:>13.2}  {ratio:>5.2}  {peak:>8.1}");
    }
    let target = format!("the targets are a ratio of {TARGET_EACH} and a peak of {TARGET_PEAK} MiB at most");
    verdict(holds, &target);
}

#[allow(clippy::cast_precision_loss, reason = "for printing")]
fn into_larger_databases(runs: usize, workplace: &Path) {
    fs::create_dir_all(workplace).unwrap();
    let sizes = if measured() { &SIZES[..] } else { &SIZES[..1] };
    let mut originals = folders_of(&[SMALL]);
    originals.truncate(5);
    let one = list(&folders_of(&[USUAL])[..1], workplace.join("one.txt"));
    println!("Adding one bundle to a database, medians of {runs} runs");
    println!("bundles   file MB   CPU s  ratio  peak MiB");
    let mut first = None;
    let mut holds = true;
    for size in sizes {
        let bundles = repeated(&originals, size / originals.len(), workplace);
        let database = workplace.join(format!("{size}.db"));
        add(&list(&bundles, workplace.join("all.txt")), &database);
        let Cost { cpu, peak } = add_to(&database, &one, runs);
        let ratio = cpu / *first.get_or_insert(cpu);
        holds &= ratio <= TARGET_LARGEST && peak <= TARGET_PEAK;
        let megabytes = database.metadata().unwrap().len() as f64 / 1e6;
        println!(
            "{:>7}  {megabytes:>8.1}  {cpu:>6.3}  {ratio:>5.2}  {peak:>8.1}",
            bundles.len()
        );
    }
    verdict(holds, &format!("the target is a ratio of {TARGET_LARGEST} at most"));
}

fn into_a_long_package(runs: usize, workplace: &Path) {
    fs::create_dir_all(workplace).unwrap();
    let versions = if measured() { VERSIONS } else { 3 };
    let original = &folders_of(&[USUAL])[0];
    let bundles = chain(original, versions + 1, workplace);
    let (last, before) = bundles.split_last().unwrap();
    let database = workplace.join("package.db");
    let all = add(&list(before, workplace.join("all.txt")), &database);
    let one = list(std::slice::from_ref(last), workplace.join("one.txt"));
    let Cost { cpu, peak } = add_to(&database, &one, runs);
    println!("Adding one version to a package of {versions} versions, medians of {runs} runs");
    println!(
        "CPU s for the previous versions {:.2}, for the added version {cpu:.3}; peak {peak:.1} MiB",
        all.cpu
    );
    verdict(
        cpu <= TARGET_VERSION,
        &format!("the target is {TARGET_VERSION} s at most"),
    );
}

/// Returns the total size of the files of a bundle, in bytes.
fn size(bundle: &Path) -> u64 {
    files(bundle).map(|file| file.metadata().unwrap().len()).sum()
}

/// Creates a chain of versions of one package, each of which replaces the previous version. Returns the folders, oldest
/// first.
///
/// All versions are copies of `original`, except for the name, the version and the replaced name.
fn chain(original: &Path, length: usize, workplace: &Path) -> Vec<PathBuf> {
    let name = |number: usize| format!("chain.v1.{number}.0");
    let link = |number: usize| {
        let folder = workplace.join(format!("chain-{number}"));
        rewrite(original, &folder, |text, file| {
            if !text.contains("kind: ClusterServiceVersion") {
                return text.to_owned();
            }
            let documents = text::read(&file.to_string_lossy(), text.as_bytes(), &Limits::default()).documents;
            let mut version = documents[0].value().clone();
            version["metadata"]["name"] = name(number).into();
            let spec = version["spec"].as_object_mut().unwrap();
            spec.insert("version".to_owned(), format!("1.{number}.0").into());
            for field in ["replaces", "skips"] {
                spec.shift_remove(field);
            }
            if number > 0 {
                spec.insert("replaces".to_owned(), name(number - 1).into());
            }
            version.to_string()
        });
        folder
    };
    (0..length).map(link).collect()
}
