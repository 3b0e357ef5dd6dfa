//! The chain of trust over published bundles: an index accepts what opm accepts, and no later command rejects it.

use crate::chain_of_trust::{Step, send};
use crate::synthesis::bundle_tree;
use crate::validate::{cases, name_of};
use opmx::bundle::MediaType;
use opmx::bundle::annotations;
use opmx::index::intake::{Recording, prepare};
use opmx::text::{Limits, to_json};
use opmx::tree::{Tree, TreeLimits};
use opmx::validation::Strictness;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A bundle with wildcards, which are not allowed in `k8s+v1` bundles.
const WITH_WILDCARDS: &str = "grafana-operator";

/// Bundles that opm reads for an index and opmx rejects, with the reason.
const REFUSED: &[(&str, &str)] = &[
    ("ann-channels-empty", "it is not in any channel, and so in no index"),
    (
        "ann-mediatype-k8s",
        "it says that it is k8s+v1, and has no metadata/olm.yaml",
    ),
    ("ann-package-empty", "it is in no package"),
    ("ann-package-missing", "it is in no package"),
    (
        "csv-skips-string",
        "opm reads it, and cannot add it: spec.skips is no list",
    ),
    (
        "csv-version-bad",
        "opm reads it, and cannot order its channels: spec.version is not a version",
    ),
    (
        "csv-version-v",
        "opm reads it, and cannot order its channels: spec.version begins with v",
    ),
];

fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<_> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn read(folder: &Path) -> Tree {
    Tree::from_directory(folder, &TreeLimits::default()).unwrap()
}

#[test]
fn published_bundles_pass_every_step() {
    let Some(corpus) = crate::shared::folder("corpus/registryv1") else {
        return;
    };
    let mut problems = Vec::new();
    let operators = folders(&corpus);
    // The versions of an operator are much alike.
    let bundles = operators.iter().filter_map(|operator| folders(operator).pop());
    let mut sent = 0;
    for bundle in bundles {
        let (broken, steps) = send(&read(&bundle), None);
        sent += 1;
        let name = bundle.strip_prefix(&corpus).unwrap().display();
        if !steps.contains(&Step::Taken) {
            problems.push(format!("{name} is not taken"));
        }
        problems.extend(broken.iter().map(|broken| format!("{name}: {broken}")));
    }
    for case in folders(&corpus.join("../k8sv1")) {
        let name = name_of(&case);
        let mut tree = bundle_tree(&case);
        let values = annotations::standard(MediaType::K8sV1, &name, "stable", None);
        let text = to_json(&json!({ "annotations": values }));
        tree.insert("metadata/annotations.yaml", text.into_bytes(), &TreeLimits::default())
            .unwrap();
        let (broken, steps) = send(&tree, None);
        sent += 1;
        if steps.contains(&Step::Taken) == (name == WITH_WILDCARDS) {
            problems.push(format!("{name}: {steps:?}"));
        }
        problems.extend(broken.iter().map(|broken| format!("{name}: {broken}")));
    }
    println!("{sent} bundles sent");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert_eq!(sent, 40);
}

#[test]
fn an_index_accepts_every_bundle_that_opm_accepts() {
    let Some(cases) = cases("opm.json") else { return };
    let mut problems = Vec::new();
    let (mut taken, mut refused) = (0, 0);
    for case in &cases {
        let name = name_of(case);
        let tree = read(&case.join("bundle"));
        let opm: Value = serde_json::from_slice(&std::fs::read(case.join("opm.json")).unwrap()).unwrap();
        let mut findings = opm["opm"].as_array().unwrap().iter();
        let by_opm = !findings.any(|finding| finding["stage"] == "index-parse");
        let prepared = prepare(&tree, Recording::default(), &Limits::default(), &Strictness::default());
        let expected = by_opm && !REFUSED.iter().any(|(known, _)| *known == name);
        if prepared.is_ok() != expected {
            let why = prepared.as_ref().err().map(ToString::to_string);
            problems.push(format!("{name}: opm takes it: {by_opm}; {why:?}"));
        }
        if prepared.is_err() {
            refused += 1;
            continue;
        }
        taken += 1;
        let (broken, _) = send(&tree, None);
        problems.extend(broken.iter().map(|broken| format!("{name}: {broken}")));
    }
    println!("{taken} bundles taken, {refused} refused");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(taken > 100, "{taken}");
}
