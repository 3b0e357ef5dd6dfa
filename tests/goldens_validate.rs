//! The validators of bundles, against what the original ones said about real bundles and about small changes of one.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may panic, and says what it compared"
)]

#[path = "shared/crd_fields.rs"]
mod crd_fields;
mod shared;

use crd_fields::CRD_FIELDS;
use opmx::bundle;
use opmx::diagnostic::Diagnostic;
use opmx::rules::Severity;
use opmx::source::Place;
use opmx::text::{self, Limits};
use opmx::tree::{Tree, TreeLimits};
use opmx::validation::validators::{DEFAULT, Input, Options, VALIDATORS, run};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Validator, severity and rule, and how often it is said.
type Findings = BTreeMap<(String, Severity, String), usize>;

/// Where this program judges otherwise than the original, which is wrong there, and why.
/// What it says in place of, or besides, the original:
const ADDED: &[(&str, &str, &str)] = &[
    ("crd", "crd-schema-type", "a cluster refuses a type that is none"),
    (
        "csv",
        "csv-owned-group-key",
        "the original does not see that group and name disagree",
    ),
    (
        "crd",
        "crd-schema-missing",
        "a cluster refuses a version without a schema",
    ),
    (
        "crd",
        "crd-scale-path",
        "a cluster refuses a wrong path of the replicas in the status",
    ),
    (
        "csv",
        "csv-installmodes-duplicate",
        "the original forgets what it has seen",
    ),
    ("csv", "csv-installmodes-unknown", "OLM knows four install modes"),
    (
        "csv",
        "csv-required-field",
        "a list without Deployments installs nothing",
    ),
    (
        "good-practices",
        "gp-resource-requests",
        "cpu alone, or memory alone, is not both",
    ),
    (
        "object",
        "obj-rbac-pdb-write",
        "the permissions of the CSV are permissions, too",
    ),
    (
        "operatorhubv2",
        "hub-icon-missing",
        "the original comes to grief on an empty list",
    ),
    (
        "operatorhub",
        "hub-v1-deprecated",
        "the original comes to grief on an empty list of icons",
    ),
];
/// What it does not say:
const DROPPED: &[(&str, &str, &str)] = &[
    (
        "crd",
        "crd-preserve-unknown-fields",
        "v1beta1 CRDs that say nothing were right in their time",
    ),
    ("object", "obj-pdb-maxunavailable-zero", "a percentage is not zero"),
    ("community", "community-maxopenshift-missing", "said once, as an error"),
    (
        "alpha-deprecated-apis",
        "removed-api-minkube-unparsable",
        "said once, by csv",
    ),
    (
        "alpha-deprecated-apis",
        "removed-api-1.22",
        "said once, by operatorhubv2",
    ),
    (
        "alpha-deprecated-apis",
        "removed-api-1.25",
        "said once, by operatorhubv2",
    ),
    (
        "alpha-deprecated-apis",
        "removed-api-1.26",
        "said once, by operatorhubv2",
    ),
    ("operatorhubv2", "hub-minkubeversion-missing", "said once, by csv"),
    ("operatorhubv2", "hub-minkubeversion-format", "said once, by csv"),
    ("operatorhubv2", "removed-api-minkube-unparsable", "said once, by csv"),
];
/// The first form of a validator says again what its successors say; only that it is the first form is its own.
const REPEATS: &str = "operatorhub";

fn names() -> Vec<&'static str> {
    VALIDATORS.iter().map(|validator| validator.name).collect()
}

fn found(folder: &Path, names: &[&str], reference: bool) -> Vec<(&'static str, Diagnostic)> {
    let files = Tree::from_directory(folder, &TreeLimits::default()).unwrap();
    let reading = bundle::read(&files, &Limits::default());
    let Some(bundle) = reading.bundle else {
        return Vec::new();
    };
    let options = Options {
        reference,
        ..Options::default()
    };
    let input = Input {
        bundle: &bundle,
        files: &files,
        options: &options,
    };
    run(&input, names)
}

