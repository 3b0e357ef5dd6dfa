//! The cost of resolving one subscription, as a whole process: `cargo bench --bench resolve`.
//!
//! The database contains 300 packages with 7,000 bundles. The target: at most 1 s and 100 MiB.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and may panic"
)]

#[expect(dead_code, reason = "this benchmark uses only a part of the module")]
mod bundles;

use bundles::{Cost, measured, median, run};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The size of the database.
const PACKAGES: usize = 300;
const BUNDLES: usize = 7000;
/// Every package except for the first ones depends on the package this many positions before it.
const NEEDS: usize = 7;
/// The number of runs of each command. The benchmark prints their medians.
const RUNS: usize = 5;
/// The maximum time from the start of the process to its end, in seconds.
const TARGET_TIME: f64 = 1.0;
/// The maximum peak memory, in MiB.
const TARGET_PEAK: f64 = 100.0;

fn main() {
    let (packages, bundles, runs) = if measured() {
        (PACKAGES, BUNDLES, RUNS)
    } else {
        (10, 100, 1)
    };
    let workplace = tempfile::tempdir().unwrap();
    let database = database(packages, bundles, workplace.path());
    let database = database.to_str().unwrap();
    let package = format!("package-{}", packages - 1);
    let installed = format!("{package}.v1.0.0");
    println!("medians of {runs} runs on {packages} packages with {bundles} bundles");
    println!("command              wall s   CPU s  peak MiB");
    let mut holds = true;
    for (name, more) in [
        ("install", &[][..]),
        ("install, explained", &["--explain"]),
        ("update", &["--installed", &installed]),
    ] {
        let mut words = vec!["resolve", &package, "--catalog", database];
        words.extend(more);
        let mut costs: Vec<Cost> = Vec::new();
        let mut times: Vec<f64> = Vec::new();
        for _ in 0..runs {
            let start = Instant::now();
            costs.push(run(&words));
            times.push(start.elapsed().as_secs_f64());
        }
        times.sort_by(f64::total_cmp);
        let (time, Cost { cpu, peak }) = (times[times.len() / 2], median(&costs));
        println!("{name:<18}  {time:>7.3}  {cpu:>6.3}  {peak:>8.1}");
        holds &= time <= TARGET_TIME && peak <= TARGET_PEAK;
    }
    let verdict = if holds { "PASS" } else { "over" };
    println!("{verdict}: the targets are {TARGET_TIME} s and {TARGET_PEAK} MiB at most");
}

/// Creates a database by adding one bundle with `registry add`, and inserts rows with the same manifests for the other
/// bundles.
fn database(packages: usize, bundles: usize, workplace: &Path) -> PathBuf {
    let database = workplace.join("index.db");
    let bundle = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/greenhouse-operator");
    let (bundle, path) = (bundle.to_str().unwrap(), database.to_str().unwrap());
    run(&["registry", "add", "-q", "-b", bundle, "-d", path]);
    let mut connection = Connection::open(&database).unwrap();
    // A package and its default channel refer to each other.
    connection.pragma_update(None, "foreign_keys", false).unwrap();
    let rows = connection.transaction().unwrap();
    let mut entry = 1000_i64;
    for package in 0..packages {
        let count = bundles / packages + usize::from(package < bundles % packages);
        let name = format!("package-{package}");
        let head = format!("{name}.v1.{}.0", count - 1);
        rows.execute("INSERT INTO package VALUES (?1, 'stable')", [&name])
            .unwrap();
        rows.execute("INSERT INTO channel VALUES ('stable', ?1, ?2)", [&name, &head])
            .unwrap();
        for minor in 0..count {
            let version = format!("1.{minor}.0");
            let csv = format!("{name}.v{version}");
            rows.execute(
                "INSERT INTO operatorbundle (name, csv, bundle, bundlepath, version)
                 SELECT ?1, csv, bundle, 'registry.example.com/' || ?1, ?2 FROM operatorbundle WHERE name LIKE 'greenhouse%'",
                [&csv, &version],
            )
            .unwrap();
            let image = format!("registry.example.com/{csv}");
            let property = |kind: &str, value: &str| {
                rows.execute(
                    "INSERT INTO properties VALUES (?1, ?2, ?3, ?4, ?5)",
                    [kind, value, &csv, &version, &image],
                )
                .unwrap();
            };
            property(
                "olm.package",
                &format!(r#"{{"packageName":"{name}","version":"{version}"}}"#),
            );
            property(
                "olm.gvk",
                &format!(r#"{{"group":"{name}.example.com","version":"v1","kind":"Thing"}}"#),
            );
            if let Some(needed) = package.checked_sub(NEEDS) {
                rows.execute(
                    "INSERT INTO dependencies VALUES ('olm.package', ?1, ?2, ?3, ?4)",
                    [
                        &format!(r#"{{"packageName":"package-{needed}","version":">=1.2.0"}}"#),
                        &csv,
                        &version,
                        &image,
                    ],
                )
                .unwrap();
            }
        }
        // The rows begin with the head; each bundle replaces the next lower version.
        for (depth, minor) in (0_i64..).zip((0..count).rev()) {
            entry += 1;
            let replaces = (minor > 0).then_some(entry + 1);
            rows.execute(
                "INSERT INTO channel_entry (entry_id, channel_name, package_name, operatorbundle_name, replaces, depth)
                 VALUES (?1, 'stable', ?2, ?3, ?4, ?5)",
                (entry, &name, format!("{name}.v1.{minor}.0"), replaces, depth),
            )
            .unwrap();
        }
    }
    rows.commit().unwrap();
    database
}
