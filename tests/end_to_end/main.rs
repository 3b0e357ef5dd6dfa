//! End-to-end tests with published operators and other programs: manifests become bundles in a registry, these an
//! index, and the index a running image.

#![allow(clippy::unwrap_used, reason = "a test fails by it")]
#![allow(clippy::print_stdout)]

#[path = "../shared/accepted.rs"]
mod accepted;
#[path = "../common/mod.rs"]
mod common;
#[path = "../shared/reflection.rs"]
mod reflection;
#[path = "../shared/site_catalogs.rs"]
mod site_catalogs;
#[path = "../registry/tools.rs"]
mod tools;

mod clients;
mod faults;
mod image;
mod operators;
mod platforms;
mod site;

use common::{Outcome, Sandbox};
use std::path::{Path, PathBuf};

/// Runs a command that must succeed, and returns its output, without progress bars and colours.
fn succeed(sandbox: &Sandbox, line: &str) -> String {
    let outcome = sandbox.run(line.split_whitespace());
    assert_eq!(outcome.status, Some(0), "{line}: {outcome}");
    assert!(
        !outcome.stderr.contains(['\u{1b}', '\r']),
        "{line}: {:?}",
        outcome.stderr
    );
    outcome.stdout
}

/// Runs a command that must fail and print no result.
fn fail(sandbox: &Sandbox, line: &str) -> Outcome {
    ended(sandbox, line, 1)
}

/// Runs a command that must report that something does not exist and print no result.
fn miss(sandbox: &Sandbox, line: &str) -> Outcome {
    ended(sandbox, line, 4)
}

fn ended(sandbox: &Sandbox, line: &str, status: i32) -> Outcome {
    let outcome = sandbox.run(line.split_whitespace());
    assert_eq!(
        (outcome.status, outcome.stdout.as_str()),
        (Some(status), ""),
        "{line}: {outcome}"
    );
    outcome
}

/// A registry whose files are in the sandbox.
fn registry(sandbox: &Sandbox) -> tools::DockerRegistry {
    let folder = sandbox.path("registry-data");
    std::fs::create_dir(&folder).unwrap();
    tools::DockerRegistry::start(&folder, "", "")
}

/// A folder of the shared data; without it the test is skipped with a message.
fn corpus(name: &str) -> Option<PathBuf> {
    shared_folder(&format!("corpus/{name}"))
}

/// The same, for other folders beside the project.
fn shared_folder(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(name);
    tools::shared(&folder).then_some(folder)
}

/// Relative path and content of all files below a folder.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.unwrap();
        if entry.file_type().is_file() {
            let path = entry.path().strip_prefix(folder).unwrap().to_owned();
            files.push((path, std::fs::read(entry.path()).unwrap()));
        }
    }
    files
}
