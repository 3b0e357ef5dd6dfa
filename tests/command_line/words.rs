//! Spelling, and phrases that the style guide in CONTRIBUTING.md discourages.

use crate::shared::not_run;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The phrases, and what to write instead.
const RULED_OUT: [(&str, &str); 19] = [
    ("to be had", "is supported, is available"),
    ("in place of", "instead of"),
    ("stands twice", "appears twice"),
    ("stand twice", "appear twice"),
    ("stands here", "appears here"),
    ("stands there", "is there"),
    ("with another content", "with different content"),
    ("make errors of", "treat as errors"),
    ("made errors of", "treated as errors"),
    ("is none of its", "is not one of its"),
    ("is no part of", "is not part of"),
    ("is no value of its kind", "has the wrong type"),
    ("gets into the way", "conflicts with"),
    ("in the way of", "prevents, conflicts with"),
    ("without a way to", "can no longer upgrade to"),
    ("as long as it is let", "until you stop it"),
    ("goes over everything", "runs all"),
    ("made where it is absent", "created if absent"),
    ("end with exit status", "exit with status"),
];

#[test]
fn documents_and_messages_contain_no_discouraged_phrases() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for place in [
        "README.md",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "CODE_OF_CONDUCT.md",
        "SECURITY.md",
        "RELEASING.md",
        ".ci",
        ".github",
        "benches",
        "docs",
        "examples",
        "scripts",
        "src",
        "templates",
    ] {
        for entry in walkdir::WalkDir::new(root.join(place)) {
            let entry = entry.unwrap();
            let Ok(text) = fs::read_to_string(entry.path()) else {
                continue;
            };
            for (number, line) in text.lines().enumerate() {
                let line = line.to_lowercase();
                let phrases = RULED_OUT.iter().filter(|(phrase, _)| line.contains(phrase));
                let path = entry.path().strip_prefix(root).unwrap();
                found.extend(phrases.map(|(phrase, instead)| {
                    format!("{}:{}: {phrase:?}; write {instead}", path.display(), number + 1)
                }));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_word_is_spelled_correctly() {
    let program = std::env::var_os("OPMX_TYPOS").unwrap_or_else(|| "typos".into());
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    match Command::new(program).current_dir(root).output() {
        Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout)),
        Err(_) => not_run("typos is not installed (OPMX_TYPOS can name it)"),
    }
}
