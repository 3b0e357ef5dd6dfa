//! What `opmx registry add` costs a bundle, as a whole process: `cargo bench --bench registry_add`.
//!
//! The real bundles that one call accepts in the mode `replaces` are added to a new database, then twice and four times
//! as many: copies with other names for packages and bundles. The aim: neither the seconds of CPU for each bundle nor
//! the peak of memory grows by more than a tenth, so that both follow from the largest bundles and not from their
//! number. CPU is user and system time of the process as the system counts it; the wall clock is not looked at.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark may panic and prints"
)]

#[path = "../tests/shared/accepted.rs"]
mod accepted;

use accepted::ACCEPTED;
use opmx::bundle::OLM_YAML;
use opmx::text::{self, Limits};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;
use wait4::Wait4;

/// How often the bundles are given, under as many names.
const TIMES: [usize; 3] = [1, 2, 4];
/// Calls of each size; the medians count.
const RUNS: usize = 5;
/// How much more a bundle may cost among many, and the whole may take of memory.
const AIM: f64 = 1.1;

const PACKAGE: &str = "operators.operatorframework.io.bundle.package.v1:";

fn main() {
    // `cargo test --benches` runs this, too: there it is enough that it works.
    let measured = std::env::args().any(|argument| argument == "--bench");
    let (times, runs) = if measured { (&TIMES[..], RUNS) } else { (&TIMES[..2], 1) };
    let originals = bundles();
    let workplace = tempfile::tempdir().unwrap();
    let lists: Vec<PathBuf> = times
        .iter()
        .map(|times| list(&originals, *times, workplace.path()))
        .collect();
    let mut costs: Vec<Vec<Cost>> = vec![Vec::new(); times.len()];
    for _ in 0..runs {
        for (list, costs) in lists.iter().zip(&mut costs) {
            costs.push(add(list));
        }
    }
    let bytes = originals.iter().map(|bundle| size(bundle)).sum();
    report(times, originals.len(), bytes, &costs);
}

/// The folders of the bundles to add, in a fixed order.
fn bundles() -> Vec<PathBuf> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpus = project.join("../shared/corpus/registryv1");
    if !corpus.is_dir() {
        println!("../shared is not here: measured on testdata/, whose bundles are few and small");
        return folders(&project.join("testdata"));
    }
    let bundles = ACCEPTED.iter().flat_map(|operator| folders(&corpus.join(operator)));
    bundles.collect()
}

fn folders(parent: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<_> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter();
    let entries = entries.map(Result::unwrap);
    let files = entries.filter(|entry| entry.file_type().is_file());
    files.map(walkdir::DirEntry::into_path)
}

fn size(bundle: &Path) -> u64 {
    files(bundle).map(|file| file.metadata().unwrap().len()).sum()
}

/// A file that lists the bundles, then as many sets of copies as make `times` of each.
fn list(originals: &[PathBuf], times: usize, workplace: &Path) -> PathBuf {
    let mut lines = String::new();
    for original in originals {
        writeln!(lines, "{}", original.display()).unwrap();
    }
    for copy in 1..times {
        for (number, original) in originals.iter().enumerate() {
            let folder = workplace.join(format!("{number}-{copy}"));
            if !folder.exists() {
                write_copy(original, &folder, &format!("-copy{copy}"));
            }
            writeln!(lines, "{}", folder.display()).unwrap();
        }
    }
    let path = workplace.join(format!("{times}-times.txt"));
    fs::write(&path, lines).unwrap();
    path
}

/// Copies a bundle and puts `suffix` behind the name of its package and before the version in its name and those that
/// it replaces or skips. Everything else stays, to the byte.
fn write_copy(original: &Path, copy: &Path, suffix: &str) {
    for file in files(original) {
        let target = copy.join(file.strip_prefix(original).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        let content = fs::read(&file).unwrap();
        let content = match String::from_utf8(content) {
            Ok(text) => renamed(&text, &file, suffix).into_bytes(),
            Err(error) => error.into_bytes(),
        };
        fs::write(target, content).unwrap();
    }
}

fn renamed(text: &str, file: &Path, suffix: &str) -> String {
    let mut names = BTreeSet::new();
    if text.contains("kind: ClusterServiceVersion") || file.ends_with(OLM_YAML) {
        for document in text::read("", text.as_bytes(), &Limits::default()).documents {
            let value = document.value();
            let (metadata, spec) = if value.get("spec").is_some() {
                (&value["metadata"], &value["spec"])
            } else {
                (value, value)
            };
            let skips = spec["skips"].as_array().into_iter().flatten();
            let found = [&metadata["name"], &spec["replaces"]].into_iter().chain(skips);
            names.extend(found.filter_map(Value::as_str).map(str::to_owned));
        }
    }
    let lines = text.split_inclusive('\n').map(|line| {
        let word = line.split_whitespace().last().unwrap_or_default();
        let word = word.trim_matches(['"', '\'']);
        if line.trim_start().starts_with(PACKAGE) {
            let (key, value) = line.split_once(':').unwrap();
            format!("{key}:{}", value.replace(word, &format!("{word}{suffix}")))
        } else if names.contains(word) {
            let (operator, version) = word.split_once('.').unwrap();
            line.replace(word, &format!("{operator}{suffix}.{version}"))
        } else {
            line.to_owned()
        }
    });
    lines.collect()
}

/// What one call took.
#[derive(Debug, Clone, Copy)]
struct Cost {
    /// User and system time, in seconds.
    cpu: f64,
    /// The most memory at any time, in MiB.
    peak: f64,
}

#[allow(clippy::cast_precision_loss, reason = "for printing")]
fn add(list: &Path) -> Cost {
    let home = TempDir::new().unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_opmx"))
        .args(["registry", "add", "--quiet", "--bundles-from"])
        .arg(list)
        .arg("--database")
        .arg(home.path().join("index.db"))
        .env("HOME", home.path())
        .env("XDG_CACHE_HOME", home.path())
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let used = child.wait4().unwrap();
    assert!(used.status.success(), "opmx registry add: {}", used.status);
    Cost {
        cpu: (used.rusage.utime + used.rusage.stime).as_secs_f64(),
        peak: used.rusage.maxrss as f64 / f64::from(1 << 20),
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[allow(clippy::cast_precision_loss, reason = "for printing")]
fn report(times: &[usize], bundles: usize, bytes: u64, costs: &[Vec<Cost>]) {
    println!(
        "registry add of folders into a new database, medians of {} runs",
        costs[0].len()
    );
    println!("bundles  MB in   CPU s  CPU ms/bundle  ratio  peak MiB  ratio");
    let mut first = None;
    let mut over = false;
    for (times, costs) in times.iter().zip(costs) {
        let number = bundles * times;
        let cpu = median(costs.iter().map(|cost| cost.cpu));
        let each = cpu * 1e3 / number as f64;
        let peak = median(costs.iter().map(|cost| cost.peak));
        let (first_each, first_peak) = *first.get_or_insert((each, peak));
        let (cpu_ratio, peak_ratio) = (each / first_each, peak / first_peak);
        over |= cpu_ratio > AIM || peak_ratio > AIM;
        let megabytes = bytes as f64 * *times as f64 / 1e6;
        println!(
            "{number:>7}  {megabytes:>5.1}  {cpu:>6.2}  {each:>13.2}  {cpu_ratio:>5.2}  {peak:>8.1}  {peak_ratio:>5.2}"
        );
    }
    let verdict = if over { "over" } else { "PASS" };
    println!("{verdict}: the aim is that neither ratio is above {AIM}");
}