fn counted(found: &[(&'static str, Diagnostic)]) -> Findings {
    found.iter().fold(Findings::new(), |mut counts, (validator, finding)| {
        let key = ((*validator).to_owned(), finding.severity, finding.rule.id.to_owned());
        *counts.entry(key).or_default() += 1;
        counts
    })
}

fn recorded(case: &Path) -> Findings {
    let expected: Vec<Value> = serde_json::from_slice(&std::fs::read(case.join("expected.json")).unwrap()).unwrap();
    expected.iter().fold(Findings::new(), |mut counts, finding| {
        let text = |key: &str| finding[key].as_str().unwrap();
        let severity = match text("level") {
            "Error" => Severity::Error,
            "Warning" => Severity::Warning,
            other => panic!("{other}"),
        };
        let rule = match text("rule").strip_prefix("crd-k8s:") {
            Some(field) => CRD_FIELDS.iter().find(|(known, _)| *known == field).unwrap().1,
            None => text("rule"),
        };
        let key = (text("validator").to_owned(), severity, rule.to_owned());
        *counts.entry(key).or_default() += 1;
        counts
    })
}

/// The recorded bundles: the real ones and the small changes of one, sorted.
fn cases() -> Option<Vec<PathBuf>> {
    let folder = shared::folder("goldens/validate")?;
    let mut cases: Vec<PathBuf> = [folder.clone(), folder.join("mutants")]
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("expected.json").is_file())
        .collect();
    cases.sort();
    Some(cases)
}

/// Bundles that the original could not read, so that no validator ran; reading them is judged elsewhere.
fn is_unreadable(case: &Path) -> bool {
    let opm: Value = serde_json::from_slice(&std::fs::read(case.join("opm.json")).unwrap()).unwrap();
    let error = opm["load_error"].as_str();
    error.is_some_and(|error| !error.is_empty()) && recorded(case).is_empty()
}

fn name_of(case: &Path) -> String {
    case.file_name().unwrap().to_string_lossy().into_owned()
}

/// What is in `left` and not in `right`, with how often.
fn beyond<'a>(
    left: &'a Findings,
    right: &'a Findings,
) -> impl Iterator<Item = (&'a (String, Severity, String), usize)> {
    left.iter().filter_map(|(key, count)| {
        let more = count.saturating_sub(right.get(key).copied().unwrap_or(0));
        (more > 0).then_some((key, more))
    })
}

#[test]
fn the_original_verdict_is_given_where_it_is_wanted() {
    let Some(cases) = cases() else {
        return;
    };
    let (mut agreed, mut unreadable, mut findings) = (0, 0, 0);
    let mut differences = Vec::new();
    for case in &cases {
        if is_unreadable(case) {
            unreadable += 1;
            continue;
        }
        let (found, recorded) = (counted(&found(&case.join("bundle"), &names(), true)), recorded(case));
        findings += recorded.values().sum::<usize>();
        if found == recorded {
            agreed += 1;
        }
        let (more, less) = (beyond(&found, &recorded), beyond(&recorded, &found));
        differences.extend(more.map(|(key, count)| format!("{}: {count} too many of {key:?}", name_of(case))));
        differences.extend(less.map(|(key, count)| format!("{}: {count} too few of {key:?}", name_of(case))));
    }
    println!(
        "{agreed} of {} bundles agree, {findings} findings; {unreadable} could not be read by the original",
        cases.len()
    );
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn every_other_verdict_has_its_reason() {
    let Some(cases) = cases() else {
        return;
    };
    let mut differences = Vec::new();
    let mut used = BTreeSet::new();
    let mut explained = 0;
    for case in cases.iter().filter(|case| !is_unreadable(case)) {
        let (found, recorded) = (counted(&found(&case.join("bundle"), &names(), false)), recorded(case));
        let mut explain = |table: &'static [(&str, &str, &str)], key: &(String, Severity, String), what: &str| {
            let (validator, _, rule) = key;
            match table.iter().find(|(of, id, _)| of == validator && id == rule) {
                Some(row) => {
                    used.insert(*row);
                    explained += 1;
                }
                None if what == "less" && validator == REPEATS && rule != "hub-v1-deprecated" => explained += 1,
                None => differences.push(format!("{}: {what} {key:?}", name_of(case))),
            }
        };
        beyond(&found, &recorded).for_each(|(key, _)| explain(ADDED, key, "more"));
        beyond(&recorded, &found).for_each(|(key, _)| explain(DROPPED, key, "less"));
    }
    println!("{explained} differences, each for one of {} reasons", used.len());
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    let idle: Vec<_> = ADDED.iter().chain(DROPPED).filter(|row| !used.contains(*row)).collect();
    assert!(idle.is_empty(), "nothing shows these any more: {idle:#?}");
}

/// Errors about bundles that a catalog accepted in its day, and why they are errors all the same.
const ACCEPTED_THEN: &[(&str, &str)] = &[
    // The original reports it, too; it did not look yet when version 0.1.1 was published.
    ("node-healthcheck-operator", "bundle-serviceaccount-clash"),
];

