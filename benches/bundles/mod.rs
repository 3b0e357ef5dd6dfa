//! Creates any number of bundles for the index benchmarks, and measures the cost of running the program.

use opmx::bundle::OLM_YAML;
use opmx::text::{self, Limits};
use rusqlite::Connection;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;
use wait4::Wait4;

const PACKAGE: &str = "operators.operatorframework.io.bundle.package.v1:";

/// Whether this is a benchmark run. `cargo test --benches` only checks that the benchmarks work.
pub(crate) fn measured() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}

/// Returns the folders of all versions of the operators, in a fixed order, or the folders in testdata/ if the corpus is
/// absent.
pub(crate) fn folders_of(operators: &[&str]) -> Vec<PathBuf> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpus = project.join("../shared/corpus/registryv1");
    if !corpus.is_dir() {
        println!("../shared is missing; measuring the few small bundles in testdata/");
        return folders(&project.join("testdata"));
    }
    let bundles = operators.iter().flat_map(|operator| folders(&corpus.join(operator)));
    bundles.collect()
}

fn folders(parent: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<_> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// Returns the files of a bundle, by path.
pub(crate) fn files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter();
    let entries = entries.map(Result::unwrap);
    let files = entries.filter(|entry| entry.file_type().is_file());
    files.map(walkdir::DirEntry::into_path)
}

/// Returns the folders of the originals, and of `times` - 1 copies of each original, in the order in which the bundles
/// must be added.
pub(crate) fn repeated(originals: &[PathBuf], times: usize, workplace: &Path) -> Vec<PathBuf> {
    let mut all = originals.to_vec();
    for copy in 1..times {
        for (number, original) in originals.iter().enumerate() {
            let folder = workplace.join(format!("{number}-{copy}"));
            if !folder.exists() {
                write_copy(original, &folder, &format!("-copy{copy}"));
            }
            all.push(folder);
        }
    }
    all
}

/// Creates a database and a file-based catalog of `size` bundles, each of which has an image.
pub(crate) fn index_and_catalog(size: usize, operators: &[&str], workplace: &Path) -> (PathBuf, PathBuf) {
    let mut originals = folders_of(operators);
    originals.truncate(size);
    let mut bundles = repeated(&originals, size.div_ceil(originals.len()), workplace);
    bundles.truncate(size);
    let all = list(&bundles, workplace.join("all.txt"));
    let database = workplace.join("index.db");
    let path = database.to_str().unwrap();
    // The last copies may lack the bundles that they replace.
    run(&[
        "registry",
        "add",
        "-q",
        "--mode",
        "semver",
        "--bundles-from",
        all.to_str().unwrap(),
        "-d",
        path,
    ]);
    let connection = Connection::open(&database).unwrap();
    let change = "UPDATE operatorbundle SET bundlepath = 'registry.example.com/bundles:' || name";
    connection.execute(change, []).unwrap();
    drop(connection);
    let catalog = workplace.join("catalog");
    fs::create_dir(&catalog).unwrap();
    let rendered = Command::new(env!("CARGO_BIN_EXE_opmx"))
        .args(["render", "-q", path])
        .stdout(File::create(catalog.join("catalog.json")).unwrap())
        .status();
    assert!(rendered.unwrap().success());
    (database, catalog)
}

/// Writes a file that lists bundles, for `--bundles-from`.
pub(crate) fn list(bundles: &[PathBuf], path: PathBuf) -> PathBuf {
    let mut lines = String::new();
    for bundle in bundles {
        writeln!(lines, "{}", bundle.display()).unwrap();
    }
    fs::write(&path, lines).unwrap();
    path
}

/// Copies a bundle and inserts `suffix` after the name of its package, and before the version in its name and in the
/// names that it replaces or skips. Everything else stays identical, byte for byte.
fn write_copy(original: &Path, copy: &Path, suffix: &str) {
    rewrite(original, copy, |text, file| {
        let names = names_in(text, file);
        rename_package(text, suffix, |line, word| {
            names.contains(word).then(|| {
                let (operator, version) = word.split_once('.').unwrap();
                line.replace(word, &format!("{operator}{suffix}.{version}"))
            })
        })
    });
}

/// Copies the files of a bundle, and applies `change` to each text file.
pub(crate) fn rewrite(original: &Path, copy: &Path, change: impl Fn(&str, &Path) -> String) {
    for file in files(original) {
        let target = copy.join(file.strip_prefix(original).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        let content = fs::read(&file).unwrap();
        let content = match String::from_utf8(content) {
            Ok(text) => change(&text, &file).into_bytes(),
            Err(error) => error.into_bytes(),
        };
        fs::write(target, content).unwrap();
    }
}

/// Returns the names of bundles in a ClusterServiceVersion or an olm.yaml.
fn names_in(text: &str, file: &Path) -> BTreeSet<String> {
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
    names
}

fn rename_package(text: &str, suffix: &str, change: impl Fn(&str, &str) -> Option<String>) -> String {
    let lines = text.split_inclusive('\n').map(|line| {
        let word = line.split_whitespace().last().unwrap_or_default();
        let word = word.trim_matches(['"', '\'']);
        if line.trim_start().starts_with(PACKAGE) {
            let (key, value) = line.split_once(':').unwrap();
            format!("{key}:{}", value.replace(word, &format!("{word}{suffix}")))
        } else {
            change(line, word).unwrap_or_else(|| line.to_owned())
        }
    });
    lines.collect()
}

/// The cost of one run of the program.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    /// The user and system time, in seconds.
    pub(crate) cpu: f64,
    /// The peak memory, in MiB.
    pub(crate) peak: f64,
}

/// Runs the program without the user's settings.
///
/// # Panics
/// Panics if the program fails.
#[allow(clippy::cast_precision_loss, reason = "for printing")]
pub(crate) fn run(arguments: &[&str]) -> Cost {
    let home = TempDir::new().unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_opmx"))
        .args(arguments)
        .env("HOME", home.path())
        .env("XDG_CACHE_HOME", home.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let used = child.wait4().unwrap();
    assert!(used.status.success(), "opmx {}: {}", arguments.join(" "), used.status);
    Cost {
        cpu: (used.rusage.utime + used.rusage.stime).as_secs_f64(),
        peak: used.rusage.maxrss as f64 / f64::from(1 << 20),
    }
}

/// Returns the medians of several runs.
pub(crate) fn median(costs: &[Cost]) -> Cost {
    let middle = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    Cost {
        cpu: middle(costs.iter().map(|cost| cost.cpu).collect()),
        peak: middle(costs.iter().map(|cost| cost.peak).collect()),
    }
}
