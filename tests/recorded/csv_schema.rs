//! Synthesized CSVs, compared with the schema of the cluster.

use crate::schema::{problems, validator};
use opmx::bundle::{self, OLM_YAML};
use opmx::synthesis::synthesize;
use opmx::text::Limits;
use opmx::tree::{Tree, TreeLimits};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The CSV of a bundle, synthesized or shipped; `None` if the bundle is rejected.
fn csv(tree: &Tree) -> Option<Value> {
    let reading = bundle::read(tree, &Limits::default());
    let bundle = reading.bundle.unwrap();
    match bundle.csv() {
        Some(csv) => Some(csv.value().clone()),
        None => synthesize(&bundle, &reading.diagnostics).csv,
    }
}

fn insert(tree: &mut Tree, path: &str, content: &[u8]) {
    tree.insert(path, content.to_vec(), &TreeLimits::default()).unwrap();
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<_> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

#[test]
fn every_synthesized_csv_matches_the_schema_of_the_cluster() {
    let (Some(schemas), Some(corpus)) = (crate::shared::folder("schemas"), crate::shared::folder("corpus/k8sv1"))
    else {
        return;
    };
    let validator = validator(&schemas);
    let (mut valid, mut refused) = (0, Vec::new());
    let mut wrong = Vec::new();
    let mut cases = Vec::new();
    for case in folders(&corpus) {
        let mut tree = Tree::new("");
        for (path, content) in Tree::from_directory(&case.join("raw"), &TreeLimits::default())
            .unwrap()
            .iter()
        {
            insert(&mut tree, &format!("manifests/{path}"), content);
        }
        insert(&mut tree, OLM_YAML, &fs::read(case.join("olm.yaml")).unwrap());
        let expected: Value = serde_json::from_slice(&fs::read(case.join("expected.json")).unwrap()).unwrap();
        let builds = expected["errors"].as_array().is_none_or(Vec::is_empty);
        cases.push((case, tree, builds));
    }
    let own = folders(&Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata"));
    for operator in own.into_iter().filter(|folder| folder.join("manifests").is_dir()) {
        let tree = Tree::from_directory(&operator, &TreeLimits::default()).unwrap();
        cases.push((operator, tree, true));
    }
    for (path, tree, builds) in &cases {
        let name = path.file_name().unwrap().to_string_lossy();
        let Some(csv) = csv(tree) else {
            assert!(!builds, "{name} does not synthesize");
            refused.push(name);
            continue;
        };
        let problems = problems(&validator, &csv);
        if problems.is_empty() {
            valid += 1;
        }
        wrong.extend(problems.into_iter().map(|problem| format!("{name}: {problem}")));
    }
    println!(
        "{valid} of {} CSVs are valid, {} refused: {}",
        cases.len(),
        refused.len(),
        refused.join(", ")
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(valid >= 10, "{valid}");
}

#[test]
fn the_schema_rejects_what_a_cluster_rejects() {
    let Some(schemas) = crate::shared::folder("schemas") else {
        return;
    };
    let validator = validator(&schemas);
    let operator = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/greenhouse-operator");
    let right = csv(&Tree::from_directory(&operator, &TreeLimits::default()).unwrap()).unwrap();
    assert!(problems(&validator, &right).is_empty());
    let change = |pointer: &str, value: Value| {
        let mut csv = right.clone();
        *csv.pointer_mut(pointer).unwrap() = value;
        problems(&validator, &csv)
    };
    for (pointer, value) in [
        ("/spec/install", json!({})),
        ("/spec/installModes/0", json!({"type": "OwnNamespace"})),
        ("/spec/webhookdefinitions/0/containerPort", json!(0)),
        ("/spec/webhookdefinitions/0/type", json!("Webhook")),
        (
            "/spec/customresourcedefinitions/owned/0",
            json!({"name": "a.b", "version": "v1"}),
        ),
        ("/spec/provider", json!({"label": "a field that is not known"})),
        ("/spec/displayName", json!(1)),
    ] {
        assert!(!change(pointer, value.clone()).is_empty(), "{pointer} may be {value}");
    }
}
