//! The cost of file-based catalogs, as a whole process: `cargo bench --bench file_based`.
//!
//! The benchmark renders and migrates a database of 500 bundles of ordinary size, validates the rendered catalog, and
//! converts this catalog back to a database. The target is a tenth of the time per megabyte and a tenth of the memory
//! that the reference needed. The reference was measured on a machine with two processors, with 500 bundles from a
//! public catalog (83.8 MB). The reference cannot convert a catalog to a database.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a benchmark prints, and may panic"
)]

mod bundles;

use bundles::{Cost, index_and_catalog, measured, median, run};
use std::fs;

const ORDINARY: [&str; 3] = ["debezium-operator", "node-healthcheck-operator", "oadp-operator"];
const SMALL: [&str; 1] = ["deployment-validation-operator"];
/// The number of runs of each command. The benchmark prints their medians.
const RUNS: usize = 5;
/// The size of the catalog with which the reference was measured, in megabytes.
const REFERENCE_SIZE: f64 = 83.8;
/// The CPU seconds and MiB of memory that the reference used.
const REFERENCE: [(&str, f64, f64); 3] = [
    ("render", 4.18, 728.0),
    ("migrate", 4.45, 725.0),
    ("validate", 4.41, 484.0),
];
/// The target, as a fraction of the reference.
const TARGET: f64 = 0.1;

fn main() {
    let (size, operators, runs) = if measured() {
        (500, &ORDINARY[..], RUNS)
    } else {
        (5, &SMALL[..], 1)
    };
    let workplace = tempfile::tempdir().unwrap();
    let (database, catalog) = index_and_catalog(size, operators, workplace.path());
    let megabytes = fs::metadata(catalog.join("catalog.json")).unwrap().len() as f64 / 1e6;
    let (database, catalog) = (database.to_str().unwrap(), catalog.to_str().unwrap());
    println!("{size} bundles, {megabytes:.1} MB of catalog; medians of {runs} runs");
    println!("command    CPU s  CPU ms/MB  of the reference  peak MiB  of the reference");
    let mut holds = true;
    for (command, cpu, peak) in REFERENCE {
        let cost = costs(command, database, catalog, runs);
        let parts = [cost.cpu / megabytes / (cpu / REFERENCE_SIZE), cost.peak / peak];
        let [of_cpu, of_peak] = parts;
        let each = cost.cpu * 1e3 / megabytes;
        println!(
            "{command:<8}  {:>6.3}  {each:>9.2}  {of_cpu:>16.3}  {:>8.1}  {of_peak:>16.3}",
            cost.cpu, cost.peak
        );
        holds &= parts.iter().all(|part| *part <= TARGET);
    }
    let Cost { cpu, peak } = costs("from-fbc", database, catalog, runs);
    println!(
        "from-fbc  {cpu:>6.3}  {:>9.2}  {:>16}  {peak:>8.1}",
        cpu * 1e3 / megabytes,
        "-"
    );
    println!("{}: the target is a tenth of both", if holds { "PASS" } else { "over" });
}

/// Returns the median cost of a command over several runs.
fn costs(command: &str, database: &str, catalog: &str, runs: usize) -> Cost {
    let costs = (0..runs).map(|_| {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("target");
        let target = target.to_str().unwrap();
        match command {
            "render" => run(&["render", "-q", database]),
            "migrate" => run(&["migrate", "-q", database, target]),
            "validate" => run(&["validate", "-q", catalog]),
            _ => run(&["index", "from-fbc", "-q", catalog, "-t", &format!("oci:{target}:v1")]),
        }
    });
    median(&costs.collect::<Vec<_>>())
}
