//! Rules of the validators, on small changes to a bundle that break them, if there is more than one way to break them;
//! the bundle itself breaks none. Another test checks that every rule has an example.

mod bundle;
mod cases;

use bundle::files;
use cases::{Case, all};
use opmx::bundle::read;
use opmx::diagnostic::{Diagnostic, has_errors};
use opmx::source::Place;
use opmx::text::{Limits, Step};
use opmx::tree::{Tree, TreeLimits};
use opmx::validation::validators::{Input, OTHERS, VALIDATORS, ValidatorOptions, run};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The first version of the hub's validator always reports that there is a second.
const ALWAYS: &str = "hub-v1-deprecated";

fn findings(files: &BTreeMap<&str, String>, options: &ValidatorOptions) -> Vec<(&'static str, Diagnostic)> {
    let mut tree = Tree::new("bundle");
    for (path, text) in files {
        tree.insert(path, text.clone().into_bytes(), &TreeLimits::default())
            .unwrap();
    }
    let reading = read(&tree, &Limits::default());
    assert!(!has_errors(&reading.diagnostics), "{:?}", reading.diagnostics);
    let bundle = reading.bundle.unwrap();
    let input = Input {
        bundle: &bundle,
        files: &tree,
        options,
    };
    let names: Vec<_> = VALIDATORS.iter().map(|validator| validator.name).collect();
    let mut found = run(&input, &names);
    found.retain(|(_, finding)| finding.rule.id != ALWAYS);
    found
}

fn changed(case: &Case) -> BTreeMap<&'static str, String> {
    let mut files = files();
    for (path, old, new) in &case.edits {
        let text = files.entry(path).or_default();
        if old.is_empty() {
            *text = (*new).to_owned();
            continue;
        }
        assert_eq!(text.matches(old).count(), 1, "{}: {old:?} in {path}", case.rule);
        *text = text.replacen(old, new, 1);
    }
    files
}

#[test]
fn the_unchanged_bundle_breaks_no_rule() {
    let found = findings(&files(), &ValidatorOptions::default());
    assert!(found.is_empty(), "{found:#?}");
    let options = ValidatorOptions {
        reference: true,
        ..ValidatorOptions::default()
    };
    // The original validator takes every percentage for zero.
    let found = findings(&files(), &options);
    let ids: Vec<&str> = found.iter().map(|(_, finding)| finding.rule.id).collect();
    assert_eq!(ids, ["obj-pdb-maxunavailable-zero"]);
}

#[test]
fn every_case_breaks_its_rule_at_the_expected_place() {
    let mut wrong = Vec::new();
    for case in all() {
        let found = findings(&changed(&case), &case.options);
        let Some((_, finding)) = found.iter().find(|(_, finding)| finding.rule.id == case.rule) else {
            wrong.push(format!("{}: {:?} gives only {found:#?}", case.rule, case.edits));
            continue;
        };
        let shown = finding.place.as_ref().map(Place::text).unwrap_or_default();
        if !shown.starts_with(case.place) || case.place.is_empty() && finding.place.is_some() {
            wrong.push(format!("{}: stands at {shown:?}, not at {:?}", case.rule, case.place));
        }
        let rules: BTreeSet<&str> = found.iter().map(|(_, finding)| finding.rule.id).collect();
        let others: Vec<&&str> = rules
            .iter()
            .filter(|id| **id != case.rule && !case.with.contains(id))
            .collect();
        if !others.is_empty() {
            wrong.push(format!("{}: also breaks {others:?}", case.rule));
        }
        if finding.severity != case.severity {
            wrong.push(format!("{}: is of severity {}", case.rule, finding.severity));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_version_of_a_kind_without_a_description_is_reported() {
    let mut files = files();
    let csv = files.get_mut(bundle::CSV).unwrap();
    let entry = "    - name: things.example.com\n      version: v1\n      kind: Thing\n      group: example.com\n";
    let without = format!("{entry}{}", entry.replace("v1", "v2"));
    *csv = csv.replace(&format!("{entry}      description: A thing.\n"), &without);
    let mut found = findings(&files, &ValidatorOptions::default());
    found.retain(|(_, finding)| finding.rule.id == "gp-crd-description-empty");
    let messages: Vec<&str> = found.iter().map(|(_, finding)| &*finding.message).collect();
    let expected =
        ["v1", "v2"].map(|version| format!("version {version} of the owned CRD things.example.com has no description"));
    assert_eq!(messages, expected);
}

/// Collects the paths of all values inside a value.
fn paths(value: &Value, path: &opmx::text::Path, all: &mut Vec<opmx::text::Path>) {
    all.push(path.clone());
    match value {
        Value::Object(map) => map.iter().for_each(|(key, item)| paths(item, &path.key(key), all)),
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.for_each(|(index, item)| paths(item, &path.index(index), all));
        }
        _ => {}
    }
}

/// Replaces the value at the path.
fn put(value: &mut Value, steps: &[Step], new: &Value) {
    match steps {
        [] => *value = new.clone(),
        [Step::Key(key), rest @ ..] => put(&mut value[&**key], rest, new),
        [Step::Index(index), rest @ ..] => put(&mut value[index], rest, new),
    }
}

#[test]
fn values_of_other_types_do_not_stop_the_validators() {
    let others = [
        json!(null),
        json!(-7),
        json!("\u{fc}.v"),
        json!([7, "x"]),
        json!({"kind": 7}),
    ];
    let files = files();
    let names: Vec<_> = VALIDATORS
        .iter()
        .chain(OTHERS)
        .map(|validator| validator.name)
        .collect();
    let mut runs = 0;
    for (file, text) in &files {
        let document = opmx::text::read(file, text.as_bytes(), &Limits::default()).documents;
        let value = document[0].value();
        let mut all = Vec::new();
        paths(value, &opmx::text::Path::root(), &mut all);
        // Each field gets one other value. The properties over arbitrary input cover the combinations.
        for (path, other) in all.iter().zip(others.iter().cycle()) {
            let mut changed = value.clone();
            put(&mut changed, path.steps(), other);
            let mut tree = Tree::new("bundle");
            for (name, text) in &files {
                let text = if name == file {
                    changed.to_string()
                } else {
                    text.clone()
                };
                tree.insert(name, text.into_bytes(), &TreeLimits::default()).unwrap();
            }
            let Some(bundle) = read(&tree, &Limits::default()).bundle else {
                continue;
            };
            for reference in [false, true] {
                let options = ValidatorOptions {
                    reference,
                    index_dockerfile: Some(("Dockerfile".to_owned(), String::new())),
                    ..ValidatorOptions::default()
                };
                let input = Input {
                    bundle: &bundle,
                    files: &tree,
                    options: &options,
                };
                runs += 1;
                for (_, finding) in run(&input, &names) {
                    let placed = finding.place.is_some() || finding.rule.id == ALWAYS;
                    assert!(placed, "{file} with {other} at {path}: {finding}");
                }
            }
        }
    }
    assert!(runs > 300, "{runs}");
}