#[test]
fn published_bundles_pass_the_default_validators() {
    let Some(folder) = shared::folder("corpus/registryv1") else {
        return;
    };
    let mut bundles = 0;
    let mut errors = BTreeMap::<(String, String), Vec<String>>::new();
    for operator in folders(&folder) {
        for version in folders(&operator) {
            bundles += 1;
            let everything = found(&version, &names(), false);
            assert_eq!(counted(&everything), counted(&found(&version, &names(), false)));
            for (validator, finding) in found(&version, DEFAULT, false) {
                assert!(
                    finding.place.is_some() || finding.rule.id.starts_with("bundle-size"),
                    "{finding}"
                );
                if finding.is_error() {
                    let name = format!("{} {}", name_of(&operator), name_of(&version));
                    let key = (name_of(&operator), finding.rule.id.to_owned());
                    errors
                        .entry(key)
                        .or_default()
                        .push(format!("{name}: {validator}: {finding}"));
                }
            }
        }
    }
    let unexplained: Vec<&String> = errors
        .iter()
        .filter(|((operator, rule), _)| !ACCEPTED_THEN.contains(&(operator, rule)))
        .flat_map(|(_, findings)| findings)
        .collect();
    println!(
        "{bundles} bundles, {} kinds of errors that have a reason",
        ACCEPTED_THEN.len()
    );
    assert!(unexplained.is_empty(), "{unexplained:#?}");
    for (operator, rule) in ACCEPTED_THEN {
        assert!(
            errors.contains_key(&((*operator).to_owned(), (*rule).to_owned())),
            "{operator}: {rule}"
        );
    }
}

fn folders(parent: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(parent).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// The innermost value that is the only one to differ.
fn difference(left: &Value, right: &Value, path: &text::Path) -> text::Path {
    let inside: Vec<(text::Path, &Value, &Value)> = match (left, right) {
        (Value::Object(left), Value::Object(right)) if left.len() == right.len() => {
            let pairs = left
                .iter()
                .map(|(key, item)| (path.key(key), item, right.get(key).unwrap_or(&Value::Null)));
            pairs.filter(|(_, left, right)| left != right).collect()
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            let pairs = left.iter().zip(right).enumerate();
            let pairs = pairs.map(|(index, (left, right))| (path.index(index), left, right));
            pairs.filter(|(_, left, right)| left != right).collect()
        }
        _ => Vec::new(),
    };
    match &inside[..] {
        [(path, left, right)] if !right.is_null() => difference(left, right, path),
        _ => path.clone(),
    }
}

/// What a changed bundle has other than the bundle that it was made from: file and bytes of each change.
fn changes(base: &Path, changed: &Path) -> Vec<(String, Range<usize>)> {
    let tree = |folder: &Path| Tree::from_directory(&folder.join("bundle"), &TreeLimits::default()).unwrap();
    let (base, changed) = (tree(base), tree(changed));
    let read = |name: &str, content: &[u8]| text::read(name, content, &Limits::default()).documents.remove(0);
    let differ = changed
        .iter()
        .filter(|(path, content)| base.get(path) != Some(*content));
    differ
        .map(|(path, content)| {
            let Some(before) = base.get(path) else {
                return (path.to_owned(), 0..content.len());
            };
            let (before, document) = (read(path, before), read(path, content));
            let inside = difference(before.value(), document.value(), &text::Path::root());
            (path.to_owned(), document.place(&inside).span)
        })
        .collect()
}

#[test]
fn a_finding_about_a_change_points_at_it() {
    let Some(cases) = cases() else {
        return;
    };
    let base = cases.iter().find(|case| name_of(case) == "base").unwrap();
    let (mut pointed, mut wrong) = (0, Vec::new());
    for case in cases.iter().filter(|case| case.parent().unwrap().ends_with("mutants")) {
        let mut findings = found(&case.join("bundle"), &names(), false);
        findings.retain(|(_, finding)| finding.rule.id != "hub-v1-deprecated");
        let changes = changes(base, case);
        // A file that is gone leaves nothing to point at.
        if findings.is_empty() || changes.is_empty() {
            continue;
        }
        let meets = |place: &Place| {
            let hit = |(file, span): &(String, Range<usize>)| {
                let meets = place.span.start < span.end && span.start < place.span.end;
                place.source.name().ends_with(file) && meets
            };
            changes.iter().any(hit)
        };
        let points = |finding: &Diagnostic| {
            let related = finding.related.iter().map(|(place, _)| place);
            finding.place.iter().chain(related).any(meets)
        };
        if findings.iter().any(|(_, finding)| points(finding)) {
            pointed += 1;
        } else {
            wrong.push(format!("{}: {changes:?} change, not {findings:?}", name_of(case)));
        }
    }
    println!("{pointed} changes are pointed at");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
