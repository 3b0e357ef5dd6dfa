//! The validators of bundles, against what the original ones said about real bundles and about small changes of one.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may panic, and says what it compared"
)]

mod shared;

use opmx::bundle;
use opmx::diagnostic::Diagnostic;
use opmx::rules::Severity;
use opmx::text::Limits;
use opmx::tree::{Tree, TreeLimits};
use opmx::validation::validators::{DEFAULT, Input, Options, VALIDATORS, run};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Validator, severity and rule, and how often it is said.
type Findings = BTreeMap<(String, Severity, String), usize>;

/// What the recorded findings about CRDs call by the field is a rule here.
const CRD_FIELDS: &[(&str, &str)] = &[
    ("metadata.name", "crd-name"),
    ("spec.scope", "crd-scope"),
    ("spec.versions", "crd-storage-count"),
    ("spec.additionalPrinterColumns[].JSONPath", "crd-printer-column"),
    ("spec.additionalPrinterColumns[].type", "crd-printer-column"),
    ("spec.subresources.scale.specReplicasPath", "crd-scale-path"),
    ("spec.conversion.webhookClientConfig", "crd-conversion-client"),
    (
        "spec.conversion.conversionReviewVersions",
        "crd-conversion-review-versions",
    ),
];

/// Where this program judges otherwise than the original, which is wrong there, and why.
/// What it says in place of, or besides, the original:
const ADDED: &[(&str, &str, &str)] = &[
    (
        "crd",
        "crd-schema-missing",
        "a cluster refuses a version without a schema",
    ),
    (
        "crd",
        "crd-schema-structural",
        "a cluster refuses a schema that is not structural",
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
        "object",
        "obj-rbac-default-scc-write",
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

/// The recorded bundles: the real ones and the changed one, sorted.
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
    for row in ADDED.iter().chain(DROPPED) {
        assert!(used.contains(row), "nothing shows {row:?} any more");
    }
}

/// Errors about bundles that a catalog accepted in its day, and why they are errors all the same.
const ACCEPTED_THEN: &[(&str, &str)] = &[];

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
