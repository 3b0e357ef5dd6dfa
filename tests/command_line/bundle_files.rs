//! Bundles to run commands on, and helpers to inspect what the commands wrote.

use crate::common::{Outcome, Sandbox};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of an operator in `testdata/`.
pub(crate) fn testdata(operator: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(operator)
}

/// Copies an operator of `testdata/` into the sandbox.
pub(crate) fn copy(sandbox: &Sandbox, operator: &str, to: &str) {
    for (path, content) in files(&testdata(operator)) {
        write(sandbox, &format!("{to}/{path}"), content);
    }
}

/// A sandbox with the greenhouse operator in the folder `bundle`.
pub(crate) fn greenhouse() -> Sandbox {
    let sandbox = Sandbox::new();
    copy(&sandbox, "greenhouse-operator", "bundle");
    sandbox
}

/// Writes a file in the sandbox and creates its parent folders.
pub(crate) fn write(sandbox: &Sandbox, path: &str, content: impl AsRef<[u8]>) {
    let path = sandbox.path(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Reads a text file of the sandbox.
pub(crate) fn read(sandbox: &Sandbox, path: &str) -> String {
    fs::read_to_string(sandbox.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Replaces text in a file of the sandbox.
pub(crate) fn edit(sandbox: &Sandbox, path: &str, from: &str, to: &str) {
    let text = read(sandbox, path);
    assert!(text.contains(from), "{path} does not hold {from:?}");
    write(sandbox, path, text.replacen(from, to, 1));
}

/// All files below a folder: relative path to content.
pub(crate) fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = walkdir::WalkDir::new(folder).into_iter().map(Result::unwrap);
    let files = entries.filter(|entry| entry.file_type().is_file());
    files
        .map(|entry| {
            let relative = entry.path().strip_prefix(folder).unwrap();
            (relative.to_str().unwrap().to_owned(), fs::read(entry.path()).unwrap())
        })
        .collect()
}

/// Rules and places of the findings in the output of a command, as `error[rule]` and `file:line:column`.
pub(crate) fn findings(outcome: &Outcome) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut heading = false;
    for line in outcome.stderr.lines() {
        let title = ["error[", "warning[", "info["]
            .iter()
            .any(|start| line.starts_with(start));
        if title {
            let (title, _) = line.split_once("]: ").unwrap_or((line, ""));
            found.push((format!("{title}]"), String::new()));
        } else if let (true, Some(place)) = (heading, line.trim_start().strip_prefix("--> ")) {
            place.clone_into(&mut found.last_mut().unwrap().1);
        }
        heading = title;
    }
    found
}

/// The findings that fail a command, without the severity.
pub(crate) fn errors(outcome: &Outcome) -> Vec<(String, String)> {
    let errors = findings(outcome).into_iter();
    errors
        .filter_map(|(title, place)| {
            let rule = title.strip_prefix("error[")?.strip_suffix(']')?;
            Some((rule.to_owned(), place))
        })
        .collect()
}

/// The place of a string in a file of the sandbox, as findings show it.
pub(crate) fn place(sandbox: &Sandbox, path: &str, text: &str) -> String {
    let content = read(sandbox, path);
    let at = content
        .find(text)
        .unwrap_or_else(|| panic!("{path} does not hold {text:?}"));
    let line = content[..at].matches('\n').count() + 1;
    let column = content[..at].chars().rev().take_while(|letter| *letter != '\n').count() + 1;
    format!("{path}:{line}:{column}")
}

/// Manifest and config of the image with this tag in an OCI layout.
pub(crate) fn image(layout: &Path, tag: &str) -> (Value, Value) {
    let json = |path: PathBuf| -> Value { serde_json::from_slice(&fs::read(path).unwrap()).unwrap() };
    let blob = |descriptor: &Value| {
        let digest = descriptor["digest"].as_str().unwrap();
        json(layout.join("blobs").join(digest.replace(':', "/")))
    };
    let index = json(layout.join("index.json"));
    let manifests = index["manifests"].as_array().unwrap();
    let named = |entry: &&Value| entry["annotations"]["org.opencontainers.image.ref.name"] == tag;
    let manifest = blob(
        manifests
            .iter()
            .find(named)
            .unwrap_or_else(|| panic!("no {tag} in {index}")),
    );
    let config = blob(&manifest["config"]);
    (manifest, config)
}

/// Asserts success and returns the standard output.
pub(crate) fn succeeds(outcome: &Outcome) -> &str {
    assert_eq!(outcome.status, Some(0), "{outcome}");
    &outcome.stdout
}
