//! The cost of reading an index, as a whole process: `cargo bench --bench index_reading`.
//!
//! The benchmark lists, draws and checks databases of 50, 500 and 5,000 small bundles. The target: the cost per bundle
//! grows by at most half, and no call needs more than 64 MiB.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and may panic"
)]

#[expect(dead_code, reason = "this benchmark uses only a part of the module")]
mod bundles;

use bundles::{Cost, folders_of, list, measured, median, repeated, run};
use std::path::{Path, PathBuf};

/// An operator with small bundles that can be added in one call.
const SMALL: &str = "deployment-validation-operator";
/// The numbers of bundles in the databases.
const SIZES: [usize; 3] = [50, 500, 5000];
/// The commands that are run on each database.
const COMMANDS: [&str; 5] = [
    "list bundles",
    "list images",
    "graph -o mermaid",
    "graph -o svg",
    "check",
];
/// The number of runs of each command. The benchmark prints their medians.
const RUNS: usize = 5;
/// The maximum factor by which the CPU cost per bundle grows with the number of bundles.
const TARGET_EACH: f64 = 1.5;
/// The maximum peak memory of any call, in MiB.
const TARGET_PEAK: f64 = 64.0;

fn main() {
    let (sizes, runs) = if measured() {
        (&SIZES[..], RUNS)
    } else {
        (&SIZES[..1], 1)
    };
    let workplace = tempfile::tempdir().unwrap();
    let databases: Vec<(usize, PathBuf)> = sizes.iter().map(|size| database(*size, workplace.path())).collect();
    println!("medians of {runs} runs");
    println!("command           bundles   CPU s  CPU ms/bundle  ratio  peak MiB");
    let mut holds = true;
    for command in COMMANDS {
        let mut first = None;
        for (bundles, database) in &databases {
            holds &= row(command, *bundles, database, runs, &mut first);
        }
    }
    let verdict = if holds { "PASS" } else { "over" };
    println!("{verdict}: the targets are a ratio of {TARGET_EACH} and a peak of {TARGET_PEAK} MiB at most");
}

/// Creates a database of `size` bundles.
fn database(size: usize, workplace: &Path) -> (usize, PathBuf) {
    let mut originals = folders_of(&[SMALL]);
    originals.truncate(5);
    let bundles = repeated(&originals, size / originals.len(), workplace);
    let all = list(&bundles, workplace.join("all.txt"));
    let database = workplace.join(format!("{size}.db"));
    let (all, path) = (all.to_str().unwrap(), database.to_str().unwrap());
    run(&["registry", "add", "-q", "--bundles-from", all, "-d", path]);
    (bundles.len(), database)
}

/// Measures and prints one command on one database. Returns whether the targets are met.
#[allow(clippy::cast_precision_loss, reason = "for printing")]
fn row(command: &str, bundles: usize, database: &Path, runs: usize, first: &mut Option<f64>) -> bool {
    let mut words = vec!["index"];
    words.extend(command.split(' '));
    words.push(database.to_str().unwrap());
    let costs: Vec<Cost> = (0..runs).map(|_| run(&words)).collect();
    let Cost { cpu, peak } = median(&costs);
    let each = cpu * 1e3 / bundles as f64;
    let ratio = each / *first.get_or_insert(each);
    println!("{command:<16}  {bundles:>7}  {cpu:>6.3}  {each:>13.3}  {ratio:>5.2}  {peak:>8.1}");
    ratio <= TARGET_EACH && peak <= TARGET_PEAK
}
