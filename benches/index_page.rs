//! The cost of building a site, as a whole process: `cargo bench --bench index_page`.
//!
//! The benchmark builds the site of a file-based catalog of 400 packages with 7,200 bundles. The targets: at most 10 s
//! and 200 MiB, at most 400 KB for the list without its icons, and at most 200 KB for the page of a version.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and may panic"
)]

#[expect(dead_code, reason = "this benchmark uses only a part of the module")]
mod bundles;
#[path = "../tests/shared/site_catalogs.rs"]
#[expect(dead_code, reason = "this benchmark uses only a part of the module")]
mod site_catalogs;

use bundles::{measured, run};
use site_catalogs::many;
use std::fs;
use std::path::Path;
use std::time::Instant;

const PACKAGES: usize = 400;
const VERSIONS: u32 = 18;
/// The maximum time from the start of the process to its end, in seconds.
const TARGET_TIME: f64 = 10.0;
/// The maximum peak memory, in MiB.
const TARGET_PEAK: f64 = 200.0;
/// The maximum sizes of the list and of the page of a version, in bytes.
const TARGET_LIST: usize = 400_000;
const TARGET_PAGE: usize = 200_000;

fn main() {
    let (packages, versions) = if measured() { (PACKAGES, VERSIONS) } else { (5, 2) };
    let workplace = tempfile::tempdir().unwrap();
    let catalog = workplace.path().join("catalog");
    fs::create_dir(&catalog).unwrap();
    fs::write(catalog.join("catalog.json"), many(packages, versions)).unwrap();
    let site = workplace.path().join("site");
    let words = [
        "index",
        "page",
        "-q",
        catalog.to_str().unwrap(),
        "-o",
        site.to_str().unwrap(),
    ];
    let start = Instant::now();
    let cost = run(&words);
    let time = start.elapsed().as_secs_f64();
    let (files, bytes, largest) = sizes(&site);
    let list = without_pictures(&fs::read_to_string(site.join("index.html")).unwrap()).len();
    println!(
        "{packages} packages with {versions} versions each: {files} files of {} MB",
        bytes / 1_000_000
    );
    println!("wall {time:.2} s, CPU {:.2} s, peak {:.0} MiB", cost.cpu, cost.peak);
    println!("list {list} bytes without pictures, largest page of a version {largest} bytes");
    if measured() {
        assert!(
            time <= TARGET_TIME && cost.peak <= TARGET_PEAK,
            "the targets are {TARGET_TIME} s and {TARGET_PEAK} MiB"
        );
        assert!(
            list <= TARGET_LIST && largest <= TARGET_PAGE,
            "the targets are {TARGET_LIST} and {TARGET_PAGE} bytes"
        );
    }
}

/// Returns the number of files, their total size, and the size of the largest page of a version.
fn sizes(site: &Path) -> (usize, u64, usize) {
    let (mut files, mut bytes, mut largest) = (0, 0, 0);
    for entry in walkdir::WalkDir::new(site).into_iter().map(Result::unwrap) {
        if entry.file_type().is_file() {
            let length = entry.metadata().unwrap().len();
            (files, bytes) = (files + 1, bytes + length);
            if entry.file_name().to_string_lossy().contains(".v1.") && entry.depth() == 3 {
                largest = largest.max(usize::try_from(length).unwrap());
            }
        }
    }
    (files, bytes, largest)
}

/// Returns a page without its inline icons.
fn without_pictures(html: &str) -> String {
    let mut parts = html.split("data:image/svg+xml;base64,");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part.split_once('"').map_or("", |(_, behind)| behind)
    })
}
