//! Every requirement of the five proposals works, or is listed on the page of departures.
//!
//! A requirement that once did not work is covered by a test with its id in the name or doc comment, or by a departure.

use crate::shared;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Requirements that opmx deliberately meets differently, and their lines in `docs/generated/departures.md`.
const DEPARTURES: &[(&str, &str)] = &[
    ("K25", "Required APIs are distinguished by group"),
    ("K27", "Core groups are never required"),
    ("K28", "OLM's own groups are never required"),
    ("K30", "Only API paths become native APIs"),
    ("K62", "The example of olm.yaml is not valid"),
    ("K86", "The files of a bundle determine its media type"),
    ("O20", "An entry that names no manifest is reported"),
    ("O30", "CustomResourceDefinitions are never optional"),
    ("O37", "Steps contain the whole manifest"),
    ("S28", "Conditions have a type"),
    ("S29", "References to components"),
    ("S31", "The label on an Operator's components"),
    ("S64", "An update in another channel has one reason"),
];

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn sources(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(fs::read_to_string(&path).unwrap());
        }
    }
}

/// The ids in doc comments directly above a test, and in the names of tests.
fn tested() -> BTreeSet<String> {
    let mut files = Vec::new();
    sources(&repository("tests"), &mut files);
    sources(&repository("src"), &mut files);
    let mut ids = BTreeSet::new();
    for file in &files {
        let mut above: BTreeSet<String> = BTreeSet::new();
        let mut is_test = false;
        for line in file.lines().map(str::trim_start) {
            if let Some(comment) = line.strip_prefix("///") {
                let words = comment.split(|letter: char| !letter.is_ascii_alphanumeric());
                above.extend(words.map(str::to_owned));
            } else if line == "#[test]" || line.starts_with("#[tokio::test") {
                ids.append(&mut above);
                is_test = true;
            } else if let Some((_, name)) = line.split_once("fn ").filter(|_| is_test) {
                let words = name.split(|letter: char| !letter.is_ascii_alphanumeric());
                ids.extend(words.map(str::to_ascii_uppercase));
                is_test = false;
            } else if !line.starts_with('#') {
                above.clear();
            }
        }
    }
    ids
}

#[test]
fn every_requirement_works_or_is_a_documented_departure() {
    let Some(shared) = shared::folder(".") else { return };
    let table = fs::read_to_string(shared.join("requirements.md")).unwrap();
    let page = fs::read_to_string(repository("docs/generated/departures.md")).unwrap();
    let subjects: BTreeSet<&str> = page.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    let departures: BTreeMap<&str, &str> = DEPARTURES.iter().copied().collect();
    let unknown: Vec<_> = departures
        .values()
        .filter(|subject| !subjects.contains(*subject))
        .collect();
    assert!(
        unknown.is_empty(),
        "docs/generated/departures.md has no line for {unknown:?}"
    );

    let tested = tested();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut open = Vec::new();
    for line in table.lines() {
        let mut cells = line.trim_matches('|').split(" | ");
        let Some(id) = cells.next().map(str::trim).filter(|id| is_id(id)) else {
            continue;
        };
        let verdict = cells.last().unwrap_or_default().trim();
        let settled = if departures.contains_key(id) {
            "departs"
        } else if tested.contains(id) {
            "tested by its id"
        } else if verdict.starts_with("works") {
            "worked"
        } else if verdict.starts_with("n.a.") {
            "only in a cluster"
        } else {
            open.push(format!("{id}: {verdict}"));
            "open"
        };
        *counts.entry(settled).or_default() += 1;
    }
    println!("requirements: {counts:?}");
    assert!(
        counts.values().sum::<usize>() > 300,
        "the table was not read: {counts:?}"
    );
    assert!(
        open.is_empty(),
        "{} requirements are open:\n{}",
        open.len(),
        open.join("\n")
    );
}

/// Whether the text is a letter and a number.
fn is_id(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|letter| letter.is_ascii_uppercase())
        && letters.clone().next().is_some()
        && letters.all(|letter| letter.is_ascii_digit())
}
